"""What marks a copy that is not complete, in the memory that is copied into."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, StorageError
from ..ports import CopyMark
from ..settings.addresses import without_password

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

    def names(self, address: str) -> bool:
        """Whether this is the address that the copy was made from, as far as the mark tells."""
        if self.source_address == UNKNOWN:
            return True
        if "://" in self.source_address + address:
            return without_password(address) == without_password(self.source_address)
        return Path(address).expanduser().resolve() == Path(self.source_address).resolve()

    def is_elsewhere(self, current: CopyMarker) -> bool:
        """Whether the source of this mark is certainly not the one of `current`. A copy has the
        identity of what it was copied from, so two memories may have one; but a folder that is
        still where it was has not moved, and none becomes a database by moving."""
        here, there = current.source_address, self.source_address
        if there == UNKNOWN or ("://" in here and "://" in there):
            return False
        if "://" in here + there:
            return True
        if self.host != current.host or self.names(here):
            return False
        folder = Path(there)
        return folder.is_dir() and any(folder.iterdir())

    @property
    def name(self) -> str:
        """Of the source, for people."""
        known = self.source_address if self.source_address != UNKNOWN else self.source
        return f"{self.host}:{known}" if self.host else known


def check_given_up(mark: CopyMark, source: str, address: str) -> bool:
    """Before a copy is given up: is there one, and is it of this source? The source may be gone,
    so it is not asked."""
    marker = CopyMarker.read(mark)
    if marker is None:
        return False
    if not marker.names(source):
        raise InputError(
            f"{address} holds a part of a copy of {marker.name}, not of {without_password(source)}."
            f" To give that up: `taishi copy --give-up {marker.source_address} {address}`"
        )
    return True


def refuse_unfinished_copy(mark: CopyMark, address: str) -> None:
    """A memory that holds only a part of what it should is not used by mistake."""
    if marker := CopyMarker.read(mark):
        addresses = f"{marker.source_address} {address}"
        raise StorageError(
            f"{address} holds a copy of {marker.name or UNKNOWN} that is not complete. Continue "
            f"it: `taishi copy {addresses}`; or give it up and use what is there: "
            f"`taishi copy --give-up {addresses}`"
        )
