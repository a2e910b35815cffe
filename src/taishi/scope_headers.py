"""Who is speaking, as the headers of a request say it: the same for every door that has headers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from urllib.parse import unquote

from .errors import InputError, TimeError
from .language.text import clean, one_line
from .times import to_epoch

HEADERS = {
    "user": "X-Taishi-User",
    "group": "X-Taishi-Group",
    "agent": "X-Taishi-Agent",
    "session": "X-Taishi-Session",
    "workspace": "X-Taishi-Workspace",
}
SPEAKER = "X-Taishi-Speaker"
GROUP_NAME = "X-Taishi-Group-Name"
RECORD = "X-Taishi-Record"
NOW = "X-Taishi-Now"
MAX_NAME_CHARS = 100
_RECORD = {"": True, "on": True, "true": True, "1": True, "off": False, "false": False, "0": False}


def speaker_in(headers: Mapping[str, str]) -> str | None:
    """What the person who speaks is called; None if the headers do not say."""
    return _name(headers.get(SPEAKER))


def group_name_in(headers: Mapping[str, str]) -> str | None:
    """What the group is called; None if the headers do not say."""
    return _name(headers.get(GROUP_NAME))


def _name(value: str | None) -> str | None:
    return one_line(clean(_decoded(value) or ""), MAX_NAME_CHARS) or None


def may_record(headers: Mapping[str, str]) -> bool:
    """False if this request is not to be remembered. A word that is not known is an error: who
    mistypes "off" must not be recorded."""
    given = headers.get(RECORD, "").strip().lower()
    if given not in _RECORD:
        raise InputError(f"{RECORD} must be on or off")
    return _RECORD[given]


def moment_in(headers: Mapping[str, str], zone: tzinfo) -> float | None:
    """The moment of the conversation, if that is not the present, as in a replay."""
    given = _decoded(headers.get(NOW))
    try:
        return None if given is None else to_epoch(given, zone)
    except TimeError as error:
        raise InputError(f"the header {NOW} is not a time: {error}") from None


def named_in(headers: Mapping[str, str]) -> dict[str, str | None]:
    """What the X-Taishi-… headers name, by the arguments of Scope. `headers` is asked by name, as
    web frameworks' are: in any case."""
    return {what: _decoded(headers.get(header)) for what, header in HEADERS.items()}


def _decoded(value: str | None) -> str | None:
    """Values arrive as latin-1, an id may be in any script: UTF-8 or, from clients that cannot
    send that, percent-encoded."""
    if value is None:
        return None
    try:
        if value.isascii():
            return unquote(value, errors="strict") or None
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value
