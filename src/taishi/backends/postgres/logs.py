"""What belongs to no workspace: calls of models, deletions, refused writes; and recalled hashes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from ...ports import Call
from ...types import HandedOut, Partition
from ..ledger_rows import KEYS, SUMS, row_of
from .database import ALL, Database
from .partitions import PARTITION_NO, key, lock_known

_DELETION = ("time", "actor", "door", "what", "kind", "scope", "removed")
_REFUSAL = ("time", "actor", "door", "reason", "kind", "scope")
KEPT_REFUSALS = 10_000
MARKS_AT_ONCE = 1000
_ADD_CALL = f"""
INSERT INTO ledger ({", ".join(KEYS)}) VALUES ({", ".join(["%s"] * len(KEYS))})
ON CONFLICT (day, task, model, mode) DO UPDATE SET
  {", ".join(f"{name} = ledger.{name} + excluded.{name}" for name in SUMS)},
  last_error = CASE excluded.last_error WHEN '' THEN ledger.last_error
    ELSE excluded.last_error END"""


class PostgresLedger:
    """Implements ports.CallLedger."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def add(self, call: Call) -> None:
        with self._db.reading(ALL) as connection:
            connection.execute(_ADD_CALL, row_of(call, self._clock()))

    def totals(self, since_day: str | None = None) -> list[dict[str, Any]]:
        """A row for each day, task, model and mode, newest day first."""
        with self._db.reading(ALL) as connection:
            rows = connection.execute(
                f"SELECT {', '.join(KEYS)} FROM ledger WHERE day >= %s "
                "ORDER BY day DESC, task, model, mode",
                (since_day or "",),
            ).fetchall()
        return [dict(zip(KEYS, row, strict=True)) for row in rows]


class PostgresDeletions:
    """Implements ports.Deletions. Rows are only added."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def key(self) -> bytes:
        return bytes(self._db.scalar(ALL, "SELECT key FROM forgotten_key"))

    def newest(self) -> float | None:
        """When something was last deleted; None: never."""
        sql = "SELECT time FROM deletions ORDER BY number DESC LIMIT 1"
        found = self._db.scalar(ALL, sql)
        return None if found is None else float(found)

    def add(self, row: Sequence[Any], marks: Collection[bytes]) -> None:
        """`row` has the values of exported.Deletion; the hashes get its time."""
        with self._db.transaction(ALL) as connection, connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO deletions ({', '.join(_DELETION)}) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s)",
                tuple(row),
            )
            if marks:
                cursor.executemany(
                    "INSERT INTO forgotten (mark, time) VALUES (%s, %s) "
                    "ON CONFLICT (mark) DO UPDATE SET time = excluded.time",
                    [(mark, row[0]) for mark in sorted(marks)],
                )

    def list(self, limit: int) -> list[tuple[Any, ...]]:
        """The newest first."""
        with self._db.reading(ALL) as connection:
            return connection.execute(
                f"SELECT {', '.join(_DELETION)} FROM deletions ORDER BY number DESC LIMIT %s",
                (limit,),
            ).fetchall()

    def times(self, marks: Collection[bytes]) -> dict[bytes, float]:
        """Which of these hashes are stored, and since when."""
        with self._db.reading(ALL) as connection:
            rows = connection.execute(
                "SELECT mark, time FROM forgotten WHERE mark = ANY (%s::bytea[])",
                ([*marks],),
            ).fetchall()
        return {bytes(mark): at for mark, at in rows}

    def marks(self) -> Iterator[tuple[bytes, float]]:
        """Every hash, in order, and since when."""
        after = b""
        while True:
            with self._db.reading(ALL) as connection:
                rows = connection.execute(
                    "SELECT mark, time FROM forgotten WHERE mark > %s ORDER BY mark LIMIT %s",
                    (after, MARKS_AT_ONCE),
                ).fetchall()
            if not rows:
                return
            for mark, at in rows:
                yield bytes(mark), float(at)
            after = bytes(rows[-1][0])

    def adopt(
        self,
        key: bytes,
        rows: Iterable[Sequence[Any]],
        marks: Iterable[tuple[bytes, float]],
    ) -> None:
        """Take over another store's secret, log (oldest first) and hashes in place of our own."""
        values = ", ".join(["%s"] * len(_DELETION))
        with self._db.transaction(ALL) as connection, connection.cursor() as cursor:
            cursor.execute("DELETE FROM deletions")
            cursor.execute("DELETE FROM forgotten")
            cursor.execute("UPDATE forgotten_key SET key = %s", (key,))
            cursor.executemany(
                f"INSERT INTO deletions ({', '.join(_DELETION)}) VALUES ({values})",
                [tuple(row) for row in rows],
            )
            cursor.executemany("INSERT INTO forgotten (mark, time) VALUES (%s, %s)", list(marks))


class PostgresRefusals:
    """Implements ports.Refusals. Only the newest KEPT_REFUSALS stay, so that a client that is
    refused in a loop does not fill the disk."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, row: Sequence[Any]) -> None:
        """`row` has the values of exported.Refusal."""
        with self._db.transaction(ALL) as connection:
            connection.execute(
                f"INSERT INTO refusals ({', '.join(_REFUSAL)}) VALUES (%s, %s, %s, %s, %s, %s)",
                tuple(row),
            )
            connection.execute(
                "DELETE FROM refusals WHERE number <= (SELECT max(number) FROM refusals) - %s",
                (KEPT_REFUSALS,),
            )

    def list(self, limit: int) -> list[tuple[Any, ...]]:
        """The newest first."""
        with self._db.reading(ALL) as connection:
            return connection.execute(
                f"SELECT {', '.join(_REFUSAL)} FROM refusals ORDER BY number DESC LIMIT %s",
                (limit,),
            ).fetchall()


class PostgresRecalledHashes:
    """Implements ports.RecalledHashes. Not exported: only this installation returned them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, place: Partition, rows: Sequence[tuple[str, str]], most: int) -> None:
        """Beyond `most` in a partition the oldest are dropped. Change counts stay: no index reads
        this. A partition that is not there is not made: a recall is no reason to store an id."""

        def write() -> None:
            with self._db.transaction(place.workspace) as connection:
                no = lock_known(connection, place)
                if no is None:
                    return
                with connection.cursor() as cursor:
                    cursor.executemany(
                        "INSERT INTO recalled_hashes (partition, workspace, key, told) "
                        "VALUES (%s, %s, %s, %s) ON CONFLICT (partition, key) DO NOTHING",
                        [(no, place.workspace, *row) for row in rows],
                    )
                connection.execute(
                    "DELETE FROM recalled_hashes WHERE partition = %s AND number <= (SELECT number "
                    "FROM recalled_hashes WHERE partition = %s ORDER BY number DESC "
                    "LIMIT 1 OFFSET %s)",
                    (no, no, most),
                )

        if rows:
            self._db.repeat(write)

    def since(self, place: Partition, number: int) -> list[HandedOut]:
        """Rows after this number, in order."""
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                "SELECT number, key, told FROM recalled_hashes "
                f"WHERE partition = {PARTITION_NO} AND number > %s ORDER BY number",
                (*key(place), number),
            ).fetchall()
        return [HandedOut(*row) for row in rows]

    def forget(self, workspace: str) -> None:
        with self._db.transaction(workspace) as connection:
            connection.execute("DELETE FROM recalled_hashes WHERE workspace = %s", (workspace,))
