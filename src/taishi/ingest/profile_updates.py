"""Profile updates: facts that jobs taught are written to the page of the sender or the group.

By rule the facts of many jobs are worked into a page at one go. A model is asked job by job.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..domain import line_acl
from ..domain.profile_batch import JobFacts
from ..domain.profile_labels import labelled
from ..domain.profile_owners import ProfileOwner, entity_of, pages_of, statements_by_page
from ..domain.profiles import Profiles
from ..errors import CorruptError, InputError, QueueError
from ..historian.historian import Historian
from ..ports import Store
from ..types import Job, Profile, Record

log = logging.getLogger("taishi.profiles")


@dataclass(frozen=True, slots=True)
class PageWork:
    """What one job taught, and what is no longer so because of it.

    `check_ours` raises QueueError if the job was forgotten or given to another worker meanwhile:
    asked with the page's lock held, before anything is written.
    """

    job: Job
    learned: tuple[Record, ...]
    outdated: tuple[Record, ...]
    check_ours: Callable[[], object]


class PageUpdates:
    """`together`: whether the facts of several jobs are merged at one go."""

    def __init__(
        self, profiles: Profiles, store: Store, historian: Historian, together: bool
    ) -> None:
        self._profiles = profiles
        self._store = store
        self._historian = historian
        self.together = together

    def update(self, works: Sequence[PageWork]) -> dict[int, Exception]:
        """What went wrong, by the place of the work in `works`: it has to be tried again."""
        pages: dict[ProfileOwner, dict[int, list[Record]]] = {}
        for number, work in enumerate(works):
            for entity, facts in _facts_by_page(work).items():
                pages.setdefault(entity, {})[number] = facts
        wrong: dict[int, Exception] = {}
        for entity, facts_of in pages.items():
            try:
                self._update(entity, works, facts_of, wrong)
            except Exception as error:
                wrong |= dict.fromkeys(facts_of, error)
        return wrong

    def _update(
        self,
        entity: ProfileOwner,
        works: Sequence[PageWork],
        facts_of: Mapping[int, list[Record]],
        wrong: dict[int, Exception],
    ) -> None:
        try:
            if self.together:
                lessons = [
                    self._lesson(entity, works[number], facts, _if_ours(works, number, wrong))
                    for number, facts in facts_of.items()
                ]
                self._profiles.learn(entity, lessons)
                return
            for number, facts in facts_of.items():
                change = partial(self.merged, entity, works[number], facts)
                job = works[number].job
                self._profiles.merge(entity, change, job.event_id, [job.scope.home])
        except CorruptError as error:  # the facts are kept; another try would not help
            log.warning("learned, but not put on a page: %s", error)
        except InputError:
            return  # an id that no file may be named by has no page

    def _lesson(
        self,
        entity: ProfileOwner,
        work: PageWork,
        facts: Sequence[Record],
        is_ours: Callable[[], bool],
    ) -> JobFacts:
        job, known = work.job, [fact for fact in facts if self._stands(fact)]
        elsewhere = entity != entity_of(job.scope)
        return JobFacts(
            scope=job.scope,
            event_id=job.event_id,
            texts=tuple(fact.text for fact in known),
            outdated=work.outdated,
            is_ours=is_ours,
            label=lambda page: labelled(page, job, known, elsewhere, work.outdated),
        )

    def _stands(self, fact: Record) -> bool:
        """Neither forgotten, rejected nor ended since it was learned."""
        now = self._store.get(fact.place, fact.id)
        return now is not None and now.state == "approved"

    def merged(
        self, entity: ProfileOwner, work: PageWork, facts: Sequence[Record], page: Profile
    ) -> Profile | None:
        """The page with these facts; whoever merges sees only what this scope may see."""
        job, scope = work.job, work.job.scope
        current = self._profiles.without(entity, page, work.outdated)
        page = self._profiles.untagged(page, work.outdated)
        marked = entity.entity_type == "user"
        shown = replace(page, body=line_acl.visible(current, scope) if marked else current)
        elsewhere = entity != entity_of(scope)
        if elsewhere:  # name and tags may have been learned in private
            shown = replace(shown, name="", tags=())
        held = [fact.text for fact in facts if self._stands(fact)]
        merged = self._historian.merge(shown, held) if held else None
        work.check_ours()
        if merged is None:
            merged = shown
        if elsewhere:
            merged = replace(merged, name=page.name, tags=page.tags)
        if marked:
            merged = replace(merged, body=line_acl.rewritten(current, merged.body, scope))
        return labelled(merged, job, facts, elsewhere, work.outdated)


def _facts_by_page(work: PageWork) -> dict[ProfileOwner, list[Record]]:
    pages = statements_by_page(work.job, work.learned)
    for fact in work.outdated:
        for entity in pages_of(fact):
            pages.setdefault(entity, [])
    return pages


def _if_ours(
    works: Sequence[PageWork], number: int, wrong: dict[int, Exception]
) -> Callable[[], bool]:
    """If it is not, that is what went wrong with it; the others go on."""

    def is_ours() -> bool:
        try:
            works[number].check_ours()
        except QueueError as error:
            wrong[number] = error
        return number not in wrong

    return is_ours
