"""Who is speaking, as the headers of a request say it: the same for every door that has headers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

HEADERS = {
    "user": "X-Taishi-User",
    "group": "X-Taishi-Group",
    "agent": "X-Taishi-Agent",
    "session": "X-Taishi-Session",
    "workspace": "X-Taishi-Workspace",
}


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
