"""Every row of every table as bytes, for a search of what should be gone (O2)."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg import sql

from .database import ALL, Database

BUFFER_BYTES = 1 << 20


class TableBytes:
    """Implements ports.StoredBytes. In the binary form of COPY, texts and bytes are as they are,
    not escaped."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def note(self) -> str:
        return (
            "database: every row of every table. Deleted rows leave the server's files with its "
            "next VACUUM, and its write-ahead log and backups by the server's own rules"
        )

    def tables(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        with self._database.reading(ALL) as connection:
            rows = connection.execute(
                "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') "
                "AND relnamespace = current_schema()::regnamespace ORDER BY relname"
            ).fetchall()
        for (name,) in rows:
            yield name, self._bytes(name)

    def _bytes(self, table: str) -> Iterator[bytes]:
        query = sql.SQL("COPY (SELECT * FROM {}) TO STDOUT (FORMAT binary)").format(
            sql.Identifier(table)
        )
        buffer = bytearray()
        with (
            self._database.reading(ALL) as connection,
            connection.cursor() as cursor,
            cursor.copy(query) as copied,
        ):
            for row in copied:
                buffer += row
                if len(buffer) >= BUFFER_BYTES:
                    yield bytes(buffer)
                    buffer.clear()
        yield bytes(buffer)
