"""Files in an object store, and those that lie beside the records: from before it was used, or from
a backup that was restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ports import FileStore


@dataclass(frozen=True, slots=True)
class FilesInTwoPlaces:
    """Implements ports.FileStore. New files go to `main`, which is asked first; what is deleted is
    deleted in both."""

    main: FileStore
    rest: FileStore

    @property
    def where(self) -> str:
        return self.main.where

    def put(self, key: str, data: bytes) -> None:
        self.main.put(key, data)
        self.rest.delete(key)  # an older one

    def get(self, key: str) -> bytes | None:
        found = self.main.get(key)
        return self.rest.get(key) if found is None else found

    def exists(self, key: str) -> bool:
        return self.main.exists(key) or self.rest.exists(key)

    def link(self, key: str, seconds: float) -> str | None:
        return self.main.link(key, seconds)

    def delete(self, key: str) -> bool:
        was_in_main = self.main.delete(key)
        return self.rest.delete(key) or was_in_main

    def list(self, prefix: str = "") -> Sequence[str]:
        return sorted({*self.main.list(prefix), *self.rest.list(prefix)})

    def clear(self) -> None:
        self.main.clear()
        self.rest.clear()
