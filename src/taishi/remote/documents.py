"""The knowledge base of a server."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..domain.arguments import each, mapping, share
from ..errors import DocumentError, InputError
from ..ports.knowledge import DocumentChunk, DocumentInfo
from ..types import Recall, Scope
from .answers import Added, Chunks, DocumentAnswer, Documents
from .noun import refuse, unsupported
from .searches import DOCUMENTS, Searching
from .server import MissingError, Route, path_part
from .wire import Done

BYTES = "application/octet-stream"
ADD = Route("POST", "/documents", Added, repeatable=True)
LIST = Route("GET", "/documents", Documents)
GET = Route("GET", "/documents/{}", DocumentAnswer)
CHUNKS = Route("GET", "/documents/{}/chunks", Chunks)
REMOVE = Route("DELETE", "/documents/{}", Done, checks_actor=False)
Infos = list[DocumentInfo]  # inside the class, `list` is the verb
ChunkList = list[DocumentChunk]


class RemoteKnowledge(Searching):
    def add(
        self,
        scope: Scope,
        source: str | os.PathLike[str] | bytes,
        name: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> DocumentInfo | None:
        if metadata is not None and mapping(metadata, "metadata"):
            refuse("metadata of a document")
        data, called = _content(source, name)
        found = self._server.upload(ADD, scope, data, BYTES, name=called).document
        return None if found is None else found.info()

    sync = unsupported("knowledge.sync", "add the files one by one, or sync where the server runs")

    def list(self, scope: Scope) -> Infos:
        return [one.info() for one in self._server.call(LIST, scope).documents]

    def get(self, scope: Scope, id: str) -> DocumentInfo | None:
        found = self._server.find(GET, scope, id)
        return None if found is None else found.info()

    def chunks(self, scope: Scope, id: str, start: int = 0, limit: int = 100) -> ChunkList | None:
        found = self._server.find(CHUNKS, scope, id, start=start, limit=limit)
        return None if found is None else found.chunks

    def original(self, scope: Scope, id: str) -> bytes | None:
        if id is None:
            return None
        try:
            return self._server.fetch(_file_of(id), scope).body
        except MissingError:
            return None

    original_link = unsupported("knowledge.original_link", "read knowledge.original(scope, id)")

    def remove(self, scope: Scope, id: str, *, actor: str = "host", door: str = "python") -> bool:
        return self._server.find(REMOVE, scope, id, actor=actor) is not None

    def search(
        self,
        scope: Scope,
        query: str,
        top_k: int = 5,
        neighbours: int | None = None,
        *,
        documents: Sequence[str] | None = None,
        deadline: float | None = None,
        floor: float | None = None,
    ) -> Recall:
        fields = {"top_k": top_k, "neighbours": neighbours, "floor": floor}
        if floor is not None:
            share(floor, "floor")
        only = None if documents is None else list(each(documents, "documents"))
        return self.answered(
            DOCUMENTS, scope, deadline, query=query, documents=only, **fields
        ).recall()


def _file_of(id: str) -> str:
    return f"/documents/{path_part(id)}/original"


def _content(source: object, name: str | None) -> tuple[bytes, str]:
    """The bytes and what they are called; a path is read on this machine."""
    if isinstance(source, os.PathLike):
        path = Path(source).expanduser()
        try:
            return path.read_bytes(), name or path.name
        except OSError as error:
            raise DocumentError(
                f"{path} cannot be read: {error.strerror or error}; correct the path"
            ) from error
    if not name:
        raise InputError("a name is needed for bytes and texts, such as name='guide.md'")
    if isinstance(source, str):
        return source.encode("utf-8", "replace"), name
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), name
    raise InputError(f"a document is a Path, bytes or a text, not {type(source).__name__}")
