"""mem0's operations on a memory, in one place for the class and the REST API.

They differ in who calls: a program that holds the memory, or a key (`Caller`).
"""

from __future__ import annotations

import time as clocks
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import Any

from ...errors import InputError, RefusedError, TaishiError
from ...memory import Memory
from ...times import TimeLike
from ...types import Partition, Recall, Record, Scope
from ..quiet_calls import log
from .entities import (
    LABELS,
    Entities,
    Resolve,
    UnknownMemoryError,
    parse_public_id,
    public_id,
)
from .filters import ParsedFilters, combined, end_of_day, parse
from .items import (
    Item,
    added_item,
    entity_items,
    history_items,
    hit_item,
    labels_of,
    metadata_of,
    record_item,
)
from .messages import ASSISTANT, read_messages
from .writing import DOOR, IDENTITY, Addition, add_turn, add_verbatim

# A turn is what was said until the historian has read it.
SHOWN_KINDS = ("fact", "event", "note", "procedure", "summary", "short_term", "turn")
APPROVED = "approved"
PROCEDURAL = "procedural_memory"
MAX_PAGE = 1000
MOST_COUNTED = 10_000
MOST_RECALLED = 100
SEARCH_SECONDS = 5.0  # the first search of a process loads the embedder and the index
ADD_SECONDS = 30.0
MOST_CORRECTIONS = 100  # of one fact, one after the other
# Naming the field switches off that what has ended is left out.
_ALSO_EXPIRED = {"or": [{"expires": {"exists": True}}, {"expires": {"exists": False}}]}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: makes scopes, or refuses to; and whose word a write is (see domain/authority).
    `forgotten` removes what is kept of somebody beside the memory, and counts it."""

    resolve: Resolve = Scope
    actor: str = "host"
    turn_actor: str = "host"
    deletion: Mapping[str, str] = field(default_factory=lambda: {"door": DOOR})
    forgotten: Callable[[Partition], int] = lambda place: 0


@dataclass(frozen=True, slots=True)
class Query:
    """What a listing or a search is about."""

    scope: Scope
    filters: dict[str, Any] | None


class Operations:
    def __init__(self, memory: Memory, caller: Caller | None = None) -> None:
        self._memory = memory
        self._caller = caller or Caller()

    # -- writing --------------------------------------------------------------------------------

    def add(
        self,
        messages: object,
        entities: Entities,
        *,
        metadata: Mapping[str, Any] | None = None,
        timestamp: TimeLike | None = None,
        expiration_date: object = None,
        infer: bool = True,
        memory_type: str | None = None,
        wait: float = ADD_SECONDS,
    ) -> list[Item]:
        """What was added. What ends, and a procedure, is kept as it is: a fact that is drawn from
        it would not end with it."""
        if memory_type not in (None, PROCEDURAL):
            raise InputError(f"memory_type may be {PROCEDURAL!r}; leave it out otherwise")
        scope, said = entities.scope(self._caller.resolve), read_messages(messages)
        if not said:
            return []
        expires = end_of_day(expiration_date)
        addition = Addition(
            scope, entities, said, _checked_metadata(metadata), timestamp, expires, memory_type
        )
        end = clocks.monotonic() + wait
        is_agents_own = scope.user is None and all(one.role == ASSISTANT for one in said)
        if infer and expires is None and memory_type is None and not is_agents_own:
            added = add_turn(self._memory, addition, self._caller.turn_actor, wait)
        else:
            added = add_verbatim(self._memory, addition, self._caller.actor)
        self._make_searchable(scope, end - clocks.monotonic())
        return [added_item(record) for record in added]

    def update(
        self,
        id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: TimeLike | None = None,
        expiration_date: object = ...,
    ) -> Item:
        """The memory as it is now. Metadata is merged, as in mem0. A fact gets a new id, as its
        correction is another fact; the old id leads to it."""
        if text is None and metadata is None and timestamp is None and expiration_date is ...:
            raise InputError("pass at least one of text, metadata, timestamp or expiration_date")
        scope, record = self._found(id)
        if record.kind == "fact":
            return self._corrected(scope, record, text, metadata, timestamp, expiration_date)
        expires: TimeLike | EllipsisType | None = ...
        if expiration_date is not ...:
            expires = end_of_day(expiration_date)
        updated = self._memory.records.update(
            scope,
            record.id,
            text,
            timestamp,
            metadata=None if metadata is None else _merged(record, metadata),
            expires=expires,
            actor=self._caller.actor,
            door=DOOR,
        )
        self._make_searchable(scope, ADD_SECONDS)
        return record_item(updated)

    def _corrected(self, scope: Scope, fact: Record, text: str | None, *others: object) -> Item:
        if text is None or any(other not in (None, ...) for other in others):
            raise InputError(
                "this memory is a fact that was drawn from what was said: its text can be "
                "changed, its metadata, time and end cannot"
            )
        facts, actor = self._memory.facts, self._caller.actor
        new_id = facts.correct(scope, fact.id, text, actor=actor, door=DOOR)
        self._make_searchable(scope, ADD_SECONDS)
        return record_item(self._memory.records.get(scope, new_id) or fact)

    def delete(self, id: str) -> None:
        """Also what the memory said before: without its correction, it would be believed again.
        And the events that told of it and of nothing else: they would go on saying it."""
        scope, record = self._found(id)
        before = {one.id for one in self._memory.records.versions(scope, record.id)}
        facts = {record.id, *before} if record.kind == "fact" else set()
        events = self._events_of(scope, facts)
        self._memory.forget(scope, record.id, **self._caller.deletion)
        for other in (*(before - {record.id}), *events):
            with suppress(RefusedError):  # a model may not delete what a person rejected
                self._memory.forget(scope, other, **self._caller.deletion)

    def _events_of(self, scope: Scope, facts: Collection[str]) -> list[str]:
        """The events from which these facts were learned, and no other fact that holds."""
        told = (self._memory.records.get(scope, id) for id in facts)
        ids = dict.fromkeys(id for fact in told if fact is not None for id in _sources(fact))
        return [id for id in ids if self._tells_only(scope, id, facts)]

    def _tells_only(self, scope: Scope, event_id: str, facts: Collection[str]) -> bool:
        event = self._memory.records.get(scope, event_id)
        if event is None or event.kind != "event":
            return False
        learned = self._memory.records.newest(
            scope,
            ("fact",),
            (APPROVED,),
            limit=len(facts) + 1,
            filters={"metadata.sources": {"contains": event_id}},
        )
        return all(fact.id in facts for fact in learned.records)

    def delete_all(self, entities: Entities) -> int:
        """How many things went. A whole user or agent is forgotten like with `Memory.forget`."""
        scope = entities.scope(self._caller.resolve)
        narrowing = entities.narrowing(scope.home)
        if not narrowing:
            removed = self._memory.forget(_whole(scope), **self._caller.deletion)
            return removed + self._caller.forgotten(scope.home)
        matching = self._records(Query(scope, combined(narrowing)), every_kind=True)
        found = [record for record in matching if record.kind != "profile"]  # goes with its facts
        return sum(
            self._memory.forget(scope, record.id, **self._caller.deletion) for record in found
        )

    def delete_entity(self, entity: str, name: str) -> int:
        return self.delete_all(Entities.one(entity, name))

    # -- reading --------------------------------------------------------------------------------

    def get(self, id: str) -> Item:
        scope, record = self._found(id)
        return self._item(scope, record)

    def history(self, id: str) -> list[Item]:
        scope, record = self._found(id)
        versions = self._memory.records.versions(scope, record.id)
        others = {one.id for one in versions} - {record.id}
        found = (self._memory.records.get(scope, one) for one in others)
        records = {one.id: one for one in (record, *found) if one is not None}
        return history_items(id, record, versions, records)

    def query(self, filters: object, *, show_expired: bool = False) -> Query:
        return self._query(parse(filters), show_expired)

    def newest(self, query: Query, top_k: int) -> list[Item]:
        records = self._records(query, limit=top_k)
        found = (record for record, _ in zip(records, range(top_k), strict=False))
        return [self._item(query.scope, record) for record in found]

    def page(self, query: Query, page: int, size: int) -> tuple[list[Item], int]:
        """A page, and how many memories there are: at most `MOST_COUNTED`."""
        first, count, items = (page - 1) * size, 0, []
        for record in self._records(query):
            if first <= count < first + size:
                items.append(self._item(query.scope, record))
            count += 1
            if count == MOST_COUNTED:
                break
        return items, count

    def search(
        self,
        text: str,
        query: Query,
        *,
        top_k: int,
        threshold: float,
        explain: bool = False,
        now: TimeLike | None = None,
        deadline: float = SEARCH_SECONDS,
    ) -> list[Item]:
        """The best first; only from the partition that is asked about, not what else the scope may
        read, such as what is shared with everybody."""
        if not isinstance(text, str) or not text.strip():
            raise InputError("query is empty; say what to look for")
        if top_k == 0:
            return []
        home = query.scope.home
        options: dict[str, Any] = {"now": now, "deadline": deadline, "explain": explain}

        def found_with(filters: dict[str, Any] | None) -> Recall:
            most = min(top_k, MOST_RECALLED)
            return self._memory.recall(
                query.scope, text, most, SHOWN_KINDS, filters=filters, **options
            )

        found = found_with(query.filters)
        if any(hit.metadata.get("state", APPROVED) != APPROVED for hit in found.hits):
            # A question about the past also finds what was replaced since. The filter costs time.
            given = [] if query.filters is None else [query.filters]
            found = found_with(combined([*given, {"state": APPROVED}]))
        reasons = {one.id: one for one in found.explain}
        return [
            hit_item(home, hit, reasons.get(hit.id))
            for hit in found.hits
            if hit.score >= threshold and hit.metadata.get("place") == str(home)
        ]

    def entities(self, workspace: str, only: Scope | None = None) -> list[Item]:
        """Users, agents and runs of a workspace; with `only`, that one alone."""
        known = self._memory.partitions(workspace)
        return entity_items(info for info in known if only is None or info.partition == only.home)

    # -- what they share ------------------------------------------------------------------------

    def _query(self, parsed: ParsedFilters, show_expired: bool) -> Query:
        scope = parsed.entities.scope(self._caller.resolve)
        conditions = [*parsed.entities.narrowing(scope.home), *parsed.conditions]
        return Query(scope, combined([*conditions, *([_ALSO_EXPIRED] if show_expired else [])]))

    def _found(self, id: str) -> tuple[Scope, Record]:
        """What an id stands for: of a fact that was replaced, the one that holds instead."""
        named, record_id = parse_public_id(id)
        scope = self._caller.resolve(**named)
        record = self._memory.records.get(scope, record_id)
        if record is None or public_id(scope.home, record.id) != id:
            raise UnknownMemoryError(id)
        record = self._heir(scope, record)
        if record.state == "rejected":
            raise UnknownMemoryError(id)
        return scope, record

    def _item(self, scope: Scope, record: Record) -> Item:
        """As in a search: what was said, with what became of it."""
        if record.data.get("corrections") and record.kind != "fact":
            hit = self._memory.get(scope, record.id)
            record = record if hit is None else replace(record, text=hit.text)
        return record_item(record)

    def _heir(self, scope: Scope, record: Record) -> Record:
        for _ in range(MOST_CORRECTIONS):
            by = record.data.get("superseded_by") if record.kind == "fact" else None
            heir = self._memory.records.get(scope, by) if isinstance(by, str) else None
            if heir is None or heir.kind != "fact":
                break
            record = heir
        return record

    def _make_searchable(self, scope: Scope, seconds: float) -> None:
        """Wait until what was just written is found by its meaning, too. It is stored anyway."""
        try:
            self._memory.warm_up(scope, max(0.0, seconds))
        except TaishiError as error:
            log.warning("what was added may be found later: %s", error)

    def _records(
        self, query: Query, limit: int = MAX_PAGE, every_kind: bool = False
    ) -> Iterator[Record]:
        kinds, states = (None, None) if every_kind else (SHOWN_KINDS, (APPROVED,))
        after, size = None, max(1, min(limit, MAX_PAGE))
        while True:
            page = self._memory.records.newest(
                query.scope, kinds, states, after=after, limit=size, filters=query.filters
            )
            yield from page.records
            after = page.next
            if after is None:
                return


def _sources(fact: Record) -> list[str]:
    """The events that a fact was learned from."""
    ids = fact.data.get("sources")
    return [id for id in ids if isinstance(id, str)] if isinstance(ids, (list, tuple)) else []


def _whole(scope: Scope) -> Scope:
    """The scope without its session."""
    return Scope(scope.user, scope.group, scope.agent, workspace=scope.workspace)


def _checked_metadata(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InputError("metadata must be an object")
    return metadata


def _merged(record: Record, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """A record's data with further metadata. Whose memory it is cannot be changed by it."""
    given = {
        key: value for key, value in _checked_metadata(metadata).items() if key not in IDENTITY
    }
    labels = {**labels_of(record.data), "metadata": {**metadata_of(record.data), **given}}
    return {**record.data, LABELS: labels}
