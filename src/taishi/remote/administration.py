"""Jobs, deletions, export and import, upkeep, settings and the status of a server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ..domain import arguments
from ..errors import InputError
from ..exported import Deletion, Imported, Rebuilt
from ..ports import PartitionInfo
from ..settings.live import Changed
from ..times import TimeLike
from ..transfer.progress import Progress, unwatched
from ..types import Scope, clean_id
from .answers import (
    Check,
    Deletions,
    Jobs,
    LedgerRows,
    Partitions,
    StatusAnswer,
    Waiting,
)
from .noun import Noun, refuse, unsupported
from .server import (
    LONG_SECONDS,
    NO_SCOPE,
    NoScope,
    Route,
    Server,
    sendable_time,
    time_in_query,
)
from .wire import Done, Ids, Users
from .writes import BATCH, RemoteTurns

JSON_LINES = "application/x-ndjson"
MOST_JOBS = 1000
JOBS = Route("GET", "/jobs", Jobs)
RETRY = Route("POST", "/jobs/{}/retry", Done, once=True)
LEDGER = Route("GET", "/ledger", LedgerRows)
DELETIONS = Route("GET", "/deletions", Deletions)
FORGOTTEN = Route("POST", "/deletions/forgotten", Ids, repeatable=True)
SIMILAR = Route("GET", "/deletions/similar-users", Users)
IMPORT = Route("POST", "/import", Imported, repeatable=True)
REBUILD = Route("POST", "/rebuild", Rebuilt)
REEMBED = Route("POST", "/reembed", Waiting, once=True)
CHECK = Route("GET", "/check", Check)
SETTINGS = Route("PUT", "/settings", Changed, repeatable=True)
STATUS = Route("GET", "/status", StatusAnswer)
PARTITIONS = Route("GET", "/partitions", Partitions)
Rows = list[dict[str, Any]]  # inside a class, `list` is the verb
DeletionList = list[Deletion]


class RemoteJobs(Noun):
    def __init__(self, server: Server, turns: RemoteTurns) -> None:
        super().__init__(server)
        self._turns = turns

    def list(self) -> Rows:
        """At most 1,000, as the API has no next page."""
        return self._server.call(JOBS, limit=MOST_JOBS).jobs

    longest_silence = unsupported("jobs.longest_silence", "run `taishi doctor` on the server")
    idle_seconds = unsupported("jobs.idle_seconds", "/health/ready tells of a stuck worker")

    def known_turn(self, scope: Scope, request_id: str) -> str | None:
        return self._turns.known(scope, request_id)

    def retry(self, name: str) -> None:
        self._server.call(RETRY, NO_SCOPE, name)

    def ledger(self, since: TimeLike | None = None) -> Rows:
        return self._server.call(LEDGER, since=time_in_query(since)).rows


class RemoteDeletions(Noun):
    def list(self, limit: int = 100) -> DeletionList:
        return self._server.call(DELETIONS, limit=limit).deletions

    refusals = unsupported("deletions.refusals", "run `taishi refusals` where the server runs")

    def forgotten(self, scope: Scope, ids: Mapping[str, TimeLike | None]) -> frozenset[str]:
        self._server.need_on(scope)
        found: set[str] = set()
        offered = iter(arguments.mapping(ids, "ids").items())
        while batch := dict(islice(offered, BATCH)):
            times = {str(id): sendable_time(time) for id, time in batch.items()}
            found.update(self._server.call(FORGOTTEN, scope, ids=times).ids)
        return frozenset(found)

    def similar_users(self, scope: Scope) -> dict[str, int]:
        return self._server.call(SIMILAR, scope).users

    register_cache = unsupported("deletions.register_cache")
    traces = unsupported("deletions.traces")
    prove = unsupported("deletions.prove", "POST /v1/forget with prove: true proves it")


class RemoteTransfer(Noun):
    def export(
        self, scope: Scope | None = None, *, workspace: str | None = None, vectors: bool = False
    ) -> Iterator[str]:
        named = clean_id(workspace, "workspace")
        if workspace is not None and named is None:
            raise InputError("workspace is empty; leave it out for all of them")
        fields = {} if named is None else {"workspace": named}
        return self._server.lines("/export", _or_none(scope), vectors=bool(vectors), **fields)

    def import_records(
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
        """The lines are sent as they are read; `progress` is not told."""
        self._server.check(_or_none(scope))
        if scope is not None:
            refuse("an import into one scope")
        into = _remapped(workspace, remap)
        options = {"replace": replace, "dry_run": dry_run, "skip_bad": skip_bad}
        options["even_forgotten"] = even_forgotten
        content = map(_as_bytes, arguments.each(lines, "lines"))
        return self._server.upload(IMPORT, NO_SCOPE, content, JSON_LINES, **into, **options)

    backup = unsupported("transfer.backup", "POST /v1/backup makes one on the server's machine")
    copy_to = unsupported("transfer.copy_to")
    import_chats = unsupported("transfer.import_chats", "import them where the server runs")
    migrate_end_summaries = unsupported("transfer.migrate_end_summaries")


def _or_none(scope: Scope | None) -> Scope | NoScope:
    """For a verb that is about everything unless a scope is given."""
    return NO_SCOPE if scope is None else scope


def _remapped(workspace: str | None, remap: Mapping[str, str] | None) -> dict[str, str]:
    """The API puts the lines of one workspace into another."""
    if not remap or not arguments.mapping(remap, "remap"):
        return {} if workspace is None else {"workspace": workspace}
    [(old, new), *more] = remap.items()
    if more or workspace not in (None, new):
        refuse("an import with several workspaces", "import them one at a time")
    return {"workspace": new, "from_workspace": old}


def _as_bytes(line: str | bytes) -> bytes:
    line = arguments.line(line)
    data = line.encode("utf-8", "replace") if isinstance(line, str) else line
    return data.rstrip(b"\n") + b"\n"


class RemoteMaintenance(Noun):
    activity = unsupported("maintenance.activity", "GET /metrics has the histograms")

    def rebuild(
        self,
        scope: Scope | None = None,
        *,
        workspace: str | None = None,
        dry_run: bool = False,
        actor: str = "",
        door: str = "python",
        progress: Progress = unwatched,
    ) -> Rebuilt:
        """Waits up to ten minutes; `progress` is not told."""
        if scope is not None:
            refuse("a rebuild of one scope")
        options = {"dry_run": dry_run, "workspace": workspace}
        return self._server.upload(REBUILD, NO_SCOPE, b"", "application/json", **options)

    rescan = unsupported("maintenance.rescan", "run `taishi rescan` where the server runs")

    def reembed(self) -> int:
        return self._server.call(REEMBED).waiting

    verify_vectors = unsupported("maintenance.verify_vectors")
    rebuild_vectors = unsupported("maintenance.rebuild_vectors")

    def check(self) -> str:
        return self._server.call(CHECK, seconds=LONG_SECONDS).result

    check_files = unsupported("maintenance.check_files")


class RemoteConfiguration(Noun):
    apply = unsupported("configuration.apply", "use configuration.change")
    watch = unsupported("configuration.watch", "the server follows its own file")

    def change(self, changes: Mapping[str, Any]) -> Changed:
        return self._server.call(SETTINGS, changes=dict(arguments.mapping(changes, "changes")))


class RemoteStatus(Noun):
    def status(self, records: bool = True) -> dict[str, Any]:
        """All of the server's own for a key of the whole server; else whether it works."""
        url = self._server.transport.address.url
        if self._server.is_off():
            reason = self._server.off_reason
            return {"server": url, "data": url, "enabled": False, "off_reason": reason}
        found = self._server.call(STATUS)
        brief = {"data": url, "enabled": found.enabled, "embedder": found.embedder}
        return {**brief, **(found.details or {}), "server": url, "version": found.version}

    def partitions(self, workspace: str) -> list[PartitionInfo]:
        named = None if workspace == "default" else clean_id(workspace, "workspace")
        return self._server.call(PARTITIONS, workspace=named).values()

    metrics = unsupported("metrics", "GET /metrics has them")
