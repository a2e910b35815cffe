"""`taishi notes`: an agent's own Markdown files, by path."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from ..types import Scope
from .context import CliContext, Group, common_options, pass_app, scope_options
from .output import say, say_json, table

if TYPE_CHECKING:
    from ..ports.knowledge import Note


@click.group(cls=Group)
def notes() -> None:
    """MEMORY.md and notes of a scope, by path. 笔记。"""


@notes.command(name="list")
@common_options
@pass_app
@scope_options
def show_all(app: CliContext, as_json: bool, scope: Scope) -> None:
    """List the notes of the scope. 列出笔记。"""
    with app.memory() as memory:
        found = memory.notes.list(scope)
    _show(app, found, as_json)


@notes.command()
@click.argument("path", default="MEMORY.md")
@common_options
@pass_app
@scope_options
def show(app: CliContext, path: str, as_json: bool, scope: Scope) -> None:
    """Print the note PATH; MEMORY.md if not given. 查看笔记。"""
    with app.memory() as memory:
        note = memory.notes.read(scope, path)
    if note is None:
        raise InputError(app.message("no_note", path=path))
    if as_json:
        say_json(asdict(note))
    else:
        say(note.text)


@notes.command()
@click.argument("path")
@click.argument("text")
@click.option("--append", is_flag=True, help="Add it at the end. 追加到末尾。")
@click.option(
    "--expect", type=click.IntRange(0), help="Only if it has this version; 0: none yet. 期望版本。"
)
@common_options
@pass_app
@scope_options
def write(
    app: CliContext,
    path: str,
    text: str,
    append: bool,
    expect: int | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Write TEXT to the note PATH; - is stdin. 写入笔记。"""
    if text == "-":
        text = sys.stdin.read()
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        if append:
            note = memory.notes.append(scope, path, text, actor="person", door="cli")
        else:
            who = {"actor": "person", "door": "cli"}
            note = memory.notes.write(scope, path, text, expected_version=expect, **who)
    if note is not None and as_json:
        say_json(asdict(note))
    elif note is not None:
        say(app.message("note_written", path=note.path, version=note.version))


@notes.command()
@click.argument("path")
@common_options
@pass_app
@scope_options
def history(app: CliContext, path: str, as_json: bool, scope: Scope) -> None:
    """The versions of the note PATH, newest first. 历史版本。"""
    with app.memory() as memory:
        found = memory.notes.history(scope, path)
    _show(app, found, as_json)


@notes.command()
@click.argument("path")
@common_options
@pass_app
@scope_options
def remove(app: CliContext, path: str, as_json: bool, scope: Scope) -> None:
    """Remove the note PATH with its history. 移除笔记。"""
    with app.memory() as memory:
        removed = memory.notes.remove(scope, path)
    if not removed:
        raise InputError(app.message("no_note", path=path))
    if as_json:
        say_json({"ok": True, "path": path})
    else:
        say(app.message("note_removed", path=path))


def _show(app: CliContext, found: list[Note], as_json: bool) -> None:
    if as_json:
        say_json({"notes": [asdict(note) for note in found]})
    elif found:
        rows = [
            [
                note.path,
                str(note.version),
                datetime.fromtimestamp(note.updated, UTC).isoformat(timespec="seconds"),
                str(len(note.text)),
            ]
            for note in found
        ]
        headings = [app.message(f"note_{key}") for key in ("path", "version", "updated", "chars")]
        table(headings, rows, right=(1, 3), whole=(0, 2))
    else:
        say(app.message("no_notes"))
