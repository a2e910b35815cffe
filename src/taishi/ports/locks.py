"""Port to locks that hold across threads and processes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Locks(Protocol):
    """Named locks; a process that dies releases its own."""

    def hold(self, name: str, timeout: float = 60.0) -> AbstractContextManager[None]:
        """Wait for the lock, then raise BusyError. Not re-entrant."""
