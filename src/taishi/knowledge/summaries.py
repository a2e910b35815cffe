"""Summaries of documents: from their first sentences."""

from __future__ import annotations

from collections.abc import Iterable

from ..language.text import one_line, sentences

MAX_CHARS = 300


def first_sentences(texts: Iterable[str], most: int = MAX_CHARS) -> str:
    """As many whole sentences as fit, from the beginning; the first one cut if it does not."""
    kept: list[str] = []
    length = 0
    for sentence in sentences("\n".join(texts)):
        line = one_line(sentence, most)
        if kept and length + len(line) > most:
            break
        kept.append(line)
        length += len(line) + 1
    return " ".join(kept)[: most + 1].strip()
