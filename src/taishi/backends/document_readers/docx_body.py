"""Turns the XML events of a Word document's text into blocks."""

from __future__ import annotations

from collections.abc import Iterator

from ...ports.documents import Block
from .limits import MAX_BLOCK_CHARS
from .outline import Outline
from .text_decoding import tidy

# Deleted text, field codes, the second half of what is there twice, and properties.
_SKIPPED = frozenset(("del", "moveFrom", "instrText", "delText", "Fallback", "rPr", "sectPr"))


class Body:
    """Collects paragraphs, lists and tables; `take` hands over what is complete."""

    def __init__(self, heading_levels: dict[str, int]) -> None:
        self._levels = heading_levels
        self._outline = Outline()
        self._ready: list[Block] = []
        self._skip = 0
        self._in_text = False
        self._words: list[str] = []
        self._level: int | None = None
        self._indent: int | None = None
        self._items: list[str] = []
        self._size = 0
        self._tables = 0
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[str] = []

    def take(self) -> Iterator[Block]:
        ready, self._ready = self._ready, []
        return iter(ready)

    def finish(self) -> None:
        self._end_paragraph()
        self._end_list()
        self._ready += self._outline.end()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._skip or tag in _SKIPPED:
            self._skip += 1
        elif tag == "t":
            self._in_text = True
        elif tag == "p":
            self._end_paragraph()
        elif tag == "pStyle":
            self._level = self._levels.get(attributes.get("val", ""), self._level)
        elif tag == "outlineLvl":
            depth = small_number(attributes.get("val", ""))
            self._level = depth + 1 if depth is not None and depth < 9 else self._level
        elif tag == "numPr":
            self._indent = 0
        elif tag == "ilvl" and self._indent is not None:
            self._indent = min(small_number(attributes.get("val", "")) or 0, 8)
        elif tag == "tbl":
            self._end_paragraph()
            self._end_list()
            self._tables += 1
        elif tag in ("tab", "ptab"):
            self._words.append("\t")
        elif tag in ("br", "cr"):
            self._words.append("\n")
        elif tag == "noBreakHyphen":
            self._words.append("-")

    def end(self, tag: str) -> None:
        if self._skip:
            self._skip -= 1
        elif tag == "t":
            self._in_text = False
        elif tag == "p":
            self._end_paragraph()
        elif tag == "tc" and self._tables == 1:
            self._end_cell()
        elif tag == "tr" and self._tables == 1:
            self._end_row()
        elif tag == "tbl":
            self._tables = max(0, self._tables - 1)
            if not self._tables:
                self._end_table()

    def text(self, data: str) -> None:
        if self._in_text and not self._skip:
            self._words.append(data)

    def _end_paragraph(self) -> None:
        text = tidy("".join(self._words)).strip()
        level, indent = self._level, self._indent
        self._words, self._level, self._indent = [], None, None
        if not text:
            return
        if self._tables:
            self._cell.append(text)
        elif level is not None:
            self._end_list()
            self._ready += self._outline.heading(level, text)
        elif indent is not None:
            self._items.append("  " * indent + "- " + text)
            self._size += len(text)
            if self._size > MAX_BLOCK_CHARS:
                self._end_list()
        else:
            self._end_list()
            self._ready.append(Block(text, self._outline.used()))

    def _end_list(self) -> None:
        if self._items:
            self._ready.append(Block("\n".join(self._items), self._outline.used(), kind="list"))
        self._items, self._size = [], 0

    def _end_cell(self) -> None:
        self._end_paragraph()
        self._row.append(" ".join(" ".join(self._cell).split()))
        self._cell = []

    def _end_row(self) -> None:
        row = " | ".join(self._row)
        self._row = []
        if row.strip(" |"):
            self._rows.append(row)
            self._size += len(row)
        if self._size > MAX_BLOCK_CHARS:
            header = self._rows[0]
            self._end_table()
            self._rows = [header]

    def _end_table(self) -> None:
        if self._rows:
            self._ready.append(Block("\n".join(self._rows), self._outline.used(), kind="table"))
        self._rows, self._row, self._cell, self._size = [], [], [], 0


def small_number(value: str) -> int | None:
    return int(value) if value.isdecimal() and len(value) < 3 else None
