"""Connections, migrations and the second wall between workspaces, on a real PostgreSQL."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from support.engine_postgres import PostgresEngine
from taishi import Memory, Settings
from taishi.backends.postgres import migration_runner
from taishi.backends.postgres.database import ALL, Database
from taishi.backends.postgres.text_codec import from_stored, to_stored
from taishi.errors import BusyError, ClosedError, StorageError, UnreachableError

INSERT = "INSERT INTO partitions (workspace, kind, id) VALUES (%s, 'private', 'ann')"
COUNT = "SELECT count(*) FROM partitions"


@pytest.fixture
def db(postgres: str) -> Iterator[Database]:
    database = Database(postgres)
    yield database
    database.close()


def workspace_tables(db: Database) -> set[str]:
    with db.reading(ALL) as connection:
        rows = connection.execute(
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND column_name = 'workspace'"
        )
        return {name for (name,) in rows}


# -- the second wall -----------------------------------------------------------------------------


def test_S3_a_query_without_a_filter_sees_one_workspace(db: Database) -> None:
    for name in ("a", "b"):
        with db.transaction(name) as connection:
            connection.execute(INSERT, (name,))
    for name in ("a", "b"):
        with db.transaction(name) as connection:
            rows = connection.execute("SELECT workspace FROM partitions").fetchall()
        assert rows == [(name,)]
    assert db.scalar(ALL, COUNT) == 2
    assert db.scalar("", COUNT) == db.scalar("c", COUNT) == 0


@pytest.mark.parametrize("forged", ["*", "on", "all", "b' OR '1'='1", "a,b", "%"])
def test_S3_no_workspace_name_opens_the_others(db: Database, forged: str) -> None:
    with db.transaction("b") as connection:
        connection.execute(INSERT, ("b",))
    assert db.scalar(forged, COUNT) == 0
    with db.transaction(forged) as connection:
        connection.execute(INSERT, (forged,))
    assert db.scalar(forged, COUNT) == 1


def test_S3_nothing_is_written_into_another_workspace(db: Database) -> None:
    with db.transaction("b") as connection:
        connection.execute(INSERT, ("b",))
    with pytest.raises(StorageError), db.transaction("a") as connection:
        connection.execute(INSERT, ("b",))
    with db.transaction("a") as connection:
        assert connection.execute("UPDATE partitions SET id = 'x'").rowcount == 0
        assert connection.execute("DELETE FROM partitions").rowcount == 0
    assert db.scalar("b", "SELECT id FROM partitions") == "ann"


def test_S3_every_table_with_a_workspace_is_walled(db: Database) -> None:
    with db.reading(ALL) as connection:
        walled = {
            name
            for (name,) in connection.execute(
                "SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid "
                "WHERE relrowsecurity AND relforcerowsecurity"
            )
        }
    assert walled >= workspace_tables(db) != set()


def test_S3_a_look_at_another_workspace_ends_with_its_transaction(db: Database) -> None:
    with db.transaction("a") as connection:
        connection.execute(INSERT, ("a",))
        db.see(connection, "b")
        connection.execute(INSERT, ("b",))
        assert connection.execute("SELECT workspace FROM partitions").fetchall() == [("b",)]
    with pytest.raises(RuntimeError), db.transaction("a") as connection:
        db.see(connection, ALL)
        raise RuntimeError
    assert db.scalar("a", "SELECT workspace FROM partitions") == "a"


def test_S3_a_superuser_is_warned_about(
    postgres_engine: PostgresEngine,
    db: Database,
    caplog: pytest.LogCaptureFixture,
    make_settings: Callable[..., Settings],
) -> None:
    """Whenever a memory is opened, once."""
    assert not db.exempt_from_policies
    address = postgres_engine.admin(db.address.rpartition("/")[2])
    other = Database(address)
    assert other.exempt_from_policies
    other.close()
    with caplog.at_level(logging.WARNING, "taishi"):
        Memory.open(address, make_settings()).close()
    assert caplog.text.count("ordinary role") == 1


# -- transactions --------------------------------------------------------------------------------


def test_a_transaction_is_whole_or_not_at_all(db: Database) -> None:
    with pytest.raises(RuntimeError), db.transaction("a") as connection:
        connection.execute(INSERT, ("a",))
        raise RuntimeError
    assert db.scalar("a", COUNT) == 0


def test_a_snapshot_is_one_moment_and_writes_nothing(db: Database) -> None:
    with db.transaction("a", snapshot=True) as connection:
        assert connection.execute(COUNT).fetchone() == (0,)
        with db.transaction("a") as other:
            other.execute(INSERT, ("a",))
        assert connection.execute(COUNT).fetchone() == (0,)
    with pytest.raises(StorageError), db.transaction("a", snapshot=True) as connection:
        connection.execute(INSERT, ("c",))
    with db.transaction("a") as connection:
        connection.execute("DELETE FROM partitions")


@pytest.mark.thorough
def test_a_deadlock_is_tried_again(db: Database) -> None:
    for name in ("a", "b"):
        with db.transaction(name) as connection:
            connection.execute(INSERT, (name,))
    both = threading.Barrier(2)
    tries: list[str] = []

    def work(first: str, second: str) -> None:
        def once() -> None:
            tries.append(first)
            with db.transaction(ALL) as connection:
                lock = "SELECT 1 FROM partitions WHERE workspace = %s FOR UPDATE"
                connection.execute(lock, (first,))
                if len(tries) <= 2:
                    both.wait(10)
                connection.execute(lock, (second,))

        db.repeat(once)

    threads = [threading.Thread(target=work, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(tries) == 3, "one of them once more"


def test_a_lock_that_is_held_is_a_busy_error(db: Database) -> None:
    with db.transaction("a") as connection:
        connection.execute(INSERT, ("a",))
    with db.transaction("a") as holder:
        holder.execute("SELECT 1 FROM partitions FOR UPDATE")
        with pytest.raises(BusyError), db.transaction("a") as connection:
            connection.execute("SET LOCAL lock_timeout = '20ms'")
            connection.execute("SELECT 1 FROM partitions FOR UPDATE")


# -- connections ---------------------------------------------------------------------------------


@pytest.mark.thorough
def test_W5_the_server_is_restarted_and_work_goes_on(own_postgres: PostgresEngine) -> None:
    with own_postgres.database() as address:
        db = Database(address, wait_seconds=1.0)
        with db.transaction("a") as connection:
            connection.execute(INSERT, ("a",))
        own_postgres.restart()
        assert db.scalar("a", COUNT) == 1, "at once, and still bound to its workspace"
        assert db.scalar("b", COUNT) == 0
        own_postgres.stop()
        with pytest.raises(UnreachableError, match="does not answer"):
            db.scalar("a", COUNT)
        own_postgres.start()
        assert _once_it_answers(lambda: db.scalar("a", COUNT)) == 1
        db.close()


def _once_it_answers(ask: Callable[[], Any], seconds: float = 10.0) -> Any:
    """While the server is known to be away it is asked again twice a second."""
    end = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except UnreachableError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def test_W5_a_connection_that_is_killed_in_mid_transaction_loses_it_whole(
    db: Database,
    postgres_engine: PostgresEngine,
) -> None:
    tries = []

    def work() -> None:
        tries.append(1)
        with db.transaction("a") as connection:
            connection.execute(INSERT, ("a",))
            if len(tries) == 1:
                postgres_engine.run(
                    f"SELECT pg_terminate_backend({connection.info.backend_pid}, 5000)"
                )
            connection.execute(COUNT)

    db.repeat(work)
    assert len(tries) == 2
    assert db.scalar("a", COUNT) == 1


def test_W5_idle_connections_that_were_all_cut_hold_up_nobody(
    db: Database, postgres_engine: PostgresEngine
) -> None:
    """As after a failover, on a server that had nothing to do meanwhile."""
    pids: list[int] = []
    together = threading.Barrier(8)

    def use() -> None:
        with db.reading("a") as connection:
            together.wait(20)
            pids.append(connection.info.backend_pid)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(set(pids)) == 8
    for pid in pids:
        postgres_engine.run(f"SELECT pg_terminate_backend({pid}, 5000)")
    began = time.monotonic()
    assert db.scalar("a", "SELECT 1") == 1
    assert time.monotonic() - began < 1.0, "the pool's pauses alone take two seconds"


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(UnreachableError) as caught:
        Database("postgresql://taishi:topsecret@127.0.0.1:1/memory")
    assert "127.0.0.1:1/memory" in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_a_closed_database_says_so(db: Database) -> None:
    db.close()
    db.close()
    with pytest.raises(ClosedError):
        db.scalar("a", COUNT)


# -- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["a\x00b", "\ufdd0", "\ufdd00\x00\ufdd01", "\x00" * 3, "小明 🍞", ""]
)
def test_a_text_comes_back_as_it_was(db: Database, text: str) -> None:
    assert from_stored(to_stored(text)) == text
    assert "\x00" not in to_stored(text)
    assert db.scalar("a", "SELECT %s::text", text) == text
    assert db.scalar("a", "SELECT %s::text[]", [text, None]) == [text, None]
    with db.reading("a") as connection, connection.cursor(binary=True) as cursor:
        assert cursor.execute("SELECT %s::text", (text,)).fetchone() == (text,)


# -- migrations ----------------------------------------------------------------------------------


@pytest.mark.thorough
def test_migrations_are_applied_once_by_several_at_a_time(
    postgres_engine: PostgresEngine,
) -> None:
    postgres_engine.run("CREATE EXTENSION IF NOT EXISTS vector", "template1")
    with postgres_engine.database("template1") as address:
        errors: list[BaseException] = []

        def open_one() -> None:
            try:
                Database(address).close()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=open_one) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        with psycopg.connect(address) as connection:
            rows = connection.execute("SELECT number, name FROM taishi_migrations ORDER BY 1")
            applied = dict(rows.fetchall())
    assert applied == {n: name for n, (name, _) in migration_runner.scripts().items()}


def test_a_newer_database_is_refused(db: Database) -> None:
    with db.reading(ALL) as connection:
        connection.execute("INSERT INTO taishi_migrations VALUES (999, '999_later.sql')")
    with pytest.raises(StorageError, match="newer Taishi"):
        Database(db.address)


def test_a_migration_that_fails_leaves_nothing(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migration_runner.scripts()
    broken = ("998_broken.sql", "CREATE TABLE half (n int); SELECT nothing FROM nowhere")
    monkeypatch.setattr(migration_runner, "scripts", lambda: known | {998: broken})
    with pytest.raises(StorageError):
        Database(db.address)
    assert db.scalar(ALL, "SELECT to_regclass('half')") is None
    monkeypatch.undo()
    Database(db.address).close()


def test_a_database_without_pgvector_says_what_to_do(postgres_engine: PostgresEngine) -> None:
    with (
        postgres_engine.database("template0") as address,
        pytest.raises(StorageError, match="CREATE EXTENSION vector"),
    ):
        Database(address)


# A script that some database has applied is not edited; the next one changes what it did.
HASHES = {
    1: "b3655a2278fc71ec",
    2: "76c44ce110b29bb9",
    3: "7b61ffd65b104609",
    4: "927e7643603d572e",
    5: "8fe9eaa671351fba",
    6: "d2a86340f15f61f5",
    30: "53d16a30660292b7",
    40: "5a3a53610c1129cf",
    50: "05bd860688511191",
    51: "ae97d811aaa8cbe0",
}


def test_scripts_are_never_edited() -> None:
    texts = {number: text for number, (_, text) in migration_runner.scripts().items()}
    found = {n: hashlib.sha256(texts[n].encode()).hexdigest()[:16] for n in HASHES}
    assert found == HASHES


def test_scripts_are_numbered_and_each_number_is_used_once() -> None:
    names = [name for name, _ in migration_runner.scripts().values()]
    assert names == sorted(names)
    assert names[0].startswith("001_")
