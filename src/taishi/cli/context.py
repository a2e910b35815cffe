"""What every command shares: the settings, the door, the scope options, the language."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import ScopeError, SettingsError, StorageError
from ..settings import Settings, load
from ..types import KINDS, Scope
from .messages import LANGUAGES, language_of, word

if TYPE_CHECKING:
    from ..memory import Memory

F = TypeVar("F", bound=Callable[..., Any])
CHOICES = (*LANGUAGES, "auto")
KIND = click.Choice(KINDS)
TIME = "ISO|EPOCH"
_EPOCH = re.compile(r"-?\d{9,12}(\.\d{1,9})?")


@dataclass(frozen=True)
class CliContext:
    """The global options, and what follows from them when it is asked for."""

    data: str | None = None
    config: str | None = None
    lang: str = "auto"

    @cached_property
    def settings(self) -> Settings:
        return self.load()

    def load(self, **overrides: str) -> Settings:
        """The settings, with the global options on top."""
        path = Path(self.config) if self.config else None
        return load(path, overrides={"memory.data": self.data, **overrides})

    @cached_property
    def language(self) -> str:
        """The option, the settings, the terminal: the first that says something."""
        if self.lang != "auto":
            return self.lang
        try:
            wished = self.settings.memory.language
        except SettingsError:  # the command that needs them will say so, in some language
            wished = "auto"
        return language_of(os.environ) if wished == "auto" else wished

    def word(self, key: str, **values: object) -> str:
        return word(self.language, key, **values)

    @contextmanager
    def memory(self, create: bool = False) -> Iterator[Memory]:
        """The open memory. Reading does not make a folder: a mistyped path would stay unseen."""
        from ..memory import Memory

        address = self.settings.memory.data
        if not create and _is_absent(address):
            raise StorageError(self.word("no_folder", folder=address))
        with Memory.open(settings=self.settings) as memory:
            yield memory

    def check_on(self, memory: Memory, scope: Scope) -> None:
        """Whoever types a command wants it kept: where memory is off, that is an error."""
        if not memory.is_on(scope):
            enabled = memory.settings.memory.enabled
            raise StorageError(self.word("off_here" if enabled else "off"))

    @contextmanager
    def trial(self) -> Iterator[Memory]:
        """The memory, for a dry run; where there is none yet, an empty one that is gone after."""
        from ..memory import Memory

        if not _is_absent(self.settings.memory.data):
            with self.memory() as memory:
                yield memory
            return
        with (
            TemporaryDirectory(prefix="taishi-") as folder,
            Memory.open(folder, self.settings) as memory,
        ):
            yield memory


def _is_absent(address: str) -> bool:
    """Surely no folder there. What cannot be told is for the door to judge."""
    try:
        return "://" not in address and not Path(address).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):
        return False


pass_app = click.make_pass_decorator(CliContext)


class Group(click.Group):
    """Lists its commands in the order of their use, with their line in both languages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.help or "") for n, c in self.commands.items()])


def json_option(command: F) -> F:
    help_text = "One JSON document on stdout, nothing else. 输出 JSON。"
    return click.option("--json", "as_json", is_flag=True, help=help_text)(command)


def common_options(command: F) -> F:
    """--json, and the global options once more: people write them after the command, too."""
    for name in ("data", "config", "lang"):
        command = again(name)(command)
    return json_option(command)


def again(name: str) -> Callable[[F], F]:
    """A global option that may stand after the command as well."""
    kind = click.Choice(CHOICES) if name == "lang" else None
    return click.option(f"--{name}", type=kind, hidden=True, expose_value=False, callback=_override)


def _override(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None and param.name is not None:
        ctx.obj = replace(ctx.ensure_object(CliContext), **{param.name: value})


SCOPE_OPTIONS = (
    click.option("--shared", is_flag=True, help="The whole workspace. 整个工作区。"),
    click.option(
        "--workspace",
        metavar="ID",
        default="default",
        show_default=True,
        help="The workspace. 工作区。",
    ),
    click.option("--session", metavar="ID", help="The session. 会话。"),
    click.option("--agent", metavar="ID", help="An agent. 智能体。"),
    click.option("--group", metavar="ID", help="A group chat. 群。"),
    click.option("--user", metavar="ID", help="A user. 用户。"),
)


def scope_options(command: Callable[..., None]) -> Callable[..., None]:
    """Six options that name a scope; the command gets them as one `scope`."""

    @wraps(command)
    def scoped(
        app: CliContext,
        /,
        user: str | None,
        group: str | None,
        agent: str | None,
        session: str | None,
        workspace: str,
        shared: bool,
        **rest: Any,
    ) -> None:
        try:
            scope = Scope(user, group, agent, session, workspace, shared)
        except ScopeError as error:
            raise ScopeError(f"{error}. {app.word('scope_hint')}") from None
        command(app, scope=scope, **rest)

    for option in SCOPE_OPTIONS:
        scoped = option(scoped)
    return scoped


def to_time(text: str | None) -> str | float | None:
    """ISO text as it is, an epoch in seconds as a number."""
    return float(text) if text and _EPOCH.fullmatch(text) else text
