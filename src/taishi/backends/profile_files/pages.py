"""Profile pages as bytes that a person may edit, wherever they are kept (P1, P3, P6).

What a page means is decided here, once for every place: how it is read, whose it is, what is wrong
with it, what a revision and a roll-back are.
"""

from __future__ import annotations

import difflib
import hashlib
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ...errors import BusyError, CorruptError, InputError, StorageError
from ...ports import ProfileKey
from ...types import Profile
from .text import GUESSED, Fault, decoded, parse, render

log = logging.getLogger("taishi.profiles")
Stamp = tuple[int, ...]
ENTITY_TYPES = ("user", "group")
TIME = "%Y%m%dT%H%M%S.%fZ"
REVISION = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z", re.ASCII)


def damaged(where: object, what: str) -> CorruptError:
    return CorruptError(
        f"{where} {what}; it is left as it is: correct it in an editor, roll back to a revision, "
        "or delete the profile"
    )


class Pages(ABC):
    """The part of ports.ProfileStore that is the same for files and tables."""

    def __init__(self, keep: int, clock: Callable[[], datetime]) -> None:
        self.keep = keep
        self._clock = clock
        self._warned: dict[str, bytes] = {}

    @abstractmethod
    def raw(
        self, workspace: str, entity_type: str, entity_id: str, revision: str | None = None
    ) -> bytes | None:
        """A page, or one of its snapshots, as it is stored."""

    @abstractmethod
    def overwrite(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None:
        """Replace a page or a snapshot; the old bytes are not kept as a revision."""

    @abstractmethod
    def where(self, entity: ProfileKey) -> str: ...

    @abstractmethod
    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> Stamp: ...

    @abstractmethod
    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]: ...

    @abstractmethod
    def _replace(self, entity: ProfileKey, data: bytes, since: Stamp | None = None) -> None:
        """Snapshot what is there, then replace it. With `since`, only if that is its stamp."""

    def read(self, workspace: str, entity_type: str, entity_id: str) -> Profile | None:
        """The page, parsed leniently; the faults of each version are logged once (P6).

        CorruptError only where there is nothing to read: a folder, a file without permission, or
        the page of somebody else.
        """
        data = self.raw(workspace, entity_type, entity_id)
        if data is None:
            return None
        entity = ProfileKey(workspace, entity_type, str(entity_id))
        parsed = parse(data, entity)
        if (other := self._other(entity, parsed.said)) is not None:
            what = f"is the page of {other.entity_type} {other.entity_id!r:.60}"
            raise damaged(self.where(entity), what)
        if parsed.faults:
            self._warn(self.where(entity), data, parsed.faults)
        return parsed.profile

    def faults(self, entity: ProfileKey) -> tuple[Fault, ...]:
        """All that is wrong with a page; nothing if there is none."""
        try:
            data = self.raw(*entity)
        except StorageError as error:
            return (self._unreadable(entity, error),)
        if data is None:
            return ()
        parsed = parse(data, entity)
        other = self._other(entity, parsed.said)
        if other is None:
            return parsed.faults
        line = next((one.line for one in parsed.faults if one.kind == "id"), 1)
        return (Fault("other", line, f"{other.entity_type} {other.entity_id!r:.60}"),)

    def _unreadable(self, entity: ProfileKey, error: StorageError) -> Fault:
        return Fault("unreadable", 1, str(error.__cause__ or error)[:80])

    def is_whole(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Whether the text of the page is certain: not empty, and in a known encoding."""
        found = self.faults(ProfileKey(workspace, entity_type, str(entity_id)))
        return not any(
            one.kind in ("empty", "folder", "unreadable", "other") or one.detail in GUESSED
            for one in found
        )

    def _other(self, entity: ProfileKey, said: tuple[str, str]) -> ProfileKey | None:
        """Whose page this is, if it names another entity that has a page, or would share this file.

        Otherwise the name inside is a typing error, and the place counts. Nobody is shown the
        page of somebody else.
        """
        named = ProfileKey(entity.workspace, *said)
        if named == entity or said[0] not in ENTITY_TYPES:
            return None
        alike = named.entity_type == entity.entity_type and (
            named.entity_id.casefold() == entity.entity_id.casefold()
        )
        try:
            return named if alike or self.stamp(*named) else None
        except (InputError, StorageError):
            return None

    def _warn(self, where: str, data: bytes, faults: tuple[Fault, ...]) -> None:
        version = hashlib.sha256(data).digest()
        if self._warned.get(where) != version:
            self._warned[where] = version
            log.warning("%s was read all the same: %s", where, "; ".join(map(str, faults)))

    def write(self, profile: Profile, since: Stamp | None = None) -> Profile:
        """Snapshot what is there, then replace it by `profile`; returns it as written.

        With `since`, the stamp taken when the profile was read, an edit that a person made in
        between is not overwritten: BusyError. A page that cannot be read at all is never
        overwritten: CorruptError. One that was read with faults becomes a snapshot as it is.
        """
        entity = ProfileKey(profile.workspace, profile.entity_type, profile.entity_id)
        if since is not None and self.stamp(*entity) != since:
            raise edited_meanwhile(entity)
        self.read(*entity)
        if not profile.updated_at:
            profile = replace(profile, updated_at=self._now().isoformat())
        self._replace(entity, render(profile), since)
        return profile

    def amend(self, profile: Profile, revision: str | None = None) -> None:
        """Overwrite a page, or one of its snapshots; the old text is not kept as a revision."""
        entity = ProfileKey(profile.workspace, profile.entity_type, profile.entity_id)
        if revision is not None:
            self._revision(entity, revision)
        self.overwrite(entity, render(profile), revision)

    def read_revision(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile:
        entity = ProfileKey(workspace, entity_type, str(entity_id))
        parsed = parse(self._revision(entity, revision), entity)
        if self._other(entity, parsed.said) is not None:
            raise damaged(f"{self.where(entity)} at {revision}", "is a page of somebody else")
        return parsed.profile

    def diff(
        self, workspace: str, entity_type: str, entity_id: str, revision: str, to: str | None = None
    ) -> str:
        """Unified diff from a snapshot to another, or to the profile as it is now."""
        entity = ProfileKey(workspace, entity_type, entity_id)
        old = self._revision(entity, revision)
        new = self._revision(entity, to) if to else self.raw(*entity) or b""
        before, after = (decoded(d)[0].splitlines() for d in (old, new))
        lines = difflib.unified_diff(before, after, revision, to or "now", lineterm="")
        return "".join(f"{line}\n" for line in lines)

    def rollback(
        self,
        workspace: str,
        entity_type: str,
        entity_id: str,
        revision: str,
        changed_by: str = "rollback",
    ) -> Profile:
        """Put a snapshot back. What is there now, damaged or not, becomes a snapshot first."""
        entity = ProfileKey(workspace, entity_type, entity_id)
        kept = self.read_revision(*entity, revision)
        now = self._now().isoformat()
        profile = replace(kept, updated_at=now, source_event_id="", changed_by=changed_by)
        self._replace(entity, render(profile))
        return profile

    def _revision(self, entity: ProfileKey, revision: str) -> bytes:
        data = self.raw(*entity, checked_revision(revision))
        if data is None:
            raise InputError(
                f"there is no revision {revision}; "
                "take one from `taishi profile history` (profiles.history)"
            )
        return data

    def _new_revision(self, newest: str | None) -> str:
        """The time, but after the newest one: names stay unique and in order."""
        now = self._now()
        if newest is not None:
            last = datetime.strptime(newest, TIME).replace(tzinfo=UTC)
            now = max(now, last + timedelta(microseconds=1))
        return f"{now:{TIME}}"

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)


def checked_revision(revision: str) -> str:
    if not isinstance(revision, str) or not REVISION.fullmatch(revision):
        raise InputError(
            f"{str(revision)[:40]!r} is not a revision; "
            "take one from `taishi profile history` (profiles.history)"
        )
    return revision


def edited_meanwhile(entity: ProfileKey) -> BusyError:
    page = f"the page of {entity.entity_type} {entity.entity_id}"
    return BusyError(f"{page} was changed in the meantime; read it again and reapply your change")
