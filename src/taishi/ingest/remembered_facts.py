"""A fact that a model keeps by itself is compared with what is known, by rule (F1).

One that contradicts a known fact waits for a person, as it would had it been learned from a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..domain.drafts import FactDraft
from ..domain.fact_lifecycle import having
from ..historian.reconcile import KnownFact, reconcile_by_rule
from ..language.analyzer import has_cjk
from ..language.person_names import PersonNames
from ..ports import Store
from ..types import Record
from .stored_facts import MOST_CHARS, statement

MOST_KNOWN = 500
NAME_LENGTHS = (2, 3, 4)
CONTRADICTS = ("conflict", "supersede")


def compared(record: Record, store: Store) -> Record:
    """The fact with what it is about and, if a known one says otherwise, in conflict with it.

    "The user", "I", the user's id and the name they go by are one person.
    """
    if len(record.text) > MOST_CHARS:
        return record
    held = store.find(record.place, ("fact",), ("approved",), MOST_KNOWN)
    person = _person(record, held)
    draft = _draft(record, person)
    if draft is None:
        return record
    draft = replace(draft, by_self=False)
    told = replace(draft, content=record.text)
    tags = record.data.get("tags") or list(told.tags)  # the writer's own stay as they are
    record = having(record, category=told.category, subject=told.subject, tags=tags)
    alike = (_alike(one, draft, person) for one in held if one.id != record.id)
    others = {one.id: one for one in alike if one is not None}
    known = [KnownFact.of(index, one) for index, one in enumerate(others.values())]
    (decision,) = reconcile_by_rule([draft], known)
    rivals = [one for one in (decision.known_id, *decision.ends) if one in others]
    if decision.action not in CONTRADICTS or not rivals:
        return record
    return replace(having(record, conflict_with=rivals), state="conflict")


def _person(record: Record, held: Sequence[Record]) -> PersonNames:
    """By what names a record's user is known: those of what they said about themselves."""
    own = (one for one in held if one.user == record.user and one.data.get("by_self"))
    names = (str(one.data.get("subject") or "") for one in own)
    return PersonNames.of(record.user or "user", names)


def _draft(record: Record, person: PersonNames) -> FactDraft | None:
    """What the statement says, if it is one statement about one thing."""
    text = person.named(record.text)
    speakers = [person.name]
    if has_cjk(text[:1]):  # a Chinese name is only known as that of who speaks
        speakers += [text[:length] for length in NAME_LENGTHS]
    for speaker in speakers:
        if (found := statement(record, text, speaker)) is not None:
            return found
    return None


def _alike(known: Record, draft: FactDraft, person: PersonNames) -> Record | None:
    """A known fact of the same kind about the same one, in the words of rules."""
    category, subject = known.data.get("category"), str(known.data.get("subject") or "")
    if category not in (draft.category, "other", None, ""):
        return None
    is_known = category == draft.category and subject == draft.subject
    other = _draft(known, person)
    if other is None or (other.category, other.subject) != (draft.category, draft.subject):
        return known if is_known else None
    words = {"category": other.category, "subject": other.subject, "tags": list(other.tags)}
    return replace(having(known, **words), text=other.content)
