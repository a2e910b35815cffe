"""Caches parsed profiles and lines for the prompt blocks of one memory.

A profile stays the same over many questions, and parsing it costs more than the rest of a block.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..language.bounded_cache import BoundedCache
from ..language.gate import check
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
        self.is_relative: BoundedCache[bool] = BoundedCache(_is_relative, LINES_KEPT)
        self.tells_time: BoundedCache[bool] = BoundedCache(_tells_time, LINES_KEPT)

    def cached_texts(self) -> Iterator[str]:
        lines = (self.readings_of, self.page_line, self.is_relative, self.tells_time)
        for cache in (self.page_text, *lines):
            yield from (arguments[0] for arguments in cache.arguments())

    def clear_text(self) -> None:
        self.page_text.clear()
        self.readings_of.clear()
        self.page_line.clear()
        self.is_relative.clear()
        self.tells_time.clear()


def _is_relative(text: str) -> bool:
    """Whether it counts from when or where it was said: "yesterday", "here"."""
    return any(fault.reason in ("relative_time", "relative_place") for fault in check(text))


def _tells_time(text: str) -> bool:
    """Whether it has a time that counts from when it was said. A reader has that from the line; who
    "we" are, or what "it" is, no line tells."""
    return any(fault.reason == "relative_time" for fault in check(text))
