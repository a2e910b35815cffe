"""`taishi session`: append messages, see what would be sent, the scratchpad."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, TextIO

import click

from ..errors import InputError
from ..times import to_datetime
from ..types import Scope
from .context import CliContext, Group, common_options, pass_app, scope_options
from .output import note, say, say_json, table

ROLES = ("system", "user", "assistant", "tool")
FIELDS = ("current_goal", "sub_goals", "completed", "current_step", "decisions", "blockers")
MANY = ("sub_goals", "completed", "decisions", "blockers")
AT_ONCE = 1000


@click.group(cls=Group)
def session() -> None:
    """Working memory: the messages of a --session, and its scratchpad."""


@session.command()
@click.argument("text", required=False)
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="user",
    show_default=True,
    help="Whose message TEXT is.",
)
@click.option(
    "--file",
    type=click.File(encoding="utf-8-sig"),
    help="Messages in the OpenAI chat format, one JSON object per line; - is stdin.",
)
@common_options
@pass_app
@scope_options
def append(
    app: CliContext, text: str | None, role: str, file: TextIO | None, as_json: bool, scope: Scope
) -> None:
    """Append TEXT, or the messages of a file."""
    if (text is None) == (file is None):
        raise InputError("give either a TEXT or --file")
    messages = [{"role": role, "content": text}] if file is None else _read(file)
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        opened = memory.session(scope)
        ids: list[str] = []
        for start in range(0, len(messages), AT_ONCE):
            ids += opened.append(messages[start : start + AT_ONCE], door="cli")
    if as_json:
        say_json({"ids": ids})
    else:
        say(app.message("session_appended", count=len(ids)))


@session.command()
@click.option("--after", type=int, default=0, help="Only messages after this number.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many at most.",
)
@common_options
@pass_app
@scope_options
def show(app: CliContext, after: int, limit: int, as_json: bool, scope: Scope) -> None:
    """Show the messages as they were appended."""
    with app.memory() as memory:
        found = memory.session(scope).history(after, limit)
    if as_json:
        say_json({"messages": [asdict(one) for one in found]})
    elif not found:
        say(app.message("session_empty"))
    else:
        names = ("session_role", "session_id", "session_text")
        rows = [(one.message["role"], one.id, _content(one.message)) for one in found]
        table([app.message(name) for name in names], rows, whole=(1,))


@session.command()
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 100_000_000),
    help="The model's context window; 70 % of it is used.",
)
@common_options
@pass_app
@scope_options
def messages(app: CliContext, max_tokens: int | None, as_json: bool, scope: Scope) -> None:
    """Show what would be sent to a model, one JSON object per line."""
    with app.memory() as memory:
        window = memory.session(scope).messages(max_tokens)
    if as_json:
        say_json(asdict(window))
        return
    for one in window.messages:
        say(json.dumps(one, ensure_ascii=False))
    counts = {**asdict(window), "shortened": len(window.shortened)}
    counts["level"] = app.value("compression", window.level)
    counts["budget"] = "-" if window.budget is None else window.budget
    note(app.message("session_window", **counts))


@session.command()
@click.option(
    "--set",
    "given",
    metavar="FIELD=TEXT",
    multiple=True,
    help="Replace a field; repeat it for lists, leave TEXT out to empty it.",
)
@click.option("--clear", is_flag=True, help="Empty it.")
@common_options
@pass_app
@scope_options
def scratchpad(
    app: CliContext, given: tuple[str, ...], clear: bool, as_json: bool, scope: Scope
) -> None:
    """Show the session's scratchpad, or change fields."""
    with app.memory(create=bool(given)) as memory:
        pad = memory.session(scope).scratchpad
        if given or clear:
            app.check_on(memory, scope)
        if clear:
            pad.clear()
        shown = pad.patch(**_fields(given)) if given else pad.get()
    values = {name: value for name, value in asdict(shown).items() if value}
    if as_json:
        say_json(asdict(shown))
    elif not values:
        say(app.message("scratchpad_empty"))
    else:
        for name, value in values.items():
            say(f"{name}: {value if isinstance(value, str) else _joined(value)}")


@session.command()
@click.option(
    "--learn/--no-learn",
    default=None,
    help="Pass the conversation to the historian.",
)
@common_options
@pass_app
@scope_options
def end(app: CliContext, learn: bool | None, as_json: bool, scope: Scope) -> None:
    """End the session and update its summary."""
    with app.memory() as memory:
        app.check_on(memory, scope)
        summarised = memory.session(scope).end(learn=learn)
    if as_json:
        say_json({"summarised": summarised})
    else:
        say(app.message("session_ended" if summarised else "session_ended_quietly"))


@session.command()
@common_options
@pass_app
@scope_options
def clear(app: CliContext, as_json: bool, scope: Scope) -> None:
    """Delete the session's messages, summary and scratchpad."""
    with app.memory() as memory:
        removed = memory.session(scope).clear()
    if as_json:
        say_json({"removed": removed})
    else:
        say(app.message("session_cleared", count=removed))


@session.command(name="list")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many, most recent first.",
)
@common_options
@pass_app
@scope_options
def list_(app: CliContext, limit: int, as_json: bool, scope: Scope) -> None:
    """List sessions with messages, most recent first."""
    with app.memory() as memory:
        found = memory.sessions.list(scope, limit)
        zone = memory.settings.zone()
    if as_json:
        say_json({"sessions": [asdict(one) for one in found]})
    elif not found:
        say(app.message("session_none"))
    else:
        names = ("session_name", "session_count", "session_time")
        rows = [
            (one.session, str(one.messages), f"{to_datetime(one.last_time, zone):%Y-%m-%d %H:%M}")
            for one in found
        ]
        table([app.message(name) for name in names], rows, right=(1,))


def _read(file: TextIO) -> list[dict[str, Any]]:
    messages = []
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"line {number}: not JSON ({error!s:.80}); one object a line"
            ) from error
        messages.append(item)
    return messages


def _fields(given: tuple[str, ...]) -> dict[str, Any]:
    """Of a decision, what follows a second = is why."""
    fields: dict[str, Any] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or name not in FIELDS:
            raise InputError(f"--set {one[:40]!r}: write FIELD=TEXT; fields: {', '.join(FIELDS)}")
        if name not in MANY:
            fields[name] = text
            continue
        items = fields.setdefault(name, [])
        if text and name == "decisions":
            what, _, why = text.partition("=")
            items.append({"what": what, "why": why})
        elif text:
            items.append(text)
    return fields


def _content(message: dict[str, Any]) -> str:
    content, calls = message["content"], message.get("tool_calls", ())
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    if calls:
        names = ", ".join(call["function"]["name"] for call in calls)
        return f"{'' if content is None else text} → {names}".strip()
    return text


def _joined(values: Any) -> str:
    shown = [
        one if isinstance(one, str) else " = ".join(filter(None, one.values())) for one in values
    ]
    return "; ".join(shown)
