"""What every command shares: settings, the open memory, scope options, language."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .. import __version__
from ..errors import ScopeError, SettingsError, StorageError, UnsupportedError
from ..language.error_texts import error_in
from ..settings import Settings, ignored_file, load, unread_variables
from ..settings.addresses import is_server, scheme_of, without_password
from ..settings.loader import build, locate
from ..types import KINDS, Scope
from .help import HelpContext
from .messages import LANGUAGES, language_of, message
from .messages_values import shown
from .output import note

if TYPE_CHECKING:
    from ..memory import Memory

log = logging.getLogger("taishi.cli")
F = TypeVar("F", bound=Callable[..., Any])
CHOICES = (*LANGUAGES, "auto")
KIND = click.Choice(KINDS)
TIME = "ISO|EPOCH"
DATABASE = "taishi.db"
SCOPE = "taishi.scope"  # in the meta of every context: the scope that was named
ERRORS = frozenset(("error", "reason"))  # values of messages that may be the text of an error
ENGINES = ("serve", "work")  # roles that run the engine itself
_EPOCH = re.compile(r"-?\d{9,12}(\.\d{1,9})?")


def scope_words(scope: Scope) -> list[str]:
    """The options that name a scope's own place."""
    home = scope.home
    if home.kind == "workspace":
        named = ["--shared"]
    else:
        option = "--user" if home.kind == "private" else f"--{home.kind}"
        named = [f"{option} {shlex.quote(home.id)}"]
    if home.workspace != "default":
        named.append(f"--workspace {shlex.quote(home.workspace)}")
    return named


@dataclass(frozen=True)
class CliContext:
    """The global options, and the settings and language that follow from them, loaded lazily."""

    data: str | None = None
    config: str | None = None
    lang: str = "auto"
    warns: bool = True  # of variables and files that nothing reads; False: the command shows them
    settings_copy: str | None = None  # read instead of the settings file, which is bad just now

    @cached_property
    def settings(self) -> Settings:
        settings = self.load()
        if self.warns:
            language = self._language_by(settings)
            for one in unread_variables(settings.origin.environ):
                key = "variable_nearest" if one.nearest else "variable_unread"
                log.warning("%s", message(language, key, name=one.name, nearest=one.nearest))
            if not settings.origin.is_named and (file := ignored_file(settings)) is not None:
                log.warning("%s", message(language, "settings_ignored", file=file))
        return settings

    def load(self, **overrides: str) -> Settings:
        """The settings, with the global options on top."""
        path = Path(self.config) if self.config else None
        given = {"memory.data": self.data, **overrides}
        if self.settings_copy is None:
            return load(path, overrides=given)
        content = Path(self.settings_copy).read_bytes()
        return build(replace(locate(path, overrides=given), content=content))

    @cached_property
    def language(self) -> str:
        """From the option, the settings or the terminal, in this order."""
        if self.lang != "auto":
            return self.lang
        try:
            return self._language_by(self.settings)
        except SettingsError:  # the command that needs the settings reports the error
            return language_of(os.environ)

    def _language_by(self, settings: Settings) -> str:
        named = (one for one in (self.lang, settings.memory.language) if one != "auto")
        return next(named, "") or language_of(os.environ)

    def message(self, key: str, **values: object) -> str:
        for name in values.keys() & ERRORS:
            values[name] = error_in(str(values[name]), self.language)
        return message(self.language, key, **values)

    def value(self, what: str, value: str) -> str:
        """A stored value as it is shown: in Chinese, by its Chinese name."""
        return shown(self.language, what, value)

    def command(self, words: str, scope: Scope | None = None) -> str:
        """A command to type, for the same memory and settings as this one; with `scope`, for the
        place of its own."""
        named = [("--data", self.data and without_password(self.data)), ("--config", self.config)]
        options = [f"{name} {shlex.quote(value)}" for name, value in named if value]
        return " ".join(["taishi", *options, words, *(scope_words(scope) if scope else ())])

    @contextmanager
    def memory(
        self, create: bool = False, role: str = "cli", tell: Callable[[str], None] = note
    ) -> Iterator[Memory]:
        """The open memory. Reading does not create one, so that a mistyped path is reported;
        `tell` is told when a new memory was made. `role` is what `taishi status` calls this
        process."""
        from ..memory import Memory

        if role in ENGINES:
            self.need_engine()
        if not create:
            self.need_memory()
        machine = replace(self.settings.machine, role=role, version=__version__)
        was_there = not self.has_empty_folder()
        with Memory.open(settings=replace(self.settings, machine=machine)) as memory:
            if not was_there and not self.has_empty_folder() and not _prints_json():
                tell(self.new_memory())
            yield memory

    def need_memory(self, address: str | None = None) -> None:
        """Raise if none was made at the address yet, without making one."""
        from ..assembly import has_memory

        address = self.settings.memory.data if address is None else address
        if has_memory(address):
            return
        place = without_password(address)
        if not scheme_of(address):
            place = str(Path(address).expanduser().absolute())
        command = self.command("remember TEXT --user ID")
        told = self.message("no_memory", place=place, command=command)
        if others := list(_memories_near(address)):
            hint = self.message("memory_near", places=", ".join(map(str, others)))
            told = f"{told}{self.message('sentence_end')}{hint}"
        raise StorageError(told)

    def has_empty_folder(self) -> bool:
        """Whether the address is that of a folder that certainly holds no memory yet."""
        address = self.settings.memory.data
        try:
            return "://" not in address and not (Path(address).expanduser() / DATABASE).exists()
        except (OSError, ValueError, RuntimeError):
            return False

    def new_memory(self) -> str:
        """That a memory was made, and where: the path may be mistyped, or that of other files."""
        folder = Path(self.settings.memory.data).expanduser().absolute()
        return self.message("new_memory", folder=folder)

    def need_engine(self, address: str | None = None) -> None:
        """Raise if the memory is on a server: this command works on the data itself."""
        address = self.settings.memory.data if address is None else address
        if is_server(address):
            raise UnsupportedError(self.message("on_server", server=without_password(address)))

    def check_on(self, memory: Memory, scope: Scope) -> None:
        """Raise if memory is off in this scope: a command must not be ignored silently."""
        if not memory.is_on(scope):
            enabled = memory.settings.memory.enabled
            raise StorageError(self.message("off_here" if enabled else "off"))

    @contextmanager
    def memory_for_dry_run(self) -> Iterator[Memory]:
        """The memory for a dry run; if there is none yet, an empty temporary one."""
        from ..assembly import has_memory
        from ..memory import Memory

        if has_memory(self.settings.memory.data):
            with self.memory() as memory:
                yield memory
            return
        with (
            TemporaryDirectory(prefix="taishi-") as folder,
            Memory.open(folder, self.settings) as memory,
        ):
            yield memory


