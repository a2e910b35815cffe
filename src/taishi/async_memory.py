"""`AsyncMemory`: the verbs of `Memory` for asyncio hosts, each handed to a thread once, here."""

from __future__ import annotations

import asyncio
import time as clocks
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from .async_nouns import (
    AsyncConfiguration,
    AsyncDeletions,
    AsyncFacts,
    AsyncJobs,
    AsyncRecords,
    AsyncSessions,
    AsyncTransfer,
    Threaded,
)
from .async_services.knowledge import AsyncKnowledge
from .async_services.maintenance import AsyncMaintenance
from .async_services.notes import AsyncNotes
from .async_services.profiles import AsyncProfiles
from .async_services.session import AsyncSession
from .async_services.shared import AsyncProcedures, AsyncShared
from .memory import Filters, Memory, Messages
from .ports import PartitionInfo
from .settings import Settings
from .times import TimeLike
from .types import Brief, Hit, Profile, Recall, Scope

if TYPE_CHECKING:
    from .context_block.block import Form
    from .language.token_bound import Counter
    from .ports import Embedder

THREADS = 8


class AsyncMemory(Threaded):
    """`async with await AsyncMemory.open("./data") as memory: await memory.recall(…)`.

    Arguments and results are those of `Memory`. `observe`, `is_on` and `session` are not awaited:
    they wait for nothing (`is_on` may have to ask a server). `sync` is the memory itself.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(ThreadPoolExecutor(THREADS, thread_name_prefix="taishi-async"))
        self.sync = memory
        self.facts = AsyncFacts(self._pool, memory.facts)
        self.procedures = AsyncProcedures(self._pool, memory.procedures)
        self.shared = AsyncShared(self._pool, memory.shared)
        self.profiles = AsyncProfiles(self._pool, memory.profiles)
        self.records = AsyncRecords(self._pool, memory.records)
        self.sessions = AsyncSessions(self._pool, memory.sessions)
        self.jobs = AsyncJobs(self._pool, memory.jobs)
        self.knowledge = AsyncKnowledge(self._pool, memory.knowledge)
        self.notes = AsyncNotes(self._pool, memory.notes)
        self.deletions = AsyncDeletions(self._pool, memory.deletions)
        self.transfer = AsyncTransfer(self._pool, memory.transfer)
        self.maintenance = AsyncMaintenance(self._pool, memory.maintenance)
        self.configuration = AsyncConfiguration(self._pool, memory.configuration)

    @classmethod
    async def open(
        cls,
        address: str | PathLike[str] | None = None,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = clocks.time,
        count_tokens: Counter | None = None,
        on_error: Literal["raise", "off"] = "raise",
        api_key: str | None = None,
        resume_copy: bool = False,
    ) -> AsyncMemory:
        return cls(
            await asyncio.to_thread(
                Memory.open,
                address,
                settings,
                embedder=embedder,
                clock=clock,
                count_tokens=count_tokens,
                on_error=on_error,
                api_key=api_key,
                resume_copy=resume_copy,
            )
        )

    async def close(self) -> None:
        await asyncio.to_thread(self.sync.close)
        self._pool.shutdown(wait=False)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def settings(self) -> Settings:
        return self.sync.settings

    async def start_worker(self) -> AsyncMemory:
        await self._run(self.sync.start_worker)
        return self

    async def stop_worker(self, seconds: float = 10.0) -> None:
        await self._run(self.sync.stop_worker, seconds)

    async def drain(self, timeout: float = 600.0) -> bool:
        return await self._run(self.sync.drain, timeout)

    async def end_turn(
        self,
        scope: Scope,
        action_summary: str = "",
        new_info: str | Iterable[str] = "",
        messages: Messages = (),
        force: bool = False,
        *,
        summary: str = "",
        request_id: str | None = None,
        time: TimeLike | None = None,
        sender_id: str | None = None,
        sender_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        location: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        return await self._run(
            self.sync.end_turn,
            scope,
            action_summary,
            new_info,
            messages,
            force,
            summary=summary,
            request_id=request_id,
            time=time,
            sender_id=sender_id,
            sender_name=sender_name,
            group_name=group_name,
            bot_name=bot_name,
            location=location,
            metadata=metadata,
            wait=wait,
            actor=actor,
            door=door,
        )

    async def consider(
        self,
        scope: Scope,
        messages: Messages,
        *,
        request_id: str | None = None,
        time: TimeLike | None = None,
        sender_id: str | None = None,
        sender_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        location: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        return await self._run(
            self.sync.consider,
            scope,
            messages,
            request_id=request_id,
            time=time,
            sender_id=sender_id,
            sender_name=sender_name,
            group_name=group_name,
            bot_name=bot_name,
            location=location,
            metadata=metadata,
            actor=actor,
            door=door,
        )

    def observe(
        self, scope: Scope, tool: str, arguments: object = None, result: object = None
    ) -> None:
        self.sync.observe(scope, tool, arguments, result)

    async def remember(
        self,
        scope: Scope,
        text: str,
        kind: str = "fact",
        time: TimeLike | None = None,
        source: str | int | None = None,
        *,
        speaker: str | None = None,
        session: str | None = None,
        id: str | int | None = None,
        user: str | int | None = None,
        confidence: float = 1.0,
        metadata: Mapping[str, Any] | None = None,
        expires: TimeLike | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        return await self._run(
            self.sync.remember,
            scope,
            text,
            kind,
            time,
            source,
            speaker=speaker,
            session=session,
            id=id,
            user=user,
            confidence=confidence,
            metadata=metadata,
            expires=expires,
            actor=actor,
            door=door,
        )

    async def remember_many(
        self,
        scope: Scope,
        items: Iterable[Mapping[str, Any]],
        *,
        actor: str = "host",
        door: str = "python",
    ) -> list[str]:
        return await self._run(self.sync.remember_many, scope, items, actor=actor, door=door)

    async def forget(
        self,
        scope: Scope,
        id: str | None = None,
        *,
        actor: str = "",
        door: str = "python",
        actor_id: str = "",
    ) -> int:
        who = {"actor": actor, "door": door, "actor_id": actor_id}
        return await self._run(self.sync.forget, scope, id, **who)

    def session(self, scope: Scope) -> AsyncSession:
        return AsyncSession(self._pool, self.sync.session(scope))

    async def set_link(self, scope: Scope, on: bool) -> None:
        await self._run(self.sync.set_link, scope, on)

    async def recall(
        self,
        scope: Scope,
        query: str,
        top_k: int | None = None,
        kinds: Collection[str] | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        now: TimeLike | None = None,
        deadline: float | None = None,
        floor: float | None = None,
        *,
        explain: bool = False,
        filters: Filters = None,
    ) -> Recall:
        return await self._run(
            self.sync.recall,
            scope,
            query,
            top_k,
            kinds,
            time_from,
            time_to,
            now,
            deadline,
            floor,
            explain=explain,
            filters=filters,
        )

    async def search_events(
        self,
        scope: Scope,
        query: str,
        target_user_id: str | None = None,
        target_group_id: str | None = None,
        top_k: int | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        deadline: float | None = None,
        now: TimeLike | None = None,
    ) -> Recall:
        narrow = (target_user_id, target_group_id, top_k, time_from, time_to, deadline, now)
        return await self._run(self.sync.search_events, scope, query, *narrow)

    async def search_profiles(
        self,
        scope: Scope,
        query: str,
        entity_type: str | None = None,
        entity_id: str | None = None,
        top_k: int | None = None,
        deadline: float | None = None,
        now: TimeLike | None = None,
    ) -> Recall:
        narrow = (entity_type, entity_id, top_k, deadline, now)
        return await self._run(self.sync.search_profiles, scope, query, *narrow)

    async def get_profile(
        self, scope: Scope, entity_type: str, entity_id: str | int
    ) -> Profile | None:
        return await self._run(self.sync.get_profile, scope, entity_type, entity_id)

    async def get(self, scope: Scope, id: str) -> Hit | None:
        return await self._run(self.sync.get, scope, id)

    async def context(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None = None,
        form: Form = "text",
        now: TimeLike | None = None,
        deadline: float | None = None,
        language: str | None = None,
        *,
        count_tokens: Counter | None = None,
        filters: Filters = None,
    ) -> str:
        return await self._run(
            self.sync.context,
            scope,
            query,
            max_tokens,
            form,
            now,
            deadline,
            language,
            count_tokens=count_tokens,
            filters=filters,
        )

    async def brief(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None = None,
        form: Form = "text",
        now: TimeLike | None = None,
        deadline: float | None = None,
        language: str | None = None,
        *,
        count_tokens: Counter | None = None,
        explain: bool = False,
        filters: Filters = None,
    ) -> Brief:
        return await self._run(
            self.sync.brief,
            scope,
            query,
            max_tokens,
            form,
            now,
            deadline,
            language,
            count_tokens=count_tokens,
            explain=explain,
            filters=filters,
        )

    async def warm_up(self, scope: Scope | None = None, seconds: float = 10.0) -> bool:
        return await self._run(self.sync.warm_up, scope, seconds)

    def is_on(self, scope: Scope) -> bool:
        return self.sync.is_on(scope)

    async def partitions(self, workspace: str = "default") -> list[PartitionInfo]:
        return await self._run(self.sync.partitions, workspace)

    async def status(self, records: bool = True) -> dict[str, Any]:
        return await self._run(self.sync.status, records)

    async def metrics(self) -> dict[str, Any]:
        return await self._run(self.sync.metrics)
