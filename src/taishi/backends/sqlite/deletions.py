"""The log of deletions, and keyed hashes of what was deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from .database import Database

COLUMNS = ("time", "actor", "door", "what", "kind", "scope", "removed")
MARKS_AT_ONCE = 500


class SqliteDeletions:
    """Implements ports.Deletions. Rows are only added."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def key(self) -> bytes:
        return bytes(self._db.scalar("SELECT key FROM forgotten_key"))

    def newest(self) -> float | None:
        """When something was last deleted; None: never."""
        found = self._db.scalar("SELECT time FROM deletions ORDER BY number DESC LIMIT 1")
        return None if found is None else float(found)

    def add(self, row: Sequence[Any], marks: Collection[bytes]) -> None:
        """`row` has the values of COLUMNS; the hashes get its time."""
        with self._db.writing(()) as connection:
            connection.execute(
                f"INSERT INTO deletions ({', '.join(COLUMNS)}) VALUES (?,?,?,?,?,?,?)", tuple(row)
            )
            for mark in marks:
                connection.execute(
                    "INSERT INTO forgotten VALUES (?, ?) "
                    "ON CONFLICT (mark) DO UPDATE SET time = excluded.time",
                    (mark, row[0]),
                )

    def list(self, limit: int) -> list[tuple[Any, ...]]:
        """The newest first."""
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM deletions ORDER BY number DESC LIMIT ?", (limit,)
            )
            return list(rows)

    def times(self, marks: Collection[bytes]) -> dict[bytes, float]:
        """Which of these hashes are stored, and since when."""
        wanted = list(marks)
        found: dict[bytes, float] = {}
        with self._db.reading() as connection:
            for start in range(0, len(wanted), MARKS_AT_ONCE):
                some = wanted[start : start + MARKS_AT_ONCE]
                rows = connection.execute(
                    f"SELECT mark, time FROM forgotten WHERE mark IN ({','.join('?' * len(some))})",
                    some,
                )
                found.update((bytes(mark), time) for mark, time in rows)
        return found

    def marks(self) -> Iterator[tuple[bytes, float]]:
        """Every hash, in order, and since when."""
        after = b""
        while True:
            with self._db.reading() as connection:
                rows = connection.execute(
                    "SELECT mark, time FROM forgotten WHERE mark > ? ORDER BY mark LIMIT ?",
                    (after, MARKS_AT_ONCE),
                ).fetchall()
            if not rows:
                return
            for mark, time in rows:
                yield bytes(mark), float(time)
            after = bytes(rows[-1][0])

    def adopt(
        self,
        key: bytes,
        rows: Iterable[Sequence[Any]],
        marks: Iterable[tuple[bytes, float]],
    ) -> None:
        """Take over another store's secret, log (oldest first) and hashes in place of our own."""
        values = ",".join("?" * len(COLUMNS))
        with self._db.writing(()) as connection:
            connection.execute("DELETE FROM deletions")
            connection.execute("DELETE FROM forgotten")
            connection.execute("UPDATE forgotten_key SET key = ?", (key,))
            for row in rows:
                connection.execute(
                    f"INSERT INTO deletions ({', '.join(COLUMNS)}) VALUES ({values})", tuple(row)
                )
            for mark in marks:
                connection.execute("INSERT INTO forgotten VALUES (?, ?)", mark)
