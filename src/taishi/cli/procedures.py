"""`taishi procedures`: ways of working, how well they work, and sharing them."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from ..types import Record, Scope
from .context import CliContext, Group, common_options, pass_app, scope_options
from .output import say, say_json, table


@click.group(cls=Group)
def procedures() -> None:
    """Procedures: steps, uses, success rate."""


@procedures.command(name="list")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many, newest first.",
)
@common_options
@pass_app
@scope_options
def show_all(app: CliContext, limit: int, as_json: bool, scope: Scope) -> None:
    """List the procedures that the scope may use."""
    with app.memory() as memory:
        found = memory.procedures.list(scope, limit)
    _show(app, found, as_json, "no_procedures")


@procedures.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def show(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """Show the steps of the procedure ID."""
    with app.memory() as memory:
        found = memory.procedures.get(scope, id)
    if found is None:
        command = app.command("procedures list", scope)
        raise InputError(app.message("no_procedure", id=id[:80], command=command))
    if as_json:
        say_json(_to_dict(found))
        return
    steps = found.data.get("steps")
    lines = [str(step) for step in steps] if isinstance(steps, list) else [found.text]
    trigger = str(found.data.get("trigger") or "")
    heading = str(found.data.get("name") or found.text)
    say(f"{heading} ({trigger})" if trigger else heading)
    for number, step in enumerate(lines, 1):
        say(f"{number}. {step}")


@procedures.command()
@click.argument("id")
@click.option("--worked/--failed", default=None, help="Whether it worked, if known.")
@common_options
@pass_app
@scope_options
def used(app: CliContext, id: str, worked: bool | None, as_json: bool, scope: Scope) -> None:
    """Record one use of the procedure ID."""
    with app.memory() as memory:
        record = memory.procedures.used(scope, id, worked)
    if as_json:
        say_json(_to_dict(record))
        return
    rate = float(record.data.get("success_rate", 1.0))
    say(app.message("procedure_used", count=int(record.data["usage_count"]), percent=f"{rate:.0%}"))


@procedures.command()
@common_options
@pass_app
@scope_options
def review(app: CliContext, as_json: bool, scope: Scope) -> None:
    """List procedures that fail more often than they work."""
    with app.memory() as memory:
        found = memory.procedures.review(scope)
    _show(app, found, as_json, "nothing_to_review")


@procedures.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def share(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """Propose the procedure ID to the whole workspace."""
    with app.memory() as memory:
        app.check_on(memory, scope)
        new = memory.procedures.share(scope, id, actor="person", door="cli")
    if as_json:
        say_json({"ok": True, "id": new})
    else:
        say(app.message("shared_proposed", id=new))


def _show(app: CliContext, found: list[Record], as_json: bool, none: str) -> None:
    if as_json:
        say_json({"procedures": [_to_dict(record) for record in found]})
    elif found:
        headings = ("id", "procedure_uses", "procedure_outcomes", "procedure_rate", "text")
        rows = [
            [
                record.id,
                str(record.data.get("usage_count", 0)),
                str(record.data.get("feedback_count", 0)),
                f"{float(record.data.get('success_rate', 1.0)):.0%}",
                str(record.data.get("name") or record.text),
            ]
            for record in found
        ]
        table([app.message(name) for name in headings], rows, right=(1, 2, 3), whole=(0,))
    else:
        say(app.message(none))


def _to_dict(record: Record) -> dict[str, Any]:
    keys = ("name", "trigger", "steps", "success_rate", "usage_count", "feedback_count")
    return {
        "id": record.id,
        "text": record.text,
        "place": str(record.place),
        **{key: record.data[key] for key in keys if key in record.data},
    }
