"""Routes for single records: remember, list, read, update, forget, history, evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from ...errors import InputError
from ...memory import Memory
from ...tools.still_told import forget_one
from ...types import Scope
from ..auth import Caller
from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import ScopeQuery
from ..schemas.memories import (
    EvidenceOut,
    IdOut,
    IdsOut,
    MemoriesIn,
    MemoryChange,
    MemoryFields,
    MemoryIn,
    MemoryQuery,
    PageOut,
    RecordOut,
    RemovedOut,
    VersionOut,
    VersionsOut,
    redacted_in,
)
from ..schemas.recall import HitOut, RelatedOut, RelatedQuery


def memory_routes() -> APIRouter:
    return router(
        "memories",
        (
            RouteSpec("POST", "/memories", remember, "Store a memory", status=201),
            RouteSpec("POST", "/memories/bulk", remember_many, "Store many memories", status=201),
            RouteSpec("GET", "/memories", list_records, "List memories"),
            RouteSpec(
                "GET",
                "/memories/{id:path}/history",
                record_history,
                "Earlier versions",
                missing=True,
            ),
            RouteSpec(
                "GET",
                "/memories/{id:path}/evidence",
                record_evidence,
                "Evidence",
                missing=True,
            ),
            RouteSpec(
                "GET",
                "/memories/{id:path}/related",
                related_records,
                "Similar memories",
                missing=True,
            ),
            RouteSpec("GET", "/memories/{id:path}", get_record, "One memory", missing=True),
            RouteSpec(
                "PATCH", "/memories/{id:path}", update_record, "Correct a memory", missing=True
            ),
            RouteSpec(
                "DELETE", "/memories/{id:path}", forget_record, "Forget one memory", missing=True
            ),
        ),
    )


def remember(body: MemoryIn, caller: Writer, memory: Engine, once: Once) -> IdOut:
    """Kept word for word, except that secrets are taken out; `redacted` says which kinds."""
    scope = body.scope.of(caller)
    items = [_item(caller, scope, body, once)]
    ids = memory.remember_many(scope, items, actor=caller.actor, door="rest")
    kept = memory.records.get(scope, ids[0]) if ids else None
    return IdOut(id=ids[0] if ids else None, redacted=redacted_in(kept) if kept else [])


def remember_many(body: MemoriesIn, caller: Writer, memory: Engine, once: Once) -> IdsOut:
    """All of them or, if one is invalid, none. The ids come back in order."""
    scope = body.scope.of(caller)
    items = [
        _item(caller, scope, item, f"{once}-{number}" if once else None)
        for number, item in enumerate(body.items)
    ]
    ids = memory.remember_many(scope, items, actor=caller.actor, door="rest")
    return IdsOut(ids=ids, redacted=_redacted(memory, scope, ids))


def list_records(query: Annotated[MemoryQuery, Query()], caller: Reader, memory: Engine) -> PageOut:
    """The records of the scope's partition, oldest first, a page at a time."""
    scope = query.of(caller)
    return PageOut.of(memory.records.list(scope, query.kinds, query.after, query.limit))


def record_history(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> VersionsOut:
    """Earlier texts of the record, and the facts that it replaced; newest first."""
    scope = query.of(caller)
    if memory.records.get(scope, id) is None:
        raise not_found("there is no such memory in this scope's partition")
    versions = memory.records.versions(scope, id)
    return VersionsOut(versions=[VersionOut.of(version) for version in versions])


def record_evidence(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> EvidenceOut:
    """The events, messages and people behind a memory that this scope may see. `user:ID` and
    `group:ID` are pages: `claims` has the evidence of each line.
    """
    scope = query.of(caller)
    try:
        return EvidenceOut.of(memory.records.evidence(scope, id))
    except InputError as error:
        raise not_found(str(error)) from None


def related_records(
    id: str, query: Annotated[RelatedQuery, Query()], caller: Reader, memory: Engine
) -> RelatedOut:
    """Records of the scope's partition with a similar meaning, the most similar first; `score` is
    the cosine of the two vectors. Empty without an embedder.
    """
    scope = query.of(caller)
    if memory.records.get(scope, id) is None:
        raise not_found("there is no such memory in this scope's partition")
    near = memory.records.related(scope, id, query.limit)
    return RelatedOut(related=[HitOut.of(hit) for hit in near])


def get_record(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> RecordOut:
    """From the scope's partition."""
    record = memory.records.get(query.of(caller), id)
    if record is None:
        raise not_found("there is no such memory in this scope's partition")
    return RecordOut.of(record)


def update_record(id: str, body: MemoryChange, caller: Writer, memory: Engine) -> RecordOut:
    """Omitted fields are unchanged. Facts are corrected with /v1/facts/{id}/correct, profiles with
    /v1/profiles.
    """
    scope = body.scope.of(caller)
    if memory.records.get(scope, id) is None:
        raise not_found("there is no such memory in this scope's partition")
    return RecordOut.of(
        memory.records.update(scope, id, **body.changes(), actor=caller.actor, door="rest")
    )


def forget_record(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine
) -> RemovedOut:
    """With its vector and its index entries, from the file itself. A fact is also removed from the
    events it was learned from.
    """
    done = forget_one(memory, query.of(caller), id, **caller.deletion_actor)
    if not done.count:
        raise not_found("there is no such memory in this scope's partition")
    return RemovedOut.of(done)


def _redacted(memory: Memory, scope: Scope, ids: Sequence[str]) -> dict[str, list[str]]:
    """By id, what was taken out; without those of which nothing was."""
    if not ids:
        return {}
    kept = memory.records.newest(scope, filters={"id": {"in": list(ids)}}, limit=len(set(ids)))
    return {record.id: kinds for record in kept.records if (kinds := redacted_in(record))}


def _item(caller: Caller, scope: Scope, item: MemoryFields, id: str | None) -> dict[str, object]:
    caller.allowed_speaker(scope, item.user)
    return item.item(id)
