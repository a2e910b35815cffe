"""What a person's change of a page means for the facts behind it (P5).

A line taken out withdraws the facts that it said, a line put right corrects them, a line added is
known from then on. Nothing here stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from ..types import Edit, Place, Record
from . import corrections
from .entities import Entity
from .fact_records import buried, new_fact
from .page_lines import LineChange, bare, is_among, readings, says
from .sameness import same
from .visibility import EVERYWHERE, PRIVATE, Statement

BY_HAND = "profile"
STANDING = ("approved", "candidate", "conflict")
MOST_FACTS = 20_000
MOST_NEW = 500  # lines of one edit that become facts; a longer text pasted in stays a page


def places_of(line: Statement, entity: Entity, groups: Iterable[Place] = ()) -> list[Place]:
    """Where the facts of a line live: where it was learned. `groups` are those of the user."""
    if entity.entity_type == "group":
        return [entity.place]
    marked = [Place(entity.workspace, "group", m[6:]) for m in line.marks if m.startswith("group:")]
    if EVERYWHERE in line.marks:
        return [entity.place, *marked, *(one for one in groups if one not in marked)]
    if not line.marks or PRIVATE in line.marks:
        return [entity.place, *marked]
    return marked


def edits(
    records: corrections.Records,
    entity: Entity,
    names: Sequence[str],
    changed: Sequence[LineChange],
    groups: Sequence[Place],
    now: float,
    zone: tzinfo = UTC,
) -> list[Edit]:
    """The edits of the facts, and of all that was made of them. `names` are those of the page.

    Whoever calls holds the lock of the facts of every place in `places_of` the changed lines.
    """
    work = _Work(records, entity, names, now, zone)
    for before, after in changed:
        if before is not None:
            for place in places_of(before, entity, groups):
                work.take_out(place, before, after)
        if after is not None:
            work.put_in(after)
    return work.edits


class _Work:
    """The edits of one change of a page; later lines see what earlier ones did."""

    def __init__(
        self,
        records: corrections.Records,
        entity: Entity,
        names: Sequence[str],
        now: float,
        zone: tzinfo,
    ) -> None:
        self._records = records
        self._entity = entity
        self._names = [name for name in (*names, entity.entity_id) if name]
        self._now = now
        self._zone = zone
        self._facts: dict[Place, dict[str, Record]] = {}
        self._new = 0
        self.edits: list[Edit] = []

    def take_out(self, place: Place, line: Statement, heir: Statement | None) -> None:
        """The facts behind a line are withdrawn, or corrected; one not learned is a tombstone."""
        behind = self._behind(place, line)
        for fact in behind:
            if heir is None or not self._is_same(fact, line):
                self._withdraw(fact, heir)
            elif not same(fact.text, heir.said):
                now, zone = self._now, self._zone
                self._take(corrections.correction(self._records, fact, heir.said, now, zone))
        if not behind:
            tomb = new_fact(line.said, place, BY_HAND, self._now, self._user, zone=self._zone)
            self._take([Edit("put", buried(tomb, self._now, self._zone))])

    def put_in(self, line: Statement) -> None:
        """What a person wrote is so, also if it was rejected or superseded before."""
        place = places_of(line, self._entity)[0]
        there = [one for one in self._of(place).values() if self._is_same(one, line)]
        if any(one.state == "approved" for one in there):
            return
        if there:
            back = max(there, key=lambda one: (one.state in STANDING, one.time or 0.0))
            held = replace(back, until=None, data={**back.data, "valid_to": None,
                                                   "superseded_by": None})  # fmt: skip
            self._take(corrections.approval(self._records, held))
        elif self._new < MOST_NEW:
            self._new += 1
            fact = new_fact(self._named(line, place), place, BY_HAND, self._now, self._user,
                            confidence=1.0, subject=self._names[0], zone=self._zone,
                            sources=["person"])  # fmt: skip
            self._take([Edit("put", replace(fact, source="person"))])

    @property
    def _user(self) -> str | None:
        return self._entity.entity_id if self._entity.entity_type == "user" else None

    def _named(self, line: Statement, place: Place) -> str:
        """In a group a statement has to say of whom it is; on a page, the page does."""
        if place == self._entity.place or any(name in line.said for name in self._names):
            return line.said
        return f"{self._names[0]}: {line.said}"

    def _withdraw(self, fact: Record, heir: Statement | None) -> None:
        """One of several that a line said, unless the new line still says it."""
        if heir is None or not says(heir, fact.text, self._subjects(fact)):
            self._take(corrections.rejection(self._records, fact, self._now, self._zone))

    def _behind(self, place: Place, line: Statement) -> list[Record]:
        read = readings(line.said, self._names)
        standing = [one for one in self._of(place).values() if one.state in STANDING]
        return [one for one in standing if is_among(read, one.text, self._subjects(one))]

    def _is_same(self, fact: Record, line: Statement) -> bool:
        subjects = self._subjects(fact)
        return bare(fact.text, subjects) == bare(line.said, subjects)

    def _subjects(self, fact: Record) -> list[str]:
        return [*self._names, str(fact.data.get("subject") or "")]

    def _of(self, place: Place) -> dict[str, Record]:
        """The facts of a place that this page may be about."""
        if place not in self._facts:
            found = self._records.find(place, ("fact",), None, MOST_FACTS)
            own = place == self._entity.place
            theirs = (one for one in found if own or one.user == self._user)
            self._facts[place] = {one.id: one for one in theirs}
        return self._facts[place]

    def _take(self, made: Iterable[Edit]) -> None:
        for edit in made:
            record = edit.record
            if record is not None and record.kind == "fact":
                self._of(record.place)[record.id] = record
            self.edits.append(edit)


def withdrawn(facts_known: Iterable[Record]) -> Iterator[str]:
    """Statements that a person rejected and that no standing fact says."""
    known = list(facts_known)
    standing = [one.text for one in known if one.state == "approved"]
    for one in known:
        if one.state == "rejected" and not any(same(one.text, text) for text in standing):
            yield one.text
