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
from ..times import to_epoch
from ..types import KINDS, Partition, clean_id

MAX_VECTOR_BYTES = 64 * 1024
MAX_WHOLE = 2**53  # what every JSON reader keeps exact
TIMES = ("made", "time", "since", "until", "created", "last_summary", "due")
Check = Callable[[Any, str], Any]
# What msgspec says is wrong, and the same in our words.
_SAID = (
    (r"Object missing required field `(\w+)`", r"the field '\1' is missing"),
    (
        r"Object contains unknown field `(.{,60}).*`",
        r"unknown field '\1'; take it out, or import with the Taishi that wrote it",
    ),
    (r"Expected `(\w+)[^`]*`, got `(\w+)` - at `\$\.(.*)`", r"\3 must be <\1>, not \2"),
    (r"Expected `(\w+)`.* - at `\$\.(.*)`", r"\2 is out of range; it must be <\1>"),
    (r"Number out of range - at `\$\.(.*)`", r"\1 is out of range; it must be <float>"),
    ("<str>", "text"),
    ("<float>", "a number"),
    ("<int>", "a whole number from 0 up"),
    ("<bool>", "true or false"),
    ("<(object|array)>", r"an \1"),
)


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
            raise InputError(f"{name} {value!r:.40} is not known; use one of {', '.join(known)}")
        return value

    return _kept(check)


def _like(pattern: str, what: str) -> Meta:
    def check(value: str, name: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise InputError(f"{name} {value!r:.60} must be {what}")
        return value

    return _kept(check)


def _vector(value: str, name: str) -> bytes:
    try:
        data = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"{name} is not base64") from error
    if not data or len(data) % 4 or len(data) > MAX_VECTOR_BYTES:
        raise InputError(f"{name} is no vector: it must be float32 numbers")
    return data


Text = Annotated[str, _kept(clean_text)]  # that was or could have been said
Raw = Annotated[str, _kept(_stored)]
Id = Annotated[str, _kept(_id)]
Number = Annotated[float, Meta(gt=-1e15, lt=1e15)]
Whole = Annotated[int, Meta(ge=0, le=MAX_WHOLE)]


class Line(Struct, forbid_unknown_fields=True):
    """Every field must be there."""


class HeaderLine(Line):
    format: str
    version: Whole
    made: Number | None
    about: Text
    embedder: Text | None
    vectors: bool
    counts: dict[str, Whole]


class EndLine(Line):
    counts: dict[str, Whole]
    left_out: tuple[str, ...]


class Placed(Line):
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


class JobMessage(Line):
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


class SessionLine(Placed):
    session: Id
    last_summary: Number | None
    summary: Text


class LinkLine(Line):
    workspace: Id
    user: Id


class LedgerLine(Line):
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


class Snapshot(Line):
    revision: Annotated[str, _like(r"\d{8}T\d{6}\.\d{6}Z", "a time: 20260220T143000.000000Z")]
    page: Text


class ProfileLine(Line):
    workspace: Id
    entity_type: Annotated[str, _one_of("user", "group")]
    entity_id: Id
    page: Text | None
    snapshots: tuple[dict[str, Any], ...]


class JobLine(Line):
    id: Annotated[str, _like(r"\d{20}-[0-9a-f]{12}", "20 digits, a dash, 12 hex digits")]
    failed: bool
    attempts: Whole
    due: Number | None
    reason: Raw
    job: dict[str, Any]


@cache
def _rules(line: type[Line]) -> tuple[list[str], list[tuple[str, Check]]]:
    """The fields that are times, and those with a check, null or not."""
    info: Any = inspect.type_info(line)
    types = [(f.name, t) for f in info.fields for t in getattr(f.type, "types", (f.type,))]
    checks = [(name, t.extra["check"]) for name, t in types if getattr(t, "extra", None)]
    return [name for name in TIMES if name in line.__struct_fields__], checks


def read_fields(line: type[Line], values: dict[str, Any]) -> dict[str, Any]:
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
        texts = [(name, value) for name, value in values.items() if isinstance(value, str)]
        broken = [name for name, value in texts if "\\ud" in ascii(value)]
        return f"half a character stands where no text belongs; look at {broken!a:.100}"
    said = str(error)
    for pattern, words in _SAID:
        said = re.sub(pattern, words, said, flags=re.ASCII | re.DOTALL)
    return said


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
