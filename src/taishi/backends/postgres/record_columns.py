"""The columns of records and index rows in PostgreSQL, where `user` is a word of the language."""

from __future__ import annotations

import hashlib
from typing import Any

from ...types import Record
from .. import record_rows
from ..record_rows import FIELDS, INDEX_COLUMNS, packed_data

LONGEST_KEY = 300  # characters; an entry of a B-tree holds some 2,700 bytes
_RENAMED = {"user": "user_id"}
# What is searched for in the data of a record.
EXTRA = ("subject", "category", "told_by", "copied_from", "tags", "own_user")


def columns(names: tuple[str, ...], prefix: str = "") -> str:
    return ", ".join(prefix + _RENAMED.get(name, name) for name in names)


RECORD_COLUMNS = columns((*FIELDS, "data"))
INDEXED = columns(INDEX_COLUMNS)


def record_values(record: Record, created: float, updated: float) -> tuple[Any, ...]:
    """The values of RECORD_COLUMNS and EXTRA."""
    fields = [getattr(record, name) for name in FIELDS]
    fields[FIELDS.index("created")] = created
    fields[FIELDS.index("updated")] = updated
    data = record.data
    extra: tuple[Any, ...] = (None,) * len(EXTRA)
    if data:
        extra = (
            search_key(data.get("subject")),
            search_key(data.get("category")),
            search_key(data.get("user_id")),
            None if (mark := data.get("copied_from")) is None else str(mark),
            _tags(data.get("tags")),
            record.user if data.get("about_user") is True else None,
        )
    return (*map(known, fields), packed_data(record), *extra)


def index_values(record: Record) -> tuple[Any, ...]:
    return tuple(map(known, record_rows.index_values(record)))


def search_key(value: object) -> str | None:
    """A value as it is searched for: itself, or its hash if it is too long for an index."""
    if not isinstance(value, str):
        return None
    if len(value) <= LONGEST_KEY:
        return value
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return f"\x01{digest}"


def known(value: Any) -> Any:
    """NaN is no value, as in SQLite."""
    return None if value != value else value


def _tags(value: object) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tag for tag in value if isinstance(tag, str)] or None
    return None
