"""A stored fact, as drafts are compared with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.drafts import FactDraft
from ..domain.fact_lifecycle import ids_in
from ..types import Record
from . import statement_comparison


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A stored fact for the comparison; times are ISO or empty."""

    index: int
    id: str
    content: str
    category: str = "other"
    state: str = "approved"
    valid_from: str = ""
    last_confirmed: str = ""
    subject: str = ""
    tags: tuple[str, ...] = ()
    is_stored: bool = False  # by a host or a model, not learned: no word of another ends it

    @staticmethod
    def of(index: int, record: Record, is_stored: bool = False) -> KnownFact:
        data = record.data
        return KnownFact(
            index=index,
            id=record.id,
            content=record.text,
            category=str(data.get("category") or "other"),
            state=record.state,
            valid_from=str(data.get("valid_from") or ""),
            last_confirmed=str(data.get("last_confirmed") or ""),
            subject=str(data.get("subject") or ""),
            tags=tuple(ids_in(record, "tags")),
            is_stored=is_stored,
        )


def has_subject(draft: FactDraft, fact: KnownFact) -> bool:
    """Whether the known fact is about the draft's subject."""
    if fact.subject:
        return fact.subject == draft.subject
    return statement_comparison.head(fact.content, draft.subject) is not None


def of_subject(draft: FactDraft, current: Sequence[KnownFact]) -> list[KnownFact]:
    return [fact for fact in current if fact.state != "rejected" and has_subject(draft, fact)]


def ids_of(facts: Iterable[KnownFact]) -> tuple[str, ...]:
    return tuple(fact.id for fact in facts)


def is_left(draft: FactDraft, fact: KnownFact) -> bool:
    """Whether the known fact says what the draft says was left."""
    left = statement_comparison.value_terms(draft.leaves, draft.subject)
    return (
        len(draft.leaves) > 1
        and fact.state != "rejected"
        and fact.category == draft.category
        and has_subject(draft, fact)
        and bool(left)
        and left <= statement_comparison.value_terms(fact.content, draft.subject)
    )
