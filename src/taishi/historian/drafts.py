"""The historian's output for one turn (H2), written by a model or by rules."""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class ProcedureDraft:
    """A procedure that the turn demonstrates."""

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
    """The turn in absolute words, and what can be learned from it."""

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
