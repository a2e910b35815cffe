"""Updates the lines of a page after a fact was corrected, withdrawn or ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..language.id_labels import user_labels
from ..ports import Store
from ..types import Profile, Record
from . import line_acl, profile_lines, profile_records
from .line_acl import Statement
from .profile_owners import ProfileOwner, may_stand_on

MOST_HELD = 2000


def without(store: Store, entity: ProfileOwner, page: Profile, outdated: Sequence[Record]) -> str:
    """The body of a page without the lines that say facts which no longer hold."""
    body, ids = page.body, {fact.id for fact in outdated}
    for fact in outdated:
        held = store.find(fact.place, ("fact",), ("approved",), MOST_HELD)
        others = [one for one in held if one.id not in ids]
        body = restated(entity, page, body, fact, "", others)
    return body


def restated(
    entity: ProfileOwner, page: Profile, body: str, fact: Record, new: str, others: Sequence[Record]
) -> str:
    """The body with `new` for each line that says the fact (no `new`: without it). `others` are
    facts that hold in the same place: of whomever they are about."""
    subjects = names_on(page, entity)
    mark = f"group:{fact.place.id}" if fact.place.kind == "group" else line_acl.PRIVATE

    def split(line: Statement) -> tuple[Statement | None, Statement | None]:
        own = entity.entity_type == "group"  # a group's own page has no marks
        return (line, None) if own else line_acl.split(line, mark)

    own = [one.text for one in theirs(others, page, entity)]
    texts = [one.text for one in others]
    return profile_lines.restated(body, fact.text, new, split, subjects, own, texts)


def theirs(facts: Iterable[Record], page: Profile, entity: ProfileOwner) -> list[Record]:
    """Those that may stand on this page."""
    names = (*names_on(page, entity), *user_labels(entity.entity_id))
    return [one for one in facts if may_stand_on(one, entity, names)]


def names_on(page: Profile, entity: ProfileOwner) -> list[str]:
    """What whom the page is about is called in its lines."""
    return [page.name, *profile_records.former_names(page), entity.entity_id]
