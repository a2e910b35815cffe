"""`taishi demo`: plays a story that shows what the memory does."""

from __future__ import annotations

from pathlib import Path

import click

from .context import CliContext, json_option, pass_app, repeat_global_option


@click.command()
@click.option(
    "--data",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the demo's data here; by default it is deleted.",
)
@json_option
@repeat_global_option("config")
@repeat_global_option("lang")
@pass_app
def demo(app: CliContext, folder: Path | None, as_json: bool) -> None:
    """Show what Taishi does, using made-up chats."""
    from ..demo import run

    if folder is None and app.data:
        folder = Path(app.data)
    run(folder, app.language, as_json, Path(app.config) if app.config else None)
