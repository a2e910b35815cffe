"""Edits to a text by position, collected first and applied together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` where `start` to `end` stands; for an insertion both are the same."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made; of two that overlap the earlier, then the longer one."""
    parts, position = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= position:
            parts.append(text[position : edit.start])
            parts.append(_spaced("".join(parts[-2:]), edit.text))
            position = edit.end
    return "".join([*parts, text[position:]])


def _spaced(before: str, text: str) -> str:
    """我昨天 is one word after another; "Ann2026年" would be an id."""
    runs_on = re.fullmatch("[A-Za-z0-9]{2}", before[-1:] + text[:1])
    return f" {text}" if runs_on else text


def capital_like(original: str, replacement: str) -> str:
    """The replacement, with a capital where the original had one."""
    if original[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement


def has_han(word: str) -> bool:
    return re.search("[\u3400-\u9fff]", word) is not None
