"""Cleaning text and cutting it into sentences, for English and Chinese.

Cleaning comes in three strengths. `storable` keeps every character that a database and UTF-8 can
hold; `clean` also drops what a reader cannot see; `one_line` collapses white space. They compose.
Three neighbours do other jobs: `normalise.canonical` makes one spelling for comparing texts,
`redaction.folded_text` folds a text and remembers where each character came from, and
`escape_controls.visible` shows hidden characters instead of dropping them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from .invisible_characters import UNSEEN
from .lazy_regex import lazy_compile

_HALF_PAIR = re.compile("[\ud800-\udfff]")
_HIDDEN = lazy_compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{UNSEEN}]")
_MARGIN = 64  # characters that cleaning may remove from a text that is cut to a length
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

_CLOSERS = "\"'”’」』）)】\\]"
_LINE_BREAK = "[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
# Possessive and anchored at the first of a run of dots: linear on any input.
_DOT = (
    r"(?<![.])(?<!\b[A-HJ-Z])(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bProf)"
    r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)"
    # "at St. Mary's", but not "on Main St. My boss …"
    r"(?<!\b(?:at|in|of|to) (?:St|Mt|Ft))(?<!\b(?:for|the) (?:St|Mt|Ft))"
    r"(?<!\b(?:from|near) (?:St|Mt|Ft))"
    rf"\.++[{_CLOSERS}]*+(?=\s|\Z)"
)
_END = rf"[!?。！？%s][.!?。！？；;…]*+[{_CLOSERS}]*+|{_DOT}|{_LINE_BREAK}++"
_SENTENCE_END = lazy_compile(_END % "；;")
_FULL_STOP = lazy_compile(_END % "")


class SentenceSpan(NamedTuple):
    """A sentence at `text[start:end]`; `text[start:stop]` is without its closing marks."""

    start: int
    stop: int
    end: int


def well_formed(text: str) -> str:
    """Halves of a surrogate pair joined, or replaced by U+FFFD where the other half is missing."""
    if text.isascii() or _HALF_PAIR.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable(text: str, most: int | None = None) -> str:
    """Text that every store, encoder and JSON reader takes: well formed, no NUL character.

    With `most`, stripped and at most so long.
    """
    if most is None:
        return well_formed(text).replace("\0", "\ufffd")
    return storable(text.strip()[:most]).strip()


def clean(text: str, most: int | None = None) -> str:
    """Storable text without control characters (tabs and line feeds stay) and invisible ones.

    At most `most` characters: cut before it is cleaned, so that a huge text costs little.
    """
    head = text if most is None else text[: most + _MARGIN]
    return without_hidden(head).strip()[:most]


def without_hidden(text: str) -> str:
    """Like `clean`, with the white space at both ends as it was."""
    return _HIDDEN.sub("", well_formed(text))


def one_line(text: str, most: int | None = None) -> str:
    """The text with single spaces for all white space; at most `most` characters of it."""
    return " ".join(text.split())[:most].rstrip()


def ascii_lower(text: str) -> str:
    """A–Z in lower case, nothing else changed: `str.lower` may change how long a text is."""
    return text.translate(_ASCII_LOWER)


def sentence_spans(text: str, semicolons: bool = True) -> Iterator[SentenceSpan]:
    """Where the sentences of a text are, without the white space between them.

    A sentence ends at `!?。！？` with the quotes and brackets that close behind it, at a line
    break, and at a dot before white space: not inside "3.5" or "example.org", not after an initial
    or a title. With `semicolons` it also ends at `;` and `；`: what is learned or searched is a
    statement, and a semicolon stands between two; without, only where a reader would stop.
    """
    start = 0
    for match in (_SENTENCE_END if semicolons else _FULL_STOP).finditer(text):
        yield from _trimmed(text, start, match.start(), match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text), len(text))


def _trimmed(text: str, start: int, stop: int, end: int) -> Iterator[SentenceSpan]:
    piece = text[start:end]
    if body := piece.strip():
        start += len(piece) - len(piece.lstrip())
        end = start + len(body)
        yield SentenceSpan(start, max(start, min(stop, end)), end)


def sentences(text: str, semicolons: bool = True) -> Iterator[str]:
    """The sentences of a text with their closing marks; see `sentence_spans`."""
    return (text[span.start : span.end] for span in sentence_spans(text, semicolons))


def sentence_pieces(text: str, semicolons: bool = True) -> list[str]:
    """The text cut where its sentences begin: joined again the pieces are the text."""
    starts = [span.start for span in sentence_spans(text, semicolons)][1:]
    return [text[start:end] for start, end in pairwise([0, *starts, len(text)]) if start < end]


def sentence_around(
    text: str, start: int, end: int, reach: int, semicolons: bool = True
) -> tuple[int, int]:
    """Where the sentence that holds `text[start:end]` begins and stops, looking `reach` far."""
    pattern = _SENTENCE_END if semicolons else _FULL_STOP
    first = max(0, start - reach)
    for match in pattern.finditer(text, first, start):
        first = match.end()
    after = pattern.search(text, end, end + reach)
    return first, after.start() if after else min(len(text), end + reach)
