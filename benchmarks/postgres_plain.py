"""Plain pgvector SQL as a person would write it, after pgvector's own example of hybrid search: one
table, HNSW, GIN and a B-tree on the scope; two queries, fused by reciprocal rank. Vectors are sent
by pgvector's own adapter, in binary form."""

from __future__ import annotations

from typing import Any

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from benchmarks.postgres_corpus import DIMENSIONS, MadeUpRecords, Question

RRF_K = 60
EVERY, BY_SCOPE = "documents", "documents_by_scope"
_BY_VECTOR = """
SELECT id, body FROM {table} WHERE scope = %s ORDER BY embedding <=> %s LIMIT %s"""
_BY_WORDS = """
SELECT id, body FROM {table}, plainto_tsquery('simple', %s) query
WHERE scope = %s AND words @@ query ORDER BY ts_rank_cd(words, query) DESC LIMIT %s"""
# A question of a person has words that no document has: then one looks for any of them.
_BY_ANY_WORD = _BY_WORDS.replace(
    "plainto_tsquery('simple', %s) query",
    "(SELECT replace(plainto_tsquery('simple', %s)::text, '&', '|')::tsquery AS query) AS any_word",
)


class PlainSql:
    def __init__(self, address: str) -> None:
        self.connection: psycopg.Connection[Any] = psycopg.connect(address, autocommit=True)
        self.table = EVERY
        register_vector(self.connection)

    def create(self) -> None:
        self.connection.execute(
            "CREATE TABLE documents (id bigint PRIMARY KEY, scope text NOT NULL, "
            f"body text NOT NULL, words tsvector NOT NULL, embedding halfvec({DIMENSIONS}))"
        )

    def copy(self, corpus: MadeUpRecords) -> None:
        """The tsvector is made by the server, as `to_tsvector` in a generated column would."""
        self.connection.execute(
            "CREATE TEMP TABLE incoming (id bigint, scope text, body text, "
            f"embedding halfvec({DIMENSIONS}))"
        )
        for start in range(0, corpus.count, 20_000):
            end = min(start + 20_000, corpus.count)
            with self.connection.cursor() as cursor:
                with cursor.copy("COPY incoming FROM STDIN (FORMAT BINARY)") as copy:
                    copy.set_types(("int8", "text", "text", "bytea"))
                    for at in range(start, end):
                        scope = f"scope{corpus.scope_of(at)}"
                        vector = HalfVector(corpus.vectors[at]).to_binary()
                        copy.write_row((at, scope, corpus.text_of(at), vector))
                cursor.execute(
                    "INSERT INTO documents SELECT id, scope, body, to_tsvector('simple', body), "
                    "embedding FROM incoming"
                )
                cursor.execute("TRUNCATE incoming")

    def index(self) -> None:
        for sql in (
            "CREATE INDEX documents_scope ON documents (scope)",
            "CREATE INDEX documents_words ON documents USING gin (words)",
            "CREATE INDEX documents_embedding ON documents USING hnsw "
            "(embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)",
            "ANALYZE documents",
        ):
            self.connection.execute(sql)

    def copy_by_scope(self, but: str) -> None:
        """The smaller scopes once more, the rows of each side by side."""
        for sql in (
            f"CREATE TABLE {BY_SCOPE} (LIKE documents)",
            f"INSERT INTO {BY_SCOPE} SELECT * FROM documents WHERE scope <> '{but}' ORDER BY scope",
            f"CREATE INDEX ON {BY_SCOPE} (scope)",
            f"CREATE INDEX ON {BY_SCOPE} USING gin (words)",
            f"ANALYZE {BY_SCOPE}",
        ):
            self.connection.execute(sql)

    def nearest(self, question: Question, count: int) -> list[tuple[int, str]]:
        values = (f"scope{question.scope}", HalfVector(question.vector), count)
        return self.connection.execute(_BY_VECTOR.format(table=self.table), values).fetchall()

    def look_at(self, ef_search: int) -> None:
        """How many rows HNSW keeps in view; 40 if nobody says."""
        self.connection.execute(f"SET hnsw.ef_search = {ef_search}")

    def ask(
        self, question: Question, any_word: bool = False, count: int = 10
    ) -> list[tuple[int, str]]:
        by_vector = self.nearest(question, 2 * count)
        values = (question.text, f"scope{question.scope}", 2 * count)
        sql = _BY_ANY_WORD if any_word else _BY_WORDS
        by_words = self.connection.execute(sql.format(table=self.table), values).fetchall()
        scores: dict[int, float] = {}
        bodies: dict[int, str] = {}
        for ranked in (by_vector, by_words):
            for rank, (id, body) in enumerate(ranked, start=1):
                scores[id] = scores.get(id, 0.0) + 1 / (RRF_K + rank)
                bodies[id] = body
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:count]
        return [(id, bodies[id]) for id in best]

    def sizes(self) -> dict[str, int]:
        names = ("documents", "documents_embedding", "documents_words")
        return {name: _size(self.connection, name) for name in names}


def _size(connection: psycopg.Connection[Any], name: str) -> int:
    row = connection.execute("SELECT pg_total_relation_size(%s::regclass)", (name,)).fetchone()
    assert row is not None
    return int(row[0])
