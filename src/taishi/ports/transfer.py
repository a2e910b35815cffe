"""Ports for export and import of all that a store holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from ..exported import (
    ExportedCalls,
    ExportedLink,
    ExportedMessage,
    ExportedRecord,
    ExportedSession,
    ExportScope,
)

Row = ExportedRecord | ExportedMessage | ExportedSession | ExportedLink | ExportedCalls
# What became of an imported row: it was new; it was there already, equal; something else was there
# and was kept; something else was there and was overwritten; it was deleted here before.
Outcome = Literal["added", "same", "kept", "replaced", "forgotten"]


class TransferSnapshot(Protocol):
    """A store at one moment, whatever is written to it meanwhile."""

    def counts(self) -> dict[str, int]: ...
    def records(self) -> Iterable[ExportedRecord]: ...
    def messages(self) -> Iterable[ExportedMessage]: ...
    def sessions(self) -> Iterable[ExportedSession]: ...
    def links(self) -> Iterable[ExportedLink]: ...
    def ledger(self) -> Iterable[ExportedCalls]: ...


class Transfer(Protocol):
    """Everything in a store, out and in again (O2)."""

    def look(
        self, extent: ExportScope, model: str | None = None
    ) -> AbstractContextManager[TransferSnapshot]:
        """With `model`, records come with the vectors that it made."""

    def take_in(
        self, rows: Sequence[Row], *, overwrite: bool, model: str | None, dry: bool = False
    ) -> list[Outcome]:
        """All of these rows or none. Vectors are taken as `model`'s; None: they are left out."""
