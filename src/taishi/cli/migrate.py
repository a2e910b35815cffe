"""`taishi migrate`: what earlier programs kept, brought in."""

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

MOST_SHOWN = 20


@click.group(cls=Group)
def migrate() -> None:
    """Bring in what an earlier program kept. 迁移旧数据。"""


def _may_name_a_scope(command: Any) -> Any:
    """The scope options, none of them needed: entries may say themselves whose they are."""
    for option in SCOPE_OPTIONS:
        command = option(command)
    return command


@migrate.command("end-summaries")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Say what would be done. 只演练，不写入。")
@click.option("--no-wait", is_flag=True, help="Do not wait for the embedding. 不等待嵌入。")
@common_options
@pass_app
@_may_name_a_scope
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
    """Bring an old end_summaries.json in; safe to run again. 迁入旧的 end_summaries.json。"""
    named = user or group or agent or shared
    scope = Scope(user, group, agent, session, workspace, shared) if named else None
    with app.memory(create=True) as memory:
        if not memory.settings.memory.enabled:
            raise StorageError(app.word("migrate_off"))
        with progress(not as_json) as advance:
            done = memory.transfer.migrate_end_summaries(
                file,
                scope,
                workspace=workspace,
                dry_run=dry_run,
                progress=lambda at, of: advance(app.word("migrating"), at, of),
            )
        embedded = not (no_wait or dry_run) and wait_embedded(app, memory, not as_json)
    if as_json:
        broken = [{"entry": number, "reason": reason} for number, reason in done.broken]
        say_json({**asdict(done), "broken": broken, "dry_run": dry_run, "embedded": embedded})
    else:
        _tell(app, done, dry_run)
    if done.broken:
        click.get_current_context().exit(1)


def _tell(app: CliContext, done: Migrated, dry_run: bool) -> None:
    say(
        app.word(
            "migrated_dry" if dry_run else "migrated",
            total=done.total,
            added=done.added,
            already=done.already,
            broken=len(done.broken),
        )
    )
    if done.without_time or done.not_absolute:
        say(app.word("migrated_notes", timeless=done.without_time, relative=done.not_absolute))
    for number, reason in done.broken[:MOST_SHOWN]:
        note(app.word("entry_broken", number=number, reason=one_line(reason)))
    if len(done.broken) > MOST_SHOWN:
        note(app.word("entry_broken_more", count=len(done.broken) - MOST_SHOWN))
