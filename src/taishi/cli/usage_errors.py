"""The usual errors of a command line in Chinese; Click and the settings have them in English."""

from __future__ import annotations

import os

import click

from ..errors import TaishiError, UnknownSettingError
from ..settings.loader import ENVIRONMENT
from ..settings.writer import CHANGE
from .messages import language_of, message


def translated(error: click.UsageError, lang: object) -> click.UsageError:
    """The same error in the language of the messages; one that is not known stays as it is."""
    text = _chinese(error) if _language(lang) == "zh" else ""
    return click.UsageError(text, error.ctx) if text else error


def text_of(error: TaishiError, lang: object) -> str:
    """What an error says, in the language of the messages where it can be said in both."""
    if not isinstance(error, UnknownSettingError) or _language(lang) != "zh":
        return str(error)
    source = error.source.replace(ENVIRONMENT, "环境变量")
    source = "此次修改" if source == CHANGE else source
    return message("zh", "unknown_setting", source=source, name=error.name, nearest=error.nearest)


def _language(lang: object) -> str:
    return str(lang) if lang in ("en", "zh") else language_of(os.environ)


def _chinese(error: click.UsageError) -> str:
    if isinstance(error, click.MissingParameter):
        kind = "选项" if isinstance(error.param, click.Option) else "参数"
        return f"缺少{kind} {_name_of(error)}。"
    if isinstance(error, click.NoSuchOption):
        return f"没有选项 {error.option_name}。{_suggested(error.possibilities)}"
    if isinstance(error, click.BadParameter):
        return f"{_name_of(error)} 的值无效：{error.message}"
    if error.message.startswith("No such command"):
        name, _, rest = error.message.removeprefix("No such command ").partition(".")
        close = rest.strip().removeprefix("Did you mean ").rstrip("?")
        return f"没有命令 {name}。{_suggested([close] if close else [])}"
    return ""


def _suggested(names: object) -> str:
    found = [str(name) for name in names] if isinstance(names, (list, tuple)) else []
    return f"是不是 {'、'.join(found)}？" if found else ""


def _name_of(error: click.BadParameter) -> str:
    if error.param is not None:
        return error.param.get_error_hint(error.ctx)
    hint = error.param_hint
    return hint if isinstance(hint, str) else "、".join(hint or ())
