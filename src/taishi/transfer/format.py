"""The export format, version 1: a JSON object a line. docs/reference/export-format.md is its page.

Only text and values here: no file, no store. What is read is checked field by field, and an
unknown field is refused, so that nothing is lost without a word.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any

from msgspec import UNSET

from ..disk.installation import upgrade_line
from ..domain import chat_messages, scratchpad
from ..errors import InputError, QueueError
from ..exported import (
    ExportedCalls,
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedOriginal,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
    Moved,
)
from ..job_codec import job_of
from ..times import to_datetime
from ..types import EMPTY, Job, Partition, Record, clean_id
from . import fields
from .fields import read_fields, take_place

FORMAT = "taishi-export"
VERSION = 1
MAX_LINE_CHARS = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what made the file, and how much to expect."""

    made: float
    embedder: str | None
    vectors: bool
    about: str
    counts: Mapping[str, int] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class End:
    """The last line: without it the file was cut short."""

    counts: Mapping[str, int]
    left_out: tuple[str, ...] = ()


Line = Header | End | Moved
_NAMES: dict[type, str] = {
    ExportedRecord: "record",
    ExportedOriginal: "original",
    ExportedMessage: "message",
    ExportedSession: "session",
    ExportedLink: "link",
    ExportedCalls: "ledger",
    ExportedProfile: "profile",
    ExportedJob: "job",
}
TYPES = tuple(_NAMES.values())


def write_line(item: Line) -> str:
    """One line, with its line feed."""
    name, values = _written(item)
    text = json.dumps({"type": name, **values}, ensure_ascii=False, separators=(",", ":"))
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        # Half a character is no UTF-8; escaped, it comes back as it was.
        text = json.dumps({"type": name, **values}, separators=(",", ":"))
    return f"{text}\n"


def type_of(item: Moved) -> str:
    return _NAMES[type(item)]


def _written(item: Line) -> tuple[str, dict[str, Any]]:
    match item:
        case Header():
            return "header", _header(item)
        case End():
            return "end", {"counts": dict(item.counts), "left_out": list(item.left_out)}
        case ExportedRecord():
            values = _record(item)
        case ExportedMessage() | ExportedSession():
            values = _placed(item)
        case ExportedOriginal():
            data = base64.b64encode(item.data).decode()
            values = {**_place(item.place), "document": item.document, "data": data}
        case ExportedLink() | ExportedCalls():
            values = _values(item)
        case ExportedProfile():
            snapshots = [{"revision": name, "page": page} for name, page in item.snapshots]
            values = {**_values(item), "snapshots": snapshots}
        case ExportedJob():
            values = {**_dated(_values(item)), "job": _job(item.job)}
    return type_of(item), values


def _header(header: Header) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "made": header.made,
        "made_iso": _iso(header.made),
        "about": header.about,
        "embedder": header.embedder,
        "vectors": header.vectors,
        "counts": dict(header.counts),
    }


def _record(item: ExportedRecord) -> dict[str, Any]:
    record = item.record
    values = _values(record, without=("place", "redaction", "data", *_usual(record)))
    found = {**_place(record.place), **_dated(values), "data": dict(record.data)}
    if item.vector is not None:
        found["vector"] = base64.b64encode(item.vector).decode()
    return found


def _usual(record: Record) -> tuple[str, ...]:
    """Fields that say nothing here, left out as an older Taishi refuses them."""
    is_changed = record.updated not in (0.0, record.created)
    unset = ("updated",) if not is_changed else ()
    return (*unset, "expires") if record.expires is None else unset


def _placed(item: ExportedMessage | ExportedSession) -> dict[str, Any]:
    values = _values(item, without=("place", *_unset(item)))
    for name in ("body", "scratchpad"):
        if name in values:
            values[name] = json.loads(values[name] or "{}")
    return {**_place(item.place), **_dated(values)}


def _unset(item: ExportedMessage | ExportedSession) -> tuple[str, ...]:
    """Fields of working memory, left out where there is none: an older Taishi refuses them."""
    if isinstance(item, ExportedMessage):
        return () if item.role else ("role", "body", "learned")
    return () if item.scratchpad else ("scratchpad", "scratchpad_time")


def _place(place: Partition) -> dict[str, str]:
    return {"workspace": place.workspace, "place": place.kind, "place_id": place.id}


def _dated(values: dict[str, Any]) -> dict[str, Any]:
    """Each time with the same in ISO beside it, for whoever reads the file."""
    dated = {}
    for name, value in values.items():
        dated[name] = value
        if name in fields.TIMES:
            dated[f"{name}_iso"] = None if value is None else _iso(value)
    return dated


def _iso(epoch: float) -> str:
    return to_datetime(epoch, UTC).isoformat()


def _job(job: Job) -> dict[str, Any]:
    messages = [dict(one) for one in job.recent_messages]
    return {**_values(job, without=("redaction",)), "recent_messages": messages}


