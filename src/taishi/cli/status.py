"""`taishi status`, `doctor` and `version`."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import click

from ..errors import SettingsError
from .context import CliContext, common_options, pass_app
from .messages import WORDS
from .output import note, say, say_json, table

MAX_FOUND = 2000  # what to do is at the end of what a check found


@click.command()
@common_options
@pass_app
def status(app: CliContext, as_json: bool) -> None:
    """What is stored, what is waiting, how fast it is."""
    with app.memory() as memory:
        values = memory.status()
    if as_json:
        say_json(values)
        return
    headings = [app.message(key) for key in ("part", "name", "value")]
    table(headings, list(_status_rows(app, values)), whole=(0, 1))
    waiting = sum(values.get("queue", {}).get(state, 0) for state in ("pending", "processing"))
    if waiting and not values["workers"]["running"]:
        note(app.message("nobody_works", waiting=waiting))
    _show_processes(app, [row for row in values.get("processes", ()) if not row["own"]])


def _show_processes(app: CliContext, processes: Sequence[Mapping[str, Any]]) -> None:
    """Every other process that has the memory open."""
    if not processes:
        return
    names = ("process_role", "process_id", "process_host", "process_since", "process_historians")
    headings = [app.message(name) for name in (*names, "process_jobs", "process_version")]
    rows = [
        (
            row["role"],
            str(row["pid"]),
            row["host"],
            _moment(row["since"]),
            str(row["workers"]["running"]),
            str(row["jobs"]["done"]),
            row["version"],
        )
        for row in sorted(processes, key=lambda row: (row["role"], row["since"]))
    ]
    table(headings, rows, right=(4, 5), whole=(0, 1, 2, 3))


def _moment(epoch: float) -> str:
    if not epoch:
        return "–"
    return datetime.fromtimestamp(epoch).astimezone().isoformat(" ", "seconds")


def _status_rows(app: CliContext, status: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """One row per value; a part's name is shown in its first row."""
    general = {key: value for key, value in status.items() if not isinstance(value, Mapping)}
    parts = {key: value for key, value in status.items() if isinstance(value, Mapping)}
    parts["fleet"] = {
        f"{row['host']} {row['pid']}": app.message(
            "fleet_process", role=row["role"] or "–", workers=row["workers"]["running"]
        )
        for row in status.get("processes", ())
    }
    for part, values in {"general": general, **parts}.items():
        title = app.message(part)
        for name, value in (values or {"–": ""}).items():
            yield title, _name(app, name), _cell(app, value)
            title = ""


def _name(app: CliContext, name: str) -> str:
    return app.message(name) if name in WORDS else name


def _cell(app: CliContext, value: Any) -> str:
    """One cell: the number of processes, the items of a list, the pairs of a mapping."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_name(app, name)} {_cell(app, inner)}" for name, inner in value.items())
    if isinstance(value, list):
        has_mappings = any(isinstance(item, Mapping) for item in value)
        return str(len(value)) if has_mappings else ", ".join(map(str, value)) or "–"
    if isinstance(value, bool):
        return app.message("yes" if value else "no")
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return app.value("tokenizer", str(value))


@click.command()
@common_options
@pass_app
def doctor(app: CliContext, as_json: bool) -> None:
    """Check disk, database, queue, index, embedder, settings, clock; exit 1 on a problem."""
    from ..doctor.checks import run_checks

    app = replace(app, warns=False)
    with suppress(SettingsError):  # wrong settings are a finding, not an end
        app.need_engine()
    findings = list(run_checks(app.load))
    problems = sum(f.level == "problem" for f in findings)
    warnings = sum(f.level == "warning" for f in findings)
    if as_json:
        say_json({"ok": not problems, "findings": [f.to_dict(app.language) for f in findings]})
    else:
        rows = [(f.check, app.message(f.level), f.text(app.language)) for f in findings]
        headings = [app.message(key) for key in ("check", "state", "found")]
        table(headings, rows, whole=(0, 1), longest=MAX_FOUND)
        key = "not_all_well" if problems or warnings else "all_well"
        say(app.message(key, problems=problems, warnings=warnings))
    if problems:
        click.get_current_context().exit(1)


@click.command()
@common_options
def version(as_json: bool) -> None:
    """The version."""
    from .. import __version__

    if as_json:
        say_json({"version": __version__, "python": platform.python_version()})
    else:
        say(f"taishi {__version__} · Python {platform.python_version()}")
