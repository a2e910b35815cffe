"""Replays the stored events of one partition in memory; nothing is written here.

A person's word stands: what was corrected, rejected, approved or written by hand is there before
the first event is read, and an event that was known when a person rejected what it says does not
bring that back.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from itertools import chain, islice

from ..domain.authority import is_models_own
from ..domain.drafts import Draft
from ..domain.event_evidence import actor_of, has_turn, job_of
from ..domain.evidence_withdrawal import FORGOTTEN, LEARNED, event_sources
from ..domain.fact_lifecycle import epoch_of, having, ids_in, is_withdrawn, reopened
from ..domain.own_facts import ABOUT_USER
from ..domain.pending_edits import PendingEdits
from ..domain.procedures import with_reported_uses
from ..domain.text_identity import normal
from ..exported import FieldChange
from ..historian.historian import Historian
from ..language.analyzer import terms
from ..settings import ShortTermSettings
from ..types import Edit, Job, Partition, Record
from .learner import Learner
from .moved_plans import moved_plans
from .retractions import retracted
from .twin_edits import twin_edits

RETRACTED = ("rejected",)
STANDING = ("approved", "conflict")
_MADE_HERE = re.compile(r"(?:fact|instruction|procedure|short)-[0-9a-f]{32}")  # by the historian
CARRIED = {
    "fact": ("restated",),
    "procedure": ("success_rate", "feedback_count"),
    "short_term": ("visited_sessions", "renewals", "expires"),
}
SHOWN_FIELDS = ("recorded_by", "by_self", "evidence_count", "valid_from", "valid_to")
Write = Callable[[Job], Draft]
IsForgotten = Callable[[Partition, str, float], bool]


@dataclass(frozen=True, slots=True)
class Replayed:
    """The learned records of a place as its events and its people have them."""

    records: Mapping[str, Record]
    jobs: Mapping[str, Job]  # by the id of the event


class Replay:
    """One place. `write` drafts a turn; `is_forgotten(place, text, time)` tells statements that
    somebody deleted after that time."""

    def __init__(
        self,
        historian: Historian,
        write: Write,
        lives: ShortTermSettings,
        zone: tzinfo = UTC,
        is_forgotten: IsForgotten = lambda place, text, time: False,
    ) -> None:
        self._historian = historian
        self._write = write
        self._lives = lives
        self._zone = zone
        self._is_forgotten = is_forgotten

    def run(
        self,
        events: Sequence[Record],
        learned: Sequence[Record],
        now: float,
        step: Callable[[], None] = lambda: None,
    ) -> Replayed:
        kept = _Known(self._standing(events, learned))
        known = {id for one in kept.values() for id in event_sources(one)}
        tombs = [one for one in kept.values() if _is_taken_back(one)]
        told_by_model = {id for one in learned if is_models_own(one) for id in event_sources(one)}
        jobs: dict[str, Job] = {}
        for event in sorted(events, key=lambda one: (written_at(one), one.time or 0.0)):
            job = replace(job_of(event), end_seq=_end_seq(event))
            if actor_of(event) is None and event.id in told_by_model:
                job = replace(job, actor="model")  # an older event: its facts keep who told it
            jobs[event.id] = job
            if can_replay(event, self._historian) or event.id not in known:
                self._learn(event, job, kept, [one for one in tombs if _is_judged(one, event)])
            kept.events.append(event)
            step()
        return Replayed(_carried(kept, learned, now), jobs)

    def _learn(self, event: Record, job: Job, kept: _Known, judged: Sequence[Record]) -> None:
        """`judged` are tombstones that say nothing against a later event, and all about this."""
        seen = kept.without(judged)
        learner = Learner(self._historian, seen.shortlist, self._lives, self._zone, seen, seen.find)
        said = {normal(one.text) for one in judged}
        draft = self._write(job)
        edits = learner.edits(job, draft)
        known = _AsRecords(seen)
        edits += twin_edits(known, job, edits, self._zone)
        edits += moved_plans(PendingEdits(known), job, draft.new_info, edits, self._zone)
        edits += retracted(known, job, edits, self._zone)
        edits += twin_edits(known, job, edits, self._zone)
        for edit in edits:
            record = edit.record
            if record is None or record.kind not in LEARNED or normal(record.text) in said:
                continue
            is_new = record.id not in kept
            if not is_new or not self._is_forgotten(record.place, record.text, written_at(event)):
                kept.put(record)

    def _standing(self, events: Sequence[Record], learned: Sequence[Record]) -> list[Record]:
        """What does not follow from the events: a person's word, and what cannot be read again."""
        there = {one.id: one for one in events}
        kept = {one.id: one for one in learned if self._stands(one, there)}
        return [_as_left(one, kept) for one in kept.values()]

    def _stands(self, record: Record, events: Mapping[str, Record]) -> bool:
        sources = event_sources(record)
        data = record.data
        if not _MADE_HERE.fullmatch(record.id) or not sources:
            return True
        if data.get("decided_by") == "person" or data.get("promoted"):
            return True
        if _is_taken_back(record) or len(sources) < len(ids_in(record, "sources")):
            return True
        cited = [events[one] for one in sources if one in events]
        return bool(cited) and not any(can_replay(one, self._historian) for one in cited)


