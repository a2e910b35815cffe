"""Figures for an answer and for many: token overlap, exact match, the interval of a share."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter

Z_95 = 1.96
_ARTICLES = frozenset({"a", "an", "the"})
# A Chinese character is a token of its own; other letters and digits are taken in words.
_TOKENS = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+")


def tokens(text: str) -> list[str]:
    """Lower case, without punctuation and articles."""
    found = _TOKENS.findall(unicodedata.normalize("NFKC", text).lower())
    return [token for token in found if token not in _ARTICLES]


def f1(answer: str, reference: str) -> float:
    """The harmonic mean of precision and recall over tokens, as for SQuAD; nothing is stemmed."""
    given, wanted = tokens(answer), tokens(reference)
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0


def is_exact(answer: str, reference: str) -> bool:
    return tokens(answer) == tokens(reference) != []


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share: it holds for few questions, and never leaves 0 to 1."""
    if not total:
        return 0.0, 1.0
    share, z2 = right / total, Z_95 * Z_95
    middle = share + z2 / (2 * total)
    margin = Z_95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    low, high = ((middle + sign * margin) / (1 + z2 / total) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)
