"""`AsyncMemory.notes`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..async_nouns import Threaded
from ..ports.knowledge import MEMORY_FILE, Note, NoteOperation, NoteRemoval

if TYPE_CHECKING:
    from ..knowledge.notes import Matches, Notes, NotesService
    from ..types import Scope


class AsyncNotes(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: NotesService) -> None:
        super().__init__(pool)
        self._service = service

    async def read(self, scope: Scope, path: str = MEMORY_FILE) -> Note | None:
        return await self._run(self._service.read, scope, path)

    async def write(
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
        return await self._run(
            self._service.write,
            scope,
            path,
            text,
            expected_version=expected_version,
            description=description,
            max_chars=max_chars,
            operation=operation,
            fingerprint=fingerprint,
            actor=actor,
            door=door,
        )

    async def append(
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
        return await self._run(
            self._service.append,
            scope,
            path,
            text,
            operation=operation,
            fingerprint=fingerprint,
            actor=actor,
            door=door,
        )

    async def list(self, scope: Scope, prefix: str = "", limit: int | None = None) -> Notes:
        return await self._run(self._service.list, scope, prefix, limit)

    async def search(self, scope: Scope, query: str, prefix: str = "", limit: int = 10) -> Matches:
        return await self._run(self._service.search, scope, query, prefix, limit)

    async def history(self, scope: Scope, path: str) -> Notes:
        return await self._run(self._service.history, scope, path)

    async def rename(
        self,
        scope: Scope,
        path: str,
        new_path: str,
        *,
        expected_version: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
    ) -> Notes:
        return await self._run(
            self._service.rename,
            scope,
            path,
            new_path,
            expected_version=expected_version,
            operation=operation,
            fingerprint=fingerprint,
        )

    async def remove(
        self,
        scope: Scope,
        path: str,
        *,
        folder: bool = False,
        expected_version: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
    ) -> NoteRemoval:
        return await self._run(
            self._service.remove,
            scope,
            path,
            folder=folder,
            expected_version=expected_version,
            operation=operation,
            fingerprint=fingerprint,
        )

    async def operation(
        self, scope: Scope, operation: str, fingerprint: str | None = None
    ) -> NoteOperation | None:
        return await self._run(self._service.operation, scope, operation, fingerprint)
