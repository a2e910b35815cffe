"""Distributes the token budget of a block over its sections.

Every non-empty section gets a share of the budget by its weight; what a section does not need goes
to the others by the same weights. Inside a section lines are taken in order; long records share
evenly. What is still left is offered once more to the lines that were left out. So one long profile
or record never displaces everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ..language.token_bound import Counter
from .excerpt import Shorten, from_beginning

WEIGHTS = {
    "instructions": 2,
    "task": 2,
    "user": 3,
    "group": 3,
    "facts": 3,
    "chats": 3,
    "procedures": 2,
    "events": 4,
    "observations": 2,
    "documents": 3,
    "notes": 3,
}
PROFILE_SECTIONS = ("user", "group")
INSTRUCTIONS = "instructions"  # never truncated: half of one may say the opposite
TASK = "task"
MIN_ITEM_TOKENS = 12
# A truncated record keeps at least this many tokens, or fewer records are shown.
MIN_RECORD_TOKENS = 60


class Line(NamedTuple):
    """One line of the block. `order` is its position within its section, whatever its rank."""

    section: str
    text: str
    order: int = 0


def shares(needs: Mapping[str, int], room: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Split `room`: each gets what it needs, or its weighted share of what is left."""
    granted: dict[str, int] = {}
    remaining = dict(needs)
    while remaining:
        total_weight = sum(weights[name] for name in remaining)
        satisfied = [
            name for name in remaining if remaining[name] * total_weight <= room * weights[name]
        ]
        if not satisfied:
            return granted | {
                name: max(0, room) * weights[name] // total_weight for name in remaining
            }
        for name in satisfied:
            granted[name] = remaining.pop(name)
            room -= granted[name]
    return granted


def page_share(sections: Collection[str], page: str, room: int) -> int:
    """The guaranteed share of a profile, whatever else there is to show."""
    total_weight = sum(WEIGHTS[name] for name in {*sections, page})
    return room * WEIGHTS[page] // total_weight


class Budget:
    """Chooses the lines of one block. `render` renders several lines, `render_line` one; `shorten`
    truncates one that is too long."""

    def __init__(
        self,
        max_tokens: int,
        count: Counter,
        render: Callable[[Sequence[Line]], str],
        render_line: Callable[[str], str],
        shorten: Shorten = from_beginning,
    ) -> None:
        self._max, self._count, self._render, self._render_line = (
            max_tokens,
            count,
            render,
            render_line,
        )
        self._shorten = shorten
        self._frame = count(render([]))
        self._headings: dict[str, int] = {}
        self.cost = cache(self._cost)
        self.room = max_tokens - self._frame

    def _cost(self, text: str) -> int:
        return self._count(f"\n- {self._render_line(text)}") if text else 0

    def fill(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that fit, some of them truncated; empty if none does."""
        if self.room < MIN_ITEM_TOKENS:
            return []
        chosen = _Selection(self, lines)
        chosen.fill_by_share()
        chosen.fill_remaining()
        chosen_lines = [line for _, line in sorted(chosen.lines())]
        chosen.reclaim(self._max - self._count(self._render(chosen_lines)))
        return self._drop_to_fit(chosen.lines())

    def heading(self, section: str) -> int:
        if section not in self._headings:
            alone = self._count(self._render([Line(section, "")]))
            self._headings[section] = max(0, alone - self._frame)
        return self._headings[section]

    def truncated(self, text: str, room: int) -> str:
        """As much of a text as fits into `room` tokens; "" if that is too little."""
        if room < MIN_ITEM_TOKENS:
            return ""
        return self._shorten(text, room, self.cost)

    def _drop_to_fit(self, lines: list[tuple[int, Line]]) -> list[Line]:
        """Drop the lowest ranks while the rendered block exceeds the budget: a tokenizer may count
        the whole higher than its parts."""
        while lines:
            ordered = [line for _, line in sorted(lines)]
            if self._count(self._render(ordered)) <= self._max:
                return ordered
            lines.pop()
        return []


class _Selection:
    """The lines chosen so far, by number, and their cost."""

    def __init__(self, budget: Budget, lines: Sequence[Line]) -> None:
        self._budget = budget
        self._lines = lines
        self._texts: dict[int, str] = {}
        self._costs = [budget.cost(line.text) for line in lines]
        self._left = budget.room
        self._headings: dict[str, int] = {}
        self._sections: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            self._sections.setdefault(line.section, []).append(number)

    def fill_by_share(self) -> None:
        needs = {
            name: self._budget.heading(name) + sum(self._costs[n] for n in numbers)
            for name, numbers in self._sections.items()
        }
        for name, share in shares(needs, self._left, WEIGHTS).items():
            self._fill(name, share)

    def fill_remaining(self) -> None:
        """Spend the rest: extend truncated lines, then add instructions, hits and profile lines."""
        for number in sorted(n for n, text in self._texts.items() if text != self._lines[n].text):
            self._extend(number)
        remaining = sorted(
            (n for n in range(len(self._lines)) if n not in self._texts),
            key=lambda n: (self._lines[n].section in PROFILE_SECTIONS, n),
        )
        for number in remaining:
            if self._left < MIN_ITEM_TOKENS:
                return
            self._add(number, self._left)

    def reclaim(self, left: int) -> None:
        """Use the difference if the rendered block costs less than the sum of its rounded-up
        parts."""
        if left > self._left:
            self._left = left
            self.fill_remaining()

    def lines(self) -> list[tuple[int, Line]]:
        """In order of priority: profile lines are dropped first, so they come last."""
        numbered = [(n, self._lines[n]._replace(text=text)) for n, text in self._texts.items()]
        return sorted(numbered, key=lambda pair: (pair[1].section in PROFILE_SECTIONS, pair[0]))

    def _fill(self, section: str, share: int) -> None:
        numbers = self._sections[section]
        room = share - self._budget.heading(section)
        if section in PROFILE_SECTIONS or section in (INSTRUCTIONS, TASK):
            for number in numbers:
                room -= self._add(number, room)
            return
        candidates = numbers[: max(1, room // MIN_RECORD_TOKENS)]
        needs = {str(number): self._costs[number] for number in candidates}
        granted = shares(needs, room, dict.fromkeys(needs, 1))
        for number in candidates:
            self._add(number, granted[str(number)])

    def _add(self, number: int, room: int) -> int:
        """Add a line, truncated to `room` if allowed; returns its cost without the heading."""
        line = self._lines[number]
        heading = self._heading(line.section)
        room = min(room, self._left - heading)
        if self._costs[number] <= room:
            text, cost = line.text, self._costs[number]
        else:
            text = self._budget.truncated(line.text, room) if self._may_truncate(line) else ""
            cost = self._budget.cost(text)
            if not text:
                return 0
        self._headings.setdefault(line.section, heading)
        self._texts[number] = text
        self._left -= cost + heading
        return cost

    def _may_truncate(self, line: Line) -> bool:
        """Of a profile only the first line may be truncated."""
        if line.section in PROFILE_SECTIONS:
            return line.section not in self._headings
        return line.section != INSTRUCTIONS

    def _extend(self, number: int) -> None:
        old_cost = self._budget.cost(self._texts[number])
        text = self._budget.truncated(self._lines[number].text, old_cost + self._left)
        if len(text) > len(self._texts[number]):
            self._texts[number] = text
            self._left -= self._budget.cost(text) - old_cost

    def _heading(self, section: str) -> int:
        return 0 if section in self._headings else self._budget.heading(section)
