"""Splits a block that is too large for one chunk into pieces, where the text itself pauses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..ports.documents import Block
from .lazy_regex import lazy_compile
from .text import sentence_spans
from .token_bound import CHARS_PER_TOKEN
from .token_count import visible_boundary

Count = Callable[[str], int]
CutHere = Callable[[str, int, int, int], bool]

BETWEEN_BLOCKS = "\n\n"
# The header row is repeated if it leaves most of the chunk to the rows.
HEADER_SHARE = 3
LONGEST_HEADER = 2_000
NEWLINE_TOKENS = 2
FIRST_GUESS = 3.0  # characters a token
MARGIN = 0.97
VISIBLE_REACH = 64
WORD_ENDS = " \n\t，、；：。"

_DEFINITION = lazy_compile(
    r"(?:export |default |public |private |protected |static |async |abstract |final |pub )*+"
    r"(?:@\w|(?:def|class|function|func|fn|interface|struct|enum|impl|trait|module|type|CREATE) )"
)


class Piece(NamedTuple):
    """A part of a block. `joint` is what stands before it if it is not the first in its chunk;
    `prose` may overlap with what follows."""

    text: str
    tokens: int
    joint: str
    prose: bool


def split_block(block: Block, max_tokens: int, largest: int, count: Count) -> Iterator[Piece]:
    """The block as one piece if it fits into `max_tokens`, else in pieces; a sentence is cut into
    pieces of at most `largest` tokens."""
    text = block.text.strip("\n") if block.kind == "code" else block.text.strip()
    if not text or text.isspace():
        return
    prose = block.kind in ("text", "list")
    if len(text) <= max_tokens * CHARS_PER_TOKEN:
        tokens = count(text)
        if tokens <= max_tokens:
            yield Piece(text, tokens, BETWEEN_BLOCKS, prose)
            return
    splitter = _Splitter(max_tokens, largest, count)
    if block.kind == "table":
        yield from splitter.table(text)
    else:
        parts = splitter.code(text) if block.kind == "code" else splitter.prose(text)
        joint = BETWEEN_BLOCKS
        for piece in parts:
            yield piece._replace(joint=joint or piece.joint)
            joint = ""


class _Splitter:
    def __init__(self, max_tokens: int, largest: int, count: Count) -> None:
        self._max_tokens = max_tokens
        self._largest = largest
        self._count = count
        self._chars_per_token = FIRST_GUESS

    def prose(self, text: str) -> Iterator[Piece]:
        """Sentences, and words of a sentence that is too long."""
        end = 0
        for span in sentence_spans(text, semicolons=False):
            joint = _joint(text[end : span.start])
            end = span.end
            yield from self._whole_or_words(text, span.start, span.end, joint, prose=True)

    def code(self, text: str) -> Iterator[Piece]:
        """Definitions if they fit, else what is between blank lines, else lines, else words."""
        for start, end in _cut_before(text, 0, len(text), _begins_definition):
            for first, last in self._fitting_or(text, start, end, _follows_blank_line):
                part = text[first:last]
                tokens = self._tokens_if_fits(part, self._max_tokens)
                if tokens is not None:
                    yield Piece(part, tokens, _joint(text[max(0, first - 2) : first]), False)
                    continue
                for line, line_end in _lines(text, first, last):
                    yield from self._whole_or_words(text, line, line_end, "\n", prose=False)

    def _fitting_or(
        self, text: str, start: int, end: int, cut_here: CutHere
    ) -> Iterator[tuple[int, int]]:
        if self._tokens_if_fits(text[start:end], self._max_tokens) is not None:
            yield start, end
        else:
            yield from _cut_before(text, start, end, cut_here)

    def table(self, text: str) -> Iterator[Piece]:
        """Rows, as many as fit, under the header row. Each piece is a chunk's worth."""
        header, start = self._header(text)
        room = self._max_tokens - (self._count(header + "\n") if header else 0)
        rows: list[str] = []
        tokens = 0
        for first, last in _lines(text, start, len(text)):
            for row in self._whole_or_words(text, first, last, "\n", False, room):
                if rows and tokens + row.tokens > room:
                    # Full, whatever the sum says: two parts in one chunk would have two headers.
                    yield self._table_piece(header, rows)._replace(tokens=self._max_tokens)
                    rows, tokens = [], 0
                rows.append(row.text)
                tokens += row.tokens + NEWLINE_TOKENS
        if rows:
            yield self._table_piece(header, rows)

    def _header(self, text: str) -> tuple[str, int]:
        """The first row and where the second begins; no row if it leaves the others no room."""
        stop = text.find("\n", 0, LONGEST_HEADER)
        if stop < 0 or self._count(text[:stop]) > self._max_tokens // HEADER_SHARE:
            return "", 0
        return text[:stop].rstrip(), stop + 1

    def _table_piece(self, header: str, rows: list[str]) -> Piece:
        text = "\n".join([header, *rows] if header else rows)
        return Piece(text, self._count(text), BETWEEN_BLOCKS, False)

    def _tokens_if_fits(self, text: str, most: int) -> int | None:
        if len(text) > most * CHARS_PER_TOKEN:
            return None
        tokens = self._count(text)
        return tokens if tokens <= most else None

    def _whole_or_words(
        self, text: str, start: int, end: int, joint: str, prose: bool, room: int | None = None
    ) -> Iterator[Piece]:
        largest = self._largest if room is None else min(room, self._largest)
        if end - start <= largest * CHARS_PER_TOKEN:
            whole = text[start:end]
            tokens = self._tokens_if_fits(whole, largest)
            if tokens is not None:
                yield Piece(whole, tokens, joint, prose)
                return
        while start < end:
            stop = self._fitting_end(text, start, end, largest)
            part = text[start:stop]
            words = part.strip() if prose else part.rstrip()
            if words and not words.isspace():
                yield Piece(words, self._count(words), joint, prose)
                joint = ""
            joint = joint or _joint(part[len(part.rstrip()) :])
            start = stop

    def _fitting_end(self, text: str, start: int, end: int, largest: int) -> int:
        """Where a part that fits ends. How long it may be is guessed from the part before."""
        size = max(1, int(largest * self._chars_per_token))
        while True:
            stop = end if start + size >= end else _word_end(text, start, start + size)
            tokens = self._count(text[start:stop])
            if tokens <= largest:
                self._chars_per_token = min(CHARS_PER_TOKEN, (stop - start) / max(1, tokens))
                return stop
            size = min(size - 1, stop - start - 1, int((stop - start) * largest / tokens * MARGIN))
            size = max(1, size)


