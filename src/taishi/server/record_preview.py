"""Records cut to what a card shows: a page of a hundred must not be a hundred megabytes."""

from __future__ import annotations

from typing import Any

from .schemas.memories import RecordOut

TEXT_CHARS = 600
VALUE_CHARS = 200
LIST_ITEMS = 12
DICT_ITEMS = 40
DEPTH = 3


def preview_of(record: RecordOut) -> RecordOut:
    changes = {"text": _cut(record.text, TEXT_CHARS), "metadata": _value(record.metadata, DEPTH)}
    return record.model_copy(update=changes)


def _value(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _cut(value, VALUE_CHARS)
    if isinstance(value, (list, tuple)):
        return [_value(one, depth - 1) for one in value[:LIST_ITEMS]] if depth else []
    if isinstance(value, dict):
        pairs = list(value.items())[:DICT_ITEMS] if depth else []
        return {_cut(str(key), VALUE_CHARS): _value(one, depth - 1) for key, one in pairs}
    return value


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
