"""Results of tools as data, for MCP clients that read `structuredContent`.

The same rules as for text hold: redacted, cut to size, and an id only where the caller's own
tools accept it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from ..context_block import block
from ..language.redaction.redactor import redacted_kinds
from ..times import to_datetime
from ..types import Hit, Profile, Record
from .record_states import state_name
from .tool_call import ToolCall

MAX_TEXT_CHARS = 4000
MAX_METADATA_CHARS = 200
# What the engine adds to a record's data, or a hit to its metadata.
NOT_GIVEN = {"recorded_by", "user", "session", "state", "confidence", "place"}


def hits(found: Sequence[Hit], call: ToolCall) -> list[dict[str, Any]]:
    home = str(call.scope.home)
    return [_hit(hit, call, home) for hit in found]


def _hit(hit: Hit, call: ToolCall, home: str) -> dict[str, Any]:
    is_own = hit.metadata.get("place") == home or hit.kind == "procedure"
    return {
        "id": hit.id if is_own else None,
        "kind": hit.kind,
        "text": call.redactor.text(block.statement(hit)[:MAX_TEXT_CHARS]),
        "time": _time(hit.time),
        "speaker": None if _is_bots(hit.kind, hit.metadata) else hit.speaker,
        "score": round(float(hit.score), 4),
        "source": _text(hit.metadata.get("citation")),
        "state": state_name(hit.metadata.get("state")),
        "created": _time(hit.created),
        "updated": _time(hit.updated),
        "expires": _time(hit.expires),
        "redacted": list(hit.redacted),
        "metadata": _metadata(hit.kind, hit.metadata, call),
    }


def records(found: Sequence[Record], call: ToolCall) -> list[dict[str, Any]]:
    zone = call.memory.settings.zone()
    return [_record(record, call, zone) for record in found]


def _record(record: Record, call: ToolCall, zone: tzinfo) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "text": call.redactor.text(record.text[:MAX_TEXT_CHARS]),
        "time": _at(record.time, zone),
        "speaker": None if _is_bots(record.kind, record.data) else record.speaker,
        "score": None,
        "source": _text(record.source),
        "state": state_name(record.state),
        "created": _at(record.created, zone),
        "updated": _at(record.updated or record.created, zone),
        "expires": _at(record.expires, zone),
        "redacted": list(redacted_kinds(record.text, record.speaker, record.data)),
        "metadata": _metadata(record.kind, record.data, call),
    }


def _is_bots(kind: str, data: Mapping[str, Any]) -> bool:
    """Whether an event tells only what the assistant did or said."""
    return kind in ("event", "turn") and bool(data.get("did_what")) and not data.get("new_info")


def _time(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()


def _at(epoch: float | None, zone: tzinfo) -> str | None:
    return None if epoch is None else _time(to_datetime(epoch, zone))


def _metadata(kind: str, data: Mapping[str, Any], call: ToolCall) -> dict[str, Any]:
    """What its writer gave: of a note, which is what `update_memory` changes."""
    if kind != "note":
        return {}
    given = {key: value for key, value in data.items() if key not in NOT_GIVEN}
    redacted = call.redactor.whole(given)
    is_short = isinstance(redacted, dict) and len(json.dumps(redacted)) <= MAX_TEXT_CHARS
    return redacted if isinstance(redacted, dict) and is_short else {}


def profile(page: Profile, call: ToolCall) -> dict[str, Any]:
    return {
        "entity_type": page.entity_type,
        "entity_id": page.entity_id,
        "name": call.redactor.text(page.name[:MAX_METADATA_CHARS]),
        "text": call.redactor.opening(page.body, MAX_TEXT_CHARS)[:MAX_TEXT_CHARS],
        "updated": page.updated_at,
    }


def pad(scratchpad: Any) -> Mapping[str, Any]:
    return {"current_goal": scratchpad.current_goal, "current_step": scratchpad.current_step}


def _text(value: object) -> str | None:
    return str(value)[:MAX_METADATA_CHARS] if value else None
