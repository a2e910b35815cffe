"""Ports to profile pages: reading and editing them, their faults, export and import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..exported import ExportedProfile, ExportScope
from ..types import Profile
from .transfer import Outcome


class ProfileKey(NamedTuple):
    """Whom a page is about; `store.read(*key)` reads it."""

    workspace: str
    entity_type: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class PageRevision:
    """An earlier version of a page, and who or what wrote it.

    `changed_by` is `historian` (because of `source_event_id`), `correction` (a fact was put right),
    `rebuild`, `file` (the file was edited), or who and where: `person:cli`, `host:rest`,
    `rollback:page`. Empty: written before this was noted.
    """

    name: str
    updated_at: str = ""
    changed_by: str = ""
    source_event_id: str = ""


class PageFaultLine(Protocol):
    """What is wrong with a page, and in which line of it."""

    @property
    def kind(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def detail(self) -> str: ...


class ProfileStore(Protocol):
    """Pages that a person can read and edit (P1, P3)."""

    def read(self, workspace: str, entity_type: str, entity_id: str) -> Profile | None: ...

    def is_whole(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Whether the page's text is certain; a damaged one says nothing about the facts."""

    def write(self, profile: Profile, since: tuple[int, ...] | None = None) -> Profile:
        """Snapshot what is there, then replace it; the profile as written.

        With `since`, an edit made after that stamp is not overwritten: BusyError.
        """

    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]:
        """Names of the snapshots, newest first."""

    def diff(
        self, workspace: str, entity_type: str, entity_id: str, revision: str, to: str | None = None
    ) -> str:
        """From a snapshot to another, or to the page as it is now."""

    def rollback(
        self,
        workspace: str,
        entity_type: str,
        entity_id: str,
        revision: str,
        changed_by: str = "rollback",
    ) -> Profile: ...

    def read_revision(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile: ...

    def amend(self, profile: Profile, revision: str | None = None) -> None:
        """Overwrite the page or a snapshot; the old text is not kept as a revision."""

    def delete(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Remove the page and its history. True if there was one."""

    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> tuple[int, ...]:
        """Differs after any edit; () where there is no page."""

    def locked(
        self, workspace: str, entity_type: str, entity_id: str
    ) -> AbstractContextManager[None]:
        """Hold one page across read, merge and write. Not re-entrant."""


class ProfileCatalog(Protocol):
    """Which pages there are, where they are, and what is wrong with them."""

    def workspaces(self) -> Sequence[str]: ...

    def list(self, workspace: str = "default") -> list[ProfileKey]:
        """Everybody with a page in the workspace. The pages are not opened."""

    def faults(self, entity: ProfileKey) -> Sequence[PageFaultLine]:
        """All that is wrong with a page; nothing if there is none."""

    def where(self, entity: ProfileKey) -> str:
        """Where a person finds the page: a path, or what to call in order to edit it."""


class ProfilePages(ProfileStore, ProfileCatalog, Protocol):
    """Everything that a memory asks of its profile pages."""


class ProfileTransfer(Protocol):
    """Pages with their snapshots, out and in again, byte for byte (O2)."""

    def entities(self, extent: ExportScope) -> list[ProfileKey]:
        """Everybody with a page or a snapshot."""

    def pages(self, entities: list[ProfileKey]) -> Iterable[ExportedProfile | str]:
        """Each profile; or, where its page is damaged, the reason it is left out."""

    def rewrite(self, entity: ProfileKey, change: Callable[[str], str]) -> int:
        """Replace the page and its snapshots by `change` of their text; how many changed."""

    def check(self, moved: ExportedProfile) -> None:
        """InputError unless its pages can be read as this entity's."""

    def take_in(self, moved: ExportedProfile, *, overwrite: bool, dry: bool = False) -> Outcome: ...
