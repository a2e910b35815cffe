"""States of records in the words of the tools: what holds, what waits, what does not hold."""

from __future__ import annotations

from collections.abc import Mapping

from .messages import message

APPROVED, ALL = "approved", "all"
STATES: Mapping[str, tuple[str, ...]] = {
    APPROVED: ("approved",),
    "waiting": ("candidate", "conflict"),
    "replaced": ("superseded",),
    "rejected": ("rejected",),
}
CHOICES = (*STATES, ALL)
_NAMES = {state: name for name, states in STATES.items() for state in states}


def states_of(choice: str) -> tuple[str, ...] | None:
    """The states of records that a choice stands for; None: any."""
    return None if choice == ALL else STATES[choice]


def state_name(state: object) -> str:
    """What the tools call a record's state."""
    return _NAMES.get(str(state), APPROVED)


def state_mark(state: object, language: str) -> str:
    """What follows a text that is not to be read as true; empty for one that is."""
    name = state_name(state)
    return "" if name == APPROVED else message(language, f"state_{name}")
