"""`AsyncMemory.knowledge`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ..async_nouns import Threaded
from ..transfer.progress import Progress, unwatched

if TYPE_CHECKING:
    from ..knowledge.service import Chunks, Documents, KnowledgeService
    from ..ports.knowledge import DocumentInfo, SyncReport
    from ..types import Recall, Scope


class AsyncKnowledge(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: KnowledgeService) -> None:
        super().__init__(pool)
        self._service = service

    async def add(
        self,
        scope: Scope,
        source: str | os.PathLike[str] | bytes,
        name: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> DocumentInfo | None:
        return await self._run(self._service.add, scope, source, name, metadata=metadata)

    async def sync(
        self,
        scope: Scope,
        folder: str | os.PathLike[str],
        name: str | None = None,
        *,
        progress: Progress = unwatched,
    ) -> SyncReport:
        return await self._run(self._service.sync, scope, folder, name, progress=progress)

    async def list(self, scope: Scope) -> Documents:
        return await self._run(self._service.list, scope)

    async def get(self, scope: Scope, id: str) -> DocumentInfo | None:
        return await self._run(self._service.get, scope, id)

    async def chunks(
        self, scope: Scope, id: str, start: int = 0, limit: int = 100
    ) -> Chunks | None:
        return await self._run(self._service.chunks, scope, id, start, limit)

    async def original(self, scope: Scope, id: str) -> bytes | None:
        return await self._run(self._service.original, scope, id)

    async def original_link(self, scope: Scope, id: str, seconds: float = 60.0) -> str | None:
        return await self._run(self._service.original_link, scope, id, seconds)

    async def remove(
        self, scope: Scope, id: str, *, actor: str = "host", door: str = "python"
    ) -> bool:
        return await self._run(self._service.remove, scope, id, actor=actor, door=door)

    async def search(
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
        return await self._run(
            self._service.search,
            scope,
            query,
            top_k,
            neighbours,
            documents=documents,
            deadline=deadline,
            floor=floor,
        )
