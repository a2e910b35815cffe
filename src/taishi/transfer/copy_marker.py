"""The file that marks a copy that is not complete, in the target's folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ..errors import StorageError

MARKER = "copying.json"  # in the target's folder until the copy is complete


@dataclass(frozen=True, slots=True)
class CopyMarker:
    """`source` tells one source from another, `source_address` is where it was."""

    source: str
    source_address: str
    target_address: str

    def written(self, now: float) -> bytes:
        content = {"source": self.source, "from": self.source_address, "begun": now}
        if "://" in self.target_address:  # the folder may belong to several databases
            content["target"] = self.target_address
        return json.dumps(content).encode()

    @classmethod
    def found(cls, folder: Path, address: str) -> CopyMarker | None:
        """The marker of a copy into the memory at `address`. One that cannot be read has no
        source."""
        try:
            content = json.loads((folder / MARKER).read_bytes())
            target = content.get("target", address)
            marker = cls(str(content["source"]), str(content.get("from", "SOURCE")), target)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None if "://" in address else cls("", "SOURCE", address)
        return marker if target == address else None


def refuse_unfinished_copy(folder: Path, address: str) -> None:
    """A memory that holds only a part of what it should is not used by mistake."""
    if marker := CopyMarker.found(folder, address):
        raise StorageError(
            f"{address} holds a copy that is not complete. Continue it: "
            f"`taishi copy {marker.source_address} {address}`; or, to use it as it is, delete "
            f"{folder / MARKER}"
        )