def _memories_near(address: str) -> Iterator[Path]:
    """Folders that somebody may have meant: the one above, `data` inside it, `data` here."""
    if scheme_of(address):
        return
    folder = Path(address).expanduser().resolve()
    for near in dict.fromkeys((folder.parent, folder / "data", Path.cwd() / "data")):
        with suppress(OSError):
            if near != folder and (near / DATABASE).is_file():
                yield near


def folder_is_missing(address: str) -> bool:
    """Whether the data folder certainly does not exist; unclear cases are left to `Memory.open`."""
    try:
        return "://" not in address and not Path(address).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):
        return False


def _prints_json() -> bool:
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.params.get("as_json"))


pass_app = click.make_pass_decorator(CliContext)


class Group(click.Group):
    """Lists its commands in the order of their use, with help in the reader's language."""

    context_class = HelpContext

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        cmd.context_class = HelpContext
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.help or "") for n, c in self.commands.items()])


def json_option(command: F) -> F:
    help_text = "One JSON document on stdout, nothing else."
    return click.option("--json", "as_json", is_flag=True, help=help_text)(command)


def common_options(command: F) -> F:
    """--json, and the global options, which may also follow the command."""
    for name in ("data", "config", "lang"):
        command = repeat_global_option(name)(command)
    return json_option(command)


def repeat_global_option(name: str) -> Callable[[F], F]:
    """A global option that is also accepted after the command."""
    kind = click.Choice(CHOICES) if name == "lang" else None
    return click.option(
        f"--{name}",
        type=kind,
        hidden=True,
        expose_value=False,
        is_eager=True,  # errors of the other options are told in this language
        callback=_override,
    )


def _override(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None and param.name is not None:
        given: dict[str, Any] = {param.name: value}
        ctx.obj = replace(ctx.ensure_object(CliContext), **given)
        ctx.find_root().obj = ctx.obj  # the root tells errors


SCOPE_OPTIONS = (
    click.option("--shared", is_flag=True, help="The whole workspace."),
    click.option(
        "--workspace",
        metavar="ID",
        default="default",
        show_default=True,
        help="The workspace.",
    ),
    click.option("--session", metavar="ID", help="The session."),
    click.option("--agent", metavar="ID", help="An agent."),
    click.option("--group", metavar="ID", help="A group chat."),
    click.option("--user", metavar="ID", help="A user."),
)


def scope_options(command: Callable[..., None]) -> Callable[..., None]:
    """Six options that name a scope; the command receives one `scope`."""

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
            if shared or any((user, group, agent)):
                told = error_in(str(error), app.language)
                hint = app.message("scope_hint")
                stop = "。" if app.language == "zh" else ". "
                raise ScopeError(f"{told}{stop}{hint}") from None
            raise ScopeError(app.message("no_scope")) from None
        click.get_current_context().meta[SCOPE] = scope
        command(app, scope=scope, **rest)

    for option in SCOPE_OPTIONS:
        scoped = option(scoped)
    return scoped


def to_time(text: str | None) -> str | float | None:
    """ISO text unchanged, epoch seconds as a number."""
    return float(text) if text and _EPOCH.fullmatch(text) else text
