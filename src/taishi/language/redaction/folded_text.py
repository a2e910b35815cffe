"""Folds full-width and invisible characters before secrets are looked for, keeping positions.

A key with a zero-width space in it, or a password in full-width digits, is the same secret. Rules
look at the folded text; `Folded.span` says where a find stands in the text as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ..invisible_characters import UNSEEN

_WIDE = "".join(chr(0xFEE0 + ord(c)) for c in "-_=@.+/#%&*")
_WIDE_RANGES = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # digits, capital and small letters
_STYLED = "\U0001d400-\U0001d7ff"  # bold, double-struck and monospace letters and digits
_ODD = re.compile(f"[{UNSEEN}{_WIDE_RANGES}{re.escape(_WIDE)}{_STYLED}\u3000]")
_IS_UNSEEN = re.compile(f"[{UNSEEN}]")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """`origins[i]` is where the i-th folded character came from; None: nothing was folded."""

    text: str
    origins: Sequence[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the folded text in the original, with what is unseen inside it."""
        if self.origins is None or start >= end:
            return start, end
        return self.origins[start], self.origins[end - 1] + 1


def folded(text: str) -> FoldedText:
    """The text to look for secrets in. Most texts are it themselves."""
    if text.isascii() or _ODD.search(text) is None:
        return FoldedText(text)
    pieces: list[str] = []
    origins: list[int] = []
    last = 0
    for match in _ODD.finditer(text):
        start = match.start()
        pieces.append(text[last:start])
        origins.extend(range(last, start))
        if plain := _plain(match[0]):
            pieces.append(plain)
            origins.append(start)
        last = match.end()
    pieces.append(text[last:])
    origins.extend(range(last, len(text)))
    return FoldedText("".join(pieces), origins)


def _plain(character: str) -> str:
    """The ASCII character that is meant; nothing for one that is not seen."""
    if _IS_UNSEEN.match(character):
        return ""
    if character == "\u3000":
        return " "
    code = ord(character)
    if code >= 0x1D400:
        return _styled(character)
    return chr(code - 0xFEE0)


def _styled(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 and plain.isascii() else character
