"""How a record becomes a row of a table and comes back, whatever the database."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from ..types import EMPTY, Partition, Record
from .terms import terms_of

PLACE_BITS = 32  # number = partition << 32 | n
KEPT_CHANGES = 4096
PRUNE_EVERY = 1024

# The fields of a Record that have a column of their own, in this order.
FIELDS = (
    "id",
    "kind",
    "text",
    "time",
    "since",
    "until",
    "created",
    "updated",
    "expires",
    "user",
    "speaker",
    "session",
    "source",
    "state",
    "confidence",
    "owner",
    "redaction",
)
INDEX_COLUMNS = (
    "kind",
    "state",
    "time",
    "since",
    "until",
    "user",
    "speaker",
    "session",
    "trust",
    "uses",
)
_UNTIL = INDEX_COLUMNS.index("until")
_CREATED, _UPDATED = FIELDS.index("created") - 1, FIELDS.index("updated") - 1


def packed_terms(record: Record) -> bytes:
    return terms_of(record.text, record.speaker, record.kind)


def packed_data(record: Record) -> str:
    return json.dumps(dict(record.data), ensure_ascii=False) if record.data else "{}"


def naming_texts(user: str, names: Collection[str]) -> list[str]:
    """What `packed_data` has in it, if a message is a user's or a name stands by itself."""
    said, *quoted = (json.dumps(one, ensure_ascii=False) for one in (user, *names))
    return [f'"speaker_id": {said}', *quoted]


def index_values(record: Record) -> list[Any]:
    """The values of INDEX_COLUMNS. What is to be deleted ends there, so that it is not found."""
    values = [getattr(record, name) for name in INDEX_COLUMNS]
    values[_UNTIL] = record.ends
    return values


def written_at(record: Record, now: float, is_new: bool, keeps_time: bool) -> float:
    """The `updated` of a record that is written; an import keeps that of its export. A profile's is
    that of its page: its record may be written again without a change."""
    if record.kind == "profile" and not (keeps_time and record.updated):
        return record.time or now
    if keeps_time or is_new:
        return (record.updated if keeps_time else 0.0) or record.created or now
    return now


def record_of(place: Partition, row: Sequence[Any]) -> Record:
    """The record in a row of FIELDS and data."""
    # FIELDS are in the order of Record's fields; there the partition is second and data last.
    id, *fields, data = row
    if fields[_UPDATED] is None:  # written before this was noted
        fields[_UPDATED] = fields[_CREATED]
    values: list[Any] = [id, place, *fields, EMPTY if data == "{}" else json.loads(data)]
    return Record(*values)


def number_range(no: int) -> tuple[int, int]:
    """The numbers of a partition's records are between these."""
    return no << PLACE_BITS, (no + 1) << PLACE_BITS
