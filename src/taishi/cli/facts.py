"""`taishi facts`: list, approve, reject and correct learned facts."""

from __future__ import annotations

from typing import Any

import click

from ..domain.facts import STATES
from ..types import Record, Scope
from .context import CliContext, Group, common_options, pass_app, scope_options
from .output import one_line, say, say_json, table

TEXT_WIDTH = 80  # columns; the whole text is in JSON and in `taishi records show`


@click.group(cls=Group)
def facts() -> None:
    """Facts that were learned; approve, reject or correct them."""


@facts.command(name="list")
@click.option(
    "--state",
    "states",
    type=click.Choice(STATES),
    multiple=True,
    help="Only in this state; repeatable.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=100,
    show_default=True,
    help="How many, newest first.",
)
@common_options
@pass_app
@scope_options
def show(app: CliContext, states: tuple[str, ...], limit: int, as_json: bool, scope: Scope) -> None:
    """List the facts of the scope, newest first."""
    with app.memory() as memory:
        records = memory.facts.list(scope, states or None, limit)
    if as_json:
        say_json({"facts": [_to_dict(record) for record in records]})
    elif records:
        _show(app, records)
    else:
        say(app.message("no_facts"))


@facts.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def approve(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """Approve the fact ID, so that it is recalled."""
    with app.memory() as memory:
        memory.facts.approve(scope, id)
    _confirm(app, as_json, "fact_approved", id=id)


@facts.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def reject(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """Reject the fact ID: it is not recalled, nor learned again."""
    with app.memory() as memory:
        memory.facts.reject(scope, id)
    _confirm(app, as_json, "fact_rejected", id=id)


@facts.command()
@click.argument("id")
@click.argument("text")
@common_options
@pass_app
@scope_options
def correct(app: CliContext, id: str, text: str, as_json: bool, scope: Scope) -> None:
    """Correct the fact ID: replace it by TEXT."""
    with app.memory() as memory:
        new = memory.facts.correct(scope, id, text)
    _confirm(app, as_json, "fact_corrected", id=new)


@facts.command()
@common_options
@pass_app
@scope_options
def conflicts(app: CliContext, as_json: bool, scope: Scope) -> None:
    """List pairs that contradict each other, for you to decide."""
    with app.memory() as memory:
        pairs = memory.facts.conflicts(scope)
    if as_json:
        say_json({"conflicts": [[_to_dict(old), _to_dict(new)] for old, new in pairs]})
    elif pairs:
        _show(app, [fact for pair in pairs for fact in pair])
        say(app.message("conflicts_hint"))
    else:
        say(app.message("no_conflicts"))


@facts.command()
@click.argument("keep")
@click.argument("drop")
@common_options
@pass_app
@scope_options
def resolve(app: CliContext, keep: str, drop: str, as_json: bool, scope: Scope) -> None:
    """Resolve a conflict: the fact KEEP is true, DROP is not."""
    with app.memory() as memory:
        memory.facts.resolve(scope, keep, drop)
    _confirm(app, as_json, "conflict_resolved", id=keep)


def _confirm(app: CliContext, as_json: bool, key: str, id: str) -> None:
    if as_json:
        say_json({"ok": True, "id": id})
    else:
        say(app.message(key, id=id))


def _show(app: CliContext, records: list[Record]) -> None:
    headings = ("id", "state", "confidence", "evidence", "since", "until", "text")
    rows = []
    for record in records:
        since = record.data.get("valid_from") or record.data.get("first_observed")
        days = [str(when or "")[:10] for when in (since, record.data.get("valid_to"))]
        count = str(record.data.get("evidence_count", ""))
        state = app.message(f"state_{record.state}") if record.state in STATES else record.state
        text = one_line(record.text, TEXT_WIDTH if record.text.isascii() else TEXT_WIDTH // 2)
        rows.append([record.id, state, f"{record.confidence:.2f}", count, *days, text])
    table([app.message(name) for name in headings], rows, right=(2, 3), whole=(0, 1, 4, 5))


def _to_dict(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "text": record.text,
        "state": record.state,
        "confidence": record.confidence,
        "time": record.time,
        "user": record.user,
        "source": record.source,
        **record.data,
    }
