"""Which pattern a statement in absolute words matches: what takes its place has to be of the same
sort, and no half of a statement (老柯对菠萝).
"""

from __future__ import annotations

import re

from ...language.gate import HAN
from .chinese import chinese_patterns
from .english import english_patterns

_CHARS = 400


def is_of_same_sort(text: str, old: str, subject: str) -> bool:
    """Whether the rules would learn the text like the old one; of an old one that no rule knows,
    nothing can be said."""
    category = _category(old, subject)
    return not category or _category(text, subject) == category


def _category(text: str, subject: str) -> str:
    if not subject or not text.startswith(subject):
        return ""
    rest = text[len(subject) : _CHARS].lstrip()
    patterns = chinese_patterns() if re.search(f"[{HAN}]", rest) else english_patterns()
    return next((one.category for one in patterns if one.pattern.match(rest)), "")
