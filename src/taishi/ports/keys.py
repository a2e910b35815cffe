"""Port to the small documents that the servers of a memory share: API keys (hashes only), what
signs the sessions of the web pages, and the clients that connected by OAuth."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from typing import Literal, Protocol

DocumentName = Literal["keys", "sessions", "oauth"]


class KeyDocument(Protocol):
    """One small JSON document that any number of servers read."""

    @property
    def where(self) -> str:
        """Where it is, for messages."""

    @property
    def is_permanent(self) -> bool:
        """Whether one that was written is there for good: where a file is missing, there may have
        been one."""

    def stamp(self) -> Hashable | None:
        """Differs after any change, at once or within a second; None: there never was one."""

    def read(self) -> bytes: ...

    def write(self, data: bytes) -> None:
        """Durable when this returns. Call it while `locked`."""

    def locked(self) -> AbstractContextManager[None]:
        """Hold it across reading and writing."""

    def beside(self, name: DocumentName) -> KeyDocument:
        """Another document at the same place, open for as long as this one is."""

    def close(self) -> None: ...
