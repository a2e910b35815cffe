"""`taishi models`: which local embedder is installed, and whether its files are intact."""

from __future__ import annotations

import click

from .context import CliContext, common_options, pass_app
from .output import pairs, say_json

MB = 1 << 20


@click.command()
@common_options
@pass_app
def models(app: CliContext, as_json: bool) -> None:
    """The local embedder: where its files are, and whether they are intact."""
    from ..assembly.models import installed_model

    model = installed_model()
    if as_json:
        say_json(
            {
                "name": model.name,
                "dimensions": model.dimensions,
                "folder": model.folder,
                "bytes": model.size,
                "ok": not model.problem,
                "problem": model.problem,
            }
        )
    else:
        keys = ("model", "dimensions", "folder", "size", "state")
        size = f"{model.size / MB:.0f} MB"
        values = (model.name, str(model.dimensions), model.folder, size, model.problem or "ok")
        pairs(app.message("embedder"), dict(zip(map(app.message, keys), values, strict=True)))
    if model.problem:
        click.get_current_context().exit(1)
