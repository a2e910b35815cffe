"""The nouns of `AsyncMemory`: `memory.facts`, `memory.profiles` and the others, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, BinaryIO, ParamSpec, TypeVar

from .transfer.progress import CopyProgress, Progress, quiet, unwatched

if TYPE_CHECKING:
    from .curate.facts import FactService, Pairs, Records
    from .curate.jobs import JobService, Rows
    from .curate.live_settings import Changed, ConfigurationService
    from .curate.records import RecordService
    from .erase.deletions import Deletions, DeletionService, Refusals
    from .exported import (
        Backup,
        ErasureProof,
        Evidence,
        Imported,
        MeaningMap,
        Page,
        Version,
    )
    from .ingest.sessions import Infos, SessionService
    from .ingest.sessions import Messages as SessionMessages
    from .legacy.migrate import Migrated
    from .ports import PartitionDigest, TextCache
    from .settings import Report, Settings
    from .times import TimeLike
    from .transfer.chat_report import ImportedChats
    from .transfer.copying import Copied
    from .transfer.service import TransferService
    from .types import Hit, Message, Record, Scope

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
        self,
        scope: Scope,
        id: str,
        text: str,
        *,
        time: TimeLike | None = None,
        actor: str = "person",
        door: str = "python",
    ) -> str:
        return await self._run(
            self._service.correct, scope, id, text, time=time, actor=actor, door=door
        )

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
        *,
        session: str | int | None = None,
        filters: Mapping[str, Any] | None = None,
        order_by: str = "arrival",
    ) -> Page:
        only = (kinds, states, user, tag, text, time_from, time_to, min_confidence, expired)
        ask = partial(self._service.newest, session=session, filters=filters, order_by=order_by)
        return await self._run(ask, scope, *only, after, limit)

    async def map(
        self, scope: Scope, kinds: Collection[str] | None = None, limit: int = 2000
    ) -> MeaningMap:
        return await self._run(self._service.map, scope, kinds, limit)

    async def digest(self, scope: Scope) -> PartitionDigest:
        return await self._run(self._service.digest, scope)

    async def related(self, scope: Scope, id: str, limit: int = 5) -> tuple[Hit, ...]:
        return await self._run(self._service.related, scope, id, limit)

    async def growth(self, scope: Scope, days: int = 30) -> dict[str, dict[str, int]]:
        return await self._run(self._service.growth, scope, days)

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
        expires: TimeLike | EllipsisType | None = ...,
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
            expires=expires,
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

    async def longest_silence(self) -> float:
        return await self._run(self._service.longest_silence)

    async def idle_seconds(self) -> float:
        return await self._run(self._service.idle_seconds)

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

    async def forgotten(self, scope: Scope, ids: Mapping[str, TimeLike | None]) -> frozenset[str]:
        return await self._run(self._service.forgotten, scope, ids)

    async def register_cache(self, name: str, cache: TextCache) -> None:
        await self._run(self._service.register_cache, name, cache)

    async def similar_users(self, scope: Scope) -> dict[str, int]:
        return await self._run(self._service.similar_users, scope)

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

    async def import_chats(
        self,
        source: str | Path | BinaryIO,
        format: str,
        scope: Scope | None = None,
        *,
        workspace: str = "default",
        chats: Mapping[str, str] | None = None,
        self_name: str = "",
        bot_names: Collection[str] = (),
        timezone: str | None = None,
        encoding: str | None = None,
        learn: bool = False,
        replace: bool = False,
        even_forgotten: bool = False,
        dry_run: bool = False,
        user_prefix: str = "",
        progress: Progress = unwatched,
        door: str = "python",
    ) -> ImportedChats:
        return await self._run(
            self._service.import_chats,
            source,
            format,
            scope,
            workspace=workspace,
            chats=chats,
            self_name=self_name,
            bot_names=bot_names,
            timezone=timezone,
            encoding=encoding,
            learn=learn,
            replace=replace,
            even_forgotten=even_forgotten,
            dry_run=dry_run,
            user_prefix=user_prefix,
            progress=progress,
            door=door,
        )

    async def backup(self, target: str | Path, *, originals: bool = True) -> Backup:
        return await self._run(self._service.backup, target, originals=originals)

    async def copy_to(self, target: TransferService, *, progress: CopyProgress = quiet) -> Copied:
        return await self._run(self._service.copy_to, target, progress=progress)

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
