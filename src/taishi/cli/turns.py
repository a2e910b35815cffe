"""`taishi end-turn`, `add-messages` and `work`: write turns, run the historian."""

from __future__ import annotations

import re
import time as clock
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..types import Message, Scope
from .context import TIME, CliContext, common_options, pass_app, scope_options, to_time
from .output import note, one_line, say, say_json

if TYPE_CHECKING:
    from ..memory import Memory

DRAIN_SECONDS = 600.0
WORK_SECONDS = 50.0  # of `end-turn --work`, which a person waits for
LOOK_SECONDS = 0.5
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
        outcome = _worked(memory, job) if and_work and job is not None else None
    worked = outcome is not None and outcome.is_done
    if as_json:
        why = {"reason": outcome.reason} if outcome is not None and not worked else {}
        say_json({"job": job, "worked": worked, **why})
    elif job is None:
        say(app.message("nothing_to_keep"))
    else:
        say(app.message("worked" if worked else "queued", job=job))
    if outcome is not None and not worked:
        if outcome.is_given_up:
            note(app.message("work_given_up", job=job, reason=one_line(outcome.reason)))
        else:
            note(app.message("work_waits", job=job, seconds=round(WORK_SECONDS)))
        click.get_current_context().exit(1)


class Outcome(NamedTuple):
    """What became of a job that was worked at once. A job that is neither done nor given up waits
    in the queue."""

    is_done: bool
    is_given_up: bool = False
    reason: str = ""


def _worked(memory: Memory, job: str) -> Outcome:
    """Work on a job until it is done or given up, its model cannot be reached, or time is over."""
    end = clock.monotonic() + WORK_SECONDS
    while (left := end - clock.monotonic()) > 0:
        memory.drain(min(left, LOOK_SECONDS))
        found = next((one for one in memory.jobs.list() if one["event_id"] == job), None)
        if found is None:
            memory.drain(max(0.0, end - clock.monotonic()))  # what is learned is embedded
            return Outcome(True)
        if found["state"] == "failed":
            return Outcome(False, True, found["reason"])
        if memory.status(records=False)["processes"][0]["jobs"]["postponed"]:
            break
    return Outcome(False, reason="waiting")


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
