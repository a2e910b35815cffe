"""Counts of a large partition: rows, sessions, speakers, and in how many rows each term is."""

from __future__ import annotations

import numpy as np

from ...ports import PartitionStatistics
from ..record_rows import number_range
from .database import Connection

# From so many rows on, terms are counted in a sample of the table's pages.
SAMPLED_FROM = 100_000
SAMPLE_ROWS = 50_000
_SIZES = """
SELECT count(*), coalesce(sum(length(terms)), 0) FROM record_terms {sample}
WHERE number >= {low} AND number < {high}"""
_TERMS = """
SELECT array_agg(split_part(word, '.', 2)::bigint), array_agg(ndoc)
FROM ts_stat('SELECT terms FROM record_terms {sample} WHERE number >= {low} AND number < {high}')"""
_UNUSUAL = """
SELECT count(*) FILTER (WHERE state != 'approved' OR until IS NOT NULL)::float8
  / greatest(count(*), 1) FROM index_rows {sample} WHERE number >= {low} AND number < {high}"""
_ROWS = "SELECT count(*) FROM record_terms WHERE number >= {low} AND number < {high}"
_SESSIONS = """
SELECT count(DISTINCT session) FROM index_rows
WHERE number >= {low} AND number < {high} AND session IS NOT NULL"""
# A walk from one value to the next, which an index makes short however many rows have it.
_VALUES = """
WITH RECURSIVE walk AS (
  (SELECT {column} FROM index_rows WHERE number >= {low} AND number < {high}
     AND {column} IS NOT NULL ORDER BY {column} LIMIT 1)
  UNION ALL
  SELECT (SELECT {column} FROM index_rows WHERE number >= {low} AND number < {high}
            AND {column} > walk.{column} ORDER BY {column} LIMIT 1)
  FROM walk WHERE walk.{column} IS NOT NULL
)
SELECT {column} FROM walk WHERE {column} IS NOT NULL LIMIT {most}"""
MOST_KINDS = 100
MOST_SPEAKERS = 20_000


def read_statistics(connection: Connection, no: int) -> PartitionStatistics:
    low, high = number_range(no)

    def run(sql: str, **more: object) -> list[tuple[object, ...]]:
        return connection.execute(sql.format(low=low, high=high, **more)).fetchall()

    ((rows,),) = run(_ROWS)
    assert isinstance(rows, int)
    sample = ""
    if rows > SAMPLED_FROM:
        sample = f"TABLESAMPLE SYSTEM ({100 * SAMPLE_ROWS / rows:.4f})"
    ((sampled, length),) = run(_SIZES, sample=sample)
    assert isinstance(sampled, int)
    ((words, counts),) = run(_TERMS, sample=sample)
    terms = np.array(words or [], np.uint32)
    order = terms.argsort()
    share = rows / max(sampled, 1)
    ((sessions,),) = run(_SESSIONS)
    ((unusual,),) = run(_UNUSUAL, sample=sample)
    return PartitionStatistics(
        rows=rows,
        average_length=float(str(length)) / max(sampled, 1),
        sessions=int(str(sessions)),
        kinds=_texts(run(_VALUES, column="kind", most=MOST_KINDS)),
        speakers=_texts(run(_VALUES, column="speaker", most=MOST_SPEAKERS)),
        usual_share=1.0 - float(str(unusual)),
        terms=terms[order],
        counts=np.rint(np.array(counts or [], np.float64)[order] * share).astype(np.int64),
    )


def _texts(rows: list[tuple[object, ...]]) -> tuple[str, ...]:
    return tuple(str(value) for (value,) in rows)
