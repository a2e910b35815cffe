"""Finds words in a rewritten text that a later reader could not resolve.

The gate knows the words that always point at a conversation. Others do so only where nothing in
the text says what they mean: "that bakery", "at 3", "the 15th", 清明, 这家店. The rules that
wrote the text read no conversation, so such words mark their record as open. A model does read it,
and may have chosen "that bakery" for a reason: its answers are not judged by this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .context_words import ContextWord
from .gate import mask
from .quoted_text import unread_ranges
from .text import ascii_lower, sentence_spans
from .text_edits import Edit, apply_edits
from .unresolved_words_chinese import CHINESE, fold
from .unresolved_words_english import ENGLISH

_BLANK = "\ufffc"
_REACH = 300  # how far back the noun may stand that a demonstrative repeats


@dataclass(frozen=True, slots=True)
class UnresolvedWord:
    """A word that the text does not explain, and what is missing."""

    word: str
    why: str
    start: int
    end: int

    @property
    def warning(self) -> str:
        word = self.word if len(self.word) <= 40 else f"{self.word[:40]}…"
        return f"'{word}' not resolved: {self.why}"


def loose_ends(
    text: str, names: Collection[str] = (), speaker: str | None = None
) -> list[UnresolvedWord]:
    """Unresolved words in order, without overlaps. Quotes, code, chats and `names` are skipped."""
    own = mask(_without_unread(text, speaker), names)
    spans = sorted(_found(fold(ascii_lower(own))), key=lambda end: (end[0], -end[1]))
    ends: list[UnresolvedWord] = []
    for start, stop, why in spans:
        if not ends or start >= ends[-1].end:
            ends.append(UnresolvedWord(text[start:stop], why, start, stop))
    return ends


def _without_unread(text: str, speaker: str | None) -> str:
    parts = ((part.start, part.end) for part in unread_ranges(text, speaker))
    return apply_edits(text, (Edit(a, b, _BLANK * (b - a)) for a, b in parts))


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    for sentence in sentence_spans(text):
        for kind in (*ENGLISH, *CHINESE):
            for start, end in _in_sentence(kind, text, sentence.start, sentence.stop):
                yield start, end, kind.why


def _in_sentence(kind: ContextWord, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of such words. Excuses are checked last, as most sentences have no such word."""
    for count, match in enumerate(kind.pattern.finditer(text, start, end)):
        if count == 0 and kind.excuse and kind.excuse.search(text, start, end):
            return
        before = text[max(0, match.start("open") - _REACH) : match.start("open")]
        if not kind.is_placed(match, before):
            yield match.span("open")
