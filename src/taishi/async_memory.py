"""`AsyncMemory`: the same verbs for asyncio hosts, each handed to a thread once, here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from .memory import Memory
from .settings import Settings
from .types import Scope

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 8
LINES_AT_ONCE = 200


class AsyncMemory:
    """`async with await AsyncMemory.open("./data") as memory: await memory.recall(…)`.

    `observe` and `is_on` are not awaited: they never wait for anything.
    """

    def __init__(self, memory: Memory) -> None:
        self.sync = memory
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="taishi-async")
        self.observe = memory.observe
        self.is_on = memory.is_on
        self.end_turn = self._later(memory.end_turn)
        self.consider = self._later(memory.consider)
        self.add_messages = self._later(memory.add_messages)
        self.end_session = self._later(memory.end_session)
        self.remember = self._later(memory.remember)
        self.remember_many = self._later(memory.remember_many)
        self.recall = self._later(memory.recall)
        self.context = self._later(memory.context)
        self.brief = self._later(memory.brief)
        self.warm_up = self._later(memory.warm_up)
        self.get = self._later(memory.get)
        self.records = self._later(memory.records)
        self.record = self._later(memory.record)
        self.update = self._later(memory.update)
        self.evidence = self._later(memory.evidence)
        self.rebuild = self._later(memory.rebuild)
        self.versions = self._later(memory.versions)
        self.known_turn = self._later(memory.known_turn)
        self.search_events = self._later(memory.search_events)
        self.search_profiles = self._later(memory.search_profiles)
        self.get_profile = self._later(memory.get_profile)
        self.set_profile = self._later(memory.set_profile)
        self.facts = self._later(memory.facts)
        self.approve_fact = self._later(memory.approve_fact)
        self.reject_fact = self._later(memory.reject_fact)
        self.procedure_feedback = self._later(memory.procedure_feedback)
        self.correct_fact = self._later(memory.correct_fact)
        self.fact_conflicts = self._later(memory.fact_conflicts)
        self.resolve_conflict = self._later(memory.resolve_conflict)
        self.jobs = self._later(memory.jobs)
        self.retry_job = self._later(memory.retry_job)
        self.ledger = self._later(memory.ledger)
        self.profile_source = self._later(memory.profile_source)
        self.edit_profile = self._later(memory.edit_profile)
        self.profile_revisions = self._later(memory.profile_revisions)
        self.profile_diff = self._later(memory.profile_diff)
        self.profile_rollback = self._later(memory.profile_rollback)
        self.page_faults = self._later(memory.page_faults)
        self.set_link = self._later(memory.set_link)
        self.forget = self._later(memory.forget)
        self.deletions = self._later(memory.deletions)
        self.refusals = self._later(memory.refusals)
        self.traces = self._later(memory.traces)
        self.prove_forgotten = self._later(memory.prove_forgotten)
        self.import_records = self._later(memory.import_records)
        self.backup = self._later(memory.backup)
        self.reembed = self._later(memory.reembed)
        self.rescan = self._later(memory.rescan)
        self.status = self._later(memory.status)
        self.metrics = self._later(memory.metrics)
        self.check = self._later(memory.check)
        self.apply_settings = self._later(memory.apply_settings)
        self.watch_settings = self._later(memory.watch_settings)
        self.change_settings = self._later(memory.change_settings)
        self.migrate_end_summaries = self._later(memory.migrate_end_summaries)
        self.start_worker = self._later(memory.start_worker)
        self.stop_worker = self._later(memory.stop_worker)
        self.drain = self._later(memory.drain)

    @classmethod
    async def open(
        cls, address: str | Path | None = None, settings: Settings | None = None, **parts: Any
    ) -> AsyncMemory:
        return cls(await asyncio.to_thread(partial(Memory.open, address, settings, **parts)))

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

    async def export(
        self, scope: Scope | None = None, *, workspace: str | None = None, vectors: bool = False
    ) -> AsyncIterator[str]:
        """The lines of `Memory.export`, some at a time: `async for line in memory.export(): …`."""
        loop = asyncio.get_running_loop()
        lines = await loop.run_in_executor(
            self._pool, partial(self.sync.export, scope, workspace=workspace, vectors=vectors)
        )
        while some := await loop.run_in_executor(
            self._pool, lambda: list(islice(lines, LINES_AT_ONCE))
        ):
            for line in some:
                yield line

    def _later(self, verb: Callable[P, T]) -> Callable[P, asyncio.Future[T]]:
        @wraps(verb)
        def call(*args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
            work = partial(verb, *args, **kwargs)
            return asyncio.get_running_loop().run_in_executor(self._pool, work)

        return call
