"""Cuts the blocks of a document into chunks that fit an embedder, along its structure.

A chunk is of one section and one page, so that a citation is exact. Small neighbours are packed
together. What is too large is cut where the text itself pauses: tables between rows (each part has
the header row again), code at blank lines and before definitions, prose between sentences, then
between words, and inside a word only if there is no other way (`block_splitting`). Where prose of
one section goes on in the next chunk, that chunk begins with the end of the one before.

Tokens are counted with `token_bound`, which no current tokenizer exceeds: an estimate that is right
on average would let every other chunk be cut by the embedder. Time is linear, and memory is a few
chunks besides the block that is being cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice

from ..ports.documents import Block
from .block_splitting import Piece, split_block
from .text import one_line, sentence_spans
from .token_bound import TokenBound
from .token_count import visible_boundary

LONGEST_TITLE = 200
MOST_TITLES = 8
# The overlap has at most so large a share of a chunk: 80 Chinese characters may be half of one.
OVERLAP_SHARE = 6
FEWEST_TOKENS = 16
JOINT_TOKENS = 2  # white space between two pieces
COUNTER_LIFE = 2_000  # counts after which the words that a counter remembers are dropped


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is searched and quoted as one."""

    text: str
    section: tuple[str, ...] = ()
    page: int | None = None


def chunks(blocks: Iterable[Block], max_tokens: int, overlap_chars: int) -> Iterator[Chunk]:
    """The chunks of a document in order: none has more than `max_tokens` tokens, every word of the
    blocks is in one of them, and blank ones are left out."""
    if max_tokens < FEWEST_TOKENS:
        raise ValueError(f"max_tokens is {max_tokens}; the least is {FEWEST_TOKENS}")
    count = _Counter()
    for (titles, page), group in groupby(blocks, key=lambda block: (block.section, block.page)):
        section = section_titles(titles)
        packer = _Packer(max_tokens, overlap_chars, count)
        for text in packer.pack(group):
            yield Chunk(text, section, page)


def section_titles(titles: tuple[str, ...]) -> tuple[str, ...]:
    """Titles on one line and of bounded length; of very many the innermost, which say most."""
    cut = (one_line(title[: LONGEST_TITLE * 2], LONGEST_TITLE) for title in titles[-MOST_TITLES:])
    return tuple(title for title in cut if title)


class _Counter:
    """`TokenBound` that forgets its words now and then: a long document has many."""

    def __init__(self) -> None:
        self._bound = TokenBound()
        self._left = COUNTER_LIFE

    def __call__(self, text: str) -> int:
        self._left -= 1
        if self._left < 0:
            self._bound, self._left = TokenBound(), COUNTER_LIFE
        return self._bound(text)


@dataclass(slots=True)
class _Packer:
    """Packs the pieces of one section into texts, as many into each as fit."""

    max_tokens: int
    overlap_chars: int
    count: Callable[[str], int]
    pieces: list[Piece] = field(default_factory=list)
    tokens: int = 0
    overlap: str = ""

    def pack(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in blocks:
            for piece in split_block(block, self.max_tokens, self.largest_piece, self.count):
                if self.pieces and self._tokens_with(piece) > self.max_tokens:
                    yield from self._close(piece)
                self._add(piece)
        yield from self._close(None)

    @property
    def largest_piece(self) -> int:
        """A piece of a sentence leaves room for the overlap."""
        room = self.max_tokens // OVERLAP_SHARE + 2 if self.overlap_chars > 0 else 0
        return self.max_tokens - room

    def _tokens_with(self, piece: Piece) -> int:
        return self.tokens + (JOINT_TOKENS if piece.joint else 0) + piece.tokens

    def _add(self, piece: Piece) -> None:
        if self.pieces:
            self.tokens = self._tokens_with(piece)
        else:
            self.tokens = piece.tokens
            if self.overlap:
                self._keep_overlap_if_it_fits(piece)
        self.pieces.append(piece)

    def _keep_overlap_if_it_fits(self, piece: Piece) -> None:
        self.overlap += piece.joint
        tokens = self.count(self.overlap) + piece.tokens
        if tokens > self.max_tokens:
            self.overlap = ""
        else:
            self.tokens = tokens

    def _close(self, following: Piece | None) -> Iterator[str]:
        """The text of the pieces. Counted as a whole it may come out higher than in pieces: then
        the last ones are a text of their own."""
        while self.pieces:
            used = len(self.pieces)
            text = self._joined(used)
            while self.count(text) > self.max_tokens:
                if self.overlap:
                    self.overlap = ""
                else:
                    used -= 1
                text = self._joined(used)
            rest = self.pieces[used:]
            last = self.pieces[used - 1]
            yield text
            self.pieces, self.overlap = rest, ""
            after = rest[0] if rest else following
            if after is not None and last.prose and after.prose:
                self.overlap = self._tail(text)
                if rest:
                    self.overlap += after.joint
        self.tokens = 0

    def _joined(self, used: int) -> str:
        first, *others = self.pieces[:used]
        parts = [self.overlap, first.text]
        for piece in others:
            parts += (piece.joint, piece.text)
        return "".join(parts)

    def _tail(self, text: str) -> str:
        """The end of a text that the next one begins with: whole sentences, or else words."""
        if self.overlap_chars <= 0:
            return ""
        tail = text[-self.overlap_chars :]
        most = self.max_tokens // OVERLAP_SHARE
        if len(tail) < len(text):
            tail = tail[_first_start(text, len(text) - len(tail)) :]
        while tail and self.count(tail) > most:
            quarter = max(1, len(tail) // 4)
            tail = tail[quarter + _first_start(tail, quarter) :]
        return tail


def _first_start(text: str, position: int) -> int:
    """How far behind `position` a sentence begins, or else a word."""
    window = text[position:]
    sentence = next(islice(sentence_spans(window, semicolons=False), 1, None), None)
    if sentence is not None:
        return sentence.start
    for at in range(position, len(text)):
        before, here = text[at - 1], text[at]
        if before.isspace() != here.isspace():
            if before.isspace():
                return at - position
        elif _is_wide(here) or _is_wide(before):
            at = visible_boundary(text, at)
            return max(at, position) - position
    return len(window)


def _is_wide(char: str) -> bool:
    return char >= "\u2e80"
