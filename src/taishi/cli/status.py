"""`taishi status`, `doctor` and `version`."""

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
        values = memory.status()
    if as_json:
        say_json(values)
        return
    headings = [app.message(key) for key in ("part", "name", "value")]
    table(headings, list(_status_rows(app, values)), whole=(0, 1))


def _status_rows(app: CliContext, status: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """One row per value; a part's name is shown in its first row."""
    general = {key: value for key, value in status.items() if not isinstance(value, Mapping)}
    parts = {key: value for key, value in status.items() if isinstance(value, Mapping)}
    for part, values in {"general": general, **parts}.items():
        title = app.message(part)
        for name, value in (values or {"–": ""}).items():
            yield title, app.message(name) if name in WORDS else name, _cell(value)
            title = ""


def _cell(value: Any) -> str:
    """One cell: the number of processes, the items of a list, the pairs of a mapping."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_cell(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        has_mappings = any(isinstance(item, Mapping) for item in value)
        return str(len(value)) if has_mappings else ", ".join(map(str, value)) or "–"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


@click.command()
@common_options
@pass_app
def doctor(app: CliContext, as_json: bool) -> None:
    """Check disk, database, queue, index, embedder, settings, clock; exit 1 on a problem. 体检。"""
    from ..doctor.checks import run_checks

    findings = list(run_checks(app.load))
    problems = sum(f.level == "problem" for f in findings)
    warnings = sum(f.level == "warning" for f in findings)
    if as_json:
        say_json({"ok": not problems, "findings": [f.to_dict(app.language) for f in findings]})
    else:
        rows = [(f.check, app.message(f.level), f.text(app.language)) for f in findings]
        table([app.message(key) for key in ("check", "state", "found")], rows, whole=(0, 1))
        key = "not_all_well" if problems or warnings else "all_well"
        say(app.message(key, problems=problems, warnings=warnings))
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
