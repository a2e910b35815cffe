"""The nouns of `AsyncMemory`: `memory.facts`, `memory.profiles` and the others, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from .curate.facts import FactService, Pairs, Records
from .curate.jobs import JobService, Rows
from .curate.live_settings import Changed, ConfigurationService
from .curate.maintenance import MaintenanceService
from .curate.profiles import ProfileService
from .curate.records import RecordService
from .erase.deletions import Deletions, DeletionService, Refusals
from .exported import (
    Backup,
    ErasureProof,
    Evidence,
    Imported,
    MeaningMap,
    Page,
    PageFault,
    Rebuilt,
    Rescanned,
    Version,
)
from .ingest.sessions import Infos, SessionService
from .ingest.sessions import Messages as SessionMessages
from .legacy.migrate import Migrated
from .ports import PartitionDigest, TextCache
from .settings import Report, Settings
from .times import TimeLike
from .transfer.progress import Progress, unwatched
from .transfer.service import TransferService
from .types import Message, Profile, Record, Scope

P = ParamSpec("P")
T = TypeVar("T")
LINES_AT_ONCE = 200


class Threaded:
    """Runs a synchronous verb in a pool of threads, so that the event loop goes on."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    async def _run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        work = partial(verb, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


class AsyncFacts(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: FactService) -> None:
        super().__init__(pool)
        self._service = service

    async def list(
        self, scope: Scope, states: Collection[str] | None = None, limit: int = 1000
    ) -> Records:
        return await self._run(self._service.list, scope, states, limit)

    async def approve(
        self, scope: Scope, id: str, *, actor: str = "person", door: str = "python"
    ) -> None:
        await self._run(self._service.approve, scope, id, actor=actor, door=door)

    async def reject(
        self, scope: Scope, id: str, *, actor: str = "person", door: str = "python"
    ) -> None:
        await self._run(self._service.reject, scope, id, actor=actor, door=door)

    async def correct(
        self, scope: Scope, id: str, text: str, *, actor: str = "person", door: str = "python"
    ) -> str:
        return await self._run(self._service.correct, scope, id, text, actor=actor, door=door)

    async def conflicts(self, scope: Scope) -> Pairs:
        return await self._run(self._service.conflicts, scope)

    async def resolve(
        self,
        scope: Scope,
        keep_id: str,
        drop_id: str,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> None:
        await self._run(self._service.resolve, scope, keep_id, drop_id, actor=actor, door=door)


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

    async def diff(self, scope: Scope, revision: str, to: str | None = None) -> str:
        return await self._run(self._service.diff, scope, revision, to)

    async def rollback(
        self, scope: Scope, revision: str, *, actor: str = "person", door: str = "python"
    ) -> Profile:
        return await self._run(self._service.rollback, scope, revision, actor=actor, door=door)

    async def faults(self) -> list[PageFault]:
        return await self._run(self._service.faults)


class AsyncRecords(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: RecordService) -> None:
        super().__init__(pool)
        self._service = service

    async def list(
        self,
        scope: Scope,
        kinds: Collection[str] | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page:
        return await self._run(self._service.list, scope, kinds, after, limit)

    async def newest(
        self,
        scope: Scope,
        kinds: Collection[str] | None = None,
        states: Collection[str] | None = None,
        user: str | int | None = None,
        tag: str | None = None,
        text: str | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        min_confidence: float | None = None,
        expired: bool = False,
        after: str | None = None,
        limit: int = 100,
    ) -> Page:
        only = (kinds, states, user, tag, text, time_from, time_to, min_confidence, expired)
        return await self._run(self._service.newest, scope, *only, after, limit)

    async def map(
        self, scope: Scope, kinds: Collection[str] | None = None, limit: int = 2000
    ) -> MeaningMap:
        return await self._run(self._service.map, scope, kinds, limit)

    async def digest(self, scope: Scope) -> PartitionDigest:
        return await self._run(self._service.digest, scope)

    async def change_count(self, scope: Scope) -> int:
        return await self._run(self._service.change_count, scope)

    async def get(self, scope: Scope, id: str) -> Record | None:
        return await self._run(self._service.get, scope, id)

    async def update(
        self,
        scope: Scope,
        id: str,
        text: str | None = None,
        time: TimeLike | None = None,
        speaker: str | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        actor: str = "host",
        door: str = "python",
    ) -> Record:
        return await self._run(
            self._service.update,
            scope,
            id,
            text,
            time,
            speaker,
            confidence,
            metadata,
            actor=actor,
            door=door,
        )

    async def versions(self, scope: Scope, id: str) -> tuple[Version, ...]:
        return await self._run(self._service.versions, scope, id)

    async def evidence(self, scope: Scope, id: str) -> Evidence:
        return await self._run(self._service.evidence, scope, id)


class AsyncSessions(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: SessionService) -> None:
        super().__init__(pool)
        self._service = service

    async def add_messages(
        self, scope: Scope, messages: Sequence[Message | Mapping[str, Any]]
    ) -> int:
        return await self._run(self._service.add_messages, scope, messages)

    async def end(self, scope: Scope) -> bool:
        return await self._run(self._service.end, scope)

    async def messages(self, scope: Scope, after: int = 0, limit: int = 1000) -> SessionMessages:
        return await self._run(self._service.messages, scope, after, limit)

    async def list(self, scope: Scope, limit: int = 100) -> Infos:
        return await self._run(self._service.list, scope, limit)

    async def summary(self, scope: Scope) -> str:
        return await self._run(self._service.summary, scope)


class AsyncJobs(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: JobService) -> None:
        super().__init__(pool)
        self._service = service

    async def list(self) -> Rows:
        return await self._run(self._service.list)

    async def known_turn(self, scope: Scope, request_id: str) -> str | None:
        return await self._run(self._service.known_turn, scope, request_id)

    async def retry(self, name: str) -> None:
        await self._run(self._service.retry, name)

    async def ledger(self, since: TimeLike | None = None) -> Rows:
        return await self._run(self._service.ledger, since)


class AsyncDeletions(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: DeletionService) -> None:
        super().__init__(pool)
        self._service = service

    async def list(self, limit: int = 100) -> Deletions:
        return await self._run(self._service.list, limit)

    async def refusals(self, limit: int = 100) -> Refusals:
        return await self._run(self._service.refusals, limit)

    async def register_cache(self, name: str, cache: TextCache) -> None:
        await self._run(self._service.register_cache, name, cache)

    async def traces(self, scope: Scope) -> tuple[str, ...]:
        return await self._run(self._service.traces, scope)

    async def prove(self, scope: Scope, words: Iterable[str] = ()) -> ErasureProof:
        return await self._run(self._service.prove, scope, words)


class AsyncTransfer(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: TransferService) -> None:
        super().__init__(pool)
        self._service = service

    async def export(
        self, scope: Scope | None = None, *, workspace: str | None = None, vectors: bool = False
    ) -> AsyncIterator[str]:
        """Some lines at a time: `async for line in memory.transfer.export(): …`."""
        export = partial(self._service.export, scope, workspace=workspace, vectors=vectors)
        lines = await self._run(export)
        while some := await self._run(lambda: list(islice(lines, LINES_AT_ONCE))):
            for line in some:
                yield line

    async def import_records(
        self,
        lines: Iterable[str | bytes],
        scope: Scope | None = None,
        *,
        workspace: str | None = None,
        remap: Mapping[str, str] | None = None,
        replace: bool = False,
        dry_run: bool = False,
        skip_bad: bool = False,
        even_forgotten: bool = False,
        progress: Progress = unwatched,
    ) -> Imported:
        return await self._run(
            self._service.import_records,
            lines,
            scope,
            workspace=workspace,
            remap=remap,
            replace=replace,
            dry_run=dry_run,
            skip_bad=skip_bad,
            even_forgotten=even_forgotten,
            progress=progress,
        )

    async def backup(self, target: str | Path) -> Backup:
        return await self._run(self._service.backup, target)

    async def migrate_end_summaries(
        self,
        file: str | Path,
        scope: Scope | None = None,
        *,
        workspace: str = "default",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Migrated:
        return await self._run(
            self._service.migrate_end_summaries,
            file,
            scope,
            workspace=workspace,
            dry_run=dry_run,
            progress=progress,
        )


class AsyncMaintenance(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: MaintenanceService) -> None:
        super().__init__(pool)
        self._service = service

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

    async def check(self) -> str:
        return await self._run(self._service.check)


class AsyncConfiguration(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, service: ConfigurationService) -> None:
        super().__init__(pool)
        self._service = service

    async def apply(self, new: Settings) -> Report:
        return await self._run(self._service.apply, new)

    async def watch(self, path: str | Path | None = None) -> None:
        await self._run(self._service.watch, path)

    async def change(self, changes: Mapping[str, Any]) -> Changed:
        return await self._run(self._service.change, changes)
