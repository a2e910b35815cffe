"""Routes for notes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import ScopeQuery
from ..schemas.notes import (
    NoteIn,
    NoteMatchesOut,
    NoteOperationOut,
    NoteOperationQuery,
    NoteOut,
    NoteRemovalQuery,
    NoteRenameIn,
    NoteSearchIn,
    NotesOut,
    NotesQuery,
    NotesRemovedOut,
    WrittenOut,
)

NO_NOTE = "there is no such note in this scope's partition"
NotePath = Annotated[str, Path(max_length=250, description="A note's path.")]


def notes_routes() -> tuple[APIRouter]:
    kept = router(
        "documents",
        (
            RouteSpec("GET", "/notes", list_notes, "List notes"),
            RouteSpec("DELETE", "/notes", remove_all_notes, "Remove every note"),
            RouteSpec("POST", "/notes/search", search_notes, "Search notes"),
            RouteSpec(
                "POST", "/notes/rename", rename_note, "Rename a note or a folder", missing=True
            ),
            RouteSpec(
                "GET",
                "/note-operations",
                note_operation,
                "What an operation on notes came to",
                missing=True,
            ),
            RouteSpec("GET", "/notes/{path:path}/history", note_history, "A note's versions"),
            RouteSpec("GET", "/notes/{path:path}", read_note, "One note", missing=True),
            RouteSpec("PUT", "/notes/{path:path}", write_note, "Write a note"),
            RouteSpec("DELETE", "/notes/{path:path}", remove_note, "Remove a note", missing=True),
        ),
    )
    return (kept,)


def list_notes(query: Annotated[NotesQuery, Query()], caller: Reader, memory: Engine) -> NotesOut:
    """The notes of the scope's partition, by path."""
    return NotesOut.of(memory.notes.list(query.of(caller), query.prefix, query.limit))


def search_notes(body: NoteSearchIn, caller: Reader, memory: Engine) -> NoteMatchesOut:
    """By meaning and words, in the scope's partition; each note once, with its best passage."""
    scope = body.scope.of(caller)
    return NoteMatchesOut.of(memory.notes.search(scope, body.query, body.prefix, body.limit))


def read_note(
    path: NotePath, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> NoteOut:
    """By its path, such as MEMORY.md."""
    note = memory.notes.read(query.of(caller), path)
    if note is None:
        raise not_found(NO_NOTE)
    return NoteOut.of(note)


def note_history(
    path: NotePath, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> NotesOut:
    """The newest first; the last ten are kept."""
    return NotesOut.of(memory.notes.history(query.of(caller), path))


def note_operation(
    query: Annotated[NoteOperationQuery, Query()], caller: Reader, memory: Engine
) -> NoteOperationOut:
    """Of a scope the last thousand or so are known. 409 if it has another fingerprint."""
    scope = query.of(caller)
    found = memory.notes.operation(scope, query.operation, query.fingerprint)
    if found is None:
        raise not_found("no such operation is known in this scope's own place")
    return NoteOperationOut(id=found.id, version=found.version, count=found.count)


def write_note(path: NotePath, body: NoteIn, caller: Writer, memory: Engine) -> WrittenOut:
    """Replaces the note or, with `append`, adds to its end. With `expected_version`, only if nobody
    changed it since it was read. The text is stored exactly, but without secrets; `redacted` says
    which kinds.
    """
    scope = body.scope.of(caller)
    if body.append:
        note = memory.notes.append(
            scope,
            path,
            body.text,
            operation=body.operation,
            fingerprint=body.fingerprint,
            actor=caller.actor,
            door="rest",
        )
    else:
        note = memory.notes.write(
            scope,
            path,
            body.text,
            expected_version=body.expected_version,
            description=body.description,
            max_chars=body.max_chars,
            operation=body.operation,
            fingerprint=body.fingerprint,
            actor=caller.actor,
            door="rest",
        )
    return WrittenOut(note=None if note is None else NoteOut.of(note))


def rename_note(body: NoteRenameIn, caller: Writer, memory: Engine, once: Once) -> NotesOut:
    """In one step, with its history. Answers with the notes under their new paths."""
    moved = memory.notes.rename(
        body.scope.of(caller),
        body.path,
        body.new_path,
        expected_version=body.expected_version,
        operation=body.operation,
        fingerprint=body.fingerprint,
    )
    if not moved:
        raise not_found(NO_NOTE)
    return NotesOut.of(moved)


def remove_note(
    path: NotePath, query: Annotated[NoteRemovalQuery, Query()], caller: Writer, memory: Engine
) -> NotesRemovedOut:
    """With its history and its chunks; with `folder`, all notes below the path."""
    removal = memory.notes.remove(
        query.of(caller),
        path,
        folder=query.folder,
        expected_version=query.expected_version,
        operation=query.operation,
        fingerprint=query.fingerprint,
    )
    if not removal and not removal.replayed and query.expected_version is None:
        raise not_found(NO_NOTE)
    return NotesRemovedOut.of(removal)


def remove_all_notes(
    query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine
) -> NotesRemovedOut:
    """Every note of the scope's partition, with its history."""
    return NotesRemovedOut.of(memory.notes.remove(query.of(caller), "", folder=True))
