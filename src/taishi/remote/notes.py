"""Notes of a server."""

from __future__ import annotations

from typing import Any

from ..domain import arguments
from ..ports.knowledge import MEMORY_FILE, Note, NoteMatch, NoteOperation, NoteRemoval
from ..types import Scope, clean_id
from .answers import Matches, NoteAnswer, Notes, Written
from .noun import Noun
from .server import MissingError, Route

NoteList = list[Note]  # inside the class, `list` is the verb
MatchList = list[NoteMatch]
READ = Route("GET", "/notes/{}", NoteAnswer)
WRITE = Route("PUT", "/notes/{}", Written, checks_actor=False)
# With an operation id.
WRITE_ONCE = Route("PUT", "/notes/{}", Written, repeatable=True, checks_actor=False)
LIST = Route("GET", "/notes", Notes)
SEARCH = Route("POST", "/notes/search", Matches, repeatable=True)
HISTORY = Route("GET", "/notes/{}/history", Notes)
RENAME = Route("POST", "/notes/rename", Notes)
OPERATION = Route("GET", "/note-operations", NoteOperation)
REMOVE = Route("DELETE", "/notes/{}", NoteRemoval)
REMOVE_ALL = Route("DELETE", "/notes", NoteRemoval)


class RemoteNotes(Noun):
    def read(self, scope: Scope, path: str = MEMORY_FILE) -> Note | None:
        found = self._server.find(READ, scope, arguments.text(path, "path"))
        return None if found is None else found.note()

    def write(
        self,
        scope: Scope,
        path: str,
        text: str,
        *,
        expected_version: int | None = None,
        description: str | None = None,
        max_chars: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> Note | None:
        fields: dict[str, Any] = {"text": text, "expected_version": expected_version}
        fields |= {"description": description, "max_chars": max_chars}
        return self._put(scope, path, actor, operation, fingerprint, **fields)

    def append(
        self,
        scope: Scope,
        path: str,
        text: str,
        *,
        operation: str | None = None,
        fingerprint: str | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> Note | None:
        return self._put(scope, path, actor, operation, fingerprint, text=text, append=True)

    def list(self, scope: Scope, prefix: str = "", limit: int | None = None) -> NoteList:
        return self._server.call(
            LIST, scope, prefix=arguments.text(prefix, "prefix") or None, limit=limit
        ).values()

    def search(self, scope: Scope, query: str, prefix: str = "", limit: int = 10) -> MatchList:
        return self._server.call(
            SEARCH, scope, query="" if query is None else query, prefix=prefix, limit=limit
        ).matches

    def history(self, scope: Scope, path: str) -> NoteList:
        return self._server.call(HISTORY, scope, arguments.text(path, "path")).values()

    def rename(
        self,
        scope: Scope,
        path: str,
        new_path: str,
        *,
        expected_version: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
    ) -> NoteList:
        fields: dict[str, Any] = {"path": path, "new_path": new_path}
        fields |= {"expected_version": expected_version, "fingerprint": fingerprint}
        fields["operation"] = _operation(operation)
        found = self._server.find(RENAME, scope, **fields)
        return [] if found is None else found.values()

    def remove(
        self,
        scope: Scope,
        path: str,
        *,
        folder: bool = False,
        expected_version: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
    ) -> NoteRemoval:
        if folder and not arguments.text(path, "path"):
            return self._server.call(REMOVE_ALL, scope)
        fields: dict[str, Any] = {"folder": bool(folder), "expected_version": expected_version}
        fields |= {"operation": _operation(operation), "fingerprint": fingerprint}
        try:
            return self._server.call(REMOVE, scope, arguments.text(path, "path"), **fields)
        except MissingError:
            return NoteRemoval(0)

    def operation(
        self, scope: Scope, operation: str, fingerprint: str | None = None
    ) -> NoteOperation | None:
        if (named := _operation(operation)) is None:
            return None
        return self._server.find(OPERATION, scope, operation=named, fingerprint=fingerprint)

    def _put(
        self,
        scope: Scope,
        path: str,
        actor: str,
        operation: str | None,
        fingerprint: str | None,
        **fields: Any,
    ) -> Note | None:
        route = WRITE if operation is None else WRITE_ONCE
        fields |= {"operation": _operation(operation), "fingerprint": fingerprint}
        written = self._server.call(
            route, scope, arguments.text(path, "path"), actor=actor, **fields
        ).note
        return None if written is None else written.note()


def _operation(given: str | None) -> str | None:
    """An empty one is sent, for the server to refuse."""
    return None if given is None else clean_id(given, "operation") or ""
