"""Port to locks that hold across threads and processes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Locks(Protocol):
    """Named locks across threads and processes; `hold` waits, then raises BusyError."""

    def hold(self, name: str, timeout: float = 60.0) -> AbstractContextManager[None]: ...
