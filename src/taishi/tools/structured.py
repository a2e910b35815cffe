"""Results of tools as data, for MCP clients that read `structuredContent`.

The same rules as for text hold: redacted, cut to size, and an id only where the caller's own
tools accept it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from ..context_block import block
from ..times import to_datetime
from ..types import Hit, Profile, Record
from .record_states import state_name
from .tool_call import ToolCall

MAX_TEXT_CHARS = 4000
MAX_METADATA_CHARS = 200


def hits(found: Sequence[Hit], call: ToolCall) -> list[dict[str, Any]]:
    home = str(call.scope.home)
    return [_hit(hit, call, home) for hit in found]


def _hit(hit: Hit, call: ToolCall, home: str) -> dict[str, Any]:
    is_own = hit.metadata.get("place") == home or hit.kind == "procedure"
    return {
        "id": hit.id if is_own else None,
        "kind": hit.kind,
        "text": call.redactor.text(block.statement(hit)[:MAX_TEXT_CHARS]),
        "time": hit.time.isoformat() if hit.time else None,
        "speaker": hit.speaker,
        "score": round(float(hit.score), 4),
        "source": _text(hit.metadata.get("citation")),
        "state": state_name(hit.metadata.get("state")),
    }


def records(found: Sequence[Record], call: ToolCall) -> list[dict[str, Any]]:
    zone = call.memory.settings.zone()
    return [_record(record, call, zone) for record in found]


def _record(record: Record, call: ToolCall, zone: tzinfo) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "text": call.redactor.text(record.text[:MAX_TEXT_CHARS]),
        "time": None if record.time is None else to_datetime(record.time, zone).isoformat(),
        "speaker": record.speaker,
        "score": None,
        "source": _text(record.source),
        "state": state_name(record.state),
    }


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
