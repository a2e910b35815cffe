"""Beside a fact that was found: what was told since that changes it (P5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import TaishiError
from ..language.told_changes import tells_end_of
from ..types import Hit, Recall, Record
from .record_states import APPROVED
from .tool_call import ToolCall

log = logging.getLogger("taishi.tools")
KINDS = ("fact", "event")
MOST = 2
READ = 60  # the newest records of the caller's place


def with_changes(call: ToolCall, found: Recall) -> Recall:
    """ "We moved from MySQL to Postgres" comes after "We use MySQL", whatever was asked."""
    facts = [hit for hit in found.hits if hit.kind == "fact"]
    if not facts or "filters" in call.arguments:
        return found
    try:
        newest = call.memory.records.newest(call.scope, KINDS, [APPROVED], limit=READ).records
        known = {hit.id for hit in found.hits}
        changes = [one for one in newest if one.id not in known and _changes_one(one, facts)]
        beside = [hit for one in changes[:MOST] if (hit := call.memory.get(call.scope, one.id))]
    except TaishiError as error:
        log.warning("recall goes without what changed since: %s", error)
        return found
    return replace(found, hits=tuple(_after_facts(found.hits, beside))) if beside else found


def _changes_one(record: Record, facts: Sequence[Hit]) -> bool:
    news = record.data.get("new_info")
    told = [record.text]
    if record.kind != "fact" and isinstance(news, (list, tuple)):
        told = [str(one) for one in news]
    at = record.time or 0.0
    return tells_end_of(told, [one.text for one in facts if _since(one) <= at])


def _since(hit: Hit) -> float:
    return 0.0 if hit.time is None else hit.time.timestamp()


def _after_facts(hits: tuple[Hit, ...], beside: list[Hit]) -> Iterator[Hit]:
    last = max(at for at, hit in enumerate(hits) if hit.kind == "fact")
    yield from hits[: last + 1]
    yield from beside
    yield from hits[last + 1 :]
