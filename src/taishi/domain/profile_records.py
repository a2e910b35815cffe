"""The search records of a page: what each partition may find of it (P4, S2, S4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC
from typing import Any

from ..errors import TimeError
from ..language.analyzer import has_cjk
from ..language.told_names import FORMERLY
from ..times import to_epoch
from ..types import Partition, Profile, Record, Scope
from . import line_acl
from .profile_owners import ProfileOwner
from .text_identity import normal

FORMER_NAMES = 5
SOURCE = "page_source"  # the page as it was indexed, marks included; never shown
GROUPS = "shown_in"
SEEN = "seen_at"  # the newest time of a page that we know of
KEPT_BACK = frozenset((SOURCE, GROUPS, SEEN))  # of interest to nobody but us


def records_of(
    page: Profile, now: float, groups: Iterable[str] = (), known: Record | None = None
) -> list[Record]:
    """One record in the page's own place, and of a user's page one in each group that may see
    some of it. `groups` are those that the user is known to speak in, `known` is the page's
    record until now."""
    own, *others = _records_of(page, now, groups)
    seen = max(updated(page, 0.0), seen_at(known))
    return [replace(own, data={**own.data, SEEN: seen}), *others]


def _records_of(page: Profile, now: float, groups: Iterable[str]) -> list[Record]:
    entity = ProfileOwner(page.workspace, page.entity_type, page.entity_id)
    if page.entity_type == "group":
        body = line_acl.plain_body(page.body)
        return [_record(replace(page, body=body), entity.place, now, {SOURCE: page.body})]
    seen = {}
    lines = line_acl.parse(page.body)
    everywhere = line_acl.shown(lines, Scope(agent="none", workspace=page.workspace))
    for group in sorted({*line_acl.groups_in(lines), *(groups if everywhere else ())}):
        shown = seen_in(page, Scope(user=page.entity_id, group=group, workspace=page.workspace))
        if shown is not None:
            seen[group] = shown
    private = Scope(user=page.entity_id, workspace=page.workspace)
    own = replace(page, body=line_acl.shown(lines, private))
    return [
        _record(own, entity.place, now, {SOURCE: page.body, GROUPS: list(seen)}),
        *(
            _record(one, Partition(page.workspace, "group", group), now, {})
            for group, one in seen.items()
        ),
    ]


def seen_in(page: Profile, scope: Scope, linked: bool = False) -> Profile | None:
    """A user's page as a group may see it; None if it may see nothing of it.

    Name and tags carry no marks and may have been learned in private: they are shown if a line
    that is shown says them.
    """
    body = line_acl.visible(page.body, scope, linked)
    if not body.strip():
        return None
    words = f" {normal(body)} "
    named = page.name if _is_said(page.name, words) else ""
    tags = tuple(tag for tag in page.tags if _is_said(tag, words))
    return replace(page, name=named, tags=tags, body=body, source_event_id="", changed_by="")


def _is_said(label: str, words: str) -> bool:
    """Whether the words have the label; a Latin name stands also next to Chinese: Kevin养."""
    wanted = normal(label)
    if not wanted or has_cjk(wanted):
        return bool(wanted) and wanted in words
    edges = (pair for pair in _pairs_around(wanted, words))
    return any(all(not edge.isalnum() or has_cjk(edge) for edge in pair) for pair in edges)


def _pairs_around(wanted: str, words: str) -> Iterator[tuple[str, str]]:
    """The characters before and after each place where the words have it."""
    at = words.find(wanted)
    while at >= 0:
        yield words[at - 1 : at], words[at + len(wanted) : at + len(wanted) + 1]
        at = words.find(wanted, at + 1)


def _record(page: Profile, place: Partition, now: float, more: Mapping[str, Any]) -> Record:
    return Record(
        id=f"{page.entity_type}:{page.entity_id}",
        place=place,
        kind="profile",
        text=f"{heading(page.name, page.tags)}{page.body}".strip(),
        time=updated(page, now),
        user=page.entity_id if page.entity_type == "user" else None,
        data={
            "entity_type": page.entity_type,
            "entity_id": page.entity_id,
            "name": page.name,
            "tags": list(page.tags),
            "updated_at": page.updated_at,
            **more,
        },
    )


def to_record(page: Profile, now: float) -> Record:
    """A page that is shown as it is, when the store does not answer."""
    return _record(
        page, ProfileOwner(page.workspace, page.entity_type, page.entity_id).place, now, {}
    )


def indexed_body(record: Record) -> str:
    """The page as it was when this record was made."""
    source = record.data.get(SOURCE)
    if isinstance(source, str):
        return source
    head = heading(str(record.data.get("name", "")), record.data.get("tags", ()))
    return record.text.removeprefix(head)


def with_source(record: Record, body: str) -> Record:
    return replace(record, data={**record.data, SOURCE: body})


def indexed_groups(record: Record | None) -> set[str]:
    found = record.data.get(GROUPS) if record is not None else None
    return {str(one) for one in found} if isinstance(found, list) else set()


def heading(name: str, tags: Iterable[str]) -> str:
    words = " ".join([name, *tags]).strip()
    return f"{words}\n" if words else ""


def heading_chars(record: Record) -> int:
    """How much of a page's record comes before its page: the name and tags, there to be searched.
    0 of any other record, and of a page that says nothing else."""
    if record.kind != "profile":
        return 0
    tags = record.data.get("tags")
    labels = [str(tag) for tag in tags] if isinstance(tags, (list, tuple)) else []
    head = heading(str(record.data.get("name") or ""), labels)
    is_there = record.text.startswith(head) and record.text[len(head) :].strip()
    return len(head) if is_there else 0


def is_bare(record: Record) -> bool:
    """Whether it is a page with a name and tags at most: there to be found, and with nothing to
    tell."""
    if record.kind != "profile" or heading_chars(record):
        return False
    tags = record.data.get("tags")
    labels = [str(tag) for tag in tags] if isinstance(tags, (list, tuple)) else []
    head = heading(str(record.data.get("name") or ""), labels).strip()
    return record.text.strip() in ("", head, record.id)


def renamed(old: Profile, name: str, tags: Iterable[str]) -> Profile:
    """The page under its new name (none given: the old one); former names stay as tags."""
    labels = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    former = [tag for tag in old.tags if tag.startswith(FORMERLY)]
    is_name = old.name.strip() not in ("", old.entity_id)  # an id is no former name
    if name.strip() and is_name and normal(name) != normal(old.name):
        mark = FORMERLY[1] if has_cjk(old.name + name) else FORMERLY[0]
        former.append(f"{mark}{old.name.strip()}")
    plain = [tag for tag in labels if not tag.startswith(FORMERLY)]
    kept = list(dict.fromkeys(former))[-FORMER_NAMES:]
    return replace(old, name=name.strip() or old.name, tags=(*plain, *kept))


def updated(page: Profile, now: float) -> float:
    """A person may have typed anything there."""
    try:
        return to_epoch(page.updated_at, UTC)
    except TimeError:
        return now


def is_by_hand(page: Profile, known: Record | None) -> bool:
    """Whether a person, not we, wrote the page since it was indexed as `known`.

    We write a new time with every page. A person who edits leaves the old one, takes it out, or
    brings an older page back. A page that names no event was written for a person, by a process
    that was killed before it could index it.
    """
    return known is None or not page.source_event_id or updated(page, 0.0) <= seen_at(known)


def seen_at(known: Record | None) -> float:
    if known is None:
        return 0.0
    found = known.data.get(SEEN)
    if isinstance(found, (int, float)):
        return float(found)
    try:
        return to_epoch(str(known.data.get("updated_at") or ""), UTC)
    except TimeError:
        return 0.0


def former_names(page: Profile) -> list[str]:
    return [tag.partition(":")[2] for tag in page.tags if tag.startswith(FORMERLY)]
