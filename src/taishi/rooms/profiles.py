"""Profiles: pages on disk are the truth; a record of each makes it searchable (P1, P4)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC
from typing import Literal

from ..errors import InputError, TimeError
from ..ports import ProfileStore, Store
from ..times import to_epoch
from ..types import Edit, Place, Profile, Record, Scope

EntityType = Literal["user", "group"]
ENTITY_PLACE: dict[str, Literal["private", "group"]] = {"user": "private", "group": "group"}


class Profiles:
    """Reads and writes profiles, and keeps their records in step with the files."""

    def __init__(self, files: ProfileStore, store: Store, clock: Callable[[], float]) -> None:
        self._files = files
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._stamps: dict[tuple[str, str, str], tuple[int, ...]] = {}

    def read(self, scope: Scope, entity_type: str, entity_id: str) -> Profile | None:
        """None if there is none, or if this scope may not see it (S2)."""
        if entity_type not in ENTITY_PLACE:
            raise InputError(f"entity_type {entity_type!r:.40} is not known; use user or group")
        if not _may_see(scope, entity_type, entity_id):
            return None
        return self._page((scope.workspace, entity_type, entity_id))

    def own(self, scope: Scope) -> list[Profile]:
        """The profile of whom or what this scope is about: the user in private, the group."""
        entity = _entity(scope)
        profile = self._page((scope.workspace, *entity)) if entity else None
        return [profile] if profile else []

    def write(self, scope: Scope, name: str, tags: tuple[str, ...], body: str) -> Profile:
        entity = _entity(scope)
        if entity is None:
            raise InputError("a profile is about a user or a group; this scope is neither")
        with self._files.locked(scope.workspace, *entity):
            profile = self._files.write(
                Profile(entity[0], entity[1], name, tags, body, workspace=scope.workspace)
            )
            self._index(profile, (scope.workspace, *entity))
        return profile

    def follow_edits(self, scope: Scope) -> None:
        """Pick up what a person changed on disk since we last looked."""
        entity = _entity(scope)
        if entity is None:
            return
        key = (scope.workspace, *entity)
        try:
            stamp = self._files.stamp(*key)
        except InputError:
            return
        if self._stamps.get(key, ()) == stamp:
            return
        profile = self._files.read(*key)
        if profile is None:
            record_id = f"{entity[0]}:{entity[1]}"
            self._store.apply([Edit("remove", place=scope.home, id=record_id)])
            self._stamps.pop(key, None)
        else:
            self._index(profile, key)

    def forget(self, scope: Scope) -> int:
        """Remove the page and its history; its record goes with the place."""
        entity = _entity(scope)
        if entity is None:
            return 0
        self._stamps.pop((scope.workspace, *entity), None)
        try:
            return int(self._files.delete(scope.workspace, *entity))
        except InputError:
            return 0

    def _page(self, key: tuple[str, str, str]) -> Profile | None:
        """An id that no file may be named by has memories like any other, but no page."""
        try:
            return self._files.read(*key)
        except InputError:
            return None

    def _index(self, profile: Profile, key: tuple[str, str, str]) -> None:
        with self._lock:
            self._stamps[key] = self._files.stamp(*key)
        self._store.apply([Edit("put", to_record(profile, self._clock()))])


def to_record(profile: Profile, now: float) -> Record:
    heading = " ".join([profile.name, *profile.tags]).strip()
    return Record(
        id=f"{profile.entity_type}:{profile.entity_id}",
        place=Place(profile.workspace, ENTITY_PLACE[profile.entity_type], profile.entity_id),
        kind="profile",
        text=f"{heading}\n{profile.body}".strip(),
        time=_updated(profile, now),
        user=profile.entity_id if profile.entity_type == "user" else None,
        data={"entity_type": profile.entity_type, "entity_id": profile.entity_id,
              "name": profile.name, "tags": list(profile.tags)},
    )  # fmt: skip


def _updated(profile: Profile, now: float) -> float:
    """A person may have typed anything there."""
    try:
        return to_epoch(profile.updated_at, UTC)
    except TimeError:
        return now


def _entity(scope: Scope) -> tuple[EntityType, str] | None:
    home = scope.home
    if home.kind == "private":
        return "user", home.id
    return ("group", home.id) if home.kind == "group" else None


def _may_see(scope: Scope, entity_type: str, entity_id: str) -> bool:
    return _entity(scope) == (entity_type, entity_id)
