"""Caches parsed profiles and lines for the prompt blocks of one memory.

A profile stays the same over many questions, and parsing it costs more than the rest of a block.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..language.bounded_cache import BoundedCache
from .page_lines import PageText, page_text
from .readings import Readings, page_line, readings_of

PAGES_KEPT = 64
LINES_KEPT = 4096


class BlockTexts:
    """Contains users' text, so `forget` has to clear it."""

    def __init__(self) -> None:
        self.page_text: BoundedCache[PageText] = BoundedCache(page_text, PAGES_KEPT)
        self.readings_of: BoundedCache[Readings] = BoundedCache(readings_of, LINES_KEPT)
        self.page_line: BoundedCache[str] = BoundedCache(page_line, LINES_KEPT)

    def cached_texts(self) -> Iterator[str]:
        for cache in (self.page_text, self.readings_of, self.page_line):
            yield from (arguments[0] for arguments in cache.arguments())

    def clear_text(self) -> None:
        self.page_text.clear()
        self.readings_of.clear()
        self.page_line.clear()
