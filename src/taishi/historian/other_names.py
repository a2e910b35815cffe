"""Another name for "my sister", another boss: two of them, a correction, or the one there is now.

What the words do not say is a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.drafts import FactDraft, Reconciliation
from . import relative_names
from .known_facts import KnownFact, has_subject, ids_of
from .role_holders import Holder, is_same_person, role_holder, takes_over


def other_name(draft: FactDraft, standing: Sequence[KnownFact]) -> Reconciliation | None:
    return _other_relative(draft, standing) or _other_holder(draft, standing)


def _other_relative(draft: FactDraft, standing: Sequence[KnownFact]) -> Reconciliation | None:
    """Another name of "my sister": not to be told as if both were hers."""
    new = relative_names.given_name(draft.content, draft.subject) if draft.by_self else None
    if new is None or relative_names.tells_of_several(draft.quote):
        return None
    who, name = new
    known = [fact for fact in standing if has_subject(draft, fact)]
    if any(who in fact.content and relative_names.tells_of_several(fact.content) for fact in known):
        return None
    named = [(fact, relative_names.known_name(fact.content, draft.subject)) for fact in known]
    if (who, name) in (one for _, one in named):
        return None
    rivals = [fact for fact, one in named if one and one[0] == who and one[1] not in draft.quote]
    if not rivals:  # or the words deny the other name: "she isn't called Lea"
        return None
    if relative_names.is_one_only(who):
        return Reconciliation("supersede", rivals[0].id, "has one name", ids_of(rivals[1:]))
    return Reconciliation("conflict", rivals[0].id, "another name, and nothing says of whom")


def replaced_holders(draft: FactDraft, standing: Sequence[KnownFact]) -> list[KnownFact]:
    """Who was the boss before the one whom the draft says to be it now."""
    new, rivals = _rivals(draft, standing)
    is_now = new and all(takes_over(new, old, draft.quote) for _, old in rivals)
    return [fact for fact, _ in rivals] if is_now else []


def _other_holder(draft: FactDraft, standing: Sequence[KnownFact]) -> Reconciliation | None:
    _, rivals = _rivals(draft, standing)
    if not rivals:
        return None
    first, _ = rivals[0]
    return Reconciliation("conflict", first.id, "another name, and nothing says which holds")


def _rivals(
    draft: FactDraft, standing: Sequence[KnownFact]
) -> tuple[Holder | None, list[tuple[KnownFact, Holder]]]:
    """Who else is known to hold the role that the draft gives to somebody."""
    new = role_holder(draft.content, draft.subject) if draft.by_self else None
    if new is None:
        return None, []
    held = [
        (fact, old)
        for fact in standing
        if has_subject(draft, fact) and (old := role_holder(fact.content, draft.subject))
    ]
    return new, [
        (fact, old) for fact, old in held if old.role == new.role and not is_same_person(new, old)
    ]


def tells_other_holder(draft: FactDraft, fact: KnownFact) -> bool:
    new, old = _holders(draft, fact)
    return bool(new and old and new.role == old.role and not is_same_person(new, old))


def tells_same_holder(draft: FactDraft, fact: KnownFact) -> bool:
    """ "Is Karim" and "is called Karim"."""
    new, old = _holders(draft, fact)
    return new is not None and new == old


def _holders(draft: FactDraft, fact: KnownFact) -> tuple[Holder | None, Holder | None]:
    return role_holder(draft.content, draft.subject), role_holder(fact.content, draft.subject)
