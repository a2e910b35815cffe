"""`taishi rescan`: applies today's redaction rules to stored text."""

from __future__ import annotations

from dataclasses import asdict

import click

from .context import CliContext, common_options, pass_app
from .output import one_line, progress, say, say_json


@click.command()
@common_options
@pass_app
def rescan(app: CliContext, as_json: bool) -> None:
    """Remove secrets that newer rules find from stored texts."""
    with app.memory() as memory, progress(not as_json) as advance:
        report = memory.maintenance.rescan(
            lambda count, total: advance(app.message("rescanning"), count, total)
        )
    if as_json:
        say_json(asdict(report))
        return
    say(
        app.message(
            "rescanned",
            looked=report.looked,
            records=report.records,
            texts=report.texts,
            pages=report.pages,
            jobs=report.jobs,
        )
    )
    for what in report.left:
        say(app.message("rescan_left", what=one_line(what)))
