"""What left the records, as lines in a table (O2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .database import Connection, Database
from .queries import Queries

PIECE_BYTES = 1 << 20
_INSERT = "INSERT INTO archive_pieces (name, start, data) VALUES (%s, %s, %s)"


class ArchiveTable:
    """Implements ports.ArchiveStore. A file is its pieces in order; callers hold a lock while they
    write."""

    def __init__(self, database: Database) -> None:
        self._queries = Queries(database)

    def names(self) -> list[str]:
        rows = self._queries.rows("SELECT DISTINCT name FROM archive_pieces ORDER BY name")
        return [name for (name,) in rows]

    def lines(self, name: str) -> Iterator[bytes]:
        """Each with its line feed; a last one without was cut short."""
        rest = b""
        for piece in self._pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield line + b"\n"
        if rest:
            yield rest

    def _pieces(self, name: str) -> Iterator[bytes]:
        after = -1
        while True:
            row = self._queries.row(
                "SELECT start, data FROM archive_pieces WHERE name = %s AND start > %s "
                "ORDER BY start LIMIT 1",
                (name, after),
            )
            if row is None:
                return
            after = row[0]
            yield bytes(row[1])

    def last_line(self, name: str) -> tuple[int, bytes]:
        """Where the last line begins, and the line; nothing where there is no file."""
        tail = b""
        rows = self._queries.rows(
            "SELECT start FROM archive_pieces WHERE name = %s ORDER BY start DESC", (name,)
        )
        for (start,) in rows:
            piece = self._queries.value(
                "SELECT data FROM archive_pieces WHERE name = %s AND start = %s", (name, start)
            )
            tail = bytes(piece or b"") + tail
            before = tail.rfind(b"\n", 0, len(tail) - 1) + 1
            if before or start == 0:
                return start + before, tail[before:]
        return 0, b""

    def append(self, name: str, after: int, data: bytes) -> None:
        """Write `data` in place of all that follows the first `after` bytes."""
        with self._queries.transaction() as connection:
            connection.execute(
                "DELETE FROM archive_pieces WHERE name = %s AND start >= %s", (name, after)
            )
            connection.execute(
                "UPDATE archive_pieces "
                "SET data = substring(data FROM 1 FOR (%(after)s - start)::int) "
                "WHERE name = %(name)s AND start + length(data) > %(after)s",
                {"name": name, "after": after},
            )
            _insert(connection, name, after, data)

    def replace(self, name: str, lines: Iterable[bytes]) -> None:
        """Replace the file atomically, without holding all of it in memory."""
        with self._queries.transaction() as connection:
            connection.execute("DELETE FROM archive_pieces WHERE name = %s", (name,))
            start, piece = 0, bytearray()
            for line in lines:
                piece += line
                if len(piece) >= PIECE_BYTES:
                    start = _insert(connection, name, start, bytes(piece))
                    piece.clear()
            _insert(connection, name, start, bytes(piece))

    def remove(self, name: str) -> None:
        self._queries.execute("DELETE FROM archive_pieces WHERE name = %s", (name,))


def _insert(connection: Connection, name: str, start: int, data: bytes) -> int:
    """Where the next piece begins."""
    for at in range(0, len(data), PIECE_BYTES):
        connection.execute(_INSERT, (name, start + at, data[at : at + PIECE_BYTES]))
    return start + len(data)
