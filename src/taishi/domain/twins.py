"""Facts of one place that state the same: what becomes of one becomes of all of them (P5).

`remember` keeps a record of its own for each call, and a turn may teach what was remembered. Told
apart by their ids alone, one of them would go on saying what was put right in the other.
"""

from __future__ import annotations

from collections.abc import Collection

from ..types import Record
from .fact_lifecycle import SHARED
from .own_facts import ABOUT_USER
from .pending_edits import PendingEdits
from .text_identity import statement_key

STANDING = ("approved", "candidate", "conflict")
REJECTED = ("rejected",)
MOST_FACTS = 20_000


def twins(records: PendingEdits, fact: Record, states: Collection[str] = STANDING) -> list[Record]:
    """The other facts of its place, in one of these states, that state what this one states. What
    was proposed to shared memory is a coordinator's, and not among them."""
    said = statement_key(fact.text)
    if not said or SHARED in fact.data:
        return []
    return [
        one
        for one in records.find(fact.place, ("fact",), MOST_FACTS)
        if one.id != fact.id
        and one.state in states
        and SHARED not in one.data
        and statement_key(one.text) == said
        and _is_of_one(one, fact)
    ]


def _is_of_one(one: Record, other: Record) -> bool:
    """Whether the same words are about the same one: in a group, "likes kiwi" of two users is two
    statements, and so is what two of one name say of themselves."""
    if None in (one.user, other.user) or one.user == other.user:
        return True
    if one.data.get(ABOUT_USER) is True and other.data.get(ABOUT_USER) is True:
        return False
    subjects = (str(fact.data.get("subject") or "") for fact in (one, other))
    return any(subject and subject in one.text for subject in subjects)
