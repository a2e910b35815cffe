"""Port to the mark of a copy that is not complete."""

from __future__ import annotations

from typing import Protocol


class CopyMark(Protocol):
    """Kept in the memory that is copied into, so that whoever opens it finds the mark."""

    def read(self) -> bytes | None:
        """None: there is none."""

    def write(self, content: bytes) -> None:
        """Durable when this returns."""

    def clear(self) -> None:
        """Safe to repeat."""
