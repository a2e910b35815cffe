"""`taishi end-turn`, `add-messages` and `work`: write turns, run the historian."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..errors import StorageError
from ..types import Message, Scope
from .context import TIME, CliContext, common_options, pass_app, scope_options, to_time
from .output import note, say, say_json

if TYPE_CHECKING:
    from ..memory import Memory

DRAIN_SECONDS = 600.0
# A name and a colon (ASCII or full-width) that is not part of a URL.
_SPEAKER = re.compile(r"\s*([^:：\n]{1,40})[:：](?!//)(.*)", re.DOTALL)


@click.command("end-turn")
@click.option("--action", metavar="TEXT", default="", help="What was done. 做了什么。")
@click.option(
    "--summary", metavar="TEXT", default="", help="The old name of --action. --action 的旧名。"
)
@click.option(
    "--new-info", metavar="TEXT", multiple=True, help="What was learned; repeatable. 新信息。"
)
@click.option(
    "--message",
    "messages",
    metavar="'SPEAKER: TEXT'",
    multiple=True,
    help="A recent message, oldest first; repeatable. 最近消息。",
)
@click.option("--request-id", metavar="ID", help="The host's id of the request. 请求编号。")
@click.option("--sender-name", metavar="NAME", help="Who spoke. 发言人。")
@click.option("--group-name", metavar="NAME", help="The group's name. 群名。")
@click.option("--bot-name", metavar="NAME", help="The bot's name. 机器人的名字。")
@click.option("--location", metavar="PLACE", help='Where it happened: what "here" means. 地点。')
@click.option("--time", metavar=TIME, help="When the turn ended; now if not given. 时间。")
@click.option("--work", "and_work", is_flag=True, help="Let the historian work it now. 立即处理。")
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
    """Hand a turn that ended to the historian; prints the job's id. 结束一轮对话。"""
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
    help="A message, oldest first; repeatable. 消息，可重复。",
)
@common_options
@pass_app
@scope_options
def add_messages(app: CliContext, messages: tuple[str, ...], as_json: bool, scope: Scope) -> None:
    """Give a --session messages for its summary; no turn ends. 只为会话摘要添加消息。"""
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


@click.command()
@click.option("--once", is_flag=True, help="Work until nothing waits, then exit. 处理完即退出。")
@click.option(
    "--every",
    type=click.FloatRange(0.1, 3600),
    default=5.0,
    show_default=True,
    help="Seconds between two lines. 输出间隔（秒）。",
)
@common_options
@pass_app
def work(app: CliContext, once: bool, every: float, as_json: bool) -> None:
    """Run the historian until Ctrl-C or SIGTERM; the job at hand is finished. 运行史官。"""
    with app.memory(create=True) as memory:
        if not memory.settings.memory.enabled:
            raise StorageError(app.message("off"))
        if once:
            memory.drain(DRAIN_SECONDS)
        else:
            _work_until_stopped(app, memory, every, as_json)
        counts = _counts(memory)
    if as_json:
        say_json(counts)
    else:
        say(app.message("work_line", **counts))
    if once and (counts["waiting"] or counts["unembedded"]):
        note(app.message("left_over", **counts, seconds=round(DRAIN_SECONDS)))
        click.get_current_context().exit(1)


def _work_until_stopped(app: CliContext, memory: Memory, every: float, quiet: bool) -> None:
    with _stop_event() as stop:
        memory.start_worker()
        if not quiet:
            note(app.message("working"))
        last = None
        while not stop.wait(every):
            counts = _counts(memory)
            if counts != last and not quiet:
                say(app.message("work_line", **counts))
            last = counts
        memory.stop_worker()


@contextmanager
def _stop_event() -> Iterator[threading.Event]:
    """An event set by Ctrl-C or SIGTERM; restores the previous handlers afterwards."""
    stop = threading.Event()
    previous = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _counts(memory: Memory) -> dict[str, int]:
    status = memory.status()
    jobs, queue = status["processes"][0]["jobs"], status["queue"]  # the counters of this process
    unembedded = status["records"].get("unembedded", 0) if status["embedder"]["on"] else 0
    return {
        "done": jobs["done"],
        "retried": jobs["retried"],
        "failed": jobs["failed"],
        "waiting": queue["pending"] + queue["processing"],
        "unembedded": unembedded,
    }
