"""`taishi demo`: a small story, remembered, asked about and not given away."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from .replay import perform
from .stage import present
from .story import load_story
from .words import words_for

__all__ = ["run"]


def run(folder: Path | None = None, language: str = "auto", as_json: bool = False) -> None:
    """Play the story and show it. No folder: a temporary one. Exits with 1 if a secret got out."""
    story = load_story()
    with nullcontext(folder) if folder else TemporaryDirectory(prefix="taishi-demo-") as place:
        show = perform(story, Path(place))
    if as_json:
        facts = {**asdict(show), "failures": show.failures}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    else:
        present(show, story, words_for(language), folder)
    if show.failures:
        raise SystemExit(1)
