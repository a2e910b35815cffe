"""How far two texts, or two lists of words, begin the same."""

from __future__ import annotations

from collections.abc import Sequence


def common_prefix_length(one: Sequence[str], other: Sequence[str]) -> int:
    for count, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return count
    return min(len(one), len(other))
