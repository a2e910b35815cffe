"""The commands that look after it: status, doctor, version."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from typing import Any

import click

from .context import CliContext, common_options, pass_app
from .messages import WORDS
from .output import say, say_json, table


@click.command()
@common_options
@pass_app
def status(app: CliContext, as_json: bool) -> None:
    """What is kept, what waits, how fast. 状态。"""
    with app.memory() as memory:
        found = memory.status()
    if as_json:
        say_json(found)
        return
    headings = [app.word(key) for key in ("part", "name", "value")]
    table(headings, list(_status_rows(app, found)), whole=(0, 1))


def _status_rows(app: CliContext, found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """A row for each value; a part's name stands at its first."""
    general = {key: value for key, value in found.items() if not isinstance(value, Mapping)}
    parts = {key: value for key, value in found.items() if isinstance(value, Mapping)}
    for part, values in {"general": general, **parts}.items():
        title = app.word(part)
        for name, value in (values or {"–": ""}).items():
            yield title, app.word(name) if name in WORDS else name, _cell(value)
            title = ""


def _cell(value: Any) -> str:
    """One cell: of processes how many, of lists and tables what is in them."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_cell(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        whole = any(isinstance(one, Mapping) for one in value)
        return str(len(value)) if whole else ", ".join(map(str, value)) or "–"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


@click.command()
@common_options
@pass_app
def doctor(app: CliContext, as_json: bool) -> None:
    """Check disk, database, queue, index, embedder, settings, clock; exit 1 on a problem. 体检。"""
    from ..doctor.checks import examine

    findings = list(examine(app.load))
    problems = sum(f.level == "problem" for f in findings)
    warnings = sum(f.level == "warning" for f in findings)
    if as_json:
        say_json({"ok": not problems, "findings": [f.to_dict(app.language) for f in findings]})
    else:
        rows = [(f.check, app.word(f.level), f.text(app.language)) for f in findings]
        table([app.word(key) for key in ("check", "state", "found")], rows, whole=(0, 1))
        key = "not_all_well" if problems or warnings else "all_well"
        say(app.word(key, problems=problems, warnings=warnings))
    if problems:
        click.get_current_context().exit(1)


@click.command()
@common_options
def version(as_json: bool) -> None:
    """The version. 版本。"""
    from .. import __version__

    if as_json:
        say_json({"version": __version__, "python": platform.python_version()})
    else:
        say(f"taishi {__version__} · Python {platform.python_version()}")
