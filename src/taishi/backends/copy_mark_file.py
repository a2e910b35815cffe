"""The mark of a copy that is not complete, as a file of the data folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..disk.durable_io import write_durably
from ..errors import StorageError


@dataclass(frozen=True, slots=True)
class CopyMarkFile:
    """Implements ports.CopyMark."""

    path: Path

    def read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(
                f"{self.path} cannot be read: {error}; make it readable for this user"
            ) from error

    def write(self, content: bytes) -> None:
        write_durably(self.path, content)

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)