def can_replay(event: Record, historian: Historian) -> bool:
    """Whether an event can be read again as it was: its turn is there, and what a model wrote is
    not read by rule alone."""
    return has_turn(event) and (
        historian.name == "model" or event.data.get("written_by") != "model"
    )


def written_at(event: Record) -> float:
    found = event.data.get("written_at")
    return float(found) if isinstance(found, (int, float)) else event.created or event.time or 0.0


def _is_taken_back(record: Record) -> bool:
    return record.state in RETRACTED or is_withdrawn(record)


def _is_judged(record: Record, event: Record) -> bool:
    """What was taken back when the event was known already."""
    rejected = record.until if is_withdrawn(record) else epoch_of(record.data.get("rejected_at"))
    return event.id in ids_in(record, "sources") or (
        rejected is not None and written_at(event) <= rejected
    )


def _as_left(record: Record, kept: Mapping[str, Record]) -> Record:
    """As the person left it: what an event did to it afterwards, the event does again."""
    by = record.data.get("superseded_by")
    if is_withdrawn(record):
        return record
    if record.state == "superseded" and by not in kept and by != FORGOTTEN:
        record = reopened(record)
    rivals = ids_in(record, "conflict_with")
    left = [one for one in rivals if one in kept]
    return having(record, conflict_with=left) if len(left) < len(rivals) else record


def _end_seq(event: Record) -> int:
    last = event.id.rpartition(":")[2]
    return int(last) if last.isdecimal() and len(last) < 10 else 1


def _carried(kept: _Known, learned: Sequence[Record], now: float) -> dict[str, Record]:
    """With what use has taught: how ways of working went, where a passing memory was needed."""
    before = {one.id: one for one in learned}
    facts = {normal(one.text) for one in kept.values() if one.kind == "fact"}
    made: dict[str, Record] = {}
    for one in kept.values():
        old = before.get(one.id)
        if old is not None and old.state == "superseded" and _still_ended(kept, old):
            one = old
        if one.kind in CARRIED and old is not None:
            one = having(one, **{k: old.data[k] for k in CARRIED[one.kind] if k in old.data})
            one = with_reported_uses(one, old) if one.kind == "procedure" else one
        if one.kind == "short_term":
            expires = one.data.get("expires")
            ends = float(expires) if isinstance(expires, (int, float)) else 0.0
            if (ends <= now and old is None) or normal(one.text) in facts:
                continue
            one = replace(one, until=ends)
        made[one.id] = one
    return made


def _still_ended(kept: _Known, old: Record) -> bool:
    """Whether it was ended by what a person put right or forgot since: that it ended still
    holds."""
    if old.data.get("superseded_by") == FORGOTTEN:
        return True
    by = kept.get(str(old.data.get("superseded_by") or ""))
    return by is not None and by.state in RETRACTED


@dataclass(frozen=True, slots=True)
class _AsRecords:
    """What is known at a point of the replay, asked as the store is asked."""

    known: _Known

    def get(self, place: Partition, id: str) -> Record | None:
        return self.known.get(id)

    def find(
        self,
        place: Partition,
        kinds: Sequence[str],
        states: Sequence[str] | None = None,
        limit: int = 1000,
    ) -> list[Record]:
        return self.known.find(place, kinds, states, limit)


