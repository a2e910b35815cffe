"""`TaishiStore`: a LangGraph store in Taishi, on a folder, PostgreSQL or a server.

    store = TaishiStore(memory, Scope(agent="my-app"))
    graph = builder.compile(store=store)

All of it is in one scope. Namespaces are exact: items of others are neither read nor searched.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ..async_memory import AsyncMemory
from ..errors import InputError, MissingExtraError, StorageError
from ..memory import Memory
from ..types import Scope
from .quiet_calls import sync_memory
from .redaction_notice import tell_redactions
from .speakers import checked_scope
from .store_filters import check_filter, matches, namespace_matches, narrowed
from .store_items import (
    FIELD,
    KIND,
    Namespace,
    StoredItem,
    checked_namespace,
    checked_value,
    id_of,
    path_of,
    searched_text,
    under,
)

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
    )
except ImportError as error:
    raise MissingExtraError("taishi.adapters.langgraph", "langgraph") from error

PAGE = 1000
FIRST_PAGE = 50
MOST_RANKED = 1000
IS_ITEM = {f"metadata.{FIELD}": {"exists": True}}
IS_SEARCHED = {f"metadata.{FIELD}.searched": True}


class TaishiStore(BaseStore):
    """Values come back as they were put, except that secrets are not stored: a warning says where
    one was.

    `fields` are the JSON paths that search reads where a `put` says nothing about it (all of a
    value, if left out). `ttl` has the defaults for times to live. `deadline` is how many seconds a
    search may take; what was late comes without a score.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: Scope,
        *,
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        deadline: float = 5.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._memory = sync_memory(memory)
        self._scope = checked_scope(scope)
        self._fields = None if fields is None else tuple(fields)
        self._deadline = deadline
        self._clock = clock
        self.ttl_config = _checked_ttl(ttl)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see what was there before; then all that is put is written at once. Of several
        puts of one key the last counts."""
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[checked_namespace(op.namespace), op.key] = op
                results.append(None)
            else:
                results.append(self._read(op))
        self._write(puts)
        return results

    def _read(self, op: Op) -> Result:
        """A memory that could not be opened (`on_error="off"`) has nothing to find."""
        try:
            if isinstance(op, GetOp):
                return self._get(op)
            if isinstance(op, SearchOp):
                return self._search(op)
            if isinstance(op, ListNamespacesOp):
                return self._namespaces(op)
        except StorageError:
            if self._memory.is_on(self._scope):
                raise
            return None if isinstance(op, GetOp) else []
        raise ValueError(f"{type(op).__name__} is no operation of a store")

    # -- writing -------------------------------------------------------------------------------

    def _write(self, puts: Mapping[tuple[Namespace, str], PutOp]) -> None:
        if not puts:
            return
        if not self._memory.is_on(self._scope):
            reason = self._memory.status().get("off_reason")
            raise InputError(
                "memory is switched off for this scope, so the store cannot keep anything"
                + (f" ({reason})" if reason else "; see memory.enabled and the lists of scopes")
            )
        kept = {path: op for path, op in puts.items() if op.value is not None}
        items = [self._record(*path, op) for path, op in kept.items()]
        for path in puts.keys() - kept.keys():
            if self._memory.records.get(self._scope, id_of(*path)):
                self._memory.forget(self._scope, id_of(*path))
        self._memory.remember_many(self._scope, items)
        for path, op in kept.items():
            if stored := self._stored(id_of(*path)):
                tell_redactions(f"item {path[1]!r} of {path[0]}", op.value, stored.value)

    def _record(self, namespace: Namespace, key: str, op: PutOp) -> dict[str, Any]:
        value = checked_value(op.value or {})
        text = searched_text(value, op.index, self._fields)
        id, path, now = id_of(namespace, key), path_of(namespace, key), self._clock()
        before = self._stored(id)
        kept = {
            "value": value,
            "searched": bool(text.strip()),
            "created": before.created.timestamp() if before else now,
            "ttl": op.ttl,
        }
        return {
            "id": id,
            "kind": KIND,
            "text": text if text.strip() else path,
            "source": path,
            "time": now,
            "metadata": {FIELD: kept},
            "expires": self._expiry(op.ttl),
        }

    def _expiry(self, minutes: float | None) -> float | None:
        if minutes is None:
            return None
        if not _is_time_to_live(minutes):
            raise InputError(f"ttl must be a number of minutes above 0, not {minutes!r:.40}")
        return self._clock() + minutes * 60

    def _refresh(self, items: Iterable[StoredItem]) -> None:
        for one in items:
            if one.ttl is not None:
                self._memory.records.update(self._scope, one.id, expires=self._expiry(one.ttl))

    # -- reading -------------------------------------------------------------------------------

    def _stored(self, id: str) -> StoredItem | None:
        hit = self._memory.get(self._scope, id)
        return None if hit is None else StoredItem.of(hit)

    def _get(self, op: GetOp) -> Item | None:
        found = self._stored(id_of(checked_namespace(op.namespace), op.key))
        if found is None:
            return None
        if op.refresh_ttl:
            self._refresh([found])
        return found.item()

    def _search(self, op: SearchOp) -> list[SearchItem]:
        check_filter(op.filter)
        if op.limit <= 0:
            return []
        end = op.offset + op.limit
        found: dict[str, tuple[StoredItem, float | None]] = {}
        for one, score in self._candidates(op, end):
            if one.id not in found and matches(one.value, op.filter):
                found[one.id] = one, score
            if len(found) == end:
                break
        shown = list(found.values())[op.offset : end]
        if op.refresh_ttl:
            self._refresh(one for one, _ in shown)
        return [one.search_item(score) for one, score in shown]

    def _candidates(self, op: SearchOp, end: int) -> Iterator[tuple[StoredItem, float | None]]:
        """What may match: with a query the best first, then whatever else search may read."""
        prefix = checked_namespace(op.namespace_prefix)
        asked = [*under(prefix), *narrowed(op.filter, f"metadata.{FIELD}.value")]
        if not op.query:
            yield from ((one, None) for one in self._listed([IS_ITEM, *asked]))
            return
        only = [IS_SEARCHED, *asked]
        for id, score in self._ranked(op.query, only, end):
            if one := self._stored(id):
                yield one, score
        yield from ((one, None) for one in self._listed(only))

    def _ranked(
        self, query: str, only: Sequence[Mapping[str, Any]], count: int
    ) -> list[tuple[str, float | None]]:
        """Recall leaves out near-duplicates; a store must not, so that what it weighed is taken.
        What it looked at only for being new has no score."""
        found = self._memory.recall(
            self._scope,
            query,
            top_k=min(count, MOST_RANKED),
            kinds=[KIND],
            deadline=self._deadline,
            floor=0.0,
            explain=True,
            filters={"and": list(only)},
        )
        ranked = sorted(found.explain, key=lambda one: -one.score)
        return [(one.id, one.score or None) for one in ranked]

    def _listed(self, only: Sequence[Mapping[str, Any]]) -> Iterator[StoredItem]:
        """Those last put first."""
        after: str | None = None
        size = FIRST_PAGE  # most searches end there
        while True:
            page = self._memory.records.newest(
                self._scope,
                kinds=[KIND],
                after=after,
                limit=size,
                filters={"and": list(only)},
                order_by="updated",
            )
            yield from filter(None, map(StoredItem.of, page.records))
            after, size = page.next, PAGE
            if after is None:
                return

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        asked_for = op.match_conditions or ()
        conditions = [(one.match_type, checked_namespace(one.path)) for one in asked_for]
        found = {
            one.namespace[: op.max_depth]
            for one in self._listed([IS_ITEM])
            if all(namespace_matches(one.namespace, *asked) for asked in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _checked_ttl(ttl: Any) -> TTLConfig | None:
    """Times to live are promises: one that was misspelled must not be silently none."""
    known = TTLConfig.__annotations__
    if ttl is None:
        return None
    if not isinstance(ttl, Mapping):
        raise InputError(f"ttl must be a dict such as {{'default_ttl': 60}}, not {ttl!r:.40}")
    for name in ttl:
        if name not in known:
            raise InputError(f"ttl has no {name!r:.40}; use {', '.join(known)}")
    default = ttl.get("default_ttl")
    if default is not None and not _is_time_to_live(default):
        raise InputError(f"default_ttl must be a number of minutes above 0, not {default!r:.40}")
    return cast(TTLConfig, ttl)


def _is_time_to_live(minutes: object) -> bool:
    is_number = isinstance(minutes, (int, float)) and not isinstance(minutes, bool)
    return is_number and cast(float, minutes) > 0
