"""The nouns of `AsyncMemory` for agents that work together: `shared` and `procedures`, awaited."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..async_nouns import Threaded

if TYPE_CHECKING:
    from ..curate.procedures import ProcedureService
    from ..curate.shared import Audit, Pairs, Records, SharedService
    from ..types import Record, Scope


class AsyncShared(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: SharedService) -> None:
        super().__init__(pool)
        self._service = service

    async def propose(
        self,
        scope: Scope,
        text: str,
        type: str = "project_context",
        *,
        topic: str = "",
        confidence: float | None = None,
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str | None:
        return await self._run(
            self._service.propose,
            scope,
            text,
            type,
            topic=topic,
            confidence=confidence,
            actor=actor,
            actor_id=actor_id,
            door=door,
        )

    async def approve(
        self,
        scope: Scope,
        id: str,
        *,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str:
        who = {"actor": actor, "actor_id": actor_id, "door": door}
        return await self._run(self._service.approve, scope, id, reason=reason, **who)

    async def reject(
        self,
        scope: Scope,
        id: str,
        *,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> None:
        who = {"actor": actor, "actor_id": actor_id, "door": door}
        await self._run(self._service.reject, scope, id, reason=reason, **who)

    async def supersede(
        self,
        scope: Scope,
        id: str,
        text: str,
        *,
        confidence: float | None = None,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str:
        return await self._run(
            self._service.supersede,
            scope,
            id,
            text,
            confidence=confidence,
            reason=reason,
            actor=actor,
            actor_id=actor_id,
            door=door,
        )

    async def list(
        self,
        scope: Scope,
        states: Collection[str] | None = None,
        types: Collection[str] | None = None,
        limit: int = 1000,
        *,
        actor: str = "host",
        actor_id: str = "",
    ) -> Records:
        who = {"actor": actor, "actor_id": actor_id}
        return await self._run(self._service.list, scope, states, types, limit, **who)

    async def conflicts(self, scope: Scope, *, actor: str = "host", actor_id: str = "") -> Pairs:
        return await self._run(self._service.conflicts, scope, actor=actor, actor_id=actor_id)

    async def resolve(
        self,
        scope: Scope,
        keep_id: str,
        drop_id: str,
        *,
        both: bool = False,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> None:
        await self._run(
            self._service.resolve,
            scope,
            keep_id,
            drop_id,
            both=both,
            reason=reason,
            actor=actor,
            actor_id=actor_id,
            door=door,
        )

    async def audit(
        self, scope: Scope, id: str, *, actor: str = "host", actor_id: str = ""
    ) -> Audit:
        return await self._run(self._service.audit, scope, id, actor=actor, actor_id=actor_id)


class AsyncProcedures(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: ProcedureService) -> None:
        super().__init__(pool)
        self._service = service

    async def list(self, scope: Scope, limit: int = 1000) -> Records:
        return await self._run(self._service.list, scope, limit)

    async def get(self, scope: Scope, id: str) -> Record | None:
        return await self._run(self._service.get, scope, id)

    async def used(self, scope: Scope, id: str, worked: bool | None = None) -> Record:
        return await self._run(self._service.used, scope, id, worked)

    async def feedback(self, scope: Scope, id: str, worked: bool) -> float:
        return await self._run(self._service.feedback, scope, id, worked)

    async def review(self, scope: Scope) -> Records:
        return await self._run(self._service.review, scope)

    async def share(
        self,
        scope: Scope,
        id: str,
        *,
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str | None:
        who = {"actor": actor, "actor_id": actor_id, "door": door}
        return await self._run(self._service.share, scope, id, **who)
