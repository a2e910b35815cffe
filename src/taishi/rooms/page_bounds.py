"""A page stays one that a person can read: beyond so many statements, lines leave it.

Only a line whose statement is also an approved fact may leave, so nothing is lost: recall finds the
fact, `taishi facts` lists it, the snapshots keep the page as it was. What a person wrote stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ports import Store
from ..types import Place, Profile, Record
from . import page_facts, page_records, visibility
from .entities import Entity
from .page_facts import MOST_FACTS
from .page_lines import bare
from .sameness import normal
from .visibility import EVERYWHERE, Statement

SLACK = 4  # one part in so many above the bound: the facts are read seldom, not with every line
BY_PERSON = "person"


def is_over(body: str, most: int) -> bool:
    """Cheap, for every write: whether it is time to look at the lines."""
    if not most or body.count("\n") < most:
        return False
    statements = sum(line.is_statement for line in visibility.parse(body))
    return statements > most + most // SLACK


def bounded(store: Store, entity: Entity, page: Profile, groups: Sequence[Place], most: int) -> str:
    """The page's text with at most so many statements, as far as facts say what leaves.

    First those go that were confirmed least, of these the oldest.
    """
    lines = visibility.parse(page.body)
    known = _Known(store, [page.name, *page_records.former_names(page), entity.entity_id])
    ranks = {
        number: rank
        for number, line in enumerate(lines)
        if line.is_statement
        and (rank := known.rank(line, page_facts.places_of(line, entity, groups))) is not None
    }
    over = sum(line.is_statement for line in lines) - most
    gone = set(sorted(ranks, key=lambda number: (ranks[number], number))[: max(0, over)])
    return visibility.render(line for number, line in enumerate(lines) if number not in gone)


class _Known:
    """The approved facts of the places that a page's lines were learned in, by their words."""

    def __init__(self, store: Store, names: Sequence[str]) -> None:
        self._store = store
        self._names = names
        self._by_place: dict[Place, dict[str, Record]] = {}

    def rank(self, line: Statement, places: Iterable[Place]) -> tuple[int, float] | None:
        """How well the facts behind a line are confirmed; None if the line must stay."""
        if EVERYWHERE in line.marks:
            return None
        facts = [self._fact(line, place) for place in places]
        found = [one for one in facts if one is not None and BY_PERSON not in _sources(one)]
        if not facts or len(found) < len(facts):
            return None
        return max((_evidence(one), one.time or 0.0) for one in found)

    def _fact(self, line: Statement, place: Place) -> Record | None:
        if place not in self._by_place:
            self._by_place[place] = {
                words: one
                for one in self._store.find(place, ("fact",), ("approved",), MOST_FACTS)
                for words in (normal(one.text), bare(one.text, self._names))
            }
        known = self._by_place[place]
        return known.get(normal(line.said)) or known.get(bare(line.said, self._names))


def _evidence(fact: Record) -> int:
    count = fact.data.get("evidence_count")
    return count if isinstance(count, int) else 0


def _sources(fact: Record) -> list[str]:
    sources = fact.data.get("sources")
    return [str(fact.source), *(sources if isinstance(sources, list) else ())]
