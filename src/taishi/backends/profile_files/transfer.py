"""Export and import of every page and snapshot of a profile folder (O2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from ...errors import CorruptError, InputError, StorageError
from ...exported import ExportedProfile, ExportScope
from ...ports import Outcome, ProfileKey
from ...types import Profile
from .text import decoded, parse


class RawPages(Protocol):
    """Pages and snapshots as bytes, in files or in a table."""

    keep: int

    def workspaces(self) -> tuple[str, ...]: ...
    def remembered(self, workspace: str) -> tuple[ProfileKey, ...]:
        """Everybody with a page or a snapshot of one in the workspace."""

    def locked(
        self, workspace: str, entity_type: str, entity_id: str
    ) -> AbstractContextManager[None]: ...
    def read(self, workspace: str, entity_type: str, entity_id: str) -> Profile | None: ...
    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> tuple[int, ...]: ...
    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]: ...
    def raw(
        self, workspace: str, entity_type: str, entity_id: str, revision: str | None = None
    ) -> bytes | None: ...
    def put_raw(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None:
        """Write it as it is; a page that is there becomes a snapshot first."""

    def overwrite(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None: ...


class ProfileFilesTransfer:
    """Implements ports.ProfileTransfer. Pages are copied byte for byte, so that whatever a person
    wrote in them stays."""

    def __init__(self, files: RawPages) -> None:
        self._files = files

    def entities(self, extent: ExportScope) -> list[ProfileKey]:
        """Everybody with a page or a snapshot."""
        found = (
            entity
            for workspace in self._files.workspaces()
            for entity in self._files.remembered(workspace)
        )
        return sorted(one for one in found if extent.holds(ExportedProfile(*one, None).place))

    def pages(self, entities: list[ProfileKey]) -> Iterator[ExportedProfile | str]:
        """Each profile; or, where its page is damaged, the reason it is left out."""
        for entity in entities:
            try:
                with self._files.locked(*entity):
                    yield self._profile(entity)
            except (CorruptError, StorageError) as error:
                yield f"profile {entity.entity_type}:{entity.entity_id}: {error}"

    def _profile(self, entity: ProfileKey) -> ExportedProfile:
        page = self._files.raw(*entity)
        if page is not None:
            self._files.read(*entity)  # refused if it is somebody else's
        snapshots = []
        for revision in reversed(self._files.revisions(*entity)):
            data = self._files.raw(*entity, revision)
            if data is not None:
                snapshots.append((revision, decoded(data)[0]))
        text = None if page is None else decoded(page)[0]
        return ExportedProfile(*entity, text, tuple(snapshots))

    def rewrite(self, entity: ProfileKey, change: Callable[[str], str]) -> int:
        """Replace the page and its snapshots by `change` of their text; how many changed."""
        changed = 0
        with self._files.locked(*entity):
            for revision in (None, *self._files.revisions(*entity)):
                data = self._files.raw(*entity, revision)
                if data is None or (new := change(decoded(data)[0]).encode()) == data:
                    continue
                if new == decoded(data)[0].encode():
                    continue  # only its encoding differs
                if revision is not None:
                    self._files.put_raw(entity, new, revision)
                else:
                    self._files.overwrite(entity, new)
                changed += 1
        return changed

    def check(self, moved: ExportedProfile) -> None:
        """InputError unless its pages can be read as this entity's."""
        entity = ProfileKey(moved.workspace, moved.entity_type, moved.entity_id)
        self._files.stamp(*entity)  # refuses an id that is no file name
        if moved.page is not None:
            said = parse(moved.page.encode(errors="replace"), entity).said
            if said != (entity.entity_type, entity.entity_id):
                raise InputError(f"the page says that it is about {said[0]} {said[1]!r:.60}")

    def take_in(self, moved: ExportedProfile, *, overwrite: bool, dry: bool = False) -> Outcome:
        """Snapshots first, the page last: after a kill in between, importing again completes it."""
        entity = ProfileKey(moved.workspace, moved.entity_type, moved.entity_id)
        with self._files.locked(*entity):
            data = None if moved.page is None else moved.page.encode()
            there = self._files.raw(*entity)
            known = self._files.revisions(*entity)
            missing = [pair for pair in moved.snapshots if pair[0] not in known]
            if there == data and (not missing or len(known) >= self._files.keep):
                return "same"
            if there is not None and there != data and not overwrite:
                return "kept"
            if not dry:
                for revision, page in missing:
                    self._files.put_raw(entity, page.encode(), revision)
                if data is not None and there != data:
                    self._files.put_raw(entity, data)
        return "added" if there is None or there == data else "replaced"
