"""Searches large partitions in SQL: HNSW with iterative scan, terms by GIN, the newest by time.

Numbers of partitions and models are written into the statements, as the indexes of a large
partition are partial and the planner has to see that they apply. All else is a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from pgvector import HalfVector
from psycopg import Cursor

from ...errors import BusyError
from ...ports import (
    IndexRow,
    LargePartition,
    NearestQuery,
    PartitionState,
    RowsInSession,
    SearchTarget,
    TermRow,
    WordsFound,
    WordsQuery,
)
from ...times import Deadline
from ...types import Partition
from ..record_rows import number_range
from .database import Database
from .filter_sql import compiled
from .large_partitions import LargePartitions
from .record_columns import INDEXED
from .search_conditions import conditions, is_usual
from .search_rows import lexeme

# Rows that HNSW keeps in view, at the least; and for each row that is wanted.
MIN_EF = 64
EF_FACTOR = 1.5
MAX_EF = 1000  # as pgvector allows
# How far it goes on where a filter leaves few.
MAX_SCANNED = 4000
# So many rows with a marker are compared with the question one by one.
MAX_MARKED = 2000
USUAL_SHARE = 0.95
LEAST_MS, MAX_SECONDS = 1, 3600.0
Run = Callable[..., Cursor[Any]]
# Also: a plan starts from the few rows that an index finds, and is made once.
_SETTINGS = """
SELECT set_config('statement_timeout', %s, true), set_config('hnsw.ef_search', %s, true),
  set_config('hnsw.max_scan_tuples', %s, true),
  set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('jit', 'off', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true),
  set_config('plan_cache_mode', 'force_generic_plan', true)"""
_WITH_TERMS = """
SELECT i.number, i.session, i.terms
FROM taishi_rows_with_terms({no}, %(query)s::tsquery, %(most)s::integer) AS f (number)
JOIN index_rows i ON i.number = f.number WHERE {where}"""
_AMONG = "SELECT i.number, i.session, i.terms FROM index_rows i WHERE {where}"
_FITTING = """
SELECT r.number FROM records r WHERE r.number >= {low} AND r.number < {high} AND {condition}
LIMIT {most}"""
_NEWEST = """
SELECT i.number FROM index_rows i WHERE i.number >= {low} AND i.number < {high} AND {where}
ORDER BY i.time DESC NULLS LAST LIMIT {count}"""
_NEAREST = """
SELECT v.number FROM record_vectors v {join}
WHERE v.partition = {no} AND v.model = {model} AND v.number >= {low} AND v.number < {high} {where}
ORDER BY v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT {count}"""
_JOIN = "JOIN index_rows i ON i.number = v.number"
_OF_SPEAKERS = "i.speaker = ANY (%(speakers)s::text[])"
_MARKED = """v.number = ANY (ARRAY(
  SELECT taishi_rows_with_terms({no}, %(marker)s::tsquery, {most})))"""
_BEFORE = """
SELECT b.number FROM index_rows b WHERE b.session = {of}.session AND b.number < {of}.number
  AND b.number >= {low} AND b.number < {high} ORDER BY b.number DESC LIMIT 1"""
_AFTER = """
SELECT a.number FROM index_rows a WHERE a.session = {of}.session AND a.number > {of}.number
  AND a.number >= {low} AND a.number < {high} ORDER BY a.number LIMIT 1"""
# Of each row the one before it in its session, for which a neighbour is not looked up again: the
# row after this one is preceded by this one.
_ROWS = f"""
WITH found AS MATERIALIZED (
  SELECT i.number, i.session, i.number = ANY (%(around)s::bigint[]) AS wide FROM index_rows i
  WHERE i.number = ANY (%(numbers)s::bigint[]) AND i.number >= {{low}} AND i.number < {{high}}
), linked AS MATERIALIZED (
  SELECT f.number, f.session, f.wide,
    ({_BEFORE.format(of="f", low="{low}", high="{high}")}) AS before,
    CASE WHEN f.wide THEN ({_AFTER.format(of="f", low="{low}", high="{high}")}) END AS after
  FROM found f
), preceding AS MATERIALIZED (
  SELECT l.before AS number, l.session FROM linked l WHERE l.wide AND l.before IS NOT NULL
), chosen AS (
  SELECT l.number, l.before FROM linked l
  UNION SELECT l.after, l.number FROM linked l WHERE l.after IS NOT NULL
  UNION SELECT p.number, ({_BEFORE.format(of="p", low="{low}", high="{high}")}) FROM preceding p
)
SELECT c.before, i.number, i.revision,
  {", ".join(f"i.{column}" for column in INDEXED.split(", "))}, i.terms,
  CASE WHEN i.model = {{model}} THEN i.code END, CASE WHEN i.model = {{model}} THEN i.passages END
