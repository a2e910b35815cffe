"""What lies in a period that was asked for, if nothing in it has the words of the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..types import Hit, Recall
from .messages import message
from .tool_call import ToolCall

LIMITS = ("time_from", "time_to")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a search shows, and what is said before it."""

    recall: Recall
    note: str = ""

    @property
    def hits(self) -> tuple[Hit, ...]:
        return self.recall.hits


def or_of_period(
    call: ToolCall, found: Recall, search: Callable[..., Recall], options: Mapping[str, Any]
) -> Shown:
    """What was found; if that is nothing, and the query has limits of time, what was told between
    them, newest first."""
    has_limits = any(name in options for name in LIMITS)
    if found.hits or not has_limits or found.level not in ("hybrid", "keyword"):
        return Shown(found)
    told = search(**{**options, "query": ""})
    if not told.hits:
        return Shown(found)
    return Shown(told, message(call.language, "in_period", count=len(told.hits)))
