"""What can be wrong with a text that is to stay true out of context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "pronoun", "relative_time", "relative_place", "drift", "language", "polarity", "weekday", "role"
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that would not stay true out of context."""

    reason: Reason
    word: str
    start: int
    end: int
