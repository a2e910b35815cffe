"""`taishi notes`: an agent's own pages of text, by path."""

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


PREFIX = click.option("--prefix", default="", help="Only paths that start with this.")
EXPECT = click.option(
    "--expect", type=click.IntRange(0), help="Only if it has this version; 0: none yet."
)
OPERATION = click.option("--operation", help="An id for this change, to repeat it safely.")


@click.group(cls=Group)
def notes() -> None:
    """MEMORY.md and notes of a scope, by path."""


@notes.command(name="list")
@PREFIX
@click.option("--limit", type=click.IntRange(1, 10_000), help="How many at most.")
@common_options
@pass_app
@scope_options
def show_all(app: CliContext, prefix: str, limit: int | None, as_json: bool, scope: Scope) -> None:
    """List the notes of the scope."""
    with app.memory() as memory:
        found = memory.notes.list(scope, prefix, limit)
    _show(app, found, as_json)


@notes.command()
@click.argument("query")
@PREFIX
@click.option("--limit", type=click.IntRange(1, 100), default=10, help="How many at most.")
@common_options
@pass_app
@scope_options
def search(
    app: CliContext, query: str, prefix: str, limit: int, as_json: bool, scope: Scope
) -> None:
    """Search the notes of the scope, by meaning and words."""
    with app.memory() as memory:
        found = memory.notes.search(scope, query, prefix, limit)
    if as_json:
        say_json({"matches": [asdict(one) for one in found]})
    elif found:
        rows = [[one.path, f"{one.score:.2f}", one.snippet] for one in found]
        headings = [app.message(f"note_{key}") for key in ("path", "score", "snippet")]
        table(headings, rows, right=(1,), whole=(0, 1))
    else:
        say(app.message("found_no_note"))


@notes.command()
@click.argument("path", default="MEMORY.md")
@click.option("--version", type=int, help="An earlier version; see taishi notes history.")
@common_options
@pass_app
@scope_options
def show(app: CliContext, path: str, version: int | None, as_json: bool, scope: Scope) -> None:
    """Print the note PATH; MEMORY.md if not given."""
    with app.memory() as memory:
        note = memory.notes.read(scope, path)
        if note is not None and version not in (None, note.version):
            versions = memory.notes.history(scope, path)
            note = next((one for one in versions if one.version == version), None)
    if note is None and version is not None:
        raise InputError(app.message("no_note_version", path=path, version=version))
    if note is None:
        raise InputError(app.message("no_note", path=path))
    if as_json:
        say_json(asdict(note))
    else:
        say(note.text)


@notes.command()
@click.argument("path")
@click.argument("text")
@click.option("--append", is_flag=True, help="Add it at the end.")
@EXPECT
@click.option("--description", help="What it is for.")
@click.option(
    "--max-chars",
    type=click.IntRange(0, 200_000),
    help="Maximum number of characters; 0: no limit.",
)
@OPERATION
@common_options
@pass_app
@scope_options
def write(
    app: CliContext,
    path: str,
    text: str,
    append: bool,
    expect: int | None,
    description: str | None,
    max_chars: int | None,
    operation: str | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Write TEXT to the note PATH; - is stdin."""
    if text == "-":
        text = sys.stdin.read()
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        if append:
            note = memory.notes.append(
                scope, path, text, operation=operation, actor="person", door="cli"
            )
        else:
            note = memory.notes.write(
                scope,
                path,
                text,
                expected_version=expect,
                description=description,
                max_chars=max_chars,
                operation=operation,
                actor="person",
                door="cli",
            )
    if note is not None:
        _show_written(app, note, as_json)


@notes.command()
@click.argument("path")
@common_options
@pass_app
@scope_options
def history(app: CliContext, path: str, as_json: bool, scope: Scope) -> None:
    """The versions of the note PATH, newest first."""
    with app.memory() as memory:
        found = memory.notes.history(scope, path)
    _show(app, found, as_json)


@notes.command()
@click.argument("path")
@click.argument("new_path")
@EXPECT
@OPERATION
@common_options
@pass_app
@scope_options
def rename(
    app: CliContext,
    path: str,
    new_path: str,
    expect: int | None,
    operation: str | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Rename the note or folder PATH to NEW_PATH."""
    with app.memory() as memory:
        moved = memory.notes.rename(
            scope, path, new_path, expected_version=expect, operation=operation
        )
    if not moved:
        raise InputError(app.message("no_note", path=path))
    if as_json:
        say_json({"notes": [asdict(note) for note in moved]})
    else:
        for note in moved:
            say(app.message("note_renamed", path=note.path))


@notes.command()
@click.argument("path")
@click.option("--folder", is_flag=True, help="All notes below PATH.")
@EXPECT
@OPERATION
@common_options
@pass_app
@scope_options
def remove(
    app: CliContext,
    path: str,
    folder: bool,
    expect: int | None,
    operation: str | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Remove the note PATH with its history."""
    with app.memory() as memory:
        removal = memory.notes.remove(
            scope, path, folder=folder, expected_version=expect, operation=operation
        )
    if not removal and expect is None and not removal.replayed:
        raise InputError(app.message("no_note", path=path))
    if as_json:
        say_json({"ok": True, "path": path, **asdict(removal)})
    elif removal.replayed:
        say(app.message("note_replayed"))
    elif folder:
        say(app.message("notes_removed", count=removal.removed))
    else:
        say(app.message("note_removed", path=path))


def _show_written(app: CliContext, note: Note, as_json: bool) -> None:
    if as_json:
        say_json(asdict(note))
        return
    say(app.message("note_written", path=note.path, version=note.version))
    if note.replayed:
        say(app.message("note_replayed"))
    if note.redacted:
        say(app.message("note_redacted", kinds=", ".join(note.redacted)))


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
