"""What a search in SQL reads: vectors and terms of partitions too large for an index in memory.

Written in the transaction of the record; see 004_sql_search.sql.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence

from ..record_rows import PLACE_BITS
from .database import Connection
from .halfvec import SCALE_BYTES, halfvec

TABLES = ("record_vectors", "record_terms")
_PUT_TERMS = """
INSERT INTO record_terms (number, partition, workspace, terms)
VALUES (%s, %s::bigint >> 32, %s, array_to_tsvector(%s::text[]))
ON CONFLICT (number) DO UPDATE SET terms = excluded.terms"""
_PUT_VECTOR = """
INSERT INTO record_vectors (number, partition, workspace, model, embedding)
VALUES (%s, %s::bigint >> 32, %s, %s, %s::halfvec)
ON CONFLICT (number) DO UPDATE SET model = excluded.model, embedding = excluded.embedding"""
OFF, FILLING, READY = 0, 1, 2  # partitions.sql_search
_TERM = struct.Struct("<IB")


def lexeme(no: int, term: int) -> str:
    """A term as it is filed: under its partition, so that a search reads nothing of others."""
    return f"{no}.{term}"


def lexemes(number: int, terms: bytes) -> list[str]:
    """The terms of all passages, each once. Between two passages there is a term that occurs zero
    times."""
    no = number >> PLACE_BITS
    return [lexeme(no, n) for n in {n: None for n, times in _TERM.iter_unpack(terms) if times}]


def put_terms(
    connection: Connection,
    workspace: str,
    rows: Sequence[tuple[int, bytes]],
    voided: Collection[int] = (),
) -> None:
    """Rows are of (number, packed terms); the vectors of `voided` records are no longer theirs."""
    with connection.cursor() as cursor:
        if rows:
            cursor.executemany(_PUT_TERMS, [(n, n, workspace, lexemes(n, t)) for n, t in rows])
        if voided:
            cursor.execute(
                "DELETE FROM record_vectors WHERE number = ANY (%s::bigint[])", (list(voided),)
            )


def put_vectors(connection: Connection, model: int, rows: Iterable[tuple[int, str, bytes]]) -> None:
    """Rows are of (number, workspace, code)."""
    values = [
        (number, number, workspace, model, halfvec(code))
        for number, workspace, code in rows
        if len(code) > SCALE_BYTES  # not of an import that carries something else
    ]
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(_PUT_VECTOR, values)
