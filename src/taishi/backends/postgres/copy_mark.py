"""The mark of a copy that is not complete, as a row that every process sees."""

from __future__ import annotations

import psycopg

from .database import CONNECT_SECONDS, SEE_ALL, Database
from .driver_errors import host_of, translated
from .migration_runner import LOCK, add_extension, has_tables, migrate
from .queries import Queries

_WRITE = (
    "INSERT INTO unfinished_copy (content) VALUES (%s) "
    "ON CONFLICT (only_row) DO UPDATE SET content = excluded.content"
)


class CopyMarkRow:
    """Implements ports.CopyMark."""

    def __init__(self, database: Database) -> None:
        self._queries = Queries(database)

    def read(self) -> bytes | None:
        found = self._queries.value("SELECT content FROM unfinished_copy")
        return None if found is None else bytes(found)

    def write(self, content: bytes) -> None:
        self._queries.execute(_WRITE, (content,))

    def clear(self) -> None:
        self._queries.execute("DELETE FROM unfinished_copy")


def make_marked(address: str, content: bytes) -> None:
    """The tables of a memory and the mark, both or nothing; if there is a memory, it stays as it
    is."""
    host = host_of(address)
    with (
        translated(host),
        psycopg.connect(
            address, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="taishi"
        ) as connection,
    ):
        if has_tables(connection):
            return
        add_extension(connection, host)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            if not has_tables(connection):  # nobody else made them meanwhile
                migrate(connection, host)
                connection.execute(*SEE_ALL)
                connection.execute(_WRITE, (content,))
