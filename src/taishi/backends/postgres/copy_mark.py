"""The mark of a copy that is not complete, as a row that every process sees."""

from __future__ import annotations

from .database import Database
from .queries import Queries


class CopyMarkRow:
    """Implements ports.CopyMark."""

    def __init__(self, database: Database) -> None:
        self._queries = Queries(database)

    def read(self) -> bytes | None:
        found = self._queries.value("SELECT content FROM unfinished_copy")
        return None if found is None else bytes(found)

    def write(self, content: bytes) -> None:
        self._queries.execute(
            "INSERT INTO unfinished_copy (content) VALUES (%s) "
            "ON CONFLICT (only_row) DO UPDATE SET content = excluded.content",
            (content,),
        )

    def clear(self) -> None:
        self._queries.execute("DELETE FROM unfinished_copy")
