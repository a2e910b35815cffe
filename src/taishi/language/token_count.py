"""Estimates the number of tokens of a text without a model's vocabulary.

A text is split the way byte-pair tokenizers split before they merge (a word with the space before
it, up to three digits, a run of signs …), and each piece costs what such pieces cost on average.
The costs were measured with the public o200k and cl100k vocabularies on English and Chinese chat,
Markdown, JSON, Python and short samples of other languages. Where the two vocabularies differ,
the newer o200k is followed; cl100k counts about half as much again for Chinese and Korean.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

ELLIPSIS = "…"

# One sign belongs to the word after it, as a space does: `.com`, `_name`, ` the`.
_LEAD = r"[ -/:-@\[-`{-~]?"
_PIECES = (
    rf"(?P<word>{_LEAD}[A-Z]?[a-z]+(?:'(?:[stmd]|re|ve|ll)(?![a-z]))?)(?![\u00c0-\u024f])"
    rf"|(?P<capitals>{_LEAD}[A-Z]+)(?![a-z\u00c0-\u024f])"
    rf"|(?P<latin>{_LEAD}[A-Za-z\u00c0-\u024f]+)"
    r"|(?P<number>[0-9]+)"
    r"|(?P<han>[ ]?[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<kana>[ ]?[\u3041-\u30ff\u31f0-\u31ff]+)"
    r"|(?P<hangul>[ ]?[\u1100-\u11ff\uac00-\ud7a3]+)"
    r"|(?P<sign>[ ]?[!-/:-@\[-`{-~]+[\r\n]*)"
    r"|(?P<wide>[\u2010-\u2027\u3000-\u303f\uff00-\uffef]+)"
    r"|(?P<letters>[ ]?[^\W\d_]+)"
    r"|(?P<space>\s+(?!\S)|\s)"
    r"|(?P<rest>[^\w\s!-~]+|.)"
)


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(_PIECES, re.DOTALL)


def _word(piece: str) -> float:
    """Common words are one token; without their space, long ones are rarely in the vocabulary."""
    length = len(piece)
    if piece[0] != " ":
        return 1.03 if length <= 7 else 1.0 + 0.25 * (length - 7)
    if length <= 17:
        return 1.0 if length <= 8 else 1.13
    return 1.13 + 0.3 * (length - 17)


def _sign(piece: str) -> float:
    return 1.0 if len(piece) <= 3 else 1.3 + len(piece) / 10


def _capitals(piece: str) -> float:
    return 1.0 if len(piece) <= 3 else 1.0 + 0.25 * (len(piece) - 2)


_COST: Mapping[str | None, Callable[[str], float]] = MappingProxyType(
    {
        "word": _word,
        "capitals": _capitals,
        "latin": lambda piece: max(1.0, 0.28 * len(piece)),
        "number": lambda piece: float(-(-len(piece) // 3)),
        "han": lambda piece: 0.2 + 0.74 * len(piece.lstrip(" ")),
        "kana": lambda piece: 0.4 + 0.55 * len(piece),
        "hangul": lambda piece: 0.4 + 0.42 * len(piece),
        "sign": _sign,
        "wide": lambda piece: 0.7 + 0.3 * len(piece),
        "space": lambda piece: 1.0 + len(piece) // 64,
        "letters": lambda piece: max(1.0, 0.23 * len(piece)),
        "rest": lambda piece: 1.1 * len(piece),
    }
)


def _costs(text: str) -> Iterator[tuple[int, int, float]]:
    for found in _pieces().finditer(text):
        yield found.start(), found.end(), _COST[found.lastgroup](found[0])


def estimate_tokens(text: str) -> int:
    """About how many tokens a current model counts for this text."""
    return round(sum(cost for _, _, cost in _costs(text))) if text else 0


def fit(text: str, max_tokens: int) -> str:
    """The text if it fits, else its beginning and an ellipsis within `max_tokens`."""
    # The ellipsis is one token, and the sum is rounded.
    spent, end, full = 0.0, 0, max_tokens - 0.55
    for start, stop, cost in _costs(text):
        if spent + cost <= full:
            end = stop
        elif end == start:
            end += _part((full - spent) / cost, text[start:stop])
        spent += cost
        if spent >= max_tokens + 0.5:
            break
    else:
        return text if round(spent) <= max_tokens else _shortened(text, end, max_tokens)
    return _shortened(text, end, max_tokens)


def _part(share: float, piece: str) -> int:
    """How much of the piece that did not fit is kept: of a word nothing, of a long run a share."""
    breakable = len(piece) > 32 or piece[0] > "\u2fff"
    return int(len(piece) * max(share, 0.0) * 0.9) if breakable else 0


def _shortened(text: str, end: int, max_tokens: int) -> str:
    while end > 0:
        end = visible_boundary(text, end)
        kept = text[:end].rstrip() + ELLIPSIS
        if estimate_tokens(kept) <= max_tokens:
            return kept
        end -= max(1, end // 50)
    return ELLIPSIS if max_tokens >= 1 else ""


def visible_boundary(text: str, end: int) -> int:
    """The nearest place at or before `end` that is not inside one visible character."""
    while 0 < end < len(text) and _joined(text[end - 1], text[end]):
        end -= 1
    flags = end
    while flags > 0 and _is_flag_half(text[flags - 1]):
        flags -= 1
    inside_flag = end < len(text) and _is_flag_half(text[end]) and (end - flags) % 2 == 1
    return end - 1 if inside_flag else end


def _joined(before: str, after: str) -> bool:
    return (
        before == "\u200d"
        or after in "\u200c\u200d\ufe0e\ufe0f"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U000e0020" <= after <= "\U000e007f"
        or "\udc00" <= after <= "\udfff"
        or (before == "\r" and after == "\n")
        or unicodedata.category(after).startswith("M")
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
