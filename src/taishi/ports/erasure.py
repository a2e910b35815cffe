"""Ports for erasure: what a person or a partition left, its removal, and the search for rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

from ..types import Partition, Record


@runtime_checkable
class TextCache(Protocol):
    """Something in memory that keeps people's words for a while: `forget` has to reach it."""

    def cached_texts(self) -> Iterable[str]:
        """The texts that could be read out of it; for the proof that they are gone."""

    def clear_text(self) -> None: ...


class Clearable(Protocol):
    """Something that keeps copies of text and can drop all of them."""

    def clear(self) -> None: ...


class ErasableStore(Protocol):
    """A store that can list what belongs to somebody, remove it, and show that it is gone.

    What a call removes is gone from the files when it returns, not only from the tables.
    """

    def belongings(self, place: Partition, user: str | None = None) -> Iterable[Record]:
        """The records that `forget_user` (or, without a user, `forget_place`) would remove, except
        for summaries of groups."""

    def forget_user(self, workspace: str, user: str, names: Collection[str] = ()) -> int:
        """All that is theirs in the workspace; a message without a speaker's id is theirs if it
        has one of these `names`."""

    def forget_place(self, place: Partition) -> int: ...

    def forget_record(self, place: Partition, id: str) -> int: ...

    def mentions(self, workspace: str, place: Partition, user: str | None) -> dict[str, int]:
        """Rows that still belong to a partition or to a user of the workspace, by table."""

    def naming(self, workspace: str, user: str, names: Collection[str]) -> Iterable[Record]:
        """The events of a workspace in whose data a message has the speaker's id `user`, or one of
        `names` stands by itself; perhaps a few more."""

    def users_named(self, workspace: str, id: str) -> dict[str, int]:
        """The user ids of a workspace that are this one, or end with a colon and this one; and how
        many records each has."""

    def copies_of(
        self, home: Partition, ids: Collection[str] | None = None, user: str | None = None
    ) -> list[tuple[Partition, str, str]]:
        """Records of other workspaces that were imported from these: partition, id, and the mark
        of the original."""

    def scrub(self, seconds: float = 5.0) -> bool:
        """Remove deleted bytes from the write-ahead log; False if a reader kept it open."""

    def compact(self) -> None:
        """Rewrite the stored data, so that no deleted bytes are left between its rows."""

    def files(self) -> list[Path]:
        """The files on this machine in which the store keeps its bytes, for a search of them."""


class StoredBytes(Protocol):
    """What a memory keeps outside the files of its folder, for a search of it."""

    @property
    def note(self) -> str:
        """What such a search looks at, and what it cannot see."""

    def tables(self) -> Iterable[tuple[str, Iterable[bytes]]]:
        """The bytes of each table, with its name."""


class Leftovers(Protocol):
    """Temporary files of processes that were killed. Files of running processes are kept."""

    def sweep(self) -> bool:
        """Remove what is found without listing every page. True if a process was killed since the
        last sweep, so that `sweep_pages` is worth its time."""

    def sweep_pages(self) -> None:
        """The same among profile pages and their snapshots; lists every folder of them."""

    def sweep_all(self) -> None: ...
