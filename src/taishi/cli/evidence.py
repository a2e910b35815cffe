"""`taishi evidence` and `taishi rebuild`: where memories come from."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..times import to_datetime
from ..types import Scope
from .context import CliContext, common_options, pass_app, scope_options
from .output import note, one_line, progress, say, say_json, table
from .transfer import optional_scope_options

if TYPE_CHECKING:
    from datetime import tzinfo

    from ..exported import Change, Evidence, Rebuilt, Source

OPS = ("added", "changed", "removed")
MAX_SHOWN = 50


@click.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def evidence(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """The evidence for the record ID; for a page, line by line: user:ID or group:ID."""
    with app.memory() as memory:
        result = memory.records.evidence(scope, id)
        zone = memory.settings.zone()
    if as_json:
        say_json({**asdict(result), "is_orphan": result.is_orphan})
        return
    claims = result.claims if result.kind == "profile" else (result,)
    rows = [row for claim in claims for row in _rows(app, claim, zone)]
    say(one_line(result.text) if not result.claims else one_line(result.id))
    table(
        [app.message(f"evidence_{name}") for name in ("claim", "kind", "id", "time", "who", "text")]
        if result.claims
        else [app.message(f"evidence_{name}") for name in ("kind", "id", "time", "who", "text")],
        rows if result.claims else [row[1:] for row in rows],
    )
    if result.is_orphan:
        note(app.message("evidence_none"))


def _rows(app: CliContext, claim: Evidence, zone: tzinfo) -> list[tuple[str, ...]]:
    source_rows = [_row(app, source, zone) for source in claim.sources]
    source_rows = source_rows or [(app.message("source_nothing"), "", "", "", "")]
    return [(claim.text if not number else "", *row) for number, row in enumerate(source_rows)]


def _row(app: CliContext, source: Source, zone: tzinfo) -> tuple[str, ...]:
    time = "" if source.time is None else f"{to_datetime(source.time, zone):%Y-%m-%d %H:%M}"
    return app.message(f"source_{source.kind}"), source.id, time, source.who or "", source.text


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would change, write nothing.")
@common_options
@pass_app
@optional_scope_options
def rebuild(
    app: CliContext, dry_run: bool, as_json: bool, scope: Scope | None, workspace: str | None
) -> None:
    """Rebuild facts, pages and indexes from the events; your decisions stay."""
    with app.memory() as memory, progress(not as_json) as advance:
        report = memory.maintenance.rebuild(
            scope,
            workspace=workspace,
            dry_run=dry_run,
            actor="person",
            door="cli",
            progress=lambda count, total: advance(app.message("rebuilding"), count, total),
        )
    if as_json:
        say_json(asdict(report))
    else:
        _show_report(app, report)


def _fields(change: Change) -> str:
    """How far it was trusted, and will be: (confidence 0.60 → 0.80)."""
    told = (f"{one.field} {one.before or '–'} → {one.after or '–'}" for one in change.fields)
    return f" ({', '.join(told)})" if change.fields else ""


def _show_report(app: CliContext, report: Rebuilt) -> None:
    kinds = sorted({kind for op in OPS for kind in getattr(report, op)})
    if kinds:
        rows = [(kind, *(str(getattr(report, op).get(kind, 0)) for op in OPS)) for kind in kinds]
        table(
            [app.message("line_type"), *(app.message(f"rebuild_{op}") for op in OPS)],
            rows,
            right=(1, 2, 3),
        )
    for change in report.changes[:MAX_SHOWN]:
        say(f"{app.message(f'rebuild_{change.op}')}: {one_line(change.text)}{_fields(change)}")
    shown = min(len(report.changes), MAX_SHOWN)
    more = sum(sum(getattr(report, op).values()) for op in OPS) - shown
    if more > 0:
        note(app.message("rebuild_more", count=more))
    say(
        app.message(
            "rebuilt_dry" if report.dry_run else "rebuilt",
            events=report.events,
            pages=report.pages,
            indexed=report.indexed,
        )
    )