def _values(item: Moved | Record | Job, without: Collection[str] = ()) -> dict[str, Any]:
    return {
        f.name: getattr(item, f.name) for f in dataclasses.fields(item) if f.name not in without
    }


def read_line(line: str | bytes) -> Line:
    """What a line says; InputError with what is wrong with it."""
    values = _object(line)
    name = values.pop("type", None)
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        raise InputError(
            f"unknown type {name!r:.40}; a line is one of header, {', '.join(TYPES)}, end"
        )
    return reader(values)


def _object(line: str | bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_CHARS:
        raise InputError(f"the line is longer than {MAX_LINE_CHARS} characters; split the record")
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line
        values = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON in UTF-8 ({error!s:.120}); one object a line") from error
    if not isinstance(values, dict):
        raise InputError(f"a {type(values).__name__} instead of an object; one object a line")
    return values


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number in JSON")


def _read_header(values: dict[str, Any]) -> Header:
    if values.get("format") != FORMAT:
        raise InputError(f"this is not a Taishi export: the format of its header is not {FORMAT}")
    version = values.get("version")
    if isinstance(version, int) and version > VERSION:  # before its fields, which may be new
        raise InputError(
            f"the file has version {version} of the export format, this Taishi knows {VERSION}. "
            f"Upgrade it first: {upgrade_line()}"
        )
    found = read_fields(fields.HeaderLine, values)
    del found["format"], found["version"]
    return Header(**{**found, "made": found["made"] or 0.0})


def _read_end(values: dict[str, Any]) -> End:
    found = read_fields(fields.EndLine, values)
    return End(found["counts"], tuple(found["left_out"]))


def _read_record(values: dict[str, Any]) -> ExportedRecord:
    found = read_fields(fields.RecordLine, values)
    vector, created = found.pop("vector"), found.pop("created") or 0.0
    later = {
        name: value
        for name in ("updated", "expires")
        if (value := found.pop(name)) not in (UNSET, None)
    }
    record = Record(place=take_place(found), created=created, **found, **later)
    return ExportedRecord(record, None if vector is UNSET else vector)


def _read_message(values: dict[str, Any]) -> ExportedMessage:
    found = read_fields(fields.MessageLine, values)
    time = found.pop("time") or 0.0
    extra = {name: found.pop(name) for name in ("role", "body", "learned")}
    given = {name: value for name, value in extra.items() if value is not UNSET}
    if "role" in given:
        given["body"] = chat_messages.checked_body(given["role"], given.get("body", {}))
    elif given:
        raise InputError("a message with a body or learned needs a role, too")
    return ExportedMessage(place=take_place(found), time=time, **found, **given)


def _read_session(values: dict[str, Any]) -> ExportedSession:
    found = read_fields(fields.SessionLine, values)
    pad, at = found.pop("scratchpad"), found.pop("scratchpad_time")
    if pad is not UNSET and pad:
        found["scratchpad"] = scratchpad.stored(scratchpad.read(pad))
        found["scratchpad_time"] = 0.0 if at is UNSET or at is None else at
    return ExportedSession(place=take_place(found), **found)


def _read_original(values: dict[str, Any]) -> ExportedOriginal:
    found = read_fields(fields.OriginalLine, values)
    return ExportedOriginal(place=take_place(found), **found)


def _read_profile(values: dict[str, Any]) -> ExportedProfile:
    found = read_fields(fields.ProfileLine, values)
    snapshots = [read_fields(fields.Snapshot, one) for one in found.pop("snapshots")]
    pairs = tuple((one["revision"], one["page"]) for one in snapshots)
    return ExportedProfile(snapshots=pairs, **found)


def _read_job(values: dict[str, Any]) -> ExportedJob:
    found = read_fields(fields.JobLine, values)
    if "redaction" in found["job"]:
        raise InputError("a job has no field 'redaction' in this format; leave it out")
    try:
        job = job_of(found["job"])
        home = job.scope.home
    except QueueError as error:
        raise InputError(f"not a job: {error}") from error
    if job.request_type != home.kind:
        raise InputError(f"a job's request_type must be {home.kind}, as its ids say")
    for name in ("request_id", "sender_id", "job_id"):
        clean_id(getattr(job, name), name)
    messages = tuple(read_fields(fields.JobMessage, dict(one)) for one in job.recent_messages)
    job = replace(job, recent_messages=messages)
    return ExportedJob(**{**found, "due": found["due"] or 0.0, "job": job})


_READERS: dict[str, Callable[[dict[str, Any]], Line]] = {
    "header": _read_header,
    "record": _read_record,
    "original": _read_original,
    "message": _read_message,
    "session": _read_session,
    "link": lambda values: ExportedLink(**read_fields(fields.LinkLine, values)),
    "ledger": lambda values: ExportedCalls(**read_fields(fields.LedgerLine, values)),
    "profile": _read_profile,
    "job": _read_job,
    "end": _read_end,
}
