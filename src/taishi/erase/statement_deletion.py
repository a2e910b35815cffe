"""Takes a forgotten fact's statement out of the events that tell it, and out of what repeats them:
quotes of other facts, messages in later turns, jobs that wait (O2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..domain import events
from ..domain.event_evidence import own_messages
from ..domain.evidence_withdrawal import LEARNED, TOLD, Messages, unlinked
from ..domain.fact_lifecycle import ids_in
from ..domain.facts import lock_name
from ..domain.statement_removal import (
    Removed,
    job_cut,
    messages_cut,
    note_cut,
    quotes_cut,
    without_statement,
)
from ..domain.text_identity import same
from ..domain.told_statements import tells
from ..ingest.worker import Worker
from ..ports import Store
from ..runtime import Runtime
from ..types import Edit, Job, Partition, Record

MOST = 1_000_000
SOURCES = ("event", "turn")
HELD = ("approved", "candidate", "conflict")


@dataclass(frozen=True, slots=True)
class TakenOut:
    """`changed` are the events as they were, which stay without the statement; `empty` those that
    tell nothing else and are to go; `phrases` the words that went."""

    changed: tuple[Record, ...] = ()
    empty: tuple[Record, ...] = ()
    phrases: tuple[str, ...] = ()


class StatementDeletion:
    def __init__(self, runtime: Runtime, worker: Worker) -> None:
        self._store, self._queue = runtime.parts.store, runtime.parts.queue
        self._locks = runtime.parts.locks
        self._worker = worker

    def phrases(self, fact: Record) -> tuple[str, ...]:
        """In which words its events tell it."""
        there = {one.id: one for one in self._around(fact)}
        return _phrases(_removals(fact, there))

    def take_out(self, fact: Record) -> TakenOut:
        """Write the events that stay; those that tell nothing else are left to be deleted."""
        with self._locks.hold(lock_name(fact.place)), self._worker.paused():
            there = {one.id: one for one in self._around(fact)}
            removals = _removals(fact, there)
            phrases = _phrases(removals)
            empty = {one.event.id for one in removals if one.is_empty and _may_go(one, fact, there)}
            own = Messages(
                message for one in removals for message in own_messages(there[one.event.id])
            )
            changed = {one.event.id: one.event for one in removals if one.event.id not in empty}
            for one in there.values():
                if one.id != fact.id:
                    new = _without(changed.get(one.id, one), fact, phrases, own)
                    if new is not None and new != one:
                        changed[one.id] = new
            edits = [Edit("put", one) for id, one in changed.items() if one != there[id]]
            edits += [
                Edit("remove", place=one.place, id=one.id)
                for one in there.values()
                if one.kind == "short_term" and same(one.text, fact.text)
            ]
            if edits:
                self._store.apply(edits)
            if phrases:
                change = partial(_job_without, fact.place, phrases, own)
                for job in self._queue.transfer.rewrite(change):
                    land_again(self._store, job)
        stays = [there[one.event.id] for one in removals if one.event.id not in empty]
        return TakenOut(
            tuple(one for one in stays if "perspective_of" not in one.data),
            tuple(there[id] for id in empty),
            phrases,
        )

    def _around(self, fact: Record) -> list[Record]:
        return self._store.find(fact.place, (*LEARNED, *TOLD), None, MOST)


def _removals(fact: Record, there: Mapping[str, Record]) -> list[Removed]:
    """What becomes of each event that the fact was learned from, of its perspectives, and of
    other events that say the same."""
    return [one for one in _found(fact, there) if one.phrases]


def _found(fact: Record, there: Mapping[str, Record]) -> Iterator[Removed]:
    cited = {*ids_in(fact, "sources"), fact.source}
    twins = [one for one in there.values() if _is_held_twin(one, fact)]
    kept = {id for one in twins for id in ids_in(one, "sources")}
    for event in there.values():
        source = event.data.get("perspective_of") or event.id
        if event.kind not in SOURCES:
            continue
        if source in cited or (source not in kept and tells(event, fact.text)):
            others = [one for one in _learned_from(str(source), fact, there) if one.state in HELD]
            yield without_statement(note_cut(event, fact), fact, others)


def _is_held_twin(record: Record, fact: Record) -> bool:
    """Whether it says the same and stays, so that its events go on saying it."""
    is_other = record.id != fact.id and record.kind == "fact" and record.state in HELD
    return is_other and same(record.text, fact.text)


def _learned_from(id: str, fact: Record, there: Mapping[str, Record]) -> Iterator[Record]:
    for one in there.values():
        is_other = one.id != fact.id and not same(one.text, fact.text)
        if one.kind in LEARNED and is_other and id in ids_in(one, "sources"):
            yield one


def _may_go(removed: Removed, fact: Record, there: Mapping[str, Record]) -> bool:
    """An event goes if nothing else that holds, or was rejected by a person, was learned from it.
    Its perspectives go with it."""
    if "perspective_of" in removed.event.data:
        return False
    learned = _learned_from(removed.event.id, fact, there)
    return all(one.state == "superseded" for one in learned)


def _without(record: Record, fact: Record, phrases: Sequence[str], own: Messages) -> Record | None:
    if record.kind == "fact":
        return quotes_cut(unlinked(record, {fact.id: fact}), phrases)
    if record.kind in TOLD:
        return messages_cut(note_cut(record, fact), phrases, own)
    return None


def _job_without(place: Partition, phrases: Sequence[str], own: Messages, job: Job) -> Job | None:
    return job_cut(job, phrases, own) if job.scope.home == place else None


def _phrases(removals: Sequence[Removed]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrase for one in removals for phrase in one.phrases))


def land_again(store: Store, job: Job) -> None:
    """A raw turn holds what its job held."""
    there = store.get(job.scope.home, job.event_id)
    turn = events.land_turn(job).record
    if there is not None and there.kind == "turn" and turn is not None:
        gone = Edit("remove", place=turn.place, id=turn.id)
        store.apply([Edit("put", turn) if turn.text.strip() else gone])
