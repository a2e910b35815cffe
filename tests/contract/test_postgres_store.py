"""What is PostgreSQL's own about the store: the second wall, the change feed, killed connections,
search rows, query plans."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import psycopg
import pytest

from support.engine_postgres import PostgresEngine
from taishi.backends.postgres import PostgresStore
from taishi.backends.postgres.database import ALL, Database
from taishi.backends.postgres.rescan import TEXTS
from taishi.backends.postgres.search_rows import lexemes
from taishi.backends.postgres.vectors import _UNEMBEDDED
from taishi.errors import StorageError
from taishi.language import analyzer
from taishi.ports import Call, Compression, Embedded, NoteReceipt, Overview
from taishi.recall.vector_codec import code_size, encode
from taishi.types import Edit, Message, Partition, Record

ANN = {name: Partition(name, "private", "ann") for name in ("a", "b")}
VECTOR = np.ones(8, np.float32) / np.sqrt(8).astype(np.float32)
# Tables that `mentions` does not count, so that the proof of forgetting does not ask them.
NOBODYS = {
    "index_rows": "goes with its record, by the same number",
    "index_packs": "a copy of index_rows, dropped by the write that removes a row",
    "record_vectors": "goes with its record, by the same number",
    "record_terms": "goes with its record, by the same number",
    "record_terms_search": "has no rows of its own: what record_terms is searched by",
    "changes": "numbers",
    "models": "names of embedders",
    "ledger": "calls of models, by day",
    "deletions": "who deleted; the scope is a keyed hash",
    "refusals": "who was refused; the scope is a keyed hash",
    "forgotten": "keyed hashes",
    "forgotten_key": "the key",
    "unfinished_copy": "where a copy into this memory comes from",
    "taishi_migrations": "our own words",
}
# Tables without a text that somebody said or a server sent.
NO_FREE_TEXT = {
    "partitions": "ids",
    "index_rows": "hashes of words",
    "index_packs": "hashes of words",
    "record_vectors": "numbers",
    "record_terms": "hashes of words",
    "record_terms_search": "hashes of words",
    "changes": "numbers",
    "models": "names of embedders",
    "links": "ids",
    "deletions": "our own words",
    "refusals": "our own words",
    "forgotten": "keyed hashes",
    "forgotten_key": "the key",
    "recalled_hashes": "hashes of words",
    "note_receipts": "keyed hashes and numbers",
    "unfinished_copy": "an address",
    "taishi_migrations": "our own words",
}

# Tables behind other ports, whose own `forget` and rescan read them.
OTHER_PORTS = {
    "jobs": "the queue",
    "job_workspaces": "the queue",
    "processes": "the board of processes",
    "profiles": "pages",
    "profile_revisions": "pages",
    "stored_files": "originals of documents",
    "archive_pieces": "the archive",
    "api_keys": "hashes of keys",
    "page_sessions": "what signs the cookies of the pages",
    "oauth_connections": "hashes of tokens; `forget` reaches it through its own store",
}


@pytest.fixture
def db(postgres: str) -> Iterator[Database]:
    opened = Database(postgres)
    yield opened
    opened.close()


@pytest.fixture
def store(db: Database) -> PostgresStore:
    return PostgresStore(db)


def record(id: str, place: Partition = ANN["a"], text: str = "Ann moved to Oslo") -> Record:
    return Record(id, place, "fact", text, created=5.0, user="ann")


def put(*records: Record) -> list[Edit]:
    return [Edit("put", one) for one in records]


def wait_until(true: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def fill(store: PostgresStore, db: Database, place: Partition) -> None:
    """A row in every table that has rows of a workspace."""
    store.apply(put(*(record(str(n), place) for n in range(3))))
    no = store.states([place])[place].no
    store.search_rows.enable(no)
    store.put_vectors("m", [Embedded(no << 32 | 1, 1, encode(VECTOR))])
    with db.transaction(place.workspace) as connection:  # only full chunks are packed
        connection.execute(
            "INSERT INTO index_packs VALUES (%s, %s, 'm', 'pack')", (no << 22, place.workspace)
        )
    store.sessions.add_messages(place, "s", [Message("hello", "Ann", 1.0, "1", "ann")])
    store.working.put_scratchpad(place, "s", {"goal": "x"}, 1.0)
    made = Compression(1, 1, 0, "x", Overview("y"), "rules", 3.0)
    assert store.working.add_compression(place, "s", made)
    store.handed_out.add(place, [("key", "told")], 9)
    store.note_receipts.put(place, NoteReceipt("key", "print", 1, 1), 9)
    store.set_link(place.workspace, "ann", True)


# -- the second wall -----------------------------------------------------------------------------


def test_S3_no_row_of_another_workspace_is_seen_or_written_in_any_table(
    store: PostgresStore, db: Database
) -> None:
    for place in ANN.values():
        fill(store, db, place)
    with db.reading(ALL) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT relname FROM pg_class WHERE relrowsecurity AND relkind = 'r'"
            ).fetchall()
        ]
    tables = [name for name in tables if db.scalar(ALL, f"SELECT count(*) FROM {name}")]
    assert {"records", "index_rows", "messages", "record_vectors", "links"} <= set(tables)
    assert len(tables) >= 12
    for table in tables:
        theirs = db.scalar("b", f"SELECT count(*) FROM {table}")
        with db.transaction("a") as connection:
            seen = connection.execute(f"SELECT DISTINCT workspace FROM {table}").fetchall()
            assert seen == [("a",)], table
            gone = f"DELETE FROM {table} WHERE workspace = 'b'"
            assert connection.execute(gone).rowcount == 0, table
            moved = f"UPDATE {table} SET workspace = 'a' WHERE workspace = 'b'"
            assert connection.execute(moved).rowcount == 0, table
        with pytest.raises(StorageError, match="row-level security"), db.transaction("a") as c:
            c.execute(f"UPDATE {table} SET workspace = 'b'")
        assert db.scalar("b", f"SELECT count(*) FROM {table}") == theirs > 0, table


def test_S3_numbers_of_another_workspace_lead_nowhere(store: PostgresStore) -> None:
    store.apply(put(*(record("1", place) for place in ANN.values())))
    no = store.states([ANN["b"]])[ANN["b"]].no
    store.put_vectors("m", [Embedded(no << 32 | 1, 1, encode(VECTOR))])
    assert store.browse.codes(ANN["b"], [no << 32 | 1])
    assert store.browse.codes(ANN["a"], [no << 32 | 1]) == {}
    assert store.fetch([no << 32 | 1], [ANN["a"]]) == {}
    assert store.scan(ANN["a"], no << 32) == []


def test_S3_a_superuser_is_no_fault_of_the_data(
    postgres: str, postgres_engine: PostgresEngine
) -> None:
    """`doctor` warns of the role where it speaks of the connection."""
    store = PostgresStore(postgres_engine.admin(postgres.rpartition("/")[2]))
    assert store.check() == "ok"
    store.close()


# -- killed connections --------------------------------------------------------------------------


@pytest.mark.thorough
def test_W5_connections_that_are_killed_lose_nothing_and_double_nothing(
    store: PostgresStore, db: Database, postgres_engine: PostgresEngine
) -> None:
    name = db.address.rpartition("/")[2]
    done = threading.Event()
    written, killed = 0, 0

    def kill() -> None:
        """Whoever is at work, but not the same write again and again."""
        nonlocal killed
        last = 0
        while not done.wait(0.01):
            if written > last:
                (row,) = postgres_engine.run(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                    f"WHERE datname = '{name}' AND usename = 'taishi' AND state != 'idle'"
                )
                killed, last = killed + row[0], written + 2 if row[0] else last

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        end = time.monotonic() + 20.0
        while killed < 3 and time.monotonic() < end:
            ids = [f"{written}-{name}" for name in "xyz"]
            store.apply(put(record(ids[0]), record(ids[1]), record(ids[2], ANN["b"])))
            written += 1
    finally:
        done.set()
        killer.join()
    assert killed >= 3
    for place, each in ((ANN["a"], 2), (ANN["b"], 1)):
        ids = [one.id for _, one in store.scan(place, limit=10**6)]
        assert len(ids) == len(set(ids)) == written * each
    assert store.check() == "ok"


# -- the change feed -----------------------------------------------------------------------------


def test_the_feed_is_silent_while_its_connection_is_down_and_comes_back(
    store: PostgresStore, db: Database, postgres_engine: PostgresEngine
) -> None:
    store.apply(put(record("1")))
    no = store.states([ANN["a"]])[ANN["a"]].no
    wait_until(lambda: store.change_token([no]) is not None)
    before = store.change_token([no])
    name = db.address.rpartition("/")[2]
    listening = f"datname = '{name}' AND query LIKE 'LISTEN%'"
    postgres_engine.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}")
    wait_until(lambda: store.change_token([no]) is None)
    wait_until(lambda: store.change_token([no]) is not None)
    assert store.change_token([no]) != before, "nobody knows what was missed"


def test_a_token_is_not_known_while_a_commit_is_under_way(
    store: PostgresStore, db: Database
) -> None:
    store.apply(put(record("1")))
    no = store.states([ANN["a"]])[ANN["a"]].no
    wait_until(lambda: store.change_token([no]) is not None)
    slots = db.feed.begin([no])
    assert store.change_token([no]) is None
    db.feed.end(slots)
    assert store.change_token([no]) is not None


def test_O2_what_may_have_been_erased_since_a_moment_is_known(
    store: PostgresStore, db: Database, postgres: str
) -> None:
    """Here at once, of other servers when they say so, and of an older version always."""
    store.apply(put(record("1")))
    no = store.states([ANN["a"]])[ANN["a"]].no
    wait_until(lambda: store.change_token([no]) is not None)

    def since(work: Callable[[], object]) -> bool:
        """Whether something may have been erased."""
        moment, token = store.moment(), store.change_token([no])
        assert moment is not None
        work()
        wait_until(lambda: store.change_token([no]) != token)
        assert store.silence(moment, [no + 1]) is not None, "elsewhere, nothing was"
        return store.silence(moment, [no]) is None

    other = PostgresStore(postgres)
    try:
        for one in (store, other):
            assert not since(lambda one=one: one.apply(put(record("2")), erases=False))
            assert since(lambda one=one: one.apply(put(record("2"))))
            assert since(lambda one=one: one.apply([Edit("remove", place=ANN["a"], id="2")]))
        assert since(lambda: other.erasure.forget_record(ANN["a"], "1"))
        assert since(lambda: db.feed._hear(f"older:{no}"))
    finally:
        other.close()
    moment = store.moment()
    assert moment is not None
    db.feed._hear("older:what is this?")
    assert store.silence(moment, [no]) is None, "it may have been anywhere"


def test_a_feed_that_ends_by_itself_can_be_closed(postgres: str) -> None:
    db = Database(postgres)
    db.feed.token([1])
    thread = next(t for t in threading.enumerate() if t.name == "taishi-change-feed")
    wait_until(lambda: db.feed.token([1]) is not None)
    db.feed._closed.set()
    with db.writing("a", [1]):
        pass
    other = Database(postgres)
    with other.writing("a", [1]):
        pass  # wakes the listener, which sees that it is over
    thread.join(10)
    db.feed._closed.clear()
    db.close()
    other.close()


def test_a_write_that_fails_leaves_the_feed_in_order(store: PostgresStore) -> None:
    store.apply(put(record("1")))
    no = store.states([ANN["a"]])[ANN["a"]].no
    wait_until(lambda: store.change_token([no]) is not None)
    before = store.change_token([no])
    with pytest.raises(UnicodeEncodeError):
        store.apply(put(record("2", text="\ud800")))
    assert store.change_token([no]) == before


# -- search rows ---------------------------------------------------------------------------------


def searched(db: Database, table: str) -> list[int]:
    with db.reading("a") as connection:
        rows = connection.execute(f"SELECT number FROM {table} ORDER BY number")
        return [number for (number,) in rows]


def test_search_rows_follow_their_records(store: PostgresStore, db: Database) -> None:
    store.adopt_model("m", code_size(8))
    store.apply(put(record("1"), record("2")))
    no = store.states([ANN["a"]])[ANN["a"]].no
    first, second, third = (no << 32 | n for n in (1, 2, 3))
    store.put_vectors("m", [Embedded(first, 1, encode(VECTOR))])
    assert searched(db, "record_terms") == searched(db, "record_vectors") == []
    assert not store.search_rows.is_ready(no)
    assert store.search_rows.enable(no) == 2
    assert store.search_rows.enable(no) == 0 and store.search_rows.is_ready(no)
    assert searched(db, "record_terms") == [first, second]
    assert searched(db, "record_vectors") == [first]
    store.apply(put(record("3")))
    store.put_vectors("m", [Embedded(second, 1, encode(VECTOR))])
    assert searched(db, "record_terms") == [first, second, third]
    assert searched(db, "record_vectors") == [first, second]
    store.apply([*put(record("1", text="Ann left")), Edit("remove", place=ANN["a"], id="2")])
    assert searched(db, "record_terms") == [first, third]
    assert searched(db, "record_vectors") == [], "of another text, and of no record"
    store.search_rows.disable(no)
    assert searched(db, "record_terms") == []


def test_search_rows_are_found_by_word_and_by_vector(store: PostgresStore, db: Database) -> None:
    store.adopt_model("m", code_size(8))
    store.apply(put(record("1", text="the harbour of Oslo"), record("2", text="奥斯陆的港口")))
    no = store.states([ANN["a"]])[ANN["a"]].no
    store.search_rows.enable(no)
    other = np.eye(8, dtype=np.float32)[0]
    store.put_vectors(
        "m",
        [Embedded(no << 32 | 1, 1, encode(VECTOR)), Embedded(no << 32 | 2, 1, encode(other))],
    )
    (word,) = lexemes(no << 32, analyzer.pack(analyzer.terms("harbour")))
    found = "SELECT taishi_rows_with_terms(%s, %s::tsquery, 9)"
    assert db.scalar("a", found, no, f"'{word}'") == no << 32 | 1
    assert db.scalar("b", found, no, f"'{word}'") is None, "of another workspace"
    assert db.scalar("", found, no, f"'{word}'") is None
    with db.reading("a") as connection:
        rows = connection.execute(
            "SELECT number, 1 - (embedding <=> %s::halfvec) FROM record_vectors ORDER BY 2 DESC",
            (str(other.tolist()),),
        ).fetchall()
    assert [number & 0xFFFF for number, _ in rows] == [2, 1]
    assert rows[0][1] == pytest.approx(1.0, abs=1e-3)
    assert rows[1][1] == pytest.approx(float(VECTOR @ other), abs=1e-3)
    with db.transaction("a") as connection:  # as the migration says: one for each model
        connection.execute(
            "CREATE INDEX by_vector ON record_vectors "
            "USING hnsw ((embedding::halfvec(8)) halfvec_cosine_ops) WHERE model = 1"
        )
        raise psycopg.Rollback  # the next test uses the same database


# -- the tables ----------------------------------------------------------------------------------


def test_O2_every_table_is_asked_by_the_proof_of_forgetting(
    store: PostgresStore, postgres_engine: PostgresEngine
) -> None:
    asked = store.erasure.mentions("a", ANN["a"], "ann").keys()
    assert postgres_engine.tables.keys() - asked - NOBODYS.keys() - OTHER_PORTS.keys() == set()
    assert NOBODYS.keys() <= postgres_engine.tables.keys() and not NOBODYS.keys() & asked


def test_R1_every_table_with_text_is_read_by_a_rescan(postgres_engine: PostgresEngine) -> None:
    rescanned = {"records", *(table for table, _ in TEXTS)}
    assert postgres_engine.tables.keys() - rescanned - NO_FREE_TEXT.keys() <= OTHER_PORTS.keys()


@pytest.mark.thorough
def test_compact_rewrites_the_tables(
    store: PostgresStore, db: Database, postgres_engine: PostgresEngine
) -> None:
    """The server's own files, read as its operator could."""
    store.apply(put(record("1", text="zzwordzz"), record("2", text="kept words")))
    store.sessions.add_messages(ANN["a"], "s", [Message("zzmessagezz", "Ann", 1.0, "1", "ann")])
    name = db.address.rpartition("/")[2]

    def stored(word: bytes) -> bool:
        (oid,) = postgres_engine.run(f"SELECT oid FROM pg_database WHERE datname = '{name}'")[0]
        postgres_engine.run("CHECKPOINT", name)
        folder = postgres_engine.data / "base" / str(oid)
        return any(word in path.read_bytes() for path in folder.iterdir() if path.is_file())

    assert stored(b"zzwordzz") and stored(b"zzmessagezz")
    store.erasure.forget_record(ANN["a"], "1")
    store.sessions.forget(ANN["a"])

    def compacted() -> bool:
        store.erasure.compact()
        return not stored(b"zzwordzz") and not stored(b"zzmessagezz")

    # A row that a transaction of the moment might see is kept: even that of a login elsewhere.
    wait_until(compacted)
    assert stored(b"kept words")


