"""Fills the name and the tags of a page from learned facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..language.told_names import FORMERLY, told_name
from ..types import Job, Profile, Record
from .authority import is_models_own
from .corrected_tags import corrected_tags
from .fact_lifecycle import ids_in
from .text_identity import normal

MOST_TAGS = 12
NAME_CHARS = 80
_UNTOLD = frozenset(("", "other"))


def labelled(
    page: Profile,
    job: Job,
    facts: Sequence[Record],
    elsewhere: bool,
    outdated: Iterable[Record] = (),
) -> Profile:
    """The page with a name and tags, as far as the facts or the host tell them.

    A name that somebody gave the page stays, unless the person says another one. `elsewhere`: the
    facts were not learned where the whole page is shown, and tags carry no marks. Even then a name
    that one of the `outdated` facts gave is replaced.
    """
    host = job.group_name if page.entity_type == "group" else job.sender_name
    told = next((name for fact in facts if (name := _name_in(fact))), "")
    known = "" if page.name == page.entity_id else page.name
    gone = {normal(_name_in(fact)) for fact in outdated} - {""}
    is_free = not elsewhere or normal(page.name) in gone
    name = told if told and is_free else known or told or host or page.name
    tags = page.tags if elsewhere else _tags(page.tags, facts)
    return replace(page, name=name.strip()[:NAME_CHARS], tags=tags)


def relabelled(page: Profile, fact: Record, new: str) -> Profile:
    """The page after a fact was put right (no `new`: withdrawn): one that goes by the name that
    the fact told goes by that of the new words, or by the id as long as no other is known."""
    old = _name_in(fact)
    if not old or normal(old) != normal(page.name):
        return page
    name = told_name(new)[:NAME_CHARS]
    if new and not name:
        return page
    tags = (*page.tags, name) if name else page.tags
    return replace(page, name=name or page.entity_id, tags=tuple(dict.fromkeys(tags)))


def retagged(page: Profile, before: Profile, fact: Record, new: str) -> Profile:
    """The page after a fact was put right, with the longer name that took the place of a tag that
    it had: "Harlow & Pike" for "Harlow"."""
    old = ids_in(fact, "tags")
    added = [tag for tag in corrected_tags(fact, new) if tag not in old] if new else []
    if not added or _name_in(fact) or not {*before.tags}.intersection(old):
        return page
    return replace(page, tags=tuple(dict.fromkeys([*page.tags, *added])))


def labels_of(fact: Record) -> frozenset[str]:
    """The name and the tags that a fact may have given to a page; its category is no content."""
    return frozenset(filter(None, (_name_in(fact), *ids_in(fact, "tags"))))


def given_by(facts: Iterable[Record]) -> frozenset[str]:
    """Every name and tag that these facts may have given to a page, their categories too."""
    given = (labels_of(fact) | {_category(fact)} for fact in facts)
    return frozenset().union(*given) - {""}


def untagged(page: Profile, gone: Sequence[Record], held: Iterable[Record]) -> Profile:
    """The page without the tags of facts that no longer hold, unless others give them, too."""
    told = {normal(tag) for fact in gone for tag in _tags_of(fact)}
    if not told or not page.tags:
        return page
    ids = {fact.id for fact in gone}
    others = (one for one in held if one.id not in ids)
    told -= {normal(tag) for one in others for tag in _tags_of(one)}
    return replace(page, tags=tuple(tag for tag in page.tags if normal(tag) not in told))


def _name_in(fact: Record) -> str:
    """The value of a fact about a name; nothing if its words are not of a kind that we know."""
    return told_name(fact.text) if fact.data.get("category") == "name" else ""


def _category(fact: Record) -> str:
    category = str(fact.data.get("category") or "")
    return "" if category in _UNTOLD else category.replace("_", " ")


def _tags_of(fact: Record) -> list[str]:
    """The tags that it gave to a page. What a model keeps by itself gives none."""
    if is_models_own(fact) and not ids_in(fact, "sources"):
        return []
    return [one for one in (_category(fact), *ids_in(fact, "tags")) if one]


def _tags(tags: Iterable[str], facts: Sequence[Record]) -> tuple[str, ...]:
    new = [one for fact in facts if (one := _category(fact))]
    new += [tag for fact in facts for tag in ids_in(fact, "tags")]
    kept = list(dict.fromkeys([*tags, *new]))
    former = [tag for tag in kept if tag.startswith(FORMERLY)]
    plain = [tag for tag in kept if not tag.startswith(FORMERLY)]
    return (*plain[: max(MOST_TAGS, len(list(tags)))], *former)
