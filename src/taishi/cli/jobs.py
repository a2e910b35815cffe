"""`taishi jobs` and `taishi ledger`: the historian's jobs, and what its models cost."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from ..language.error_texts import error_in
from .context import TIME, CliContext, Group, common_options, pass_app, to_time
from .output import one_line, say, say_json, table

JOB_STATES = ("pending", "processing", "failed")


@click.group(cls=Group)
def jobs() -> None:
    """The historian's jobs: waiting, running, failed."""


@jobs.command(name="list")
@click.option(
    "--state",
    "states",
    type=click.Choice(JOB_STATES),
    multiple=True,
    help="Only in this state; repeatable.",
)
@common_options
@pass_app
def show_all(app: CliContext, states: tuple[str, ...], as_json: bool) -> None:
    """List the jobs, oldest first; failed ones with the reason."""
    with app.memory() as memory:
        listed = [job for job in memory.jobs.list() if not states or job["state"] in states]
    if as_json:
        say_json({"jobs": [{k: v for k, v in job.items() if k != "job"} for job in listed]})
        return
    if not listed:
        say(app.message("no_jobs"))
        return
    headings = ("state", "job", "tries", "reason", "name")
    rows = [
        [
            app.message(job["state"]),
            job["event_id"],
            str(job["attempts"]),
            error_in(job["reason"], app.language),
            job["name"],
        ]
        for job in listed
    ]
    table([app.message(name) for name in headings], rows, right=(2,), whole=(0, 4))


@jobs.command()
@click.argument("name")
@common_options
@pass_app
def show(app: CliContext, name: str, as_json: bool) -> None:
    """Show one job in full, by its NAME or its event's id."""
    with app.memory() as memory:
        job = _find_job(app, memory.jobs.list(), name)
    if as_json:
        say_json(job)
        return
    state, tries = app.message(job["state"]), app.message("tries")
    say(f"{state} · {job['event_id']} · {tries} {job['attempts']}")
    if job["reason"]:
        say(f"{app.message('reason')}: {error_in(job['reason'], app.language)}")
    rows = [(key, str(value)) for key, value in (job["job"] or {}).items() if value]
    if rows:
        table((app.message("name"), app.message("value")), rows, whole=(0,))


@jobs.command()
@click.argument("names", nargs=-1, metavar="NAME…")
@click.option("--all", "every", is_flag=True, help="Every failed job.")
@common_options
@pass_app
def retry(app: CliContext, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Put failed jobs back into the queue, with a full set of tries."""
    if bool(names) == every:
        raise InputError(app.message("retry_what"))
    with app.memory() as memory:
        failed = [job for job in memory.jobs.list() if job["state"] == "failed"]
        chosen = failed if every else [_find_job(app, failed, name) for name in names]
        for job in chosen:
            memory.jobs.retry(job["name"])
    if as_json:
        say_json({"retried": [job["name"] for job in chosen]})
    else:
        say(app.message("jobs_retried", count=len(chosen)))


def _find_job(app: CliContext, jobs: list[dict[str, Any]], name: str) -> dict[str, Any]:
    for job in jobs:
        if name and name in (job["name"], job["event_id"]):
            return job
    raise InputError(app.message("no_such_job", name=one_line(name)))


@click.command()
@click.option("--since", metavar=TIME, help="Not before this day.")
@common_options
@pass_app
def ledger(app: CliContext, since: str | None, as_json: bool) -> None:
    """Calls to models and their cost, by day and task."""
    with app.memory() as memory:
        rows = memory.jobs.ledger(to_time(since))
    if as_json:
        say_json({"ledger": rows})
        return
    if not rows:
        say(app.message("no_calls"))
        return
    headings = (
        "day",
        "task",
        "model",
        "mode",
        "calls",
        "failed",
        "tokens_in",
        "tokens_out",
        "seconds",
        "cost",
        "last_error",
    )
    table(
        [app.message(name) for name in headings],
        [_cells(row) for row in rows],
        right=(4, 5, 6, 7, 8, 9),
        whole=(0, 1),
    )
    say(
        app.message(
            "ledger_sum",
            calls=sum(row["calls"] for row in rows),
            tokens=sum(row["prompt_tokens"] + row["completion_tokens"] for row in rows),
            cost=f"{sum(row['cost'] for row in rows):.4f}",
        )
    )


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["day"],
        row["task"],
        row["model"],
        row["mode"],
        str(row["calls"]),
        str(row["failed"]),
        str(row["prompt_tokens"]),
        str(row["completion_tokens"]),
        f"{row['seconds']:.1f}",
        f"{row['cost']:.4f}",
        row["last_error"],
    ]