class _Known:
    """Learned records by id and by their words: what the historian asks the store for."""

    def __init__(self, records: Collection[Record]) -> None:
        self._records: dict[str, Record] = {}
        self._words: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._hidden: frozenset[str] = frozenset()
        self.events: list[Record] = []  # that were replayed: whether a turn came late
        for one in records:
            self.put(one)

    def __contains__(self, id: str) -> bool:
        return id in self._records

    def get(self, id: str) -> Record | None:
        return self._records.get(id)

    def values(self) -> list[Record]:
        return list(self._records.values())

    def put(self, record: Record) -> None:
        if record.id not in self._records:
            for word in set(terms(record.text)):
                self._words[word][record.id] = None
        self._records[record.id] = record

    def without(self, hidden: Collection[Record]) -> _Known:
        """The same records without these; a new object for each event, sharing all else."""
        view = _Known(())
        view._records, view._words, view.events = self._records, self._words, self.events
        view._hidden = frozenset(one.id for one in hidden)
        return view

    def shortlist(
        self, place: Partition, text: str, kinds: Sequence[str], count: int
    ) -> list[Record]:
        """Those that share most words with a text, whatever their state but superseded."""
        wanted = set(terms(text))
        shared = Counter(id for word in wanted for id in self._words.get(word, ()))
        near = sorted(shared, key=lambda id: (-shared[id], id))
        found = (self._records[id] for id in near if id not in self._hidden)
        fit = [one for one in found if one.kind in kinds and one.state != "superseded"]
        return fit[:count]

    def of_category(
        self, place: Partition, subject: str, category: str, limit: int
    ) -> list[tuple[int, Record]]:
        """As `ports.Facts` has it; the order in which they were learned stands for numbers."""
        return self._standing(subject, lambda found: found == category, limit)

    def of_subject(
        self, place: Partition, subject: str, without: Collection[str], limit: int
    ) -> list[tuple[int, Record]]:
        return self._standing(subject, lambda found: found not in without, limit)

    def names_of(self, place: Partition, user: str, limit: int) -> list[str]:
        own = (
            str(one.data.get("subject") or "")
            for one in self._records.values()
            if one.kind == "fact"
            and one.state in STANDING
            and one.user == user
            and one.data.get(ABOUT_USER) is True
        )
        return list(islice(filter(None, dict.fromkeys(own)), limit))

    def _standing(
        self, subject: str, is_wanted: Callable[[str], bool], limit: int
    ) -> list[tuple[int, Record]]:
        numbered = reversed(list(enumerate(self._records.values())))
        found = (
            (number, one)
            for number, one in numbered
            if one.kind == "fact"
            and one.state in STANDING
            and one.id not in self._hidden
            and one.data.get("subject") == subject
            and is_wanted(str(one.data.get("category")))
        )
        return list(islice(found, limit))

    def find(
        self,
        place: Partition,
        kinds: Sequence[str],
        states: Sequence[str] | None,
        limit: int,
        id_prefix: str = "",
    ) -> list[Record]:
        found: list[Record] = []
        events = reversed(self.events) if "event" in kinds else ()
        for one in chain(events, reversed(self._records.values())):
            if len(found) == limit:
                break
            fits = one.kind in kinds and (states is None or one.state in states)
            if fits and one.id.startswith(id_prefix) and one.id not in self._hidden:
                found.append(one)
        return found


def differences(before: Sequence[Record], after: Mapping[str, Record]) -> list[Edit]:
    """The edits that make one of the other; `created` and how it was redacted do not count."""
    there = {one.id: one for one in before if one.kind in LEARNED}
    gone = [Edit("remove", place=one.place, id=id) for id, one in there.items() if id not in after]
    put = [
        Edit("put", one)
        for id, one in after.items()
        if id not in there or _plain(there[id]) != _plain(one)
    ]
    return [*gone, *put]


def changed_fields(before: Record, after: Record) -> tuple[FieldChange, ...]:
    """What differs in how far a record is trusted, whether it holds, and since when."""
    old, new = (_shown_fields(one) for one in (before, after))
    return tuple(FieldChange(name, old[name], new[name]) for name in old if old[name] != new[name])


def _shown_fields(record: Record) -> dict[str, str]:
    data = {name: record.data.get(name) for name in SHOWN_FIELDS}
    return {
        "state": record.state,
        "confidence": f"{record.confidence:.2f}",
        **{name: "" if value in (None, False) else str(value) for name, value in data.items()},
    }


def _plain(record: Record) -> Record:
    return replace(record, created=0.0, redaction=0, data=dict(record.data))
