"""The export format, version 1: a JSON object a line. docs/reference/export-format.md is its page.

Only text and values here: no file, no store. What is read is checked field by field, and an
unknown field is refused, so that nothing is lost without a word.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC
from typing import Any

from ..backends.file_queue.codec import job_of
from ..errors import InputError, QueueError
from ..exported import (
    ExportedCalls,
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
    Moved,
)
from ..times import to_datetime
from ..types import EMPTY, Job, Partition, Record, clean_id
from .fields import Fields

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
    ExportedMessage: "message",
    ExportedSession: "session",
    ExportedLink: "link",
    ExportedCalls: "ledger",
    ExportedProfile: "profile",
    ExportedJob: "job",
}
TYPES = tuple(_NAMES.values())


# -- writing -----------------------------------------------------------------------------------


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
        case ExportedLink() | ExportedCalls():
            values = asdict(item)
        case ExportedProfile():
            snapshots = [{"revision": name, "page": page} for name, page in item.snapshots]
            values = {**asdict(item), "snapshots": snapshots}
        case ExportedJob():
            values = {f.name: getattr(item, f.name) for f in fields(ExportedJob)}
            values = {**_dated(values), "job": _job(item.job)}
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
    values: dict[str, Any] = {
        f.name: getattr(record, f.name)
        for f in fields(Record)
        if f.name not in ("place", "redaction", "data")
    }
    found = {**_place(record.place), **_dated(values), "data": dict(record.data)}
    if item.vector is not None:
        found["vector"] = base64.b64encode(item.vector).decode()
    return found


def _placed(item: ExportedMessage | ExportedSession) -> dict[str, Any]:
    values = asdict(item)
    values.pop("place")
    return {**_place(item.place), **_dated(values)}


def _place(place: Partition) -> dict[str, str]:
    return {"workspace": place.workspace, "place": place.kind, "place_id": place.id}


def _dated(values: dict[str, Any]) -> dict[str, Any]:
    """Each time with the same in ISO beside it, for whoever reads the file."""
    dated = {}
    for name, value in values.items():
        dated[name] = value
        if name in ("time", "since", "until", "created", "last_summary", "due"):
            dated[f"{name}_iso"] = None if value is None else _iso(value)
    return dated


def _iso(epoch: float) -> str:
    return to_datetime(epoch, UTC).isoformat()


def _job(job: Job) -> dict[str, Any]:
    values = {f.name: getattr(job, f.name) for f in fields(Job) if f.name != "redaction"}
    return {**values, "recent_messages": [dict(one) for one in job.recent_messages]}


# -- reading -----------------------------------------------------------------------------------


def read_line(line: str | bytes) -> Line:
    """What a line says; InputError with what is wrong with it."""
    values = _object(line)
    name = values.pop("type", None)
    told = Fields(values)
    if name == "header":
        return _read_header(told)
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        raise InputError(
            f"type {name!r:.40} is not known; a line is one of header, {', '.join(TYPES)}, end"
        )
    item = reader(told)
    told.finish()
    return item


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


def _read_header(told: Fields) -> Header:
    if told.text("format") != FORMAT:
        raise InputError(f"this is not a Taishi export: the format of its header is not {FORMAT}")
    version = told.whole("version")
    if version > VERSION:
        raise InputError(
            f"the file has version {version} of the export format, this Taishi knows {VERSION}. "
            "Upgrade it first: pip install -U taishi"
        )
    header = Header(
        made=told.time("made") or 0.0,
        embedder=told.maybe_text("embedder"),
        vectors=told.flag("vectors"),
        about=told.text("about"),
        counts=told.counts("counts"),
    )
    told.finish()
    return header


def _read_end(told: Fields) -> End:
    return End(told.counts("counts"), told.texts("left_out"))


def _read_record(told: Fields) -> ExportedRecord:
    record = Record(
        place=told.place(),
        id=told.id("id"),
        kind=told.kind("kind"),
        text=told.text("text"),
        time=told.time("time"),
        since=told.time("since"),
        until=told.time("until"),
        created=told.time("created") or 0.0,
        user=told.maybe_id("user"),
        speaker=told.maybe_text("speaker"),
        session=told.maybe_id("session"),
        source=told.maybe_raw("source"),
        state=told.state("state"),
        confidence=told.number("confidence"),
        owner=told.maybe_raw("owner"),
        data=told.mapping("data"),
    )
    return ExportedRecord(record, told.vector("vector"))


def _read_message(told: Fields) -> ExportedMessage:
    return ExportedMessage(
        place=told.place(),
        session=told.id("session"),
        speaker=told.maybe_text("speaker"),
        speaker_id=told.maybe_id("speaker_id"),
        text=told.text("text"),
        time=told.time("time") or 0.0,
        id=told.maybe_id("id"),
        summarised=told.flag("summarised"),
    )


def _read_session(told: Fields) -> ExportedSession:
    return ExportedSession(
        told.place(), told.id("session"), told.time("last_summary"), told.text("summary")
    )


def _read_link(told: Fields) -> ExportedLink:
    return ExportedLink(told.id("workspace"), told.id("user"))


def _read_calls(told: Fields) -> ExportedCalls:
    return ExportedCalls(
        told.day("day"),
        told.raw("task"),
        told.raw("model"),
        told.raw("mode"),
        told.whole("calls"),
        told.whole("failed"),
        told.whole("prompt_tokens"),
        told.whole("completion_tokens"),
        told.number("seconds"),
        told.number("cost"),
        told.raw("last_error"),
    )


def _read_profile(told: Fields) -> ExportedProfile:
    return ExportedProfile(
        told.id("workspace"),
        told.one_of("entity_type", ("user", "group")),
        told.id("entity_id"),
        told.maybe_text("page"),
        told.snapshots("snapshots"),
    )


def _read_job(told: Fields) -> ExportedJob:
    values = told.mapping("job")
    if "redaction" in values:
        raise InputError("a job has no field 'redaction' in this format; leave it out")
    try:
        job = job_of(values)
        home = job.scope.home
    except QueueError as error:
        raise InputError(f"not a job: {error}") from error
    if job.request_type != home.kind:
        raise InputError(f"a job's request_type must be {home.kind}, as its ids say")
    for name in ("request_id", "sender_id", "job_id"):
        clean_id(getattr(job, name), name)
    messages = tuple(_read_job_message(one) for one in job.recent_messages)
    job = replace(job, recent_messages=messages)
    return ExportedJob(
        told.queue_id("id"),
        told.flag("failed"),
        told.whole("attempts"),
        told.time("due") or 0.0,
        told.raw("reason"),
        job,
    )


def _read_job_message(values: Mapping[str, Any]) -> dict[str, Any]:
    told = Fields(dict(values))
    message = {
        "speaker": told.maybe_text("speaker"),
        "speaker_id": told.maybe_id("speaker_id"),
        "text": told.text("text"),
        "time": told.time("time"),
        "id": told.maybe_id("id"),
    }
    told.finish()
    return message


_READERS: dict[str, Callable[[Fields], Line]] = {
    "record": _read_record,
    "message": _read_message,
    "session": _read_session,
    "link": _read_link,
    "ledger": _read_calls,
    "profile": _read_profile,
    "job": _read_job,
    "end": _read_end,
}
