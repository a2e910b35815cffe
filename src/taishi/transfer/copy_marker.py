"""What marks a copy that is not complete, in the memory that is copied into."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from pathlib import Path

from ..errors import StorageError
from ..ports import CopyMark

UNKNOWN = "SOURCE"  # in the command that continues, where a mark cannot be read


@dataclass(frozen=True, slots=True)
class CopyMarker:
    """`source` tells one source from another, `source_address` is where it was, for a folder
    on the machine `host`. A mark that cannot be read has no source, nor has one that was made
    before there was a memory to copy into."""

    source: str
    source_address: str
    host: str = ""

    @classmethod
    def of(cls, source: str, address: str, folder: Path) -> CopyMarker:
        """Of a memory at this address, with this local folder."""
        if "://" in address:
            return cls(source, address)
        return cls(source, str(folder.absolute()), socket.gethostname())

    def content(self, now: float) -> bytes:
        content = {
            "source": self.source,
            "from": self.source_address,
            "host": self.host,
            "begun": now,
        }
        return json.dumps(content).encode()

    @classmethod
    def read(cls, mark: CopyMark) -> CopyMarker | None:
        """None: no copy into this memory was interrupted."""
        written = mark.read()
        if written is None:
            return None
        try:
            content = json.loads(written)
            source, host = str(content["source"]), str(content.get("host", ""))
            return cls(source, str(content.get("from", UNKNOWN)), host)
        except (ValueError, KeyError, TypeError, AttributeError):
            return cls("", UNKNOWN)

    @property
    def is_early(self) -> bool:
        """Made before there was a memory: nothing was copied yet."""
        return not self.source and self.source_address != UNKNOWN

    @property
    def name(self) -> str:
        """Of the source, for people."""
        known = self.source_address if self.source_address != UNKNOWN else self.source
        return f"{self.host}:{known}" if self.host else known


def refuse_unfinished_copy(mark: CopyMark, address: str) -> None:
    """A memory that holds only a part of what it should is not used by mistake."""
    if marker := CopyMarker.read(mark):
        addresses = f"{marker.source_address} {address}"
        raise StorageError(
            f"{address} holds a copy of {marker.name or UNKNOWN} that is not complete. Continue "
            f"it: `taishi copy {addresses}`; or give it up and use what is there: "
            f"`taishi copy --give-up {addresses}`"
        )
