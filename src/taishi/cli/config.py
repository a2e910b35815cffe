"""`taishi config`: the settings file, its example, its check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from ..settings import example_toml, to_dict
from .app import App, Group, common_options, pass_app
from .output import say, say_json, table


@click.group(cls=Group)
def config() -> None:
    """Settings: example, show, check. 设置。"""


@config.command()
@common_options
def example(as_json: bool) -> None:
    """Print a settings file with every default. 输出示例设置文件。"""
    text = example_toml()
    if as_json:
        say_json({"toml": text})
    else:
        say(text.rstrip("\n"))


@config.command()
@common_options
@pass_app
def show(app: App, as_json: bool) -> None:
    """Show the settings in force; keys are masked. 显示当前设置，密钥不显示。"""
    tree = to_dict(app.settings)
    if as_json:
        say_json(tree)
    else:
        rows = [(key, str(value)) for key, value in _flat(tree)]
        table((app.word("setting"), app.word("value")), rows, whole=(0,))


@config.command()
@common_options
@pass_app
def check(app: App, as_json: bool) -> None:
    """Check the settings file and the environment; exit 2 if wrong. 检查设置。"""
    data = app.settings.memory.data
    if as_json:
        say_json({"ok": True, "data": data})
    else:
        say(app.word("settings_ok", data=data))


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
