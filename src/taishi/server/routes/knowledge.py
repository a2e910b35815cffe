"""Routes for documents."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

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
    OriginalQuery,
)
from ..schemas.recall import RecallOut

BYTES = "application/octet-stream"
DOCUMENTS = "/documents"
NO_DOCUMENT = "there is no such document in this scope's partition"
DocumentId = Annotated[str, Path(max_length=256, description="A document's id or its name.")]


class FileBytes(Response):
    media_type = BYTES


def knowledge_routes() -> tuple[APIRouter, APIRouter]:
    searching = router(
        "documents",
        (RouteSpec("POST", "/documents/search", search_documents, "Search documents"),),
        SlowApiRoute,
    )
    keeping = router(
        "documents",
        (
            RouteSpec("POST", DOCUMENTS, add_document, "Add a document", 201, takes=BYTES),
            RouteSpec("GET", DOCUMENTS, list_documents, "List documents"),
            RouteSpec(
                "GET",
                "/documents/{id:path}/original",
                document_original,
                "A document's file",
                missing=True,
                answer=FileBytes,
            ),
            RouteSpec(
                "GET",
                "/documents/{id:path}/chunks",
                document_chunks,
                "A document's passages",
                missing=True,
            ),
            RouteSpec("GET", "/documents/{id:path}", get_document, "One document", missing=True),
            RouteSpec(
                "DELETE", "/documents/{id:path}", remove_document, "Remove a document", missing=True
            ),
        ),
    )
    return searching, keeping


def search_documents(
    body: KnowledgeIn, caller: Reader, memory: Engine, language: Language
) -> RecallOut:
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


async def add_document(
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
    """What was added to the scope's partition, by name."""
    found = memory.knowledge.list(query.of(caller))
    return DocumentsOut(documents=[DocumentOut.of(info) for info in found])


def get_document(
    id: DocumentId, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> DocumentOut:
    """By its id or its name, from the scope's partition."""
    info = memory.knowledge.get(query.of(caller), id)
    if info is None:
        raise not_found(NO_DOCUMENT)
    return DocumentOut.of(info)


def document_chunks(
    id: DocumentId, query: Annotated[ChunksQuery, Query()], caller: Reader, memory: Engine
) -> ChunksOut:
    """Its chunks in order, with the titles above each and its page."""
    found = memory.knowledge.chunks(query.of(caller), id, query.start, query.limit)
    if found is None:
        raise not_found(NO_DOCUMENT)
    return ChunksOut(chunks=[ChunkOut.of(chunk) for chunk in found])


def document_original(
    id: DocumentId, query: Annotated[OriginalQuery, Query()], caller: Reader, memory: Engine
) -> Response:
    """As it was sent, but without secrets; one in another format than text in which a secret was
    found is not kept. With `link`, and files in S3, a redirect (307) to an address there that is
    valid for a minute.
    """
    scope = query.of(caller)
    if query.link and (link := memory.knowledge.original_link(scope, id)) is not None:
        return RedirectResponse(link, headers={"Cache-Control": "no-store"})
    data = memory.knowledge.original(scope, id)
    if data is None:
        raise not_found(f"{NO_DOCUMENT}, or its file is not kept")
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return FileBytes(data, headers=headers)


def remove_document(
    id: DocumentId, query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine
) -> Done:
    """With its chunks, its vectors and its file."""
    if not memory.knowledge.remove(query.of(caller), id, actor=caller.actor, door="rest"):
        raise not_found(NO_DOCUMENT)
    return Done()
