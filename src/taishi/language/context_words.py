"""The type of a rule for words that need context to be understood."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


def _never(match: re.Match[str], before: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ContextWord:
    """A pattern with a group `open`, what is missing, and what in the sentence supplies it.

    `excuse` is looked for in the whole sentence; `is_placed` sees a match and the text before it.
    """

    pattern: re.Pattern[str]
    why: str
    excuse: re.Pattern[str] | None = None
    is_placed: Callable[[re.Match[str], str], bool] = _never
