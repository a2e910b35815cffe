"""The titles above the place that is being read, for every format that has headings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ...language.text import one_line
from ...ports.documents import Block
from .limits import MAX_TITLE_CHARS


class Outline:
    """Follows the headings of a document. A heading that nothing stands under would be lost: it
    becomes a block of its own."""

    def __init__(self) -> None:
        self._titles: list[tuple[int, str]] = []
        self._is_bare = False

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._titles)

    def heading(self, level: int, title: str, page: int | None = None) -> Iterator[Block]:
        """Opens a section; ends those of the same and of deeper levels."""
        title = one_line(title[: MAX_TITLE_CHARS * 2], MAX_TITLE_CHARS)
        if not title:
            return
        if self._titles and level <= self._titles[-1][0]:
            yield from self.end(page)
        while self._titles and self._titles[-1][0] >= level:
            self._titles.pop()
        self._titles.append((level, title))
        self._is_bare = True

    def used(self) -> tuple[str, ...]:
        """The section of a block that stands here."""
        self._is_bare = False
        return self.section

    def end(self, page: int | None = None) -> Iterator[Block]:
        """The innermost title as a block, if nothing came under it."""
        if self._is_bare:
            yield Block(self._titles[-1][1], self.section, page)
            self._is_bare = False


def first_title(blocks: Iterator[Block]) -> tuple[str, Iterator[Block]]:
    """The outermost title above the first block, and all the blocks."""
    first = next(blocks, None)
    if first is None:
        return "", iter(())
    return first.section[0] if first.section else "", chain((first,), blocks)
