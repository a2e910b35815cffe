"""`taishi hook`: what Claude Code calls at the events of a session.

It never fails: exit code 2 would block a prompt, any other one would be shown as an error. What
goes wrong is one line on stderr.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import TaishiError
from ..language.error_texts import error_in
from ..types import Scope
from .context import CliContext, pass_app, repeat_global_option
from .output import note
from .personal import HOME, personal_context

if TYPE_CHECKING:
    from ..adapters.claude_code.hook_input import HookInput
    from ..adapters.claude_code.memories import HookMemory

T = TypeVar("T")
READS = ("SessionStart", "UserPromptSubmit")
LEAST_SECONDS = 0.1


class HookCommand(click.Command):
    """A command whose every failure ends with exit code 0, also a wrong option."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            note(f"taishi hook: {error.format_message()}")
            sys.exit(0)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            app = ctx.ensure_object(CliContext)
            reason = error_in(_reason(error), app.language)
            note(app.message("hook_failed", error=_sentence(reason, app.language)))
            ctx.exit(0)


@click.command(cls=HookCommand, context_settings={"auto_envvar_prefix": "TAISHI_HOOK"})
@click.option("--user", metavar="ID", help="Whose memory; the login name if not given.")
@click.option("--project", metavar="ID", help="The project; from the folder if not given.")
@click.option(
    "--scope",
    "sharing",
    envvar="TAISHI_HOOK_SCOPE",
    type=click.Choice(("project", "user")),
    default="project",
    show_default=True,
    help="One memory per project, or one for all.",
)
@click.option("--server", metavar="URL", help="A running `taishi serve`.")
@click.option("--key", metavar="KEY", help="Its API key; better as TAISHI_HOOK_KEY.")
@click.option(
    "--max-tokens",
    type=click.IntRange(50, 2000),  # Claude Code hides more than 10,000 characters
    default=800,
    show_default=True,
    help="How long the recalled text may be.",
)
@click.option(
    "--deadline",
    type=click.FloatRange(0.2, 60),
    default=2.0,
    show_default=True,
    help="Give up after this many seconds.",
)
@repeat_global_option("config")
@repeat_global_option("data")
@repeat_global_option("lang")
@pass_app
def hook(
    app: CliContext,
    user: str | None,
    project: str | None,
    sharing: Any,
    server: str | None,
    key: str | None,
    max_tokens: int,
    deadline: float,
) -> None:
    """Run as a Claude Code hook: JSON on stdin, the answer on stdout."""
    from ..adapters.claude_code.hook_input import EVENTS, MAX_INPUT_BYTES, parse

    started = time.monotonic() - time.process_time()  # about when the process was
    app = personal_context(app)

    def left() -> float:
        return max(started + deadline - time.monotonic(), LEAST_SECONDS)

    def late() -> str:
        return app.message("hook_late", seconds=f"{deadline:g}")

    # Whoever holds stdin open without writing must not hold up the session either.
    given = _within(left(), lambda: sys.stdin.buffer.read(MAX_INPUT_BYTES + 1), late)
    event = parse(given)
    if event.event not in EVENTS:
        key = "hook_other_event" if event.event else "hook_no_event"
        note(app.message(key, event=event.event, events=", ".join(EVENTS)))
        return
    if event.asks_nothing:  # said before anything is loaded that takes time
        return

    from ..adapters.claude_code.hook import Hook
    from ..adapters.claude_code.positions import Positions
    from ..adapters.claude_code.project import Owner

    folder = os.environ.get("CLAUDE_PROJECT_DIR") or event.cwd
    scope = Owner(user, project, sharing).scope(folder, event.session)
    positions = Positions(_state_folder(app, server))

    def work() -> dict[str, Any] | None:
        with _memory(app, event, scope, server, key, left()) as memory:
            if memory is None:
                return None
            handler = Hook(memory, positions, scope, max_tokens)
            return handler.handle(event, left())

    answer = _within(left(), work, late)
    if answer is not None:
        click.echo(json.dumps(answer, ensure_ascii=True))


@contextmanager
def _memory(
    app: CliContext,
    event: HookInput,
    scope: Scope,
    server: str | None,
    key: str | None,
    seconds: float,
) -> Iterator[HookMemory | None]:
    """The memory; None where there is none yet and nothing is to be written."""
    from ..adapters.claude_code.memories import LocalMemory, RemoteMemory

    language = None if app.lang == "auto" else app.lang
    if server:
        yield RemoteMemory(server, key, language, seconds)
    elif event.event in READS and app.has_empty_folder():
        yield None
    else:
        with app.memory(create=True, role="hook", tell=lambda _: None) as memory:
            yield LocalMemory(memory, language)


def _state_folder(app: CliContext, server: str | None) -> Path:
    """Where positions in transcripts are: in the data folder, or for a memory that is elsewhere
    under the home folder."""
    address = server or app.settings.memory.data
    if "://" not in address:
        return Path(address).expanduser() / "hooks"
    return Path(HOME).expanduser() / "hooks" / hashlib.sha256(address.encode()).hexdigest()[:16]


def _within(seconds: float, work: Callable[[], T], late: Callable[[], str]) -> T:
    """Its result. If it takes longer the process ends, with everything that was begun: what is
    durable is durable, and the rest is done at the next event."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="taishi-hook", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        note(late())
        sys.stderr.flush()
        os._exit(0)
    return results[0]


def _sentence(reason: str, language: str) -> str:
    """With a full stop, unless it ends otherwise."""
    if reason.endswith(("?", "!", "？", "！")):
        return reason if language == "zh" else f"{reason} "
    return f"{reason}。" if language == "zh" else f"{reason}. "


def _reason(error: Exception) -> str:
    text = str(error) if isinstance(error, (TaishiError, click.ClickException)) else repr(error)
    return text[:300].rstrip(".") or type(error).__name__
