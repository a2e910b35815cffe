"""Routes for documents and notes."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from ..problems import not_found
from ..route import (
    Engine,
    Language,
    Reader,
    RouteSpec,
    SlowApiRoute,
    Writer,
    router,
)
from ..schemas.common import Done, ScopeQuery
from ..schemas.knowledge import (
    AddedOut,
    ChunkOut,
    ChunksOut,
    ChunksQuery,
    DocumentOut,
    DocumentQuery,
    DocumentsOut,
    KnowledgeIn,
    NoteIn,
    NoteOut,
    NotesOut,
    WrittenOut,
)
from ..schemas.recall import RecallOut

BYTES = "application/octet-stream"
DOCUMENTS = "/documents"
NO_DOCUMENT = "there is no such document in this scope's own place"
NO_NOTE = "there is no such note in this scope's own place"
DocumentId = Annotated[str, Path(max_length=256, description="A document's id or its name.")]
NotePath = Annotated[str, Path(max_length=250, description="A note's path.")]


class FileBytes(Response):
    media_type = BYTES


def knowledge_routes() -> tuple[APIRouter, APIRouter]:
    searching = router(
        "documents",
        (RouteSpec("POST", "/documents/search", search, "Search documents"),),
        SlowApiRoute,
    )
    keeping = router(
        "documents",
        (
            RouteSpec("POST", DOCUMENTS, add, "Add a document", 201, takes=BYTES),
            RouteSpec("GET", DOCUMENTS, list_documents, "List documents"),
            RouteSpec(
                "GET",
                "/documents/{id:path}/original",
                original,
                "A document's file",
                missing=True,
                answer=FileBytes,
            ),
            RouteSpec(
                "GET", "/documents/{id:path}/chunks", chunks, "A document's passages", missing=True
            ),
            RouteSpec("GET", "/documents/{id:path}", get, "One document", missing=True),
            RouteSpec("DELETE", "/documents/{id:path}", remove, "Remove a document", missing=True),
            RouteSpec("GET", "/notes", list_notes, "List notes"),
            RouteSpec("GET", "/notes/{path:path}/history", history, "A note's versions"),
            RouteSpec("GET", "/notes/{path:path}", read_note, "One note", missing=True),
            RouteSpec("PUT", "/notes/{path:path}", write_note, "Write a note"),
            RouteSpec("DELETE", "/notes/{path:path}", remove_note, "Remove a note", missing=True),
        ),
    )
    return searching, keeping


def search(body: KnowledgeIn, caller: Reader, memory: Engine, language: Language) -> RecallOut:
    """Passages that answer a question, each with the chunks around it. `metadata.citation` of a
    hit says where it is: file, section, page.
    """
    found = memory.knowledge.search(
        body.scope.of(caller),
        body.query,
        body.top_k,
        body.neighbours,
        documents=body.documents,
        deadline=body.deadline,
        floor=body.floor,
    )
    return RecallOut.of(found, language)


async def add(
    request: Request, query: Annotated[DocumentQuery, Query()], caller: Writer, memory: Engine
) -> AddedOut:
    """The file as the body, whatever its format: the name's ending tells it. A document of the
    same name is replaced; if nothing changed, nothing is written.
    """
    scope = query.of(caller)
    data = await request.body()
    info = await asyncio.to_thread(memory.knowledge.add, scope, data, query.name)
    return AddedOut(document=None if info is None else DocumentOut.of(info))


def list_documents(
    query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> DocumentsOut:
    """What was added to the scope's own place, by name."""
    found = memory.knowledge.list(query.of(caller))
    return DocumentsOut(documents=[DocumentOut.of(info) for info in found])


def get(
    id: DocumentId, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> DocumentOut:
    """By its id or its name, from the scope's own place."""
    info = memory.knowledge.get(query.of(caller), id)
    if info is None:
        raise not_found(NO_DOCUMENT)
    return DocumentOut.of(info)


def chunks(
    id: DocumentId, query: Annotated[ChunksQuery, Query()], caller: Reader, memory: Engine
) -> ChunksOut:
    """Its chunks in order, with the titles above each and its page."""
    found = memory.knowledge.chunks(query.of(caller), id, query.start, query.limit)
    if found is None:
        raise not_found(NO_DOCUMENT)
    return ChunksOut(chunks=[ChunkOut.of(chunk) for chunk in found])


def original(
    id: DocumentId, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> FileBytes:
    """As it was sent, but without secrets; one in another format than text in which a secret was
    found is not kept.
    """
    data = memory.knowledge.original(query.of(caller), id)
    if data is None:
        raise not_found(f"{NO_DOCUMENT}, or its file is not kept")
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return FileBytes(data, headers=headers)


def remove(
    id: DocumentId, query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine
) -> Done:
    """With its chunks, its vectors and its file."""
    if not memory.knowledge.remove(query.of(caller), id, actor=caller.actor, door="rest"):
        raise not_found(NO_DOCUMENT)
    return Done()


def list_notes(query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine) -> NotesOut:
    """The notes of the scope's own place, by path."""
    found = memory.notes.list(query.of(caller))
    return NotesOut(notes=[NoteOut.of(note) for note in found])


def read_note(
    path: NotePath, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> NoteOut:
    """By its path, such as MEMORY.md."""
    note = memory.notes.read(query.of(caller), path)
    if note is None:
        raise not_found(NO_NOTE)
    return NoteOut.of(note)


def history(
    path: NotePath, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> NotesOut:
    """The newest first; the oldest are dropped after ten."""
    found = memory.notes.history(query.of(caller), path)
    return NotesOut(notes=[NoteOut.of(note) for note in found])


def write_note(path: NotePath, body: NoteIn, caller: Writer, memory: Engine) -> WrittenOut:
    """Whole, or with `append` at its end. With `expected_version`, only if nobody wrote it since
    it was read.
    """
    scope = body.scope.of(caller)
    if body.append:
        note = memory.notes.append(scope, path, body.text, actor=caller.actor, door="rest")
    else:
        expected = body.expected_version
        who = {"actor": caller.actor, "door": "rest"}
        note = memory.notes.write(scope, path, body.text, expected_version=expected, **who)
    return WrittenOut(note=None if note is None else NoteOut.of(note))


def remove_note(
    path: NotePath, query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine
) -> Done:
    """With its history and its chunks."""
    if not memory.notes.remove(query.of(caller), path):
        raise not_found(NO_NOTE)
    return Done()
