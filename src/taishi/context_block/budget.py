"""Lines of several sections into one budget: each section has a share, none starves another.

Every section that has something to say gets a share of the room by its weight; what a section
does not need goes to the others by the same weights. Inside a section the lines come in their
order; long records share evenly. What is still left is offered once more to the lines that were
left out. So one long page, or one long record, never pushes out all else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ..language.token_bound import Counter
from .excerpt import Shorten, from_beginning

WEIGHTS = {
    "instructions": 2,
    "user": 3,
    "group": 3,
    "facts": 3,
    "procedures": 2,
    "events": 4,
    "observations": 2,
}
PAGES = ("user", "group")
INSTRUCTIONS = "instructions"  # shown whole or not at all: half of one may say the opposite
MIN_ITEM_TOKENS = 12
# A record that is cut keeps at least so much, or fewer records are shown.
LEAST_OF_RECORD = 60


class Line(NamedTuple):
    """One line of the block. `order` is its place within its section, whatever its rank."""

    section: str
    text: str
    order: int = 0


def shares(needs: Mapping[str, int], room: int, weights: Mapping[str, int]) -> dict[str, int]:
    """How much of the room each gets: what it needs, or its part by weight of what is left."""
    given: dict[str, int] = {}
    left = dict(needs)
    while left:
        whole = sum(weights[name] for name in left)
        content = [name for name in left if left[name] * whole <= room * weights[name]]
        if not content:
            return given | {name: max(0, room) * weights[name] // whole for name in left}
        for name in content:
            given[name] = left.pop(name)
            room -= given[name]
    return given


def page_share(sections: Collection[str], page: str, room: int) -> int:
    """What a page may count on, whatever else there is to say."""
    whole = sum(WEIGHTS[name] for name in {*sections, page})
    return room * WEIGHTS[page] // whole


class Budget:
    """Chooses the lines of one block. `drawn` makes the text of some lines, `shown` of one;
    `shorten` cuts one that is too long."""

    def __init__(
        self,
        max_tokens: int,
        count: Counter,
        drawn: Callable[[Sequence[Line]], str],
        shown: Callable[[str], str],
        shorten: Shorten = from_beginning,
    ) -> None:
        self._max, self._count, self._drawn, self._shown = max_tokens, count, drawn, shown
        self._shorten = shorten
        self._frame = count(drawn([]))
        self._headings: dict[str, int] = {}
        self.cost = cache(self._cost)
        self.room = max_tokens - self._frame

    def _cost(self, text: str) -> int:
        return self._count(f"\n- {self._shown(text)}") if text else 0

    def fill(self, lines: Sequence[Line]) -> list[Line]:
        """Those of the lines that fit, some of them cut; nothing if not even one does."""
        if self.room < MIN_ITEM_TOKENS:
            return []
        chosen = _Chosen(self, lines)
        chosen.by_share()
        chosen.by_what_is_left()
        whole = [line for _, line in sorted(chosen.lines())]
        chosen.regain(self._max - self._count(self._drawn(whole)))
        return self._within(chosen.lines())

    def heading(self, section: str) -> int:
        if section not in self._headings:
            alone = self._count(self._drawn([Line(section, "")]))
            self._headings[section] = max(0, alone - self._frame)
        return self._headings[section]

    def fitted(self, text: str, room: int) -> str:
        """As much of a text as the room holds once it is drawn; "" if that is next to nothing."""
        if room < MIN_ITEM_TOKENS:
            return ""
        return self._shorten(text, room, self.cost)

    def _within(self, lines: list[tuple[int, Line]]) -> list[Line]:
        """A tokenizer may count the whole higher than its parts: the last ranks make room."""
        while lines:
            kept = [line for _, line in sorted(lines)]
            if self._count(self._drawn(kept)) <= self._max:
                return kept
            lines.pop()
        return []


class _Chosen:
    """The lines chosen so far, by their numbers, and what they cost."""

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

    def by_share(self) -> None:
        needs = {
            name: self._budget.heading(name) + sum(self._costs[n] for n in numbers)
            for name, numbers in self._sections.items()
        }
        for name, share in shares(needs, self._left, WEIGHTS).items():
            self._fill(name, share)

    def by_what_is_left(self) -> None:
        """What was cut grows; then come standing instructions, what was found, and the pages."""
        for number in sorted(n for n, text in self._texts.items() if text != self._lines[n].text):
            self._grow(number)
        later = sorted(
            (n for n in range(len(self._lines)) if n not in self._texts),
            key=lambda n: (self._lines[n].section in PAGES, n),
        )
        for number in later:
            if self._left < MIN_ITEM_TOKENS:
                return
            self._take(number, self._left)

    def regain(self, left: int) -> None:
        """The whole takes less than its parts, each of which was rounded up: use that, too."""
        if left > self._left:
            self._left = left
            self.by_what_is_left()

    def lines(self) -> list[tuple[int, Line]]:
        """In the order in which they would be given up last: the pages' go first."""
        found = [(n, self._lines[n]._replace(text=text)) for n, text in self._texts.items()]
        return sorted(found, key=lambda one: (one[1].section in PAGES, one[0]))

    def _fill(self, section: str, share: int) -> None:
        numbers = self._sections[section]
        room = share - self._budget.heading(section)
        if section in PAGES or section == INSTRUCTIONS:
            for number in numbers:
                room -= self._take(number, room)
            return
        fair = numbers[: max(1, room // LEAST_OF_RECORD)]
        needs = {str(number): self._costs[number] for number in fair}
        even = shares(needs, room, dict.fromkeys(needs, 1))
        for number in fair:
            self._take(number, even[str(number)])

    def _take(self, number: int, room: int) -> int:
        """Show a line, cut to the room if it may be cut; what it costs beside its heading."""
        line = self._lines[number]
        heading = self._heading(line.section)
        room = min(room, self._left - heading)
        if self._costs[number] <= room:
            text, cost = line.text, self._costs[number]
        else:
            text = self._budget.fitted(line.text, room) if self._may_cut(line) else ""
            cost = self._budget.cost(text)
            if not text:
                return 0
        self._headings.setdefault(line.section, heading)
        self._texts[number] = text
        self._left -= cost + heading
        return cost

    def _may_cut(self, line: Line) -> bool:
        """Of a page only a first line is worth it."""
        if line.section in PAGES:
            return line.section not in self._headings
        return line.section != INSTRUCTIONS

    def _grow(self, number: int) -> None:
        before = self._budget.cost(self._texts[number])
        text = self._budget.fitted(self._lines[number].text, before + self._left)
        if len(text) > len(self._texts[number]):
            self._texts[number] = text
            self._left -= self._budget.cost(text) - before

    def _heading(self, section: str) -> int:
        return 0 if section in self._headings else self._budget.heading(section)
