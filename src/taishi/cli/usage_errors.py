"""Errors of a command line in the language of the messages: what is wrong, and last what to do."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from typing import IO, Any

import click

from ..errors import TaishiError
from ..language.error_texts import error_in
from ..types import Scope
from .context import CliContext
from .output import safe

# About an error of the operating system, by language.
ADVICE = {"en": "; correct that and try again", "zh": "；请排除后重试"}
# What an error of the engine advises to list, and the command that lists it.
LISTS = (
    (r"there is no fact .+", "facts list"),
    (r"there is no record .+", "records list"),
    (r"this scope sees no record .+", "records list"),
    (r"there is no procedure .+", "procedures list"),
    (r"there is no revision .+", "profile history"),
    (r".+ is not a revision; .+", "profile history"),
)
# Commands of ours, and what other programs call them.
ELSEWHERE = {
    "show": ("get", "print", "cat", "view"),
    "list": ("ls", "all"),
    "remember": ("add", "save", "store", "insert"),
    "recall": ("search", "query", "find", "ask"),
    "forget": ("delete", "remove", "rm", "erase"),
    "delete": ("remove", "rm"),
    "remove": ("delete", "rm"),
    "revoke": ("delete", "remove", "rm"),
    "create": ("add", "new", "make"),
    "serve": ("start", "run", "server", "up"),
    "work": ("worker", "daemon"),
    "doctor": ("check", "diagnose"),
    "check": ("validate", "verify", "lint"),
    "export": ("dump", "backup"),
    "import": ("load", "restore"),
}
# From Click 8.2 on.
_HELP: type[Exception] | tuple[()] = getattr(click.exceptions, "NoArgsIsHelpError", ())
# Click's own texts in Chinese.
CLICK: tuple[tuple[str, str], ...] = (
    (r"(?P<given>.+) is not a valid (?:integer|int)(?: range)?\.", "{given} 不是整数，请给出整数"),
    (r"(?P<given>.+) is not a valid float(?: range)?\.", "{given} 不是数字，请给出数字"),
    (r"(?P<given>.+) is not a valid boolean\..*", "{given} 不是布尔值，请给出 true 或 false"),
    (r"(?P<given>.+) is not in the range (?P<range>.+)\.", "{given} 超出范围，应满足 {range}"),
    (r"(?P<given>.+?) is not one of (?P<names>.+)\.", "没有 {given}，请选其一：{names}"),
    (r"(?P<kind>File|Directory|Path) (?P<name>.+) does not exist\.", "{name} 不存在，请改正路径"),
    (r"(?P<kind>File|Directory|Path) (?P<name>.+) is a file\.", "{name} 是文件，请给出目录"),
    (r"(?P<kind>File|Directory|Path) (?P<name>.+) is a directory\.", "{name} 是目录，请给出文件"),
    (r"(?P<kind>File|Directory|Path) (?P<name>.+) is not (?:read|writ)able\.",
     "{name} 没有读写权限，请给予权限或换一个"),
    (r"Got unexpected extra arguments? \((?P<words>.+)\)",
     "多出的参数：{words}。请去掉；含空格的文字要用引号括起来。"),
    (r"Option (?P<name>.+) requires an argument\.", "选项 {name} 后面要有一个值。"),
    (r"Option (?P<name>.+) requires (?P<count>\d+) arguments\.",
     "选项 {name} 后面要有 {count} 个值。"),
    (r"Option (?P<name>.+) does not take a value\.", "选项 {name} 不带值，请去掉它的值。"),
    (r"Missing command\.", "缺少命令。"),
)  # fmt: skip


class Failure(click.ClickException):
    """A TaishiError as one line on stderr and an exit code."""

    def __init__(self, text: str, language: str = "en") -> None:
        super().__init__(safe(text))
        self.language = language

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(_headed(self.message, self.language), file=file, err=file is None)


class UsageFailure(Failure):
    """An invalid argument or setting."""

    exit_code = 2


class CommandLineError(click.UsageError):
    """A command line that cannot be used: the usage, what is wrong, where to read on."""

    def __init__(self, text: str, ctx: click.Context | None, language: str) -> None:
        super().__init__(text, ctx)
        self.language = language

    def show(self, file: IO[Any] | None = None) -> None:
        help_line = f"{self.ctx.command_path if self.ctx else 'taishi'} --help"
        usage = [self.ctx.get_usage(), ""] if self.ctx else []
        if self.language == "zh":
            advice = f"用法说明见 `{help_line}`。"
        else:
            advice = f"Try '{help_line}' for help."
        lines = [*usage, _headed(self.message, self.language), advice]
        click.echo("\n".join(lines), file=file, err=file is None)


def told(error: TaishiError, app: CliContext, scope: Scope | None) -> str:
    """The error in the language of the messages; if it advises to list something, with the command
    that does."""
    english = str(error)
    text = error_in(english, app.language)
    for pattern, command in LISTS:
        if scope is not None and re.fullmatch(pattern, english, re.DOTALL):
            colon = "：" if app.language == "zh" else ": "
            return f"{text}{colon}`{app.command(command, scope)}`"
    return text


def failure(text: str, language: str, is_usage_error: bool) -> Failure:
    return (UsageFailure if is_usage_error else Failure)(text, language)


def system_error(error: OSError, language: str) -> str:
    """What the operating system says, about which file, and what to do."""
    said = error_in(error.strerror or str(error), language)
    if error.strerror and error.filename is not None:
        colon = "：" if language == "zh" else ": "
        said = f"{os.fsdecode(error.filename)}{colon}{said}"
    return f"{said}{ADVICE[language]}"


def translated(error: click.UsageError, language: str) -> click.UsageError:
    """The same error in the language of the messages, with the nearest name there is."""
    if isinstance(error, _HELP):
        return error  # its text is the help
    text = _chinese(error) if language == "zh" else _english(error)
    return CommandLineError(text, error.ctx, language)


def _english(error: click.UsageError) -> str:
    if option := _misplaced_option(error):
        return f"{option} comes after the command."
    if not _is_unknown_command(error):
        return error.format_message()
    nearest = _nearest_command(error)
    did_you_mean = f" Did you mean '{nearest}'?" if nearest else ""
    return f"No such command '{_command(error)}'.{did_you_mean}"


def _chinese(error: click.UsageError) -> str:
    if isinstance(error, click.MissingParameter):
        kind = "选项" if isinstance(error.param, click.Option) else "参数"
        return f"缺少{kind} {_name_of(error)}。"
    if option := _misplaced_option(error):
        return f"{option} 要写在命令之后。"
    if isinstance(error, click.NoSuchOption):
        return f"没有选项 {error.option_name}。{_suggested(error.possibilities)}"
    if isinstance(error, click.BadParameter):
        return f"{_name_of(error)} 的值无效：{_click_in_chinese(error.message)}"
    if _is_unknown_command(error):
        nearest = _nearest_command(error)
        return f"没有命令 '{_command(error)}'。{_suggested([nearest] if nearest else [])}"
    return _click_in_chinese(error.format_message())


def _click_in_chinese(text: str) -> str:
    for pattern, chinese in CLICK:
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return chinese.format(**found.groupdict())
    return error_in(text, "zh")


def _misplaced_option(error: click.UsageError) -> str:
    """The option, if a group does not know it and one of its commands does."""
    group = error.ctx.command if error.ctx else None
    if not isinstance(error, click.NoSuchOption) or not isinstance(group, click.Group):
        return ""
    known = {name for command in _commands_of(group) for one in command.params for name in one.opts}
    return error.option_name if error.option_name in known else ""


def _commands_of(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield from _commands_of(command) if isinstance(command, click.Group) else (command,)


def _is_unknown_command(error: click.UsageError) -> bool:
    return error.message.startswith("No such command")


def _command(error: click.UsageError) -> str:
    found = re.match(r"No such command ['\"](?P<name>.*?)['\"]\.", error.message, re.DOTALL)
    return found["name"] if found else ""


def _nearest_command(error: click.UsageError) -> str:
    """What other programs call so, else the nearest name, which Click tells only from 8.4 on."""
    group = error.ctx.command if error.ctx else None
    names = list(group.commands) if isinstance(group, click.Group) else []
    for ours, others in ELSEWHERE.items():
        if ours in names and _command(error).lower() in others:
            return ours
    return next(iter(difflib.get_close_matches(_command(error)[:100].lower(), names, 1)), "")


def _suggested(names: object) -> str:
    found = [str(name) for name in names] if isinstance(names, (list, tuple)) else []
    return f"是不是 {'、'.join(found)}？" if found else ""


def _name_of(error: click.BadParameter) -> str:
    if error.param is not None:
        return error.param.get_error_hint(error.ctx)
    hint = error.param_hint
    return hint if isinstance(hint, str) else "、".join(hint or ())


def _headed(text: str, language: str) -> str:
    return f"{'错误：' if language == 'zh' else 'Error: '}{text}"
