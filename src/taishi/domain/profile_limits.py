"""Limits the length of a page: beyond a number of statements, lines are removed.

Only a line whose statement is also an approved fact may leave, so nothing is lost: recall finds the
fact, `taishi facts` lists it, the snapshots keep the page as it was. What a person wrote stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ports import Store
from ..types import Partition, Profile, Record
from . import line_acl, profile_edits, profile_records
from .line_acl import EVERYWHERE, Statement
from .profile_edits import MOST_FACTS
from .profile_lines import bare
from .profile_owners import ProfileOwner
from .text_identity import normal

SLACK = 4  # one part in so many above the bound: the facts are read seldom, not with every line
BY_PERSON = "person"


def is_over(body: str, most: int) -> bool:
    """A cheap check at every write: whether the lines need to be counted."""
    if not most or body.count("\n") < most:
        return False
    statements = sum(line.is_statement for line in line_acl.parse(body))
    return statements > most + most // SLACK


def bounded(
    store: Store, entity: ProfileOwner, page: Profile, groups: Sequence[Partition], most: int
) -> str:
    """The page's text with at most so many statements, as far as facts say what leaves.

    The least confirmed lines go first, of these the oldest.
    """
    lines = line_acl.parse(page.body)
    known = _Known(store, [page.name, *profile_records.former_names(page), entity.entity_id])
    ranks = {
        number: rank
        for number, line in enumerate(lines)
        if line.is_statement
        and (rank := known.rank(line, profile_edits.places_of(line, entity, groups))) is not None
    }
    over = sum(line.is_statement for line in lines) - most
    gone = set(sorted(ranks, key=lambda number: (ranks[number], number))[: max(0, over)])
    return line_acl.render(line for number, line in enumerate(lines) if number not in gone)


class _Known:
    """The approved facts of the places that a page's lines were learned in, by their words."""

    def __init__(self, store: Store, names: Sequence[str]) -> None:
        self._store = store
        self._names = names
        self._by_place: dict[Partition, dict[str, Record]] = {}

    def rank(self, line: Statement, places: Iterable[Partition]) -> tuple[int, float] | None:
        """How well the facts behind a line are confirmed; None if the line must stay."""
        if EVERYWHERE in line.marks:
            return None
        facts = [self._fact(line, place) for place in places]
        found = [one for one in facts if one is not None and BY_PERSON not in _sources(one)]
        if not facts or len(found) < len(facts):
            return None
        return max((_evidence(one), one.time or 0.0) for one in found)

    def _fact(self, line: Statement, place: Partition) -> Record | None:
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