FROM chosen c JOIN index_rows i ON i.number = c.number ORDER BY i.number"""


class PostgresPartitionSearch:
    """Implements ports.PartitionSearch."""

    def __init__(self, db: Database, partitions: LargePartitions) -> None:
        self._db = db
        self._partitions = partitions

    def use_model(self, name: str | None, dimensions: int) -> None:
        self._partitions.use_model(name, dimensions)

    def searched(
        self, states: Mapping[Partition, PartitionState]
    ) -> Mapping[Partition, LargePartition]:
        return self._partitions.searched(states)

    def known(
        self, states: Mapping[Partition, PartitionState]
    ) -> Mapping[Partition, LargePartition] | None:
        return self._partitions.known(states)

    def with_words(self, target: SearchTarget, query: WordsQuery, deadline: Deadline) -> WordsFound:
        target = self._narrowed(target, deadline)
        with self._querying(target.partition, deadline) as run:
            by_words = [run(*one) for one in _words_statements(target, query)]
            newest = run(*_newest_statement(target, query.newest))
        return WordsFound(
            [TermRow._make(row) for cursor in by_words for row in cursor.fetchall()],
            [number for (number,) in newest.fetchall()],
        )

    def nearest(
        self, target: SearchTarget, query: NearestQuery, deadline: Deadline
    ) -> Sequence[Sequence[int]]:
        target = self._narrowed(target, deadline)
        ef = min(max(MIN_EF, int(EF_FACTOR * query.count)), MAX_EF)
        with self._querying(target.partition, deadline, ef) as run:
            near = [run(*one) for one in self._nearest_statements(target, query)]
        return [[number for (number,) in cursor.fetchall()] for cursor in near]

    def _narrowed(self, target: SearchTarget, deadline: Deadline) -> SearchTarget:
        """If few records fit the caller's filters, which: a scan of the nearest gives up before it
        meets them."""
        if target.wanted.filters is None:
            return target
        condition, values = compiled(target.wanted.filters)
        low, high = number_range(target.partition.no)
        sql = _FITTING.format(low=low, high=high, condition=condition, most=MAX_MARKED + 1)
        with self._querying(target.partition, deadline) as run:
            found = run(sql, values)
        numbers = [number for (number,) in found.fetchall()]
        return target if len(numbers) > MAX_MARKED else replace(target, only=tuple(numbers))

    def _nearest_statements(
        self, target: SearchTarget, query: NearestQuery
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        no, (low, high) = target.partition.no, number_range(target.partition.no)
        where, values = conditions(target.visible, target.wanted, target.only)
        model = self._partitions.model

        # If nearly all rows pass the filter, it is left to whoever reads the rows.
        unfiltered = (
            target.partition.statistics.usual_share >= USUAL_SHARE
            and not query.speakers
            and is_usual(target.visible, target.wanted)
        )

        def statement(*also: str) -> str:
            parts = also if unfiltered else (where, *also)
            return _NEAREST.format(
                no=no,
                model=model.no,
                low=low,
                high=high,
                dimensions=model.dimensions,
                join="" if unfiltered else _JOIN,
                where="".join(f" AND {part}" for part in parts),
                count=int(query.count),
            )

        for vector in query.vectors:
            yield statement(), {**values, "vector": HalfVector(vector)}
        first = HalfVector(query.vectors[0])
        if query.speakers:
            speakers = list(query.speakers)
            yield statement(_OF_SPEAKERS), {**values, "vector": first, "speakers": speakers}
        for marker in query.markers:
            also = _MARKED.format(no=no, most=MAX_MARKED)
            yield (
                statement(also),
                {**values, "vector": first, "marker": _tsquery(no, [[marker]])},
            )

    def rows(
        self,
        partition: LargePartition,
        numbers: Collection[int],
        around: Collection[int],
        deadline: Deadline,
    ) -> RowsInSession:
        low, high = number_range(partition.no)
        sql = _ROWS.format(low=low, high=high, model=self._partitions.model.no)
        with self._querying(partition, deadline) as run:
            found = run(sql, {"numbers": list(numbers), "around": list(around)})
        rows, before = [], {}
        for previous, *row in found.fetchall():
            rows.append(IndexRow._make(row))
            if previous is not None:
                before[row[0]] = previous
        return RowsInSession(rows, before)

    @contextmanager
    def _querying(
        self, partition: LargePartition, deadline: Deadline, ef: int = MIN_EF
    ) -> Iterator[Run]:
        """A transaction that the server gives up at the deadline, in one round trip. What `run`
        returns is to be read after it."""
        left = min(deadline.left, MAX_SECONDS)
        if left <= 0:
            raise BusyError("no time is left for a search in the database")
        limits = (str(max(LEAST_MS, int(left * 1000))), str(ef), str(MAX_SCANNED))
        reading = self._db.reading(partition.place.workspace)
        with reading as connection, connection.pipeline():
            connection.execute(_SETTINGS, limits, prepare=True)
            yield partial(connection.execute, prepare=True, binary=True)

    def forget(self) -> None:
        self._partitions.forget()

    def stats(self) -> dict[str, int]:
        return self._partitions.stats()

    def close(self) -> None:
        self._partitions.close()


def _words_statements(
    target: SearchTarget, words: WordsQuery
) -> Iterator[tuple[str, dict[str, Any]]]:
    if words.groups:
        no = target.partition.no
        where, values = conditions(target.visible, target.wanted, target.only)
        if target.only is not None:
            yield _AMONG.format(where=where), values
            return
        values.update(query=_tsquery(no, words.groups), most=words.most)
        yield _WITH_TERMS.format(no=no, where=where), values


def _newest_statement(target: SearchTarget, count: int) -> tuple[str, dict[str, Any]]:
    low, high = number_range(target.partition.no)
    where, values = conditions(target.visible, target.wanted, target.only)
    return _NEWEST.format(low=low, high=high, where=where, count=int(count)), values


def _tsquery(no: int, groups: Sequence[Sequence[int]]) -> str:
    """All terms of one group, or of another. Terms are numbers, so there is nothing to escape."""
    return " | ".join(
        "(" + " & ".join(f"'{lexeme(no, int(term))}'" for term in group) + ")" for group in groups
    )
