"""`memory.profiles` of `AsyncMemory`: pages, awaited."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..async_nouns import Threaded

if TYPE_CHECKING:
    from ..curate.profiles import ProfileService
    from ..exported import PageFault
    from ..ports import PageRevision
    from ..types import Profile, Scope


class AsyncProfiles(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: ProfileService) -> None:
        super().__init__(pool)
        self._service = service

    async def set(
        self,
        scope: Scope,
        body: str,
        name: str = "",
        tags: Iterable[str] = (),
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        return await self._run(self._service.set, scope, body, name, tags, actor=actor, door=door)

    async def source(self, scope: Scope) -> Profile | None:
        return await self._run(self._service.source, scope)

    async def edit(
        self,
        scope: Scope,
        body: str,
        before: Profile | None,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        return await self._run(self._service.edit, scope, body, before, actor=actor, door=door)

    async def revisions(self, scope: Scope) -> tuple[str, ...]:
        return await self._run(self._service.revisions, scope)

    async def history(self, scope: Scope) -> tuple[PageRevision, ...]:
        return await self._run(self._service.history, scope)

    async def diff(self, scope: Scope, revision: str, to: str | None = None) -> str:
        return await self._run(self._service.diff, scope, revision, to)

    async def rollback(
        self, scope: Scope, revision: str, *, actor: str = "person", door: str = "python"
    ) -> Profile:
        return await self._run(self._service.rollback, scope, revision, actor=actor, door=door)

    async def faults(self) -> list[PageFault]:
        return await self._run(self._service.faults)
