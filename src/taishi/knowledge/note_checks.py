"""Checks of what callers of `memory.notes` pass, and of the state that they expect."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..errors import InputError, NotePathError, RefusedError, VersionError
from ..ports.knowledge import Note
from .note_paths import first_below, parents

MAX_CHARS = 200_000
MAX_DESCRIPTION_CHARS = 2_000


def note_text(text: object) -> str:
    if not isinstance(text, str):
        raise InputError(f"a note is text, not {type(text).__name__}")
    if len(text) > MAX_CHARS:
        raise RefusedError(
            f"a note has at most {MAX_CHARS} characters, not {len(text)}; split it, or add it as "
            "a document",
            "too_long",
            MAX_CHARS,
        )
    return text


def labels(description: object, max_chars: object) -> dict[str, Any]:
    """The fields that are to change; None leaves one as it is."""
    changed: dict[str, Any] = {}
    if description is not None:
        if not isinstance(description, str) or len(description) > MAX_DESCRIPTION_CHARS:
            raise InputError(f"description is text of at most {MAX_DESCRIPTION_CHARS} characters")
        changed["description"] = description
    if max_chars is not None:
        if isinstance(max_chars, bool) or not isinstance(max_chars, int):
            raise InputError("max_chars is a whole number; 0 means: no limit of its own")
        if not 0 <= max_chars <= MAX_CHARS:
            raise InputError(f"max_chars is from 1 to {MAX_CHARS}; 0 means: no limit of its own")
        changed["max_chars"] = max_chars or None
    return changed


def version_number(value: object) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError("expected_version is a whole number from 0 up; 0 means: not there yet")
    return value


def check_version(path: str, note: Note | None, expected: int | None) -> None:
    version = 0 if note is None else note.version
    if expected is not None and version != expected:
        raise VersionError(
            f"{path} has version {version}, not {expected}: it was changed since it was "
            "read; read it again and repeat the change",
            version,
        )


def check_length(note: Note) -> None:
    most = min(note.max_chars or MAX_CHARS, MAX_CHARS)
    if len(note.text) > most:
        advice = "Shorten it." if note.max_chars else "Split it, or add it as a document."
        raise RefusedError(
            f"{note.path} would have {len(note.text)} characters; it may have at most {most}. "
            f"{advice}",
            "too_long",
            most,
        )


def check_free(path: str, paths: Collection[str]) -> None:
    """A path is a note or a folder, never both."""
    for one in parents(path):
        if one in paths:
            text = f"{one} is a note, so nothing can be below it; rename one of them"
            raise NotePathError(text, "below_note", one)
    if first_below(paths, path) is not None:
        text = f"{path} is a folder; choose another path for the note"
        raise NotePathError(text, "folder", path)


def check_destination(path: str, notes: dict[str, Note], moving: Collection[str]) -> None:
    """What is moved itself is no hindrance: its place becomes free."""
    if path in notes:
        raise VersionError(
            f"{path} exists already, with version {notes[path].version}; choose another path, or "
            "remove it first",
            notes[path].version,
        )
    others = [one for one in notes if one not in moving]
    if first_below(notes, path) is not None:
        text = f"{path} is a folder already; choose another path, or remove it first"
        raise NotePathError(text, "folder", path)
    check_free(path, others)
