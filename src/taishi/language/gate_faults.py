"""The kinds of faults that the gate reports."""

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
