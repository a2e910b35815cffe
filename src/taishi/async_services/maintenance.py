"""`AsyncMemory.maintenance`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..async_nouns import Threaded
from ..transfer.progress import Progress, unwatched

if TYPE_CHECKING:
    from ..curate.maintenance import MaintenanceService
    from ..exported import Rebuilt, Rescanned
    from ..observe.minutes import Activity
    from ..recall.vector_index import VectorIndexCheck
    from ..types import Scope


class AsyncMaintenance(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: MaintenanceService) -> None:
        super().__init__(pool)
        self._service = service

    async def activity(self) -> Activity:
        return await self._run(self._service.activity)

    async def rebuild(
        self,
        scope: Scope | None = None,
        *,
        workspace: str | None = None,
        dry_run: bool = False,
        actor: str = "",
        door: str = "python",
        progress: Progress = unwatched,
    ) -> Rebuilt:
        return await self._run(
            self._service.rebuild,
            scope,
            workspace=workspace,
            dry_run=dry_run,
            actor=actor,
            door=door,
            progress=progress,
        )

    async def rescan(self, progress: Progress = unwatched) -> Rescanned:
        return await self._run(self._service.rescan, progress)

    async def reembed(self) -> int:
        return await self._run(self._service.reembed)

    async def verify_vectors(self, progress: Progress = unwatched) -> VectorIndexCheck:
        return await self._run(self._service.verify_vectors, progress)

    async def rebuild_vectors(self, progress: Progress = unwatched) -> int:
        return await self._run(self._service.rebuild_vectors, progress)

    async def check(self) -> str:
        return await self._run(self._service.check)

    async def check_files(self) -> str:
        return await self._run(self._service.check_files)
