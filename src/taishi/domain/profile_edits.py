"""Turns a person's edit of a page into edits of the facts behind it (P5).

A line taken out withdraws the facts that it said, a line put right corrects them, a line added is
known from then on. Nothing here stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from itertools import islice

from ..types import Edit, Partition, Record
from . import corrections
from .fact_lifecycle import buried, new_fact, reopened
from .line_acl import EVERYWHERE, PRIVATE, Statement
from .pending_edits import PendingEdits, Records
from .profile_lines import LIKE, LineChange, bare, likeness, readings, says
from .profile_owners import ProfileOwner
from .text_identity import normal, same, statement_key

BY_HAND = "profile"
STANDING = ("approved", "candidate", "conflict")
MOST_FACTS = 20_000
# Where a line says no fact word for word, the likest is looked for, within these bounds.
MOST_GUESSES = 20
MOST_COMPARED = 300
MOST_NEW = 500  # lines of one edit that become facts; a longer text pasted in stays a page


def places_of(
    line: Statement, entity: ProfileOwner, groups: Iterable[Partition] = ()
) -> list[Partition]:
    """The partitions that hold the facts of a line. `groups` are those of the user."""
    if entity.entity_type == "group":
        return [entity.place]
    marked = [
        Partition(entity.workspace, "group", m[6:]) for m in line.marks if m.startswith("group:")
    ]
    if EVERYWHERE in line.marks:
        return [entity.place, *marked, *(one for one in groups if one not in marked)]
    if not line.marks or PRIVATE in line.marks:
        return [entity.place, *marked]
    return marked


def edits(
    records: Records,
    entity: ProfileOwner,
    names: Sequence[str],
    changed: Sequence[LineChange],
    left: Sequence[Statement],
    groups: Sequence[Partition],
    now: float,
    zone: tzinfo = UTC,
) -> list[Edit]:
    """The edits of the facts and of all derived from them. `names` are those of the page,
    `left` its lines as they are now.

    Whoever calls holds the lock of the facts of every place in `places_of` the changed lines.
    """
    records_now = PendingEdits(records)
    work = _Work(records_now, entity, names, left, now, zone)
    for before, after in changed:
        if before is not None:
            for place in places_of(before, entity, groups):
                work.take_out(place, before, after)
        if after is not None:
            work.put_in(after)
    return records_now.edits


class _Work:
    """The edits of one change of a page; later lines see what earlier ones did."""

    def __init__(
        self,
        records: PendingEdits,
        entity: ProfileOwner,
        names: Sequence[str],
        left: Sequence[Statement],
        now: float,
        zone: tzinfo,
    ) -> None:
        self._left = [one for one in left if one.is_statement][:MOST_COMPARED]
        self._guesses = 0
        self._records = records
        self._entity = entity
        self._names = [name for name in (*names, entity.entity_id) if name]
        self._now = now
        self._zone = zone
        self._facts: dict[Partition, _Facts] = {}
        self._new = 0

    def take_out(self, place: Partition, line: Statement, heir: Statement | None) -> None:
        """Withdraws or corrects the facts behind a line; an unknown one becomes a tombstone."""
        whole, facts = self._whole(line), self._of(place)
        said = facts.saying({*whole, *readings(line.said, self._names)})
        behind = [one for one in said if one.state in STANDING] or self._reworded(facts, line)
        exact = {one.id for one in facts.saying(whole)}
        for fact in behind:
            if heir is None or fact.id not in exact:
                self._withdraw(fact, heir)
            elif not same(fact.text, heir.said):
                self._take(self._corrected(facts, fact, heir))
        if not behind:
            tomb = new_fact(line.said, place, BY_HAND, self._now, self._user, zone=self._zone)
            self._take([Edit("put", buried(tomb, self._now, self._zone))])

    def put_in(self, line: Statement) -> None:
        """Adds what a person wrote as a fact, even if it was rejected or superseded before."""
        place = places_of(line, self._entity)[0]
        there = self._of(place).saying(self._whole(line))
        if any(one.state == "approved" for one in there):
            return
        if there:
            back = max(there, key=lambda one: (one.state in STANDING, one.time or 0.0))
            self._take(corrections.approval(self._records, reopened(back), self._now, self._zone))
        elif self._new < MOST_NEW:
            self._new += 1
            fact = new_fact(
                self._named(line, place),
                place,
                BY_HAND,
                self._now,
                self._user,
                confidence=1.0,
                subject=self._names[0],
                zone=self._zone,
                sources=["person"],
                recorded_by="person",
            )
            self._take([Edit("put", replace(fact, source="person"))])

    @property
    def _user(self) -> str | None:
        return self._entity.entity_id if self._entity.entity_type == "user" else None

    def _named(self, line: Statement, place: Partition) -> str:
        """In a group a statement has to say of whom it is; on a page, the page does."""
        if place == self._entity.place or any(name in line.said for name in self._names):
            return line.said
        return f"{self._names[0]}: {line.said}"

    def _withdraw(self, fact: Record, heir: Statement | None) -> None:
        """One of several that a line said, unless the new line still says it."""
        if heir is None or not says(heir, fact.text, self._names):
            self._take(corrections.rejection(self._records, fact, self._now, self._zone))

    def _reworded(self, facts: _Facts, line: Statement) -> list[Record]:
        """The fact that a model reworded into this line, if no remaining line matches it better."""
        if self._guesses >= MOST_GUESSES:
            return []
        self._guesses += 1
        standing = (one for one in islice(facts, MOST_COMPARED) if one.state in STANDING)
        shares = {one.id: (self._share(line, one), one) for one in standing}
        best = max((share for share, _ in shares.values()), default=0.0)
        return [one for share, one in shares.values() if share == best] if best else []

    def _share(self, line: Statement, fact: Record) -> float:
        share = likeness(line, fact.text, self._names)
        if share < LIKE:
            return 0.0
        closer = any(likeness(one, fact.text, self._names) >= share for one in self._left)
        return 0.0 if closer else share

    def _corrected(self, facts: _Facts, fact: Record, heir: Statement) -> list[Edit]:
        """Corrects to a statement that was known before, as after a rollback, or to a new one."""
        before = facts.saying(self._whole(heir))
        if before:
            return corrections.succession(self._records, fact, before[0], self._now, self._zone)
        return corrections.correction(self._records, fact, heir.said, self._now, self._zone)

    def _whole(self, line: Statement) -> set[str]:
        return {normal(line.said), bare(line.said, self._names)}

    def _of(self, place: Partition) -> _Facts:
        """The facts of a place that this page may be about."""
        if place not in self._facts:
            found = self._records.find(place, ("fact",), MOST_FACTS)
            own = place == self._entity.place
            theirs = (one for one in found if own or one.user == self._user)
            self._facts[place] = _Facts(self._names, theirs)
        return self._facts[place]

    def _take(self, made: Iterable[Edit]) -> None:
        edits = list(made)
        self._records.take(edits)
        for record in (edit.record for edit in edits):
            if record is not None and record.kind == "fact":
                self._of(record.place).put(record)


class _Facts:
    """Facts by their words, with and without whom the page is about."""

    def __init__(self, names: Sequence[str], found: Iterable[Record]) -> None:
        self._names = names
        self._by_id: dict[str, Record] = {}
        self._by_words: dict[str, dict[str, None]] = {}
        for one in found:
            self.put(one)

    def put(self, fact: Record) -> None:
        self._by_id[fact.id] = fact
        for words in {normal(fact.text), bare(fact.text, self._names)}:
            self._by_words.setdefault(words, {})[fact.id] = None

    def __iter__(self) -> Iterator[Record]:
        return iter(list(self._by_id.values()))

    def saying(self, words: Iterable[str]) -> list[Record]:
        ids = dict.fromkeys(id for one in words for id in self._by_words.get(one, ()))
        return [self._by_id[id] for id in ids]


def withdrawn(known: Iterable[Record]) -> Iterator[str]:
    """Statements that a person rejected and that no standing fact says."""
    facts = list(known)
    standing = {statement_key(one.text) for one in facts if one.state == "approved"}
    rejected = (one.text for one in facts if one.state == "rejected")
    yield from (text for text in rejected if statement_key(text) not in standing)
