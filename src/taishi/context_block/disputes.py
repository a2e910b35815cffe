"""Statements that contradict each other while nobody has decided which of them is right (P5, I2).

Only one of the two is known as a fact. A model that reads it has to be told that it is disputed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from ..domain import fact_decisions
from ..domain.fact_lifecycle import SHARED, ids_in
from ..domain.text_identity import normal
from ..ports import Store
from ..types import Partition, Record
from .readings import squeezed

MOST_CONFLICTS = 200
MOST_RIVALS = 2
RIVAL_CHARS = 160


class Side(NamedTuple):
    """A statement, where it was learned, and what contradicts it."""

    id: str
    text: str
    sources: tuple[str, ...]
    rival: str


class Disputes:
    """What contradicts a line of a page, a fact, or what an event tells."""

    def __init__(self, sides: Iterable[Side] = ()) -> None:
        self._of_text: dict[str, list[str]] = {}
        self._of_id: dict[str, list[str]] = {}
        for side in sides:
            self._of_text.setdefault(squeezed(normal(side.text)), []).append(side.rival)
            for id in (side.id, *side.sources):
                self._of_id.setdefault(id, []).append(side.rival)

    def __bool__(self) -> bool:
        return bool(self._of_text)

    def of_line(self, readings: Collection[str]) -> list[str]:
        """`readings` are all that a line says, squeezed."""
        if not self._of_text:
            return []
        return _first(rival for one in readings for rival in self._of_text.get(one, ()))

    def of_record(self, id: str) -> list[str]:
        """A fact, or an event that it was learned from."""
        return _first(self._of_id.get(id, ()))


NO_DISPUTES = Disputes()


def open_disputes(
    store: Store, place: Partition, shown: Callable[[Record], str]
) -> tuple[Side, ...]:
    """Both sides of each conflict that waits in a place; `shown` is a record's text as it may be
    shown."""
    found = store.find(place, ("fact",), ("conflict",), MOST_CONFLICTS)
    # What is proposed to a workspace is shown once it is approved, and not before (F5).
    waiting = [one for one in found if SHARED not in one.data]
    if not waiting:
        return ()
    rivals = {id for one in waiting for id in ids_in(one, "conflict_with")}
    known = (store.get(place, id) for id in rivals - {one.id for one in waiting})
    standing = [one for one in known if one is not None and one.state == "approved"]
    return tuple(_sides(fact_decisions.conflicts([*waiting, *standing]), shown))


def _sides(
    pairs: Iterable[tuple[Record, Record]], shown: Callable[[Record], str]
) -> Iterator[Side]:
    for pair in pairs:
        for one, other in (pair, pair[::-1]):
            sources = tuple(filter(None, dict.fromkeys((one.source, *ids_in(one, "sources")))))
            yield Side(one.id, shown(one), sources, shown(other)[:RIVAL_CHARS])


def _first(rivals: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(rivals))[:MOST_RIVALS]
