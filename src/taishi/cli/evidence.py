"""The commands about where memories come from: evidence, rebuild."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..times import to_datetime
from ..types import Scope
from .context import CliContext, common_options, pass_app, scope_options
from .output import note, one_line, progress, say, say_json, table
from .transfer import extent_options

if TYPE_CHECKING:
    from datetime import tzinfo

    from ..curate.evidence import Evidence, Source
    from ..exported import Rebuilt

OPS = ("added", "changed", "removed")
MOST_SHOWN = 50


@click.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def evidence(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """What the record ID rests on; user:ID or group:ID is a page, line by line. 出处。"""
    with app.memory() as memory:
        found = memory.records.evidence(scope, id)
        zone = memory.settings.zone()
    if as_json:
        say_json({**asdict(found), "is_orphan": found.is_orphan})
        return
    claims = found.claims if found.kind == "profile" else (found,)
    rows = [row for one in claims for row in _rows(app, one, zone)]
    say(one_line(found.text) if not found.claims else one_line(found.id))
    table(
        [app.word(f"evidence_{name}") for name in ("claim", "kind", "id", "time", "who", "text")]
        if found.claims
        else [app.word(f"evidence_{name}") for name in ("kind", "id", "time", "who", "text")],
        rows if found.claims else [row[1:] for row in rows],
    )
    if found.is_orphan:
        note(app.word("evidence_none"))


def _rows(app: CliContext, claim: Evidence, zone: tzinfo) -> list[tuple[str, ...]]:
    shown = [_row(app, one, zone) for one in claim.sources]
    shown = shown or [(app.word("source_nothing"), "", "", "", "")]
    return [(claim.text if not at else "", *row) for at, row in enumerate(shown)]


def _row(app: CliContext, source: Source, zone: tzinfo) -> tuple[str, ...]:
    time = "" if source.time is None else f"{to_datetime(source.time, zone):%Y-%m-%d %H:%M}"
    return app.word(f"source_{source.kind}"), source.id, time, source.who or "", source.text


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would change, write nothing. 试运行。")
@common_options
@pass_app
@extent_options
def rebuild(
    app: CliContext, dry_run: bool, as_json: bool, scope: Scope | None, workspace: str | None
) -> None:
    """Make facts, pages and indexes anew from the events; your word stands. 重建。"""
    with app.memory() as memory, progress(not as_json) as advance:
        done = memory.maintenance.rebuild(
            scope,
            workspace=workspace,
            dry_run=dry_run,
            actor="person",
            door="cli",
            progress=lambda n, of: advance(app.word("rebuilding"), n, of),
        )
    if as_json:
        say_json(asdict(done))
    else:
        _tell(app, done)


def _tell(app: CliContext, done: Rebuilt) -> None:
    kinds = sorted({kind for op in OPS for kind in getattr(done, op)})
    if kinds:
        rows = [(kind, *(str(getattr(done, op).get(kind, 0)) for op in OPS)) for kind in kinds]
        table(
            [app.word("line_type"), *(app.word(f"rebuild_{op}") for op in OPS)],
            rows,
            right=(1, 2, 3),
        )
    for one in done.changes[:MOST_SHOWN]:
        say(f"{app.word(f'rebuild_{one.op}')}: {one_line(one.text)}")
    if len(done.changes) > MOST_SHOWN:
        note(app.word("rebuild_more", count=len(done.changes) - MOST_SHOWN))
    say(
        app.word(
            "rebuilt_dry" if done.dry_run else "rebuilt",
            events=done.events,
            pages=done.pages,
            indexed=done.indexed,
        )
    )
