"""Originals of documents in a table, for a memory without an object store (K1)."""

from __future__ import annotations

from collections.abc import Sequence

from ...ports.files import checked_key
from .database import Database
from .queries import Queries

_ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


class FileTable:
    """Implements ports.FileStore; a proof reads its rows with the other tables."""

    where = ""

    def __init__(self, database: Database) -> None:
        self._queries = Queries(database)

    def put(self, key: str, data: bytes) -> None:
        self._queries.execute(
            "INSERT INTO stored_files (key, data) VALUES (%s, %s) "
            "ON CONFLICT (key) DO UPDATE SET data = excluded.data",
            (checked_key(key), data),
        )

    def get(self, key: str) -> bytes | None:
        found = self._queries.value(
            "SELECT data FROM stored_files WHERE key = %s", (checked_key(key),)
        )
        return None if found is None else bytes(found)

    def exists(self, key: str) -> bool:
        return bool(
            self._queries.value(
                "SELECT EXISTS (SELECT FROM stored_files WHERE key = %s)", (checked_key(key),)
            )
        )

    def link(self, key: str, seconds: float) -> str | None:
        checked_key(key)
        return None

    def delete(self, key: str) -> bool:
        return (
            self._queries.execute("DELETE FROM stored_files WHERE key = %s", (checked_key(key),))
            > 0
        )

    def list(self, prefix: str = "") -> Sequence[str]:
        try:
            prefix.encode()
        except UnicodeError:
            return []  # no key looks like that
        rows = self._queries.rows(
            "SELECT key FROM stored_files WHERE key LIKE %s ORDER BY key",
            (f"{prefix.translate(_ESCAPED)}%",),
        )
        return [key for (key,) in rows]

    def clear(self) -> None:
        self._queries.execute("DELETE FROM stored_files")
