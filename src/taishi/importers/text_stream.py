"""Text of a file in whatever encoding it has, a piece at a time.

Exports are UTF-8, but Windows programs save UTF-16 and GBK, and most put a BOM in front.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Protocol

from ..errors import InputError

PIECE = 1 << 18  # bytes
SNIFFED = 1 << 16
MAX_LINE_CHARS = 16_000_000
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Bytes(Protocol):
    def read(self, size: int, /) -> bytes: ...


class TextStream:
    """`read` gives the next characters, "" at the end."""

    def __init__(self, data: Bytes, encoding: str | None = None) -> None:
        self._data = data
        self._first = data.read(SNIFFED)
        self.encoding = _known(encoding) if encoding else sniffed(self._first)
        self._decoder = codecs.getincrementaldecoder(self.encoding)("strict")
        self._bytes = 0
        self._is_over = False
        self._pending = ""

    def peek(self) -> str:
        """The first character that is no space; "" in an empty file. Only at the beginning."""
        while not (found := self._pending.lstrip()) and (piece := self.read()):
            self._pending = piece
        return found[:1]

    def read(self) -> str:
        if self._pending:
            text, self._pending = self._pending, ""
            return text
        while not self._is_over:
            piece, self._first = self._first or self._data.read(PIECE), b""
            self._is_over = not piece
            if text := self._decoded(piece):
                return text
        return ""

    def _decoded(self, piece: bytes) -> str:
        try:
            text = self._decoder.decode(piece, final=self._is_over)
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte {self._bytes + error.start} is not {self.encoding}; name the encoding of "
                "the file with encoding (--encoding gb18030, for example), or save it as UTF-8"
            ) from error
        self._bytes += len(piece)
        return text

    def lines(self) -> Iterator[str | None]:
        """The lines with their ends; None for one that is too long, which is skipped."""
        rest, is_skipping = "", False
        while piece := self.read():
            first, *others = (rest + piece).split("\n")
            rest = first
            for other in others:
                yield None if is_skipping else rest + "\n"
                rest, is_skipping = other, False
            if len(rest) > MAX_LINE_CHARS:
                rest, is_skipping = "", True
        if rest or is_skipping:
            yield None if is_skipping else rest


def sniffed(first: bytes) -> str:
    """The encoding that the beginning of a file has."""
    for bom, name in _BOMS:
        if first.startswith(bom):
            return name
    if len(first) >= 4 and first[1::2].count(0) > len(first) // 4:
        return "utf-16-le"
    if len(first) >= 4 and first[::2].count(0) > len(first) // 4:
        return "utf-16-be"
    for name in ("utf-8", "gb18030"):
        try:
            codecs.getincrementaldecoder(name)("strict").decode(first, final=False)
        except UnicodeDecodeError:
            continue
        return name
    raise InputError("this is no text in UTF-8, UTF-16 or GBK; name its encoding with encoding")


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise InputError(f"{encoding!r:.40} is no encoding; use utf-8, utf-16 or gb18030") from None