def test_the_check_finds_records_without_index_rows(store: PostgresStore, db: Database) -> None:
    store.apply(put(record("1")))
    assert store.check() == "ok"
    with db.transaction("a") as connection:
        connection.execute("DELETE FROM index_rows")
    assert "taishi rebuild" in store.check()
    assert store.reindex() == 1
    assert store.check() == "ok"


def test_a_ledger_entry_is_counted_in_every_process(postgres: str) -> None:
    stores = [PostgresStore(postgres), PostgresStore(postgres)]
    for one in stores:
        one.ledger.add(Call("rewrite", "gpt", True, 1.5, 100, 20, "tool", 0.25, ""))
    assert stores[0].ledger.totals()[0]["calls"] == 2
    for one in stores:
        one.close()


# -- query plans ---------------------------------------------------------------------------------


PLANS = [
        ("SELECT 1 FROM records WHERE partition = 1 AND id = 'x'", "records_partition_id_key"),
        ("SELECT 1 FROM records WHERE partition = 1 AND id >= 'x' AND id < 'y'",
         "records_partition_id_key"),
        ("SELECT 1 FROM records WHERE number > 5 AND number < 9", "records_pkey"),
        ("SELECT 1 FROM records WHERE number = ANY ('{1,2}'::bigint[])", "records_pkey"),
        ("SELECT 1 FROM records WHERE partition = 1 AND subject = 's' AND category = 'c' "
         "AND kind = 'fact' AND state IN ('approved', 'conflict')", "facts_by_subject"),
        ("SELECT 1 FROM partitions WHERE workspace = 'a' AND kind = 'group' AND id = 'x'",
         "partitions_workspace_kind_id_key"),
        ("SELECT 1 FROM changes WHERE partition = 1 AND seq > 5", "changes_pkey"),
        ("SELECT 1 FROM index_rows WHERE model = 0 ORDER BY number LIMIT 5", "index_rows_to_embed"),
        ("SELECT 1 FROM messages WHERE partition = 1 AND session = 's' AND number > 5 "
         "ORDER BY number LIMIT 5", "messages_in_order"),
]  # fmt: skip


def test_the_wall_does_not_keep_the_planner_from_its_indexes(db: Database) -> None:
    with db.transaction("a") as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        connection.execute("SET LOCAL enable_bitmapscan = off")
        for sql, index in (*PLANS, (_UNEMBEDDED % 5, "index_rows_to_embed"),
                           (_UNEMBEDDED % 5, "records_pkey")):  # fmt: skip
            plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {sql}"))
            assert index in plan, sql
            assert "Index Cond" in plan or "LIMIT" in sql
