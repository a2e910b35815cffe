"""`taishi migrate`: imports data of earlier programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import StorageError
from ..types import Scope
from .context import SCOPE_OPTIONS, CliContext, Group, common_options, pass_app
from .memories import wait_embedded
from .output import note, one_line, progress, say, say_json

if TYPE_CHECKING:
    from ..legacy.migrate import Migrated

MAX_SHOWN = 20


@click.group(cls=Group)
def migrate() -> None:
    """Import data from an earlier program."""


def _optional_scope(command: Any) -> Any:
    """The scope options, all optional: entries may name their own scope."""
    for option in SCOPE_OPTIONS:
        command = option(command)
    return command


@migrate.command("end-summaries")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would be done.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the embedding.")
@common_options
@pass_app
@_optional_scope
def end_summaries(
    app: CliContext,
    file: Path,
    dry_run: bool,
    no_wait: bool,
    as_json: bool,
    user: str | None,
    group: str | None,
    agent: str | None,
    session: str | None,
    workspace: str,
    shared: bool,
) -> None:
    """Import an old end_summaries.json. Safe to repeat."""
    has_scope = user or group or agent or shared
    scope = Scope(user, group, agent, session, workspace, shared) if has_scope else None
    with app.memory(create=True) as memory:
        if not memory.settings.memory.enabled:
            raise StorageError(app.message("migrate_off"))
        with progress(not as_json) as advance:
            report = memory.transfer.migrate_end_summaries(
                file,
                scope,
                workspace=workspace,
                dry_run=dry_run,
                progress=lambda count, total: advance(app.message("migrating"), count, total),
            )
        embedded = not (no_wait or dry_run) and wait_embedded(app, memory, not as_json)
    if as_json:
        broken = [{"entry": number, "reason": reason} for number, reason in report.broken]
        say_json({**asdict(report), "broken": broken, "dry_run": dry_run, "embedded": embedded})
    else:
        _show_report(app, report, dry_run)
    if report.broken:
        click.get_current_context().exit(1)


def _show_report(app: CliContext, report: Migrated, dry_run: bool) -> None:
    say(
        app.message(
            "migrated_dry" if dry_run else "migrated",
            total=report.total,
            added=report.added,
            already=report.already,
            broken=len(report.broken),
        )
    )
    if report.without_time or report.not_absolute:
        say(
            app.message(
                "migrated_notes", timeless=report.without_time, relative=report.not_absolute
            )
        )
    for number, reason in report.broken[:MAX_SHOWN]:
        note(app.message("entry_broken", number=number, reason=one_line(reason)))
    if len(report.broken) > MAX_SHOWN:
        note(app.message("entry_broken_more", count=len(report.broken) - MAX_SHOWN))
