"""What the historian writes of one turn (H2), and what is to be done with each fact (F1).

Values only: the historian makes them, by a model or by rule, and the domain turns them into edits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["add", "confirm", "supersede", "conflict", "ignore"]
ACTIONS: tuple[Action, ...] = ("add", "confirm", "supersede", "conflict", "ignore")


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A lasting statement that the turn gives evidence for. Times are ISO dates, or empty.

    `quote` is copied verbatim from the input; a fact without one is dropped.
    `life` is "lasting", or for short-term memory "preference", "decision", "follow_up", "mood".
    """

    content: str
    category: str = "other"
    subject: str = ""
    quote: str = ""
    confidence: float = 0.7
    valid_from: str = ""
    valid_to: str = ""
    life: str = "lasting"
    tags: tuple[str, ...] = ()
    value: str = ""  # for single-valued categories, such as the town of residence
    retracts: bool = False  # says only that something is no longer true
    by_self: bool = False  # said by the person it is about
    about_user: bool = False  # about the sender of the turn, by the id
    omits_subject: bool = False  # nobody else can be meant, unless one was spoken of before
    only_against: bool = False  # worth keeping only beside a known fact that it contradicts
    leaves: str = ""  # worth keeping only if a known fact of its category has this value


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What to do with a drafted fact; `known_id` is the stored one it is about.

    `ends` are stored facts that this statement ends, whatever the action is.
    """

    action: Action
    known_id: str | None = None
    reason: str = ""
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProcedureDraft:
    """A procedure that the turn describes."""

    name: str
    trigger: str = ""
    steps: tuple[str, ...] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Perspective:
    """The same event from the point of view of one participant (E1)."""

    whose: str
    text: str


@dataclass(frozen=True, slots=True)
class Episode:
    """Context of an event (F2). `importance` is 0 to 1, None if not rated."""

    participants: tuple[str, ...] = ()
    outcome: str = ""
    artifacts: tuple[str, ...] = ()
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The turn in words that stay true out of context, and what can be learned from it."""

    did_what: str
    new_info: tuple[str, ...]
    canonical_text: str
    is_absolute: bool
    warnings: tuple[str, ...] = ()
    facts: tuple[FactDraft, ...] = ()
    procedures: tuple[ProcedureDraft, ...] = ()
    revisions: int = 0
    perspectives: tuple[Perspective, ...] = ()
    episode: Episode = Episode()
