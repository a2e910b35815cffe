"""`taishi demo`: plays a small story through a memory, asks about it, and tries to leak its
secrets."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from .messages import texts_for
from .render import present
from .run import demo_settings, play
from .story import load_story
from .with_model import FOLDER, is_configured, play_with_model

__all__ = ["run"]


def run(
    folder: Path | None = None,
    language: str = "auto",
    as_json: bool = False,
    config: Path | None = None,
) -> None:
    """Play the story and show the result. Without a folder, in a temporary one. Exits with 1 if a
    secret leaked."""
    words = texts_for(language)
    story = load_story(words["language"])
    settings = demo_settings(story, config)
    model = None
    with (
        nullcontext(folder) if folder else TemporaryDirectory(prefix="taishi-demo-") as data_folder
    ):
        result = play(story, Path(data_folder), settings)
        if is_configured(settings):
            model = play_with_model(story, Path(data_folder) / FOLDER, settings, result.told)
            result = replace(result, seconds=round(result.seconds + model.seconds, 1))
    if as_json:
        document = {
            **asdict(result),
            "with_model": asdict(model) if model else None,
            "failures": result.failures,
        }
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        present(result, model, story, words, folder)
    if result.failures:
        raise SystemExit(1)
