"""`taishi demo`: a small story, remembered, asked about and not given away."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from .messages import words_for
from .render import present
from .run import demo_settings, perform
from .story import load_story
from .with_model import FOLDER, is_configured, perform_with_model

__all__ = ["run"]


def run(
    folder: Path | None = None,
    language: str = "auto",
    as_json: bool = False,
    config: Path | None = None,
) -> None:
    """Play the story and show it. No folder: a temporary one. Exits with 1 if a secret got out."""
    story = load_story()
    settings = demo_settings(story, config)
    model = None
    with nullcontext(folder) if folder else TemporaryDirectory(prefix="taishi-demo-") as place:
        show = perform(story, Path(place), settings)
        if is_configured(settings):
            model = perform_with_model(story, Path(place) / FOLDER, settings, show.told)
            show = replace(show, seconds=round(show.seconds + model.seconds, 1))
    if as_json:
        facts = {
            **asdict(show),
            "with_model": asdict(model) if model else None,
            "failures": show.failures,
        }
        sys.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    else:
        present(show, model, story, words_for(language), folder)
    if show.failures:
        raise SystemExit(1)
