"""`taishi config`: show, check and change the settings file."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from ..errors import UnknownSettingError
from ..settings import (
    Settings,
    example_toml,
    ignored_file,
    load,
    to_dict,
    unread_variables,
)
from ..settings.addresses import without_password
from ..settings.live import OFF_SWITCH, is_live
from ..settings.loader import OVERRIDES, locate, read_content, scalar
from ..settings.spec import walk
from .context import CliContext, Group, common_options, pass_app
from .output import note, say, say_json, table


@click.group(cls=Group)
def config() -> None:
    """Settings: example, show, check, set, unset."""


@config.command()
@common_options
def example(as_json: bool) -> None:
    """Print a settings file with every default."""
    text = example_toml()
    if as_json:
        say_json({"toml": text})
    else:
        say(text.rstrip("\n"))


@config.command()
@click.argument("key", required=False)
@common_options
@pass_app
def show(app: CliContext, key: str | None, as_json: bool) -> None:
    """Show the settings in force, or KEY, and where each comes from; keys are masked."""
    tree, sources = to_dict(app.settings), dict(app.settings.origin.given)
    if key is not None:
        tree = _part(tree, key)
        sources = {
            name: source for name, source in sources.items() if f"{name}.".startswith(f"{key}.")
        }
    if as_json:
        say_json({**tree, "from": dict(sorted(sources.items()))})
        return
    names = {"": app.message("from_default"), OVERRIDES: app.message("from_option")}
    rows = [
        (key, str(value), names.get(source := sources.get(key, ""), source))
        for key, value in _flat(tree)
    ]
    heads = [app.message(name) for name in ("setting", "value", "setting_from")]
    table(heads, rows, whole=(0,))


@config.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@common_options
@pass_app
def check(app: CliContext, file: Path | None, as_json: bool) -> None:
    """Check FILE, or the file in use, and the environment; exit 2 if wrong."""
    app = replace(app, warns=False)
    settings = load(file) if file is not None else app.settings
    data = without_password(settings.memory.data)
    unread = unread_variables(settings.origin.environ)
    ignored = ignored_file(settings) if file is None else None
    read = settings.origin.file if settings.origin.content is not None else None
    if as_json:
        found = {"file": read and str(read), "ignored_file": ignored and str(ignored)}
        names = [one.name for one in unread]
        say_json({"ok": True, "data": data, **found, "unread": names})
        return
    say(app.message("settings_ok" if read else "settings_default", file=read, data=data))
    if ignored is not None:
        note(app.message("settings_ignored", file=ignored))
    for one in unread:
        key = "variable_nearest" if one.nearest else "variable_unread"
        note(app.message(key, name=one.name, nearest=one.nearest))


@config.command("set")
@click.argument("key")
@click.argument("value")
@common_options
@pass_app
def set_(app: CliContext, key: str, value: str, as_json: bool) -> None:
    """Set KEY to VALUE in the settings file, comments kept; - reads stdin."""
    text = sys.stdin.read().strip() if value == "-" else value
    spec = dict(walk(Settings)).get(tuple(key.split(".")))
    _change(app, key, scalar(text, spec), as_json)


@config.command()
@click.argument("key")
@common_options
@pass_app
def unset(app: CliContext, key: str, as_json: bool) -> None:
    """Remove KEY from the settings file; the default applies again."""
    _change(app, key, None, as_json)


def _change(app: CliContext, key: str, value: Any, as_json: bool) -> None:
    from ..settings.writer import change, overridden

    origin = locate(Path(app.config) if app.config else None)
    previous_content = read_content(origin.file, required=False) if origin.file else None
    settings = change(origin, {key: value})
    overridden_by = overridden(settings, [key]).get(key)
    file, applies_now = str(settings.origin.file), is_live(key, settings)
    is_unchanged = settings.origin.content == (previous_content or b"")
    if as_json:
        say_json(
            {
                "key": key,
                "file": file,
                "live": applies_now,
                "changed": not is_unchanged,
                "overridden": overridden_by,
            }
        )
        return
    message_key = "setting_unset" if value is None else "setting_set"
    say(app.message("setting_same" if is_unchanged else message_key, name=key, file=file))
    if not is_unchanged:
        switched_on = key == OFF_SWITCH and not applies_now
        restart = "setting_switched_on" if switched_on else "setting_restart"
        say(app.message("setting_live" if applies_now else restart))
    if overridden_by is not None:
        note(app.message("setting_overridden", name=key, by=overridden_by))


def _part(tree: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The setting or section KEY, within the sections around it."""
    path = key.split(".")
    value: Any = tree
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            known = [".".join(one) for one in dict(walk(Settings))]
            nearest = difflib.get_close_matches(key[:100], known, n=1, cutoff=0)[0]
            raise UnknownSettingError("the settings in force", key[:100], nearest)
        value = value[name]
    for name in reversed(path):
        value = {name: value}
    return cast(dict[str, Any], value)


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
