"""Recent answers that several servers share (Q6), before `result_cache` of this process is empty.

Only ids, scores and passages are kept outside: the records are read from the store, from partitions
that this request may read. The name of an entry holds the whole request, what may be read and the
change counters of it, so that a write anywhere makes another name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

from ..exported import IntentDecision
from ..ports import Cache, SearchSnapshot
from ..types import Partition, Passage, Record, VisiblePartition
from .excerpts import Passages
from .filter_matches import is_wanted
from .request import RawResult, RecallRequest

SCOPE_END = "\x1f"  # a key of the cache begins with the scope
LEVELS = ("hybrid", "keyword")
Visible = tuple[VisiblePartition, ...]
GetRecord = Callable[[Partition, str], Record | None]


class SharedResults:
    """`made_by` names everything else that an answer depends on: program, models."""

    def __init__(self, cache: Cache, get: GetRecord, minutes: float, made_by: str) -> None:
        self._cache = cache
        self._get = get
        self._life = minutes * 60
        self._made_by = made_by

    def key(self, request: RecallRequest, snapshot: SearchSnapshot) -> str | None:
        """None: something in the request or the version means nothing to another process."""
        try:
            asked = canonical((self._made_by, request.key(snapshot.visible), snapshot.version))
            scope = json.dumps(canonical(snapshot.visible))
        except TypeError:
            return None
        digest = sha256(json.dumps(asked).encode()).hexdigest()
        return f"{scope}{SCOPE_END}{digest}"

    def get(self, key: str, request: RecallRequest, visible: Visible) -> RawResult | None:
        """May block, as a record may have to be read."""
        data = self._cache.get(key)
        if data is None:
            return None
        try:
            return self._decoded(json.loads(data), request, visible)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            return None  # of another version of this program

    def put(self, key: str, result: RawResult, visible: Visible) -> None:
        encoded = _encoded(result, [one.place for one in visible])
        if encoded is not None:
            self._cache.put(key, json.dumps(encoded).encode(), self._life)

    def clear(self) -> None:
        self._cache.clear()

    def _decoded(self, found: Any, request: RecallRequest, visible: Visible) -> RawResult | None:
        hits: list[tuple[Record, float]] = []
        passages: Passages = {}
        for at, id, score, cut in found["hits"]:
            record = self._get(visible[at].place, id)
            if record is None or not _may_be_shown(record, request, visible[at]):
                return None
            hits.append((record, float(score)))
            if cut is not None:
                passages[record.place, record.id] = Passage(int(cut[0]), int(cut[1]))
        if found["level"] not in LEVELS:
            return None
        intent = found["intent"]
        return RawResult(
            tuple(hits),
            found["level"],
            {str(name): str(state) for name, state in found["paths"].items()},
            passages=passages,
            intent=None
            if intent is None
            else IntentDecision(intent[0], intent[1], dict(intent[2]), tuple(intent[3])),
        )


def _may_be_shown(record: Record, request: RecallRequest, visible: VisiblePartition) -> bool:
    """As the search itself would have decided: this came from outside."""
    wanted = request.wanted
    return (
        (visible.only_user is None or record.user == visible.only_user)
        and record.state in wanted.states
        and (wanted.kinds is None or record.kind in wanted.kinds)
        and (record.until is None or record.until > wanted.now)
        and is_wanted(record, wanted)
    )


def _encoded(result: RawResult, places: list[Partition]) -> dict[str, Any] | None:
    """None: a hit is from elsewhere."""
    hits = []
    for record, score in result.hits:
        if places.count(record.place) != 1:
            return None
        cut = result.passages.get((record.place, record.id))
        hits.append((places.index(record.place), record.id, score, cut))
    intent = result.intent
    return {
        "hits": hits,
        "level": result.level,
        "paths": dict(result.paths),
        "intent": None
        if intent is None
        else (intent.name, intent.by, dict(intent.favours), intent.asks),
    }


def canonical(value: object) -> Any:
    """JSON that is equal in every process for equal values; TypeError for what has no such form."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [canonical(one) for one in value]
    if isinstance(value, Set):
        return ["set", *sorted((canonical(one) for one in value), key=json.dumps)]
    if isinstance(value, Mapping):
        pairs = [[canonical(name), canonical(one)] for name, one in value.items()]
        return ["map", *sorted(pairs, key=json.dumps)]
    if is_dataclass(value) and not isinstance(value, type):
        values = [canonical(getattr(value, one.name)) for one in fields(value)]
        return [type(value).__name__, *values]
    raise TypeError(f"{type(value).__name__} has no form that other processes share")
