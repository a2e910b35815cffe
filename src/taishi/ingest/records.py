"""`remember` and `remember_many`: what a caller gives → a record, verbatim but redacted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..language.text import well_formed
from ..times import TimeLike, to_epoch
from ..types import KINDS, Record, Scope, clean_id
from .job_builder import JobBuilder, new_id

ITEM_KEYS = frozenset(
    {"text", "kind", "speaker", "time", "session", "source", "id", "user", "confidence", "metadata"}
)


def to_record(scope: Scope, item: Mapping[str, Any], intake: JobBuilder, now: float) -> Record:
    unknown = set(item) - ITEM_KEYS
    if unknown:
        raise InputError(
            f"unknown key {', '.join(sorted(map(str, unknown)))}; "
            f"a memory has {', '.join(sorted(ITEM_KEYS))}"
        )
    text = intake.text(item.get("text"), "text")
    if not text.strip():
        raise InputError("text is empty: there is nothing to remember")
    kind = item.get("kind") or "note"
    if kind not in KINDS:
        raise InputError(f"kind {kind!r:.40} is not known; use one of {', '.join(KINDS)}")
    return Record(
        id=clean_id(item.get("id"), "id") or new_id(),
        place=scope.home,
        kind=kind,
        text=text,
        time=_time(item.get("time"), intake, now),
        created=now,
        user=clean_id(item.get("user"), "user") or scope.user,
        speaker=intake.name(item.get("speaker")),
        session=clean_id(item.get("session"), "session") or scope.session,
        source=_source(item.get("source")),
        redaction=intake.stamp,
        confidence=_confidence(item.get("confidence", 1.0)),
        data=intake.data(item.get("metadata")),
    )


def _time(value: TimeLike | None, intake: JobBuilder, now: float) -> float:
    return now if value is None else to_epoch(value, intake.zone)


def _source(value: object) -> str | None:
    """The caller's own id: it comes back untouched."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"source must be a string or an integer, not {type(value).__name__}")
    return well_formed(str(value))


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"confidence must be a number from 0 to 1, not {value!r:.40}")
    return float(value)
