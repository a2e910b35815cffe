"""`taishi rescan`: what is stored, read again by today's redaction rules."""

from __future__ import annotations

from dataclasses import asdict

import click

from .context import CliContext, common_options, pass_app
from .output import one_line, progress, say, say_json


@click.command()
@common_options
@pass_app
def rescan(app: CliContext, as_json: bool) -> None:
    """Take secrets that newer rules find off the disk. 按新规则重新脱敏已存内容。"""
    with app.memory() as memory, progress(not as_json) as advance:
        done = memory.maintenance.rescan(
            lambda count, of: advance(app.word("rescanning"), count, of)
        )
    if as_json:
        say_json(asdict(done))
        return
    say(
        app.word(
            "rescanned",
            looked=done.looked,
            records=done.records,
            texts=done.texts,
            pages=done.pages,
            jobs=done.jobs,
        )
    )
    for what in done.left:
        say(app.word("rescan_left", what=one_line(what)))
