"""`AsyncMemory.notes`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ..async_nouns import Threaded
from ..knowledge.notes import MEMORY_FILE, Notes, NotesService
from ..ports.knowledge import Note
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
        actor: str = "host",
        door: str = "python",
    ) -> Note | None:
        who = {"actor": actor, "door": door}
        return await self._run(
            self._service.write, scope, path, text, expected_version=expected_version, **who
        )

    async def append(
        self, scope: Scope, path: str, text: str, *, actor: str = "host", door: str = "python"
    ) -> Note | None:
        return await self._run(self._service.append, scope, path, text, actor=actor, door=door)

    async def list(self, scope: Scope) -> Notes:
        return await self._run(self._service.list, scope)

    async def history(self, scope: Scope, path: str) -> Notes:
        return await self._run(self._service.history, scope, path)

    async def remove(self, scope: Scope, path: str) -> bool:
        return await self._run(self._service.remove, scope, path)
