"""`taishi import --from FORMAT`: chats of other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, BinaryIO
from zoneinfo import ZoneInfo

import click

from ..errors import InputError
from ..importers.formats import FORMATS
from ..times import to_datetime
from ..types import Scope
from .context import CliContext
from .memories import wait_embedded
from .output import note, one_line, progress, say, say_json, table

if TYPE_CHECKING:
    from ..memory import Memory
    from ..transfer.chat_report import ImportedChats

OWN = "taishi"
SHOWN = 20
OUTCOMES = ("added", "same", "kept", "replaced", "forgotten")


@dataclass(frozen=True)
class ChatArguments:
    """The options that are for chats of other programs."""

    format: str
    self_name: str | None
    bots: tuple[str, ...]
    chats: tuple[str, ...]
    timezone: str | None
    encoding: str | None
    learn: bool
    no_wait: bool
    user_prefix: str

    @property
    def is_foreign(self) -> bool:
        return self.format != OWN

    @property
    def is_given(self) -> bool:
        named = (self.self_name, self.bots, self.chats, self.timezone, self.encoding, self.learn)
        return any(named) or self.no_wait or bool(self.user_prefix)


CHAT_OPTIONS = (
    click.option("--no-wait", is_flag=True, help="Do not wait for the embedding."),
    click.option(
        "--learn",
        is_flag=True,
        help="Also learn facts and profiles from the chats.",
    ),
    click.option(
        "--user-prefix",
        metavar="PREFIX",
        default="",
        help="Put before the user ids of the file, as your bot writes them: QQClient:",
    ),
    click.option("--encoding", metavar="NAME", help="Of the file, if not detected."),
    click.option("--timezone", metavar="ZONE", help="The time zone of times without one."),
    click.option(
        "--chat",
        "chats",
        metavar="NAME=TARGET",
        multiple=True,
        help="Where a chat goes: user:ID, group:ID, agent:ID, peer or skip; NAME is a title, an id "
        "or a pattern; repeatable.",
    ),
    click.option(
        "--bot",
        "bots",
        metavar="NAME",
        multiple=True,
        help="A bot's name in the file.",
    ),
    click.option("--self", "self_name", metavar="NAME", help="Your name in the file."),
    click.option(
        "--from",
        "format",
        type=click.Choice((OWN, *FORMATS)),
        default=OWN,
        show_default=True,
        help="The program that wrote FILE.",
    ),
)


def chat_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options for chats; the command receives one `chats`."""

    @wraps(command)
    def collected(*args: Any, **given: Any) -> None:
        names = ChatArguments.__dataclass_fields__
        chats = ChatArguments(**{name: given.pop(name) for name in names})
        command(*args, chats=chats, **given)

    for option in CHAT_OPTIONS:
        collected = option(collected)
    return collected


def import_chats(
    app: CliContext,
    file: str,
    scope: Scope | None,
    workspace: str | None,
    chats: ChatArguments,
    replace: bool,
    even_forgotten: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    mapped = dict(_pair(app, pair) for pair in chats.chats)
    with (
        _opened(file) as source,
        app.memory_for_dry_run() if dry_run else app.memory(create=True) as memory,
    ):
        with progress(not as_json) as advance:
            report = memory.transfer.import_chats(
                source,
                chats.format,
                scope,
                workspace=workspace or "default",
                chats=mapped,
                self_name=chats.self_name or "",
                bot_names=chats.bots,
                timezone=chats.timezone,
                encoding=chats.encoding,
                learn=chats.learn,
                replace=replace,
                even_forgotten=even_forgotten,
                dry_run=dry_run,
                user_prefix=chats.user_prefix,
                progress=lambda done, total: advance(app.message("importing"), done, total),
                door="cli",
            )
        embedded = _embedded(app, memory, chats, dry_run, as_json)
    if as_json:
        say_json({**asdict(report), "embedded": embedded})
    else:
        _show(app, report, chats.timezone)


def _embedded(
    app: CliContext, memory: Memory, chats: ChatArguments, dry_run: bool, as_json: bool
) -> bool:
    return not dry_run and not chats.no_wait and wait_embedded(app, memory, not as_json)


def _opened(file: str) -> AbstractContextManager[str | BinaryIO]:
    if file.lower().startswith("s3://"):
        raise InputError("chats are imported from a file or stdin; download it first")
    return nullcontext(sys.stdin.buffer if file == "-" else file)


def _pair(app: CliContext, option: str) -> tuple[str, str]:
    name, equals, target = option.rpartition("=")
    if not equals or not name:
        raise InputError(app.message("chat_form", given=one_line(option)))
    return name, target


def _show(app: CliContext, report: ImportedChats, timezone: str | None) -> None:
    _show_chats(app, report)
    _show_speakers(app, report)
    if report.first is not None and report.last is not None:
        zone = ZoneInfo(timezone) if timezone else app.settings.zone()
        first, last = (to_datetime(at, zone) for at in (report.first, report.last))
        say(app.message("chat_span", first=f"{first:%Y-%m-%d}", last=f"{last:%Y-%m-%d}"))
    counts = {name: getattr(report, name) for name in OUTCOMES}
    headings = [app.message("chat_messages"), *(app.message(name) for name in OUTCOMES)]
    rows = [tuple(str(count) for count in (report.messages, *counts.values()))]
    table(headings, rows, right=range(len(headings)))
    _show_left_out(app, report)
    _show_doubtful_ids(app, report)
    if report.jobs:
        say(app.message("chat_jobs", count=report.jobs))
    if report.dry_run:
        say(app.message("import_dry"))


def _show_chats(app: CliContext, report: ImportedChats) -> None:
    shown = report.chats[:SHOWN]
    rows = [(one.title, one.target or "—", str(one.messages)) for one in shown]
    headings = [app.message(f"chat_{name}") for name in ("title", "target", "messages")]
    table(headings, rows, right=(2,))
    if len(report.chats) > SHOWN:
        say(app.message("chat_more", count=len(report.chats) - SHOWN))


def _show_doubtful_ids(app: CliContext, report: ImportedChats) -> None:
    """What a bot would not find under the ids that it uses."""
    for one in [chat for chat in report.chats if chat.by_title][:SHOWN]:
        title, target = one_line(one.title), one_line(one.target)
        note(app.message("chat_by_title", title=title, target=target))
    if prefix := one_line(report.suggested_user_prefix):
        note(app.message("chat_user_prefix", prefix=prefix))


def _show_speakers(app: CliContext, report: ImportedChats) -> None:
    known = [(who or "?", count) for who, count in report.speakers.items()]
    if known:
        listed = ", ".join(f"{who} ({count})" for who, count in known[:SHOWN])
        more = ", …" if len(known) > SHOWN else ""
        say(app.message("chat_speakers", speakers=one_line(listed) + more))


def _show_left_out(app: CliContext, report: ImportedChats) -> None:
    if report.left_out:
        reasons = (f"{app.message(f'left_{why}')} {n}" for why, n in report.left_out.items())
        note(app.message("chat_left_out", what=", ".join(reasons)))
    for bad in report.bad:
        note(app.message("bad_entry", place=one_line(bad.place), reason=one_line(bad.reason)))
    if report.bad_count > len(report.bad):
        note(app.message("chat_more_bad", count=report.bad_count - len(report.bad)))
    if report.kept:
        note(app.message("import_kept", count=report.kept))
    if report.forgotten:
        note(app.message("import_forgotten", count=report.forgotten))
