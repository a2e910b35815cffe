"""A person's own memory, used from whatever folder they work in: `taishi hook`, `mcp --project`.

The folder may be a stranger's repository. So neither its `taishi.toml` is read nor is a `data`
folder made in it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from .context import CliContext
from .output import safe

HOME = "~/.taishi"
SETTINGS_FILE = "taishi.toml"
PROJECT = "taishi.project"  # in click's own notes on a call


def personal_context(app: CliContext) -> CliContext:
    """The same options; the folder is ~/.taishi and the settings are in it, unless named."""
    config = app.config or os.environ.get("TAISHI_CONFIG")
    if config:
        return app
    data = app.data or os.environ.get("TAISHI_DATA") or HOME
    file = Path(data).expanduser() / SETTINGS_FILE
    is_ours = "://" not in data and file.is_file()
    return replace(app, data=data, config=str(file) if is_ours else os.devnull)


def is_personal(app: CliContext) -> bool:
    """Whether nobody named a settings file: it is the one of the data folder, or none yet."""
    own = Path(app.data or HOME).expanduser() / SETTINGS_FILE
    return not app.config or app.config in (os.devnull, str(own))


def named_project(ctx: click.Context) -> str | None:
    """The folder that `use_project` was given."""
    found = ctx.meta.get(PROJECT)
    return found if isinstance(found, str) else None


def use_project(ctx: click.Context, param: click.Parameter, folder: str | None) -> None:
    """For an option that names a project's folder: the scope and the memory follow from it."""
    from ..adapters.claude_code.project import owner_in

    if folder is None:
        return
    if not Path(folder).expanduser().is_dir():
        app = ctx.ensure_object(CliContext)
        raise click.BadParameter(app.message("no_project", folder=safe(folder)), ctx, param)
    ctx.meta[PROJECT] = folder
    scope = owner_in(os.environ).scope(folder)
    ctx.default_map = {**(ctx.default_map or {}), "user": scope.user, "group": scope.group}
    ctx.obj = personal_context(ctx.ensure_object(CliContext))
