"""What a model is told that tried the wrong tool on a record: what it is, and which tool serves."""

from __future__ import annotations

from ..context_block import block
from ..types import Record
from .arguments import printable_id
from .formatting import kind_name
from .tool_call import Answer, ToolCall

EVENTS = ("event", "turn")
HOLDING = ("approved", "candidate", "conflict")  # what `correct` takes
OF_DOCUMENTS = ("chunk", "document")


def other_way(call: ToolCall, record: Record) -> Answer:
    """For a record that a tool does not take."""
    id, path = printable_id(record.id), block.sanitize_line(str(record.data.get("name") or ""))
    if record.kind in EVENTS:
        facts = call.memory.facts.list(call.scope, HOLDING)
        has_fact = any(record.id in (one.data.get("sources") or ()) for one in facts)
        return call.answer("way_event" if has_fact else "way_bare_event", False, id=id)
    if record.kind == "profile":
        return call.answer("way_profile", False, id=id)
    if record.kind in OF_DOCUMENTS and path:
        key = "way_document"
        if is_of_note(call, record):
            key = "way_note_page" if record.kind == "document" else "way_notes"
        return call.answer(key, False, id=id, path=path)
    return call.answer("way_record", False, id=id, kind=kind_name(record.kind, call.language))


def is_of_note(call: ToolCall, record: Record) -> bool:
    if record.kind == "document":
        return "note" in record.data
    document = call.memory.records.get(call.scope, str(record.data.get("document") or " "))
    return document is not None and "note" in document.data
