"""`taishi index`: the vector engine outside this process, verified and rebuilt."""

from __future__ import annotations

from dataclasses import asdict

import click

from .context import CliContext, Group, common_options, pass_app
from .output import one_line, progress, say, say_json


@click.group(cls=Group)
def index() -> None:
    """The vector engine of storage.vectors."""


@index.command()
@common_options
@pass_app
def verify(app: CliContext, as_json: bool) -> None:
    """Compare the engine with the store; exit 1 if they differ."""
    with app.memory() as memory, progress(not as_json) as advance:
        found = memory.maintenance.verify_vectors(
            lambda count, total: advance(app.message("verifying_vectors"), count, total)
        )
    values = asdict(found)
    if as_json:
        say_json({**values, "ok": found.ok})
    else:
        say(app.message("vectors_verified", **{**values, "engine": one_line(found.engine)}))
        say(app.message("vectors_equal" if found.ok else "vectors_differ", **values))
    if not found.ok:
        click.get_current_context().exit(1)


@index.command(name="rebuild")
@common_options
@pass_app
def rebuild_engine(app: CliContext, as_json: bool) -> None:
    """Empty the engine and feed it every stored vector again."""
    with app.memory() as memory, progress(not as_json) as advance:
        count = memory.maintenance.rebuild_vectors(
            lambda done, total: advance(app.message("rebuilding_vectors"), done, total)
        )
    if as_json:
        say_json({"vectors": count})
        return
    say(app.message("vectors_rebuilt", count=count))
