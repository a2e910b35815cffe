"""The indexes of one large partition: partial ones, so that a search in it reads nothing of others.

Built concurrently: reading and writing go on.
"""

from __future__ import annotations

import logging

import psycopg
from psycopg import errors as pg

from ..record_rows import number_range
from .database import Connection

log = logging.getLogger("taishi")
M, EF_CONSTRUCTION = 16, 64
# HNSW is built in memory if it fits: so much for each row, beside the numbers.
ROW_BYTES = 400
MIN_MEMORY_MB, MAX_MEMORY_MB = 64, 2048
_INDEXES = {
    "sessions": "(session, number) WHERE session IS NOT NULL AND",
    "speakers": "(speaker) WHERE speaker IS NOT NULL AND",
    "kinds": "(kind) WHERE",
    "times": "(time DESC NULLS LAST) WHERE",
}


def vector_index(no: int, model: int) -> str:
    return f"large_{no}_vectors_{model}"


def names(no: int, model: int) -> list[str]:
    return [f"large_{no}_{name}" for name in _INDEXES] + [vector_index(no, model)]


def are_made(connection: Connection, no: int, model: int) -> bool:
    """Whether all of them are there and can be used."""
    row = connection.execute(
        "SELECT count(*) FROM pg_class JOIN pg_index ON indexrelid = oid "
        "WHERE indisvalid AND relname = ANY (%s::text[])",
        (names(no, model),),
    ).fetchone()
    return row is not None and row[0] == len(names(no, model))


def make(connection: Connection, no: int, model: int, dimensions: int, rows: int) -> None:
    """Those that are missing. Of a build that was killed, an invalid index is left: it is dropped
    first. The connection is in autocommit mode."""
    low, high = number_range(no)
    inside = f"number >= {low} AND number < {high}"
    _drop(connection, no, "AND NOT indisvalid")
    for name, what in _INDEXES.items():
        connection.execute(
            f"CREATE INDEX CONCURRENTLY IF NOT EXISTS large_{no}_{name} "
            f"ON index_rows {what} {inside}"
        )
    if not dimensions:
        return
    memory = rows * (2 * dimensions + ROW_BYTES) >> 20
    memory = min(max(memory, MIN_MEMORY_MB), MAX_MEMORY_MB)
    connection.execute(f"SET maintenance_work_mem = '{memory}MB'")
    sql = (
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {vector_index(no, model)} ON record_vectors "
        f"USING hnsw ((embedding::halfvec({dimensions})) halfvec_cosine_ops) "
        f"WITH (m = {M}, ef_construction = {EF_CONSTRUCTION}) "
        f"WHERE partition = {no} AND model = {model}"
    )
    try:
        connection.execute(sql)
    except (pg.DiskFull, pg.OutOfMemory) as error:
        # Workers share memory through /dev/shm, which is small in many containers.
        log.warning("the vector index is built by one process: %s", str(error).splitlines()[0])
        _drop(connection, no, "AND NOT indisvalid")
        connection.execute("SET max_parallel_maintenance_workers = 0")
        connection.execute(sql)


def drop(connection: Connection, no: int) -> None:
    _drop(connection, no)


def _drop(connection: Connection, no: int, which: str = "") -> None:
    found = connection.execute(
        "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = oid "
        f"WHERE relname LIKE %s {which}",
        (f"large\\_{no}\\_%",),
    ).fetchall()
    for (name,) in found:
        identifier = psycopg.sql.Identifier(name)
        connection.execute(
            psycopg.sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(identifier)
        )
