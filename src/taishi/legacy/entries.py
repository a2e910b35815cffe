"""Parses one entry of an `end_summaries.json`, in any of the formats that bots have written (C3).

An entry is a text alone, or an object with a text, perhaps a time, and ids of its owner. Our own
entries have the same format with everything filled in.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from ..errors import InputError, ScopeError, TimeError
from ..times import to_epoch
from ..types import Job, Scope, clean_id

TEXT_KEYS = ("summary", "action_summary", "end_summary", "text", "content", "message")
TIME_KEYS = (
    "time",
    "timestamp",
    "timestamp_utc",
    "timestamp_local",
    "created_at",
    "createdAt",
    "created",
    "datetime",
    "date",
    "ts",
    "epoch",
)
ID_KEYS = {
    "user": ("user_id", "userId", "user", "uid"),
    "group": ("group_id", "groupId", "group", "gid"),
    "agent": ("agent_id", "agentId", "agent"),
    "session": ("session_id", "sessionId", "session"),
    "sender_id": ("sender_id", "senderId"),
}
NAME_KEYS = ("sender_name", "senderName", "user_name", "username", "nickname", "sender")
INNER_KEYS = ("scope", "metadata", "meta", "context", "location")
MILLISECONDS_FROM = 1e11  # as seconds this is the year 5138
_LOOSE_TIME = re.compile(
    r"(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})日?[T ]{0,2}"
    r"(?:(\d{1,2})[:：时](\d{1,2})(?:[:：分](\d{1,2}))?秒?)?"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; `time` is None if it cannot be parsed, and `odd_time` then has the original."""

    text: str
    news: tuple[str, ...] = ()
    time: float | None = None
    odd_time: str = ""
    workspace: str | None = None
    user: str | None = None
    group: str | None = None
    agent: str | None = None
    session: str | None = None
    sender_id: str | None = None
    sender_name: str | None = None
    shared: bool = False
    id: str | None = None

    @property
    def whole(self) -> str:
        return "\n".join(part for part in (self.text, *self.news) if part)

    def scope(self, workspace: str = "default") -> Scope | None:
        """The owner by the entry's own ids; None if it has none."""
        try:
            return Scope(
                self.user,
                self.group,
                self.agent,
                self.session,
                self.workspace or workspace,
                self.shared,
            )
        except ScopeError:
            return None


def from_job(job: Job) -> dict[str, Any]:
    """A finished turn as an entry."""
    summary = job.action_summary or "\n".join(job.new_info)
    entry: dict[str, Any] = {
        "summary": summary,
        "new_info": list(job.new_info) if job.action_summary else [],
        "time": job.timestamp_local,
        "workspace": job.workspace,
        "request_type": job.request_type,
        "user_id": job.user_id,
        "group_id": job.group_id,
        "agent_id": job.agent_id,
        "session_id": job.session_id,
        "sender_id": job.sender_id,
        "sender_name": job.sender_name,
        "id": job.event_id,
        "schema_version": job.schema_version,
    }
    return {key: value for key, value in entry.items() if value not in (None, [])}


def is_ours(raw: object) -> bool:
    return isinstance(raw, Mapping) and "schema_version" in raw and "id" in raw


def read(raw: object, zone: tzinfo) -> Entry:
    """Parse an entry of any format. InputError says what is wrong with it."""
    if isinstance(raw, str):
        raw = {"summary": raw}
    if not isinstance(raw, Mapping):
        raise InputError(f"an entry is a text or an object, not {type(raw).__name__}")
    inner = [raw[key] for key in INNER_KEYS if isinstance(raw.get(key), Mapping)]
    tables: list[Mapping[str, Any]] = [raw, *inner]
    text, news = _text(raw), _new_info(raw.get("new_info"))
    if not text and not news:
        raise InputError(f"there is no text; one of {', '.join(TEXT_KEYS)} must hold it")
    ids = {name: _id(_first_value(tables, keys), name) for name, keys in ID_KEYS.items()}
    raw_time = _first_value(tables, TIME_KEYS)
    time = _time(raw_time, zone)
    return Entry(
        text=text,
        news=news,
        time=time,
        odd_time="" if time is not None or raw_time is None else str(raw_time)[:100],
        workspace=_id(raw.get("workspace"), "workspace"),
        sender_name=next((n for n in (raw.get(k) for k in NAME_KEYS) if isinstance(n, str)), None),
        shared=raw.get("request_type") == "workspace",
        id=_id(raw.get("id"), "id") if is_ours(raw) else None,
        **ids,
    )


def identified(entries: Sequence[Entry]) -> list[Entry]:
    """Entries with stable ids derived from their content; duplicates are numbered."""
    duplicates: Counter[str] = Counter()
    result = []
    for entry in entries:
        if entry.id is None:
            digest = _digest(entry)
            duplicates[digest] += 1
            entry = replace(entry, id=f"end-summaries-{digest}:{duplicates[digest]}")
        result.append(entry)
    return result


def parse(content: bytes, what: str) -> list[object]:
    """The entries of a file: a JSON list, an object with one list in it, or JSON lines.

    A file that is none of these, or not JSON, is an InputError.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not UTF-8 text; convert it first") from error
    if not text.strip():
        return []
    try:
        return _list_in(json.loads(text), what)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        lines = _lines(text)
        if lines is None:
            raise InputError(f"{what} is not JSON ({error}); correct it first") from error
        return lines


def _list_in(document: object, what: str) -> list[object]:
    if isinstance(document, Mapping):
        lists = [v for key, v in document.items() if isinstance(v, list) and key != "new_info"]
        if len(lists) == 1:
            return lists[0]
        return [document] if any(key in document for key in TEXT_KEYS) else _no_list(what)
    return document if isinstance(document, list) else _no_list(what)


def _no_list(what: str) -> list[object]:
    raise InputError(f"{what} holds no list of summaries; give the file the bot wrote")


def _lines(text: str) -> list[object] | None:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        values = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None
    return values if all(isinstance(value, Mapping) for value in values) else None


def _first_value(tables: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> Any:
    for table in tables:
        for key in keys:
            value = table.get(key)
            if value is not None and value != "" and not isinstance(value, (Mapping, list)):
                return value
    return None


def _text(raw: Mapping[str, Any]) -> str:
    for key in TEXT_KEYS:
        value = raw.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _new_info(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())


def _id(value: object, what: str) -> str | None:
    """An id; bots write 0 for "no group"."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if isinstance(value, int) and value == 0 else clean_id(value, what)


def _time(value: object, zone: tzinfo) -> float | None:
    """Seconds, milliseconds, ISO, or an informal date; None if it is none of these."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return _parse_time_text(str(value).strip()[:100], zone)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return to_epoch(value / 1000 if abs(value) > MILLISECONDS_FROM else value, zone)
    except (TimeError, OverflowError):
        return None


def _parse_time_text(text: str, zone: tzinfo) -> float | None:
    try:
        return to_epoch(text, zone)
    except TimeError:
        match = _LOOSE_TIME.fullmatch(text)
    try:
        parts = [int(part or 0) for part in match.groups()] if match else []
        return to_epoch(datetime(*parts), zone) if parts else None  # type: ignore[arg-type]
    except ValueError:
        return None


def _digest(entry: Entry) -> str:
    content = (
        entry.text,
        *entry.news,
        entry.time,
        entry.odd_time,
        entry.workspace,
        entry.user,
        entry.group,
        entry.agent,
        entry.session,
    )
    return hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:24]
