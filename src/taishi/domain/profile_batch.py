"""Merges the facts of several jobs into one page by rule, in their order (H5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..types import Partition, Profile, Record, Scope
from .profile_editor import PageEditor
from .profile_owners import ProfileOwner
from .profile_records import renamed


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What one job learned about the subject of a page.

    `is_ours` is asked with the page's lock held: a job may have been forgotten or given to another
    worker since. `label` gives the page the name and the tags that the facts tell.
    """

    scope: Scope
    event_id: str
    texts: tuple[str, ...]
    outdated: tuple[Record, ...]
    is_ours: Callable[[], bool]
    label: Callable[[Profile], Profile]


def taught(
    page: Profile,
    entity: ProfileOwner,
    lessons: Sequence[JobFacts],
    without: Callable[[Profile, Sequence[Record]], str],
    untagged: Callable[[Profile, Sequence[Record]], Profile],
    is_refused: Callable[[Partition, str], bool],
) -> Profile:
    """The page after all jobs. `without` removes lines that no longer hold, `untagged`
    their tags; what a person rejected, on the page's own place or where it was learned, is not
    let in."""
    editor = PageEditor(page.body)
    for lesson in (one for one in lessons if one.is_ours()):
        changed = False
        if lesson.outdated:
            before = editor.body
            after = without(replace(page, body=before), lesson.outdated)
            bare = untagged(page, lesson.outdated)
            changed = after != before or bare.tags != page.tags
            page = bare
            editor.replace(after)
        places = dict.fromkeys((entity.place, lesson.scope.home))
        changed |= editor.add(
            lesson.texts,
            lesson.scope if entity.entity_type == "user" else None,
            lambda key, places=places: any(is_refused(place, key) for place in places),  # type: ignore[misc]
        )
        told = lesson.label(page)
        named = renamed(page, told.name, told.tags)
        if changed or named != page:
            source = lesson.event_id or page.source_event_id
            page = replace(named, source_event_id=source, changed_by="historian")
    return replace(page, body=editor.body)
