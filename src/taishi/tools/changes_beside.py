"""Beside a fact that was found: what was told since that changes it (P5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace

from ..domain.changes_beside import changes_beside
from ..errors import TaishiError
from ..times import to_epoch
from ..types import Hit, Recall
from .record_states import APPROVED
from .tool_call import ToolCall

log = logging.getLogger("taishi.tools")
KINDS = ("fact", "event")
READ = 60  # the newest records of the caller's place


def with_changes(call: ToolCall, found: Recall) -> Recall:
    """ "We moved from MySQL to Postgres" comes after "We use MySQL", whatever was asked."""
    facts = [hit for hit in found.hits if hit.kind == "fact"]
    if not facts or "filters" in call.arguments:
        return found
    try:
        newest = call.memory.records.newest(call.scope, KINDS, [APPROVED], limit=READ).records
        told = [(hit.text, _since(hit)) for hit in facts]
        changes = changes_beside(newest, told, {hit.id for hit in found.hits})
        beside = [hit for one in changes if (hit := call.memory.get(call.scope, one.id))]
    except TaishiError as error:
        log.warning("recall goes without what changed since: %s", error)
        return found
    return replace(found, hits=tuple(_after_facts(found.hits, beside))) if beside else found


def _since(hit: Hit) -> float:
    return 0.0 if hit.time is None else to_epoch(hit.time, hit.time.tzinfo)


def _after_facts(hits: tuple[Hit, ...], beside: list[Hit]) -> Iterator[Hit]:
    last = max(at for at, hit in enumerate(hits) if hit.kind == "fact")
    yield from hits[: last + 1]
    yield from beside
    yield from hits[last + 1 :]
