"""Port to the list of processes that have a memory open."""

from __future__ import annotations

from typing import Any, Protocol


class ProcessBoard(Protocol):
    """Each process publishes its own status, and reads that of the others (O1)."""

    def write(self, told: dict[str, Any]) -> None:
        """Replace the status of this process."""

    def others(self) -> list[dict[str, Any]]:
        """The last status of every other process that is alive."""

    def close(self) -> None: ...
