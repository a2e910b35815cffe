"""An item of a LangGraph store as a record of Taishi's, and back.

The namespace and the key are the record's `source`, as JSON: exact whatever is in them, and such
that a namespace prefix is a range. The value is in its metadata; what search reads is its text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..errors import InputError, MissingExtraError
from ..types import Hit, Record

try:
    from langgraph.store.base import InvalidNamespaceError, Item, SearchItem, get_text_at_path
except ImportError as error:
    raise MissingExtraError("taishi.adapters.langgraph", "langgraph") from error

KIND = "note"
FIELD = "langgraph"  # of a record's metadata
MOST_PATH_CHARS = 4000
Namespace = tuple[str, ...]
Index = bool | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A stored item; `ttl` is in minutes, None if it does not expire."""

    id: str
    namespace: Namespace
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    ttl: float | None

    @staticmethod
    def of(record: Hit | Record) -> StoredItem | None:
        """None: it is no item, or was damaged on its way through somebody's import. A record's time
        is that of the last put; a read that starts a time to live again leaves it alone."""
        if isinstance(record, Hit):
            put = record.time or record.created
            when = put.timestamp() if put else 0.0
            return _read(record.id, record.source, record.metadata.get(FIELD), when)
        when = record.created if record.time is None else record.time
        return _read(record.id, record.source, record.data.get(FIELD), when)

    def item(self) -> Item:
        return Item(
            value=self.value,
            key=self.key,
            namespace=self.namespace,
            created_at=self.created,
            updated_at=self.updated,
        )

    def search_item(self, score: float | None) -> SearchItem:
        times = (self.created, self.updated)
        return SearchItem(self.namespace, self.key, self.value, *times, score)


def _read(id: str, source: str | None, kept: Any, put: float) -> StoredItem | None:
    try:
        *namespace, key = json.loads(source or "")
        value, created, ttl = kept["value"], _time(kept["created"]), kept["ttl"]
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    is_path = all(isinstance(one, str) for one in (*namespace, key))
    is_sound = is_path and isinstance(value, dict) and isinstance(ttl, int | float | None)
    return (
        StoredItem(id, tuple(namespace), key, value, created, _time(put), ttl) if is_sound else None
    )


def _time(epoch: float) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)


def checked_namespace(namespace: Sequence[str]) -> Namespace:
    """For operations that did not come through `put`, `get` and `search`, which check as much, save
    that a text is no sequence of labels."""
    if isinstance(namespace, str):
        raise InvalidNamespaceError(f"a namespace is a tuple, such as ({namespace!r:.80},)")
    for label in namespace:
        if not isinstance(label, str) or not label or "." in label or "\0" in label:
            raise InvalidNamespaceError(
                f"namespace label {label!r:.80} cannot be used: labels are texts that are not "
                "empty and have no period"
            )
    return tuple(namespace)


def path_of(namespace: Namespace, key: str) -> str:
    path = json.dumps([*namespace, key], separators=(",", ":"))
    if len(path) > MOST_PATH_CHARS:
        raise InputError(
            f"the namespace and the key {key[:60]!r} have {len(path)} characters together, as JSON "
            f"in ASCII; at most {MOST_PATH_CHARS}"
        )
    return path


def id_of(namespace: Namespace, key: str) -> str:
    digest = hashlib.sha256(path_of(namespace, key).encode()).hexdigest()
    return f"{FIELD}:{digest[:40]}"


def under(prefix: Namespace) -> list[dict[str, Any]]:
    """Conditions for what is in a namespace or below it: a path goes on with a comma there."""
    if not prefix:
        return []
    opening = json.dumps(list(prefix), separators=(",", ":"))[:-1]
    return [{"source": {"gte": f"{opening},", "lt": f"{opening}-"}}]


def checked_value(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as JSON has it; what JSON cannot say is refused instead of changed."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError("a value must be a dict whose keys are texts")
    try:
        kept: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"a value must be JSON: {error!s:.120}") from error
    return kept


def searched_text(value: Mapping[str, Any], index: Index, fields: Sequence[str] | None) -> str:
    """What search reads of a value: all of it, or the texts at some paths; "" if nothing."""
    paths = fields if index is None else index
    if isinstance(paths, bool):
        return "\n".join(_lines(value)) if paths else ""
    if paths is None or "$" in paths:
        return "\n".join(_lines(value))
    texts = (text for path in paths for text in get_text_at_path(value, path))
    return "\n".join(dict.fromkeys(text for text in texts if text.strip()))


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """`owner.name: Ann`: each text and number under its name."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _lines(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _lines(inner, name)
    elif value is not None and str(value).strip():
        yield f"{name}: {value}"
