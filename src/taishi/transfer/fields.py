"""The fields of each line of an export: their types, and what else their values must hold to."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, inspect, structs

from ..errors import InputError, TimeError
from ..ingest.job_builder import clean_text
from ..language.text import well_formed
from ..ports.chat_message import ROLES
from ..times import to_epoch
from ..types import KINDS, Partition, clean_id

MAX_VECTOR_BYTES = 64 * 1024
MAX_WHOLE = 2**53  # what every JSON reader keeps exact
TIMES = (
    "made",
    "time",
    "since",
    "until",
    "created",
    "updated",
    "expires",
    "last_summary",
    "scratchpad_time",
    "due",
)
Check = Callable[[Any, str], Any]
# What msgspec says is wrong.
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_WRONG = re.compile(r"(?:Expected `(\w+)[^`]*`|Number)(?:, got `(\w+)`)?.* - at `\$\.(.*)`")
_NAMED = {
    "str": "text",
    "int": "a whole number from 0 up",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
}


def _kept(check: Check) -> Meta:
    """`check` gives the value as it is kept, or raises."""
    return Meta(extra={"check": check})


def _id(value: str, name: str) -> str:
    if clean_id(value, name) is None:
        raise InputError(f"{name} must be text that is not empty")
    return value


def _stored(value: str, name: str) -> str:
    """Text as it is, but for half characters, which cannot be stored."""
    return well_formed(value)


def _one_of(*known: str) -> Meta:
    def check(value: str, name: str) -> str:
        if value not in known:
            raise InputError(f"unknown {name} {value!r:.40}; use one of {', '.join(known)}")
        return value

    return _kept(check)


def _like(pattern: str, what: str) -> Meta:
    def check(value: str, name: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise InputError(f"{name} {value!r:.60} must be {what}")
        return value

    return _kept(check)


def _vector(value: str, name: str) -> bytes:
    data = _base64(value, name)
    if not data or len(data) % 4 or len(data) > MAX_VECTOR_BYTES:
        raise InputError(f"{name} is no vector: it must be float32 numbers")
    return data


def _base64(value: str, name: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"{name} is not base64") from error


Text = Annotated[str, _kept(clean_text)]  # that was or could have been said
Raw = Annotated[str, _kept(_stored)]
Id = Annotated[str, _kept(_id)]
Number = Annotated[float, Meta(gt=-1e15, lt=1e15)]
Whole = Annotated[int, Meta(ge=0, le=MAX_WHOLE)]


class LineFields(Struct, forbid_unknown_fields=True):
    """Every field must be there."""


class HeaderLine(LineFields):
    format: str
    version: Whole
    made: Number | None
    about: Text
    embedder: Text | None
    vectors: bool
    counts: dict[str, Whole]


class EndLine(LineFields):
    counts: dict[str, Whole]
    left_out: tuple[str, ...]


class Placed(LineFields):
    workspace: Id
    place: Annotated[str, _one_of("private", "group", "agent", "workspace")]
    place_id: str


class RecordLine(Placed):
    id: Id
    kind: Annotated[str, _one_of(*KINDS)]
    text: Text
    time: Number | None
    since: Number | None
    until: Number | None
    created: Number | None
    user: Id | None
    speaker: Text | None
    session: Id | None
    source: Raw | None
    state: Annotated[str, _one_of("approved", "candidate", "conflict", "rejected", "superseded")]
    confidence: Number
    owner: Raw | None
    data: dict[str, Any]
    vector: Annotated[str, _kept(_vector)] | UnsetType = UNSET
    updated: Number | UnsetType | None = UNSET
    expires: Number | UnsetType | None = UNSET


class OriginalLine(Placed):
    document: Annotated[str, _like(r"document:[0-9a-f]{24}", "the id of a document")]
    data: Annotated[str, _kept(_base64)]


class JobMessage(LineFields):
    speaker: Text | None
    speaker_id: Id | None
    text: Text
    time: Number | None
    id: Id | None


class MessageLine(Placed):
    session: Id
    speaker: Text | None
    speaker_id: Id | None
    text: Text
    time: Number | None
    id: Id | None
    summarised: bool
    role: Annotated[str, _one_of(*ROLES)] | UnsetType = UNSET
    body: dict[str, Any] | UnsetType = UNSET
    learned: bool | UnsetType = UNSET


class SessionLine(Placed):
    session: Id
    last_summary: Number | None
    summary: Text
    scratchpad: dict[str, Any] | UnsetType = UNSET
    scratchpad_time: Number | UnsetType | None = UNSET


class LinkLine(LineFields):
    workspace: Id
    user: Id


class LedgerLine(LineFields):
    day: Annotated[str, _like(r"\d{4}-\d{2}-\d{2}", "a day such as 2026-02-20")]
    task: Raw
    model: Raw
    mode: Raw
    calls: Whole
    failed: Whole
    prompt_tokens: Whole
    completion_tokens: Whole
    seconds: Number
    cost: Number
    last_error: Raw


class Snapshot(LineFields):
    revision: Annotated[str, _like(r"\d{8}T\d{6}\.\d{6}Z", "a time: 20260220T143000.000000Z")]
    page: Text


class ProfileLine(LineFields):
    workspace: Id
    entity_type: Annotated[str, _one_of("user", "group")]
    entity_id: Id
    page: Text | None
    snapshots: tuple[dict[str, Any], ...]


class JobLine(LineFields):
    id: Annotated[str, _like(r"\d{20}-[0-9a-f]{12}", "20 digits, a dash, 12 hex digits")]
    failed: bool
    attempts: Whole
    due: Number | None
    reason: Raw
    job: dict[str, Any]


@cache
def _rules(line: type[LineFields]) -> tuple[list[str], list[tuple[str, Check]]]:
    """The fields that are times, and those with a check, null or not."""
    info: Any = inspect.type_info(line)
    types = [(f.name, t) for f in info.fields for t in getattr(f.type, "types", (f.type,))]
    checks = [(name, t.extra["check"]) for name, t in types if getattr(t, "extra", None)]
    return [name for name in TIMES if name in line.__struct_fields__], checks


def read_fields(line: type[LineFields], values: dict[str, Any]) -> dict[str, Any]:
    """`values` as the fields of such a line; InputError with the field that is wrong, and how."""
    times, checks = _rules(line)
    for name in times:
        _take_iso(name, values)
    try:
        found = structs.asdict(msgspec.convert(values, line))
    except (msgspec.ValidationError, UnicodeError) as error:
        raise InputError(_reason(error, values)) from error
    for name, check in checks:
        if isinstance(found[name], str):
            found[name] = check(found[name], name)
    return found


def _reason(error: Exception, values: dict[str, Any]) -> str:
    if isinstance(error, UnicodeError):  # msgspec looked for a number in it, and says not where
        texts = {name: value if isinstance(value, str) else "" for name, value in values.items()}
        broken = [name for name, value in texts.items() if "\\ud" in ascii(name + value)]
        return f"there is a broken character in a field that holds no text; look at {broken!a:.100}"
    if unknown := _UNKNOWN.fullmatch(str(error)):
        name = f"{unknown[1]!r:.60}"
        return f"unknown field {name}; take it out, or import with the Taishi that wrote it"
    if missing := _MISSING.fullmatch(str(error)):
        return f"the field {missing[1]!r} is missing"
    if wrong := _WRONG.fullmatch(str(error)):
        name, must = wrong[3], _NAMED.get(wrong[1], "a number")
        if wrong[2]:
            return f"{name} must be {must}, not {wrong[2]}"
        return f"{name} is out of range; it must be {must}"
    return str(error)


def _take_iso(name: str, values: dict[str, Any]) -> None:
    """The epoch counts; in a line written by hand, the ISO time beside it may stand alone."""
    iso = values.pop(f"{name}_iso", None)
    if name in values or iso is None:
        return
    if not isinstance(iso, str):
        raise InputError(f"{name}_iso must be an ISO time")
    try:
        values[name] = to_epoch(iso, UTC)
    except TimeError as error:
        raise InputError(f"{name}_iso: {error}") from error


def take_place(found: dict[str, Any]) -> Partition:
    """Where a line belongs; its three fields are taken out."""
    workspace, kind, id = (found.pop(name) for name in ("workspace", "place", "place_id"))
    if kind != "workspace":
        return Partition(workspace, kind, _id(id, "place_id"))
    if id != "":
        raise InputError("place_id must be empty where the place is the whole workspace")
    return Partition(workspace, "workspace")
