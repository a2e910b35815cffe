"""`taishi end-turn`, `add-messages` and `work`: write turns, run the historian."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from ..types import Message, Scope
from .context import TIME, CliContext, common_options, pass_app, scope_options, to_time
from .output import say, say_json

if TYPE_CHECKING:
    pass

DRAIN_SECONDS = 600.0
# A name and a colon (ASCII or full-width) that is not part of a URL.
_SPEAKER = re.compile(r"\s*([^:：\n]{1,40})[:：](?!//)(.*)", re.DOTALL)


@click.command("end-turn")
@click.option("--action", metavar="TEXT", default="", help="What was done.")
@click.option("--summary", metavar="TEXT", default="", help="Old name for --action.")
@click.option("--new-info", metavar="TEXT", multiple=True, help="What was learned; repeatable.")
@click.option(
    "--message",
    "messages",
    metavar="'SPEAKER: TEXT'",
    multiple=True,
    help="A recent message, oldest first; repeatable.",
)
@click.option("--request-id", metavar="ID", help="Your id for the request.")
@click.option("--sender-name", metavar="NAME", help="Who spoke.")
@click.option("--group-name", metavar="NAME", help="The group's name.")
@click.option("--bot-name", metavar="NAME", help="The bot's name.")
@click.option("--location", metavar="PLACE", help='Where it happened: what "here" means.')
@click.option("--time", metavar=TIME, help="When the turn ended; now if not given.")
@click.option(
    "--wait",
    type=click.FloatRange(0, 60),
    default=0.0,
    help="Return once it can be recalled, after at most this many seconds.",
)
@click.option("--work", "and_work", is_flag=True, help="Process it now.")
@common_options
@pass_app
@scope_options
def end_turn(
    app: CliContext,
    action: str,
    summary: str,
    new_info: tuple[str, ...],
    messages: tuple[str, ...],
    time: str | None,
    and_work: bool,
    as_json: bool,
    scope: Scope,
    **details: Any,
) -> None:
    """Pass a finished turn to the historian; prints the job's id."""
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        job = memory.end_turn(
            scope,
            action,
            new_info,
            [to_message(m) for m in messages],
            summary=summary,
            time=to_time(time),
            **details,
        )
        worked = and_work and job is not None
        if worked:
            memory.drain(DRAIN_SECONDS)
    if as_json:
        say_json({"job": job, "worked": worked})
    elif job is None:
        say(app.message("nothing_to_keep"))
    else:
        say(app.message("worked" if worked else "queued", job=job))


@click.command("add-messages")
@click.option(
    "--message",
    "messages",
    metavar="'SPEAKER: TEXT'",
    multiple=True,
    required=True,
    help="A message, oldest first; repeatable.",
)
@common_options
@pass_app
@scope_options
def add_messages(app: CliContext, messages: tuple[str, ...], as_json: bool, scope: Scope) -> None:
    """Add messages to a --session for its summary, without ending a turn."""
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        added = memory.sessions.add_messages(scope, [to_message(message) for message in messages])
    if as_json:
        say_json({"added": added})
    else:
        say(app.message("messages_added", count=added))


def to_message(text: str) -> Message:
    """'Ann: hello' → a message by Ann; without a name, one without a speaker."""
    match = _SPEAKER.fullmatch(text)
    return Message(match[2].strip(), match[1].strip() or None) if match else Message(text)
