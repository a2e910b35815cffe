"""What each tool returns as data: a JSON schema, and the values of a call that returns nothing.

Every field is always there: clients refuse an answer that lacks one.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ..context_block import block
from .record_states import STATES

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_FLAG = {"type": "boolean"}
_NUMBER = {"type": "integer"}
_NUMBER_OR_NULL = {"type": ["integer", "null"]}
_TEXTS = {"type": "array", "items": _TEXT}
_MEMORIES: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "id": _TEXT_OR_NULL,
            "kind": _TEXT,
            "text": _TEXT,
            "time": _TEXT_OR_NULL,
            "speaker": _TEXT_OR_NULL,
            "score": {
                "type": ["number", "null"],
                "description": "0 to 1; higher is better. null: listed, not searched.",
            },
            "source": _TEXT_OR_NULL,
            "state": {"enum": list(STATES)},
            "created": _TEXT_OR_NULL,
            "updated": _TEXT_OR_NULL,
            "expires": {**_TEXT_OR_NULL, "description": "When it is deleted; null: never."},
            "redacted": {**_TEXTS, "description": "Kinds of secrets that were taken out."},
            "metadata": {"type": "object", "description": "Of a note; of others, empty."},
        },
    },
}
_MEMORIES["items"]["required"] = list(_MEMORIES["items"]["properties"])
_PROFILE = {
    "type": ["object", "null"],
    "properties": dict.fromkeys(("entity_type", "entity_id", "name", "text", "updated"), _TEXT),
}
_NOTES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"path": _TEXT, "version": _NUMBER, "characters": _NUMBER, "about": _TEXT},
        "required": ["path", "version", "characters", "about"],
    },
}
_VERSIONS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"version": _NUMBER, "updated": _TEXT, "characters": _NUMBER},
        "required": ["version", "updated", "characters"],
    },
}
_NOTE_MATCHES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"path": _TEXT, "text": _TEXT},
        "required": ["path", "text"],
    },
}
# Fields by tool: the schema of each, and what it is unless the tool says otherwise.
Fields = dict[str, tuple[Mapping[str, Any], Any]]
_SEARCH: Fields = {"memories": (_MEMORIES, []), "is_complete": (_FLAG, True)}
_ID: Fields = {"id": (_TEXT_OR_NULL, None)}
_OUTPUTS: dict[str, Fields] = {
    "search_events": _SEARCH,
    "search_profiles": _SEARCH,
    "search_knowledge": _SEARCH,
    "recall": _SEARCH,
    "list_memories": {"memories": (_MEMORIES, []), "cursor": (_TEXT_OR_NULL, None)},
    "get_profile": {"profile": (_PROFILE, None)},
    "context": {"context": (_TEXT, ""), "is_complete": (_FLAG, True)},
    "remember": {**_ID, "close_to": (_TEXTS, []), "state": (_TEXT_OR_NULL, None)},
    "end": {"kept": (_FLAG, False), "asks_to_forget": (_FLAG, False)},
    "correct": _ID,
    "update_memory": _ID,
    "forget": {
        "forgotten": (_NUMBER, 0),
        "changed": (_TEXTS, []),
        "still_told_by": (_TEXTS, []),
        "corrections": (_TEXTS, []),
        "similar_users": (_TEXTS, []),
    },
    "propose_shared": _ID,
    "review_shared": {"state": (_TEXT_OR_NULL, None), "waiting": (_NUMBER, 0)},
    "report_procedure": {"uses": (_NUMBER, 0)},
    "list_notes": {"notes": (_NOTES, [])},
    "read_note": {
        "path": (_TEXT, ""),
        "version": (_NUMBER, 0),
        "note": (_TEXT, ""),
        "next_line": (_NUMBER_OR_NULL, None),
    },
    "search_notes": {"matches": (_NOTE_MATCHES, [])},
    "note_history": {"path": (_TEXT, ""), "versions": (_VERSIONS, [])},
    "write_note": {"version": (_NUMBER, 0), "redacted": (_TEXTS, [])},
    "rename_note": {"moved": (_NUMBER, 0)},
    "remove_note": {"removed": (_NUMBER, 0)},
    "update_scratchpad": {"current_goal": (_TEXT, ""), "current_step": (_TEXT, "")},
}
_REFERENCE = (
    "memories",
    "profile",
    "context",
    "notes",
    "note",
    "matches",
)  # text from earlier conversations is in these


def output_schema(name: str) -> dict[str, Any]:
    """The JSON schema of a tool's data."""
    fields = _OUTPUTS[name]
    properties = {field: deepcopy(dict(schema)) for field, (schema, _) in fields.items()}
    if _holds_reference(name):
        properties["notice"] = dict(_TEXT)
    return {"type": "object", "properties": properties, "required": list(properties)}


def output(name: str, data: Mapping[str, Any], language: str) -> dict[str, Any]:
    """A tool's data, with every field of its schema. What was said earlier comes with the notice
    that the text form has around it: a model may be shown this form instead."""
    given = {field: data.get(field, deepcopy(default)) for field, (_, default) in _fields(name)}
    if _holds_reference(name):
        given["notice"] = block.WORDS[language]["open"].strip("= ")
    return given


def _fields(name: str) -> list[tuple[str, tuple[Mapping[str, Any], Any]]]:
    return list(_OUTPUTS[name].items())


def _holds_reference(name: str) -> bool:
    return any(field in _OUTPUTS[name] for field in _REFERENCE)
