"""`taishi shared`: propose to shared memory, and decide about what agents proposed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import click

from ..domain.facts import STATES
from ..domain.shared_memory import LISTED_TYPES, TYPES
from ..types import Record, Scope
from .context import CliContext, Group, common_options, pass_app
from .output import say, say_json, table

F = TypeVar("F", bound=Callable[..., Any])
PERSON: dict[str, Any] = {"actor": "person", "door": "cli"}


def _workspace(command: F) -> F:
    return click.option(
        "--workspace",
        metavar="ID",
        default="default",
        show_default=True,
        help="The workspace.",
    )(command)


def _reason(command: F) -> F:
    return click.option("--reason", default="", help="Why, for the audit.")(command)


def _team(workspace: str) -> Scope:
    return Scope(shared=True, workspace=workspace)


@click.group(cls=Group)
def shared() -> None:
    """What agents propose to the whole workspace; approve or reject it."""


@shared.command()
@click.argument("text")
@click.option(
    "--type",
    "entry_type",
    type=click.Choice(TYPES),
    default=TYPES[0],
    show_default=True,
    help="What kind of statement.",
)
@click.option("--topic", default="", help="What it is about; one entry per topic.")
@click.option("--user", metavar="ID", help="Whose preference it is.")
@_workspace
@common_options
@pass_app
def propose(
    app: CliContext,
    text: str,
    entry_type: str,
    topic: str,
    user: str | None,
    workspace: str,
    as_json: bool,
) -> None:
    """Propose TEXT; it is recalled once it is approved."""
    scope = Scope(user=user, workspace=workspace) if user else _team(workspace)
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        id = memory.shared.propose(scope, text, entry_type, topic=topic, **PERSON)
    _confirm(app, as_json, "shared_proposed", id=id)


@shared.command(name="list")
@click.option(
    "--state",
    "states",
    type=click.Choice(STATES),
    multiple=True,
    help="Only in this state; repeatable.",
)
@click.option(
    "--type",
    "types",
    type=click.Choice(LISTED_TYPES),
    multiple=True,
    help="Only of this type; repeatable.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many, newest first.",
)
@_workspace
@common_options
@pass_app
def show(
    app: CliContext,
    states: tuple[str, ...],
    types: tuple[str, ...],
    limit: int,
    workspace: str,
    as_json: bool,
) -> None:
    """List the entries of shared memory, newest first."""
    with app.memory() as memory:
        entries = memory.shared.list(
            _team(workspace), states or None, types or None, limit, actor="person"
        )
    if as_json:
        say_json({"entries": [_to_dict(entry) for entry in entries]})
    elif entries:
        _show(app, entries)
    else:
        say(app.message("no_shared"))


@shared.command()
@click.argument("id")
@_reason
@_workspace
@common_options
@pass_app
def approve(app: CliContext, id: str, reason: str, workspace: str, as_json: bool) -> None:
    """Approve the entry ID, so that the whole workspace recalls it."""
    with app.memory() as memory:
        state = memory.shared.approve(_team(workspace), id, reason=reason, **PERSON)
    key = "shared_approved" if state == "approved" else "shared_not_approved"
    _confirm(app, as_json, key, id=id, state=state)


@shared.command()
@click.argument("id")
@_reason
@_workspace
@common_options
@pass_app
def reject(app: CliContext, id: str, reason: str, workspace: str, as_json: bool) -> None:
    """Reject the entry ID: it is not recalled, nor proposed again."""
    with app.memory() as memory:
        memory.shared.reject(_team(workspace), id, reason=reason, **PERSON)
    _confirm(app, as_json, "shared_rejected", id=id)


@shared.command()
@click.argument("id")
@click.argument("text")
@_reason
@_workspace
@common_options
@pass_app
def supersede(
    app: CliContext, id: str, text: str, reason: str, workspace: str, as_json: bool
) -> None:
    """Replace the entry ID by TEXT."""
    with app.memory() as memory:
        new = memory.shared.supersede(_team(workspace), id, text, reason=reason, **PERSON)
    _confirm(app, as_json, "shared_superseded", id=new)


@shared.command()
@_workspace
@common_options
@pass_app
def conflicts(app: CliContext, workspace: str, as_json: bool) -> None:
    """List pairs that contradict each other, for you to decide."""
    with app.memory() as memory:
        pairs = memory.shared.conflicts(_team(workspace), actor="person")
    if as_json:
        say_json({"conflicts": [[_to_dict(old), _to_dict(new)] for old, new in pairs]})
    elif pairs:
        _show(app, [entry for pair in pairs for entry in pair])
        say(app.message("shared_conflicts_hint"))
    else:
        say(app.message("no_conflicts"))


@shared.command()
@click.argument("keep")
@click.argument("drop")
@click.option("--both", is_flag=True, help="They do not contradict: both hold.")
@_reason
@_workspace
@common_options
@pass_app
def resolve(
    app: CliContext, keep: str, drop: str, both: bool, reason: str, workspace: str, as_json: bool
) -> None:
    """Resolve a conflict: the entry KEEP is true, DROP is not."""
    with app.memory() as memory:
        memory.shared.resolve(_team(workspace), keep, drop, both=both, reason=reason, **PERSON)
    _confirm(app, as_json, "conflict_resolved", id=keep)


@shared.command()
@click.argument("id")
@_workspace
@common_options
@pass_app
def audit(app: CliContext, id: str, workspace: str, as_json: bool) -> None:
    """Who did what to the entry ID, when and why."""
    with app.memory() as memory:
        acts = memory.shared.audit(_team(workspace), id, actor="person")
    if as_json:
        say_json({"audit": [asdict(act) for act in acts]})
        return
    headings = ("shared_at", "shared_did", "shared_by", "shared_role", "shared_door", "reason")
    rows = [
        (
            act.at[:19],
            app.value("shared_act", act.did),
            app.value("actor", act.by),
            app.value("actor", act.role),
            app.value("door", act.door),
            act.reason,
        )
        for act in acts
    ]
    table([app.message(name) for name in headings], rows, whole=(0, 1, 2))


def _confirm(app: CliContext, as_json: bool, key: str, **values: Any) -> None:
    if as_json:
        say_json({"ok": True, **values})
    else:
        say(app.message(key, **values))


def _show(app: CliContext, entries: list[Record]) -> None:
    headings = ("id", "state", "shared_type", "confidence", "shared_by", "text")
    rows = []
    for entry in entries:
        data = entry.data["shared"]
        state = app.message(f"state_{entry.state}") if entry.state in STATES else entry.state
        sure = f"{entry.confidence:.2f}"
        rows.append([entry.id, state, data["type"], sure, data["by"], entry.text])
    table([app.message(name) for name in headings], rows, right=(3,), whole=(0, 1, 2, 4))


def _to_dict(entry: Record) -> dict[str, Any]:
    data = entry.data["shared"]
    return {
        "id": entry.id,
        "text": entry.text,
        "type": data["type"],
        "topic": data["topic"],
        "state": entry.state,
        "confidence": entry.confidence,
        "time": entry.time,
        "by": data["by"],
        "conflict_with": entry.data.get("conflict_with", []),
        "superseded_by": entry.data.get("superseded_by"),
    }
