"""Ids as file names: legal on every file system, reversible, and never outside the folder (P4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from ...errors import InputError
from ...types import clean_id

MAX_NAME_BYTES = 200
_OUTWARD = re.compile(r"[/\\]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.{1,2}(?:[/\\]|\Z)", re.DOTALL)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|\Z)", re.IGNORECASE)


def file_name(value: str, what: str = "entity_id") -> str:
    """An id as a file name that is legal everywhere and can be reversed (`unquote`).

    Letters of any script stay, so that a person finds the file. An id shaped like a path out of the
    folder is refused, not escaped: no real id looks like that.
    """
    text = clean_id(value, what)
    if text is None:
        raise InputError(f"{what} is empty; pass the id as the host gives it")
    if _OUTWARD.match(text):
        raise InputError(f"{what} {text[:40]!r} could leave the profile folder; use another id")
    name = "".join(c if c.isalnum() or c in "-_.@+=!,#" else _escaped(c) for c in text)
    if name[0] == "." or _DEVICE.match(name):
        name = _escaped(name[0]) + name[1:]
    if name[-1] == ".":  # Windows drops it
        name = name[:-1] + _escaped(".")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InputError(f"{what} needs a file name of over {MAX_NAME_BYTES} bytes; shorten the id")
    return name


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def ids_of(names: list[str]) -> Iterator[str]:
    """The ids behind file names. Names that `file_name` would not produce are skipped."""
    for name in names:
        with suppress(InputError):
            if file_name(unquote(name)) == name:
                yield unquote(name)