def _word_end(text: str, start: int, stop: int) -> int:
    """The last end of a word in the second half of `text[start:stop]`, or `stop`."""
    half = start + (stop - start + 1) // 2
    found = max(text.rfind(mark, half, stop) for mark in WORD_ENDS) + 1
    if found > 0:
        return found
    first = max(start, stop - VISIBLE_REACH)
    return first + visible_boundary(text[first : stop + 1], stop - first) or stop


def _joint(gap: str) -> str:
    """What to put between two pieces for the white space that was there."""
    if "\n" in gap:
        return "\n\n" if gap.count("\n") > 1 else "\n"
    return " " if gap else ""


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the lines are that are not blank."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if not text[start:stop].isspace() and stop > start:
            yield start, stop
        start = stop + 1


def _cut_before(text: str, start: int, end: int, cut_here: CutHere) -> Iterator[tuple[int, int]]:
    """Cuts between lines where `cut_here(text, end of the line before, start, end)` says so."""
    first = previous = start
    for line, line_end in _lines(text, start, end):
        if previous > first and cut_here(text, previous, line, line_end):
            yield first, previous
            first = line
        previous = line_end
    if previous > first:
        yield first, previous


def _follows_blank_line(text: str, before: int, start: int, end: int) -> bool:
    return start > before + 1


def _begins_definition(text: str, before: int, start: int, end: int) -> bool:
    line = text[start : min(end, start + LONGEST_HEADER)].lstrip()
    if _DEFINITION.match(line) is None:
        return False
    above = text.rfind("\n", 0, before) + 1
    return not text[above : above + LONGEST_HEADER].lstrip().startswith(("@", "#", "//", "/*", "*"))
