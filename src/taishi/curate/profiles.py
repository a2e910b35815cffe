"""`memory.profiles`: pages that a person reads, writes and takes back."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..domain import arguments, authority
from ..domain.profile_owners import ProfileOwner, entity_of
from ..domain.profiles import Profiles
from ..errors import InputError, TaishiError
from ..exported import PageFault
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..ingest.stray_pages import StrayPages
from ..ports import PageRevision
from ..runtime import Runtime
from ..types import Profile, Scope

_DOOR = re.compile(r"[a-z_]{1,20}")


class ProfileService:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        profiles: Profiles,
    ) -> None:
        self._runtime = runtime
        self._files = runtime.parts.profiles
        self._builder = builder
        self._background = background
        self._profiles = profiles
        self._strays = StrayPages(runtime.parts.store, runtime.parts.pages, profiles)

    def set(
        self,
        scope: Scope,
        body: str,
        name: str = "",
        tags: Iterable[str] = (),
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        """Write the profile of this scope's user (in private) or group; the old one is kept."""
        self._runtime.check_scope(scope)
        text = self._builder.text
        with self._runtime.recording_refusals(scope, actor, door):
            authority.check_person(actor)
            labels = tuple(text(tag, "a tag") for tag in arguments.each(tags, "tags"))
            title, page = text(name, "name"), text(body, "body")
        profile = self._profiles.write(scope, title, labels, page, _signature(actor, door))
        self._background.wake_embedding()
        return profile

    def source(self, scope: Scope) -> Profile | None:
        """The page of this scope's user or group as it is on disk, marks included."""
        return self._profiles.source(self._entity(scope))

    def edit(
        self,
        scope: Scope,
        body: str,
        before: Profile | None,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        """A person's new body for the page they read with `source`.

        What they removed is not learned again. BusyError if the page changed in the meantime.
        """
        entity, before = self._entity(scope), arguments.page(before)
        with self._runtime.recording_refusals(scope, actor, door):
            authority.check_person(actor)
            text = self._builder.text(body, "body")
        written = self._profiles.edit(entity, text, before, _signature(actor, door))
        self._background.wake_embedding()
        return written

    def revisions(self, scope: Scope) -> tuple[str, ...]:
        """Names of the page's snapshots, newest first."""
        return self._profiles.revisions(self._entity(scope))

    def history(self, scope: Scope) -> tuple[PageRevision, ...]:
        """The page's snapshots, newest first, and who or what wrote each of them."""
        entity = self._entity(scope)
        return tuple(self._revision(entity, name) for name in self._profiles.revisions(entity))

    def _revision(self, entity: ProfileOwner, name: str) -> PageRevision:
        """Of one that cannot be read, only the name is known."""
        try:
            page = self._files.read_revision(*entity, name)
        except TaishiError:
            return PageRevision(name)
        return PageRevision(name, page.updated_at, page.changed_by, page.source_event_id)

    def diff(self, scope: Scope, revision: str, to: str | None = None) -> str:
        """What changed from a snapshot to another, or to the page as it is now."""
        return self._runtime.redactor.text(self._profiles.diff(self._entity(scope), revision, to))

    def rollback(
        self, scope: Scope, revision: str, *, actor: str = "person", door: str = "python"
    ) -> Profile:
        """Restore a snapshot; what is there now becomes a snapshot."""
        with self._runtime.recording_refusals(scope, actor, door):
            authority.check_person(actor)
        by = _signature("rollback", door)
        written = self._profiles.rollback(self._entity(scope), revision, by)
        self._background.wake_embedding()
        return written

    def faults(self) -> list[PageFault]:
        """What is wrong with pages on disk: the file, the line, the kind. They are still read, as
        far as possible; only a folder or a file without read permission is left out."""
        self._runtime.check_open()
        pages = [page for space in self._files.workspaces() for page in self._files.list(space)]
        found = [
            PageFault(self._files.where(page), fault.line, fault.kind, fault.detail)
            for page in pages
            for fault in self._files.faults(page)
        ]
        strays = self._strays.lines_on(pages)
        return [*found, *(PageFault(self._files.where(page), n, "stray") for page, n in strays)]

    def _entity(self, scope: Scope) -> ProfileOwner:
        self._runtime.check_scope(scope)
        entity = entity_of(scope)
        if entity is None:
            raise InputError("a profile is about a user or a group; this scope is neither")
        return entity


def _signature(who: str, door: str) -> str:
    """What a page says about who changed it; a door is a word of the host's own."""
    return f"{who}:{door if _DOOR.fullmatch(door) else 'python'}"
