"""Port to the store of profile pages."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from ..types import Profile


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
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile: ...

    def read_revision(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile: ...

    def amend(self, profile: Profile, revision: str | None = None) -> None:
        """Put the page or a snapshot right in its place; nothing of the old one is kept."""

    def delete(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Remove the page and its history. True if there was one."""

    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> tuple[int, ...]:
        """Differs after any edit; () where there is none."""

    def locked(
        self, workspace: str, entity_type: str, entity_id: str
    ) -> AbstractContextManager[None]: ...
