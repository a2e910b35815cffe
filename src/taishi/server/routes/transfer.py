"""Routes for export, import, backup, re-embedding, rebuild and settings."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from ...memory import Memory
from ...settings import to_dict
from ...types import Scope
from ..auth import Caller
from ..problems import Problem
from ..route import Admin, Engine, Once, RouteSpec, ServerAdmin, WorkspaceAdmin, router
from ..schemas.transfer import (
    BackupOut,
    ChangedOut,
    ExportQuery,
    ImportOut,
    ImportQuery,
    RebuildQuery,
    RebuiltOut,
    ReembedOut,
    SettingsIn,
    SettingsOut,
)

JSON_LINES = "application/x-ndjson"
ACCEPTED_TYPES = (JSON_LINES, "application/jsonl", "application/octet-stream")
CHUNK = 64 << 10
SPOOL_BYTES = 8 << 20


class JsonLines(StreamingResponse):
    media_type = JSON_LINES


def transfer_routes() -> APIRouter:
    return router(
        "moving",
        (
            RouteSpec("GET", "/export", export_records, "Export", answer=JsonLines),
            RouteSpec("POST", "/import", import_records, "Import", takes=JSON_LINES),
            RouteSpec("POST", "/backup", backup, "Back up", 201),
            RouteSpec("POST", "/reembed", reembed, "Re-embed everything", 202),
            RouteSpec("POST", "/rebuild", rebuild, "Rebuild from the events"),
            RouteSpec("GET", "/settings", get_settings, "The settings"),
            RouteSpec("PUT", "/settings", put_settings, "Change settings"),
        ),
    )


def export_records(
    query: Annotated[ExportQuery, Query()], caller: Admin, memory: Engine
) -> JsonLines:
    """Lines of JSON (application/x-ndjson), sent as they are read. The last line says that the
    export is complete. With a scope, or a key that is bound to one, only its partition.
    """
    scope, workspace = _export_scope(caller, query)
    lines = memory.transfer.export(scope, workspace=workspace, vectors=query.vectors)
    return JsonLines(_chunks(lines))


async def import_records(
    request: Request,
    query: Annotated[ImportQuery, Query()],
    caller: WorkspaceAdmin,
    memory: Engine,
) -> ImportOut:
    """The lines of an export, as application/x-ndjson. All are checked before the first is
    written. Safe to repeat. A line of another workspace is refused.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ACCEPTED_TYPES:
        raise Problem(415, "media-type", "Only JSON lines are taken", f"send it as {JSON_LINES}")
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as file:
        async for piece in request.stream():
            file.write(piece)
        file.seek(0)
        return await asyncio.to_thread(_import, memory, caller, query, file)


def _import(
    memory: Memory, caller: Caller, query: ImportQuery, lines: Iterable[bytes]
) -> ImportOut:
    workspace = caller.allowed_workspace(query.workspace)
    remap = {query.from_workspace: workspace or "default"} if query.from_workspace else None
    report = memory.transfer.import_records(
        lines,
        workspace=workspace,
        remap=remap,
        replace=query.replace,
        dry_run=query.dry_run,
        skip_bad=query.skip_bad,
        even_forgotten=query.even_forgotten,
    )
    return ImportOut.of(report)


def backup(caller: ServerAdmin, memory: Engine, once: Once) -> BackupOut:
    """Copies the whole data folder while it is in use, into server.backups on the server's machine.
    The copy is named after the time.
    """
    folder = Path(memory.status()["folder"]).absolute()
    chosen = memory.settings.server.backups
    home = Path(chosen).expanduser() if chosen else folder.with_name(f"{folder.name}-backups")
    name = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return BackupOut.of(memory.transfer.backup(home / name))


def reembed(caller: ServerAdmin, memory: Engine, once: Once) -> ReembedOut:
    """Until it is done, recall is by keyword."""
    return ReembedOut(waiting=memory.maintenance.reembed())


def rebuild(
    query: Annotated[RebuildQuery, Query()], caller: ServerAdmin, memory: Engine, once: Once
) -> RebuiltOut:
    """Rebuilds facts, procedures, profiles and indexes from the stored events. What a person
    corrected, rejected, approved or wrote stays. Answers when it is done; for a large memory, use
    `taishi rebuild` instead. With `dry_run`, only says what would change.
    """
    report = memory.maintenance.rebuild(
        workspace=query.workspace, dry_run=query.dry_run, actor=caller.id, door="rest"
    )
    return RebuiltOut.of(report)


def get_settings(caller: ServerAdmin, memory: Engine) -> SettingsOut:
    """The settings in force. Keys are shown as ***."""
    settings = memory.settings
    file = settings.origin.file
    return SettingsOut(settings=to_dict(settings), file=str(file) if file else None)


def put_settings(body: SettingsIn, caller: ServerAdmin, memory: Engine) -> ChangedOut:
    """Writes them into the settings file, keeping its comments, and applies those that can change
    while the server runs. A change that would make the file unusable is refused, and nothing is
    written.
    """
    outcome = memory.configuration.change(body.changes)
    return ChangedOut(
        applied=list(outcome.applied),
        need_restart=list(outcome.need_restart),
        overridden=dict(outcome.overridden or {}),
        file=outcome.file,
    )


def _export_scope(caller: Caller, query: ExportQuery) -> tuple[Scope | None, str | None]:
    has_scope: Any = query.user or query.group or query.agent or query.shared
    if has_scope or (caller.key is not None and caller.key.is_narrow):
        return query.of(caller), None
    return None, caller.allowed_workspace(query.workspace)


def _chunks(lines: Iterator[str]) -> Iterator[bytes]:
    """Batch lines into chunks of at least `CHUNK` bytes."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        data = line.rstrip("\n").encode("utf-8", "replace") + b"\n"
        batch.append(data)
        size += len(data)
        if size >= CHUNK:
            yield b"".join(batch)
            batch, size = [], 0
    yield b"".join(batch)
