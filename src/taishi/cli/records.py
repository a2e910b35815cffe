"""`taishi records`: look through the records of a scope, one by one, and put them right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

import click

from ..domain.edited_events import no_longer_told
from ..domain.facts import STATES
from ..errors import InputError
from ..language.reason_texts import warning_in
from ..language.redaction.redactor import redacted_kinds
from ..times import to_datetime
from ..types import Record, Scope
from .context import KIND, TIME, CliContext, Group, common_options, pass_app, scope_options, to_time
from .json_options import filter_option, metadata_option
from .output import note, say, say_json, table

NEVER = "never"
ORDERS = ("arrival", "created", "updated")
TIMES = ("time", "since", "until", "created", "updated", "expires")
SHOWN = ("user", "speaker", "session", "source", "state", "confidence")


@click.group(cls=Group)
def records() -> None:
    """The records of a scope, one by one."""


@records.command(name="list")
@click.option("--kind", "kinds", type=KIND, multiple=True, help="Only this kind; repeatable.")
@filter_option
@click.option("--text", metavar="WORDS", help="Only records with these words.")
@click.option("--in-session", metavar="ID", help="Only records of this session.")
@click.option("--expired", is_flag=True, help="Only records that have expired.")
@click.option(
    "--order-by",
    type=click.Choice(ORDERS),
    default="arrival",
    show_default=True,
    help="Sort by this, newest first.",
)
@click.option("--after", metavar="CURSOR", help="`next` of the previous page.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many.",
)
@common_options
@pass_app
@scope_options
def show_page(
    app: CliContext,
    kinds: tuple[str, ...],
    filters: dict[str, Any] | None,
    text: str | None,
    in_session: str | None,
    expired: bool,
    order_by: str,
    after: str | None,
    limit: int,
    as_json: bool,
    scope: Scope,
) -> None:
    """List the records of the scope, newest first."""
    with app.memory() as memory:
        page = memory.records.newest(
            scope,
            kinds or None,
            text=text,
            expired=expired,
            after=after,
            limit=limit,
            session=in_session,
            filters=filters,
            order_by=order_by,
        )
        zone = memory.settings.zone()
    if as_json:
        say_json({"records": [_values(one, zone) for one in page.records], "next": page.next})
        return
    if not page.records:
        say(app.message("no_records"))
        return
    rows = [
        (
            one.id,
            one.kind,
            _state(app, one),
            _iso(one.created, zone)[:16].replace("T", " "),
            one.text,
        )
        for one in page.records
    ]
    headings = ("id", "kind", "record_state", "record_created", "text")
    table([app.message(name) for name in headings], rows, whole=(0, 1, 3))
    if page.next:
        say(app.message("more_records", cursor=page.next))


@records.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def show(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """Print the record ID, with its metadata as JSON."""
    with app.memory() as memory:
        found = memory.records.get(scope, id)
        zone = memory.settings.zone()
    if found is None:
        command = app.command("records list", scope)
        raise InputError(app.message("no_such_record", id=id, command=command))
    _print(app, found, zone, as_json)


@records.command()
@click.argument("id")
@click.option("--text", metavar="TEXT", help="The new text.")
@metadata_option
@click.option("--expires", metavar=TIME, help="When to delete it, or: never.")
@common_options
@pass_app
@scope_options
def update(
    app: CliContext,
    id: str,
    text: str | None,
    metadata: dict[str, Any] | None,
    expires: str | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Update the record ID; fields you leave out stay as they are."""
    changes: dict[str, Any] = {"text": text, "metadata": metadata}
    if expires is not None:
        changes["expires"] = None if expires == NEVER else to_time(expires)
    with app.memory() as memory:
        before = None if text is None else memory.records.get(scope, id)
        changed = memory.records.update(scope, id, **changes, actor="person", door="cli")
        known = memory.facts.list(scope, ["approved"]) if changed.kind == "event" and text else []
        zone = memory.settings.zone()
    _print(app, changed, zone, as_json)
    if before is not None and before.kind == "event":
        _print_consequences(app, before, changed, known)


def _print_consequences(
    app: CliContext, before: Record, event: Record, facts: Sequence[Record]
) -> None:
    """The text is all that an event tells: what is gone with the old one, and what is not."""
    lost = no_longer_told(before, event.text)
    if len(before.data.get("new_info") or ()) + bool(before.data.get("did_what")) > 1:
        for statement in lost:
            note(app.message("no_longer_told", text=statement))
    for fact in facts:
        if lost and fact.source == event.id:
            note(app.message("still_known", id=fact.id, text=fact.text))


def _print(app: CliContext, record: Record, zone: tzinfo, as_json: bool) -> None:
    values = _values(record, zone)
    if as_json:
        say_json(values)
        return
    say(record.text)
    warnings = values["metadata"].get("warnings")
    if isinstance(warnings, list) and all(isinstance(one, str) for one in warnings):
        shown = [warning_in(one, app.language) for one in warnings]
        values["metadata"]["warnings"] = shown
    for name, value in values.items():
        if name != "text" and value not in (None, [], {}):
            say(f"{name}: {value}")
    if values["redacted"]:
        say(app.message("redacted", kinds=", ".join(values["redacted"])))


def _state(app: CliContext, record: Record) -> str:
    key = f"state_{record.state}"
    return app.message(key) if record.state in STATES else record.state


def _values(record: Record, zone: tzinfo) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "text": record.text,
        **{name: _iso(getattr(record, name), zone) or None for name in TIMES},
        **{name: getattr(record, name) for name in SHOWN},
        "redacted": list(redacted_kinds(record.text, record.speaker, record.data)),
        "metadata": dict(record.data),
    }


def _iso(epoch: float | None, zone: tzinfo) -> str:
    return "" if epoch is None else to_datetime(epoch, zone).isoformat()
