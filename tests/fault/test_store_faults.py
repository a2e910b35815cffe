"""When the disk or the database fails: nothing is overwritten, the reply goes on, words say why."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from taishi import (
    BusyError,
    CorruptError,
    Memory,
    QueueError,
    Scope,
    StorageError,
    TaishiError,
)
from taishi.backends.sqlite.database import Database

ANN = Scope(user="ann")
DEADLINE = 0.15
SLACK = 0.05


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def filled(open_memory: Callable[..., Memory], tmp_path: Path) -> Path:
    """A data folder with something in it, closed."""
    memory = open_memory()
    memory.remember_many(ANN, [{"text": f"Ann moved to Oslo, note {n}"} for n in range(200)])
    memory.profiles.set(ANN, "Ann likes tea", name="Ann")
    memory.drain()
    memory.close()
    return tmp_path / "data"


# -- damage ------------------------------------------------------------------------------------


def garbage(database: Path) -> None:
    database.write_bytes(b"this is not a database, but it may be somebody's " * 400)


def cut_header(database: Path) -> None:
    data = database.read_bytes()
    database.write_bytes(b"\x00" * 100 + data[100:])


def overwritten_pages(database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[100 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 100)
    database.write_bytes(bytes(data))


def random_schema(database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[100:4000] = os.urandom(3900)
    database.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", [garbage, cut_header, overwritten_pages, random_schema])
def test_a_damaged_database_is_named_and_left_as_it_is(
    filled: Path, open_memory: Callable[..., Memory], damage: Callable[[Path], None]
) -> None:
    database = filled / "taishi.db"
    damage(database)
    before = database.read_bytes()
    with pytest.raises(CorruptError, match=r"taishi\.db.*restore a backup"):
        open_memory()
    assert database.read_bytes() == before
    assert {path.name for path in filled.iterdir()} >= {"taishi.db", "queues", "profiles"}


def test_damage_inside_is_met_by_recall_with_a_lower_level(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    """The header and the schema are whole; what is behind them is not."""
    database = filled / "taishi.db"
    data = bytearray(database.read_bytes())
    data[3 * 8192 :] = b"\xa5" * (len(data) - 3 * 8192)
    database.write_bytes(bytes(data))
    try:
        memory = open_memory()
    except TaishiError as error:
        assert isinstance(error, CorruptError)
        return
    found = memory.recall(ANN, "Oslo", deadline=5.0)
    assert found.level in ("profile-only", "empty", "keyword")
    assert isinstance(memory.context(ANN, "Oslo"), str)
    assert memory.maintenance.check() != "ok"


def test_a_truncated_database_is_never_taken_for_a_new_one(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    database = filled / "taishi.db"
    data = database.read_bytes()
    database.write_bytes(data[: len(data) // 2])
    try:
        memory = open_memory()
    except CorruptError:
        assert database.read_bytes() == data[: len(data) // 2]
        return
    assert memory.maintenance.check() != "ok"


def test_a_folder_in_place_of_the_file_and_a_file_in_place_of_the_folder(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    (tmp_path / "one/taishi.db").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"taishi\.db"):
        open_memory(folder=tmp_path / "one")
    assert (tmp_path / "one/taishi.db").is_dir()
    (tmp_path / "two").write_text("somebody's notes")
    with pytest.raises(StorageError, match="two"):
        open_memory(folder=tmp_path / "two")
    assert (tmp_path / "two").read_text() == "somebody's notes"
    (tmp_path / "three").mkdir()
    (tmp_path / "three/queues").write_text("somebody's notes")
    with pytest.raises(StorageError, match="queue"):
        open_memory(folder=tmp_path / "three")


def test_a_newer_schema_is_refused_and_left_alone(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    database = filled / "taishi.db"
    connection = apsw.Connection(str(database))
    connection.pragma("user_version", 99)
    connection.close()
    before = database.read_bytes()
    with pytest.raises(StorageError, match=r"newer.*Upgrade: .*install"):
        open_memory()
    assert database.read_bytes() == before


def test_somebody_elses_database_is_not_taken_over(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    (tmp_path / "data").mkdir()
    database = tmp_path / "data/taishi.db"
    connection = apsw.Connection(str(database))
    connection.execute("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('bread')")
    connection.close()
    before = database.read_bytes()
    with pytest.raises(StorageError, match=r"taishi\.db"):
        open_memory()
    assert database.read_bytes() == before


# -- locks -------------------------------------------------------------------------------------


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Somebody in the middle of a long write.

    By the same SQLite library, as two libraries in one process do not see each other's locks.
    """
    connection = apsw.Connection(str(database))
    connection.set_busy_timeout(5000)  # the memory may be writing down what it handed out
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def test_Q2_a_locked_database_delays_nobody_and_loses_nothing(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    memory.recall(ANN, "Oslo", deadline=5.0)
    with locked(filled / "taishi.db"):
        id = memory.end_turn(ANN, "Ann baked bread", request_id="r")
        assert id == "r:1"
        for n in range(5):
            started = time.perf_counter()
            found = memory.recall(ANN, f"Oslo note {n}", deadline=DEADLINE)
            assert time.perf_counter() - started < DEADLINE + SLACK
            assert found.level in ("hybrid", "keyword", "profile-only")
            assert found.hits
        started = time.perf_counter()
        assert memory.end_turn(ANN, "Ann ate bread", request_id="r") == "r:2"
        assert time.perf_counter() - started < 1.0
    memory.drain(30)
    for n, word in ((1, "baked"), (2, "ate")):
        hit = memory.get(ANN, f"r:{n}")
        assert hit is not None
        assert (hit.kind, word in hit.text) == ("event", True)


def test_Q2_a_page_edited_while_the_database_is_locked_does_not_hold_up_recall(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    memory.recall(ANN, "Oslo", deadline=5.0)
    page = filled / "profiles/users/ann.md"
    page.write_text(page.read_text().replace("likes tea", "likes coffee"))
    with locked(filled / "taishi.db"):
        for _ in range(6):
            started = time.perf_counter()
            found = memory.recall(ANN, "Oslo", deadline=DEADLINE)
            assert time.perf_counter() - started < DEADLINE + SLACK
            assert found.hits, "the records or the page, but not nothing"
    end = time.monotonic() + 20
    while not memory.search_profiles(ANN, "coffee").hits:
        assert time.monotonic() < end, "the edit is picked up once the lock is gone"
        time.sleep(0.05)


def test_a_lock_that_stays_is_named(tmp_path: Path) -> None:
    database = tmp_path / "taishi.db"
    Database(database).close()
    with locked(database), pytest.raises(BusyError, match="another process"):
        Database(database, busy_seconds=0.1)
    Database(database).close()


# -- files and disks ---------------------------------------------------------------------------


def full_disk(*_: object, **__: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_W4_a_full_disk_refuses_the_turn_and_leaves_no_trace(
    open_memory: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    before = snapshot(tmp_path / "data/queues")
    for call in ("write", "fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(f"taishi.disk.durable_io.os.{call}", full_disk)
            with pytest.raises(QueueError, match=r"not accepted.*No space left"):
                memory.end_turn(ANN, "Ann baked bread", request_id="r")
        assert snapshot(tmp_path / "data/queues") == before
    id = memory.end_turn(ANN, "Ann ate bread", request_id="r")
    memory.drain(20)
    assert id is not None
    hit = memory.get(ANN, id)
    assert hit is not None
    assert hit.kind == "event"
    assert memory.status()["records"]["event"] == 1


def test_W4_a_disk_that_is_full_half_way_through_a_job_refuses_it_whole(
    open_memory: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    real, count = os.write, [0]

    def half(handle: int, data: Any) -> int:
        count[0] += 1
        return real(handle, bytes(data[:100])) if count[0] == 1 else full_disk()

    with monkeypatch.context() as patch:
        patch.setattr("taishi.disk.durable_io.os.write", half)
        with pytest.raises(QueueError):
            memory.end_turn(ANN, "Ann baked bread " * 100)
    assert list((tmp_path / "data/queues/pending").iterdir()) == []
    memory.drain(5)
    assert memory.status()["records"] == {"unembedded": 0}


def test_W5_a_store_that_is_full_keeps_the_job_for_later(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"historian.job_max_retries": 1000})
    store = memory._services.runtime.parts.store
    real = store.apply

    def refuse(edits: Any, **_: Any) -> int:
        raise StorageError("the disk is full; free some space")

    monkeypatch.setattr(store, "apply", refuse)
    id = memory.end_turn(ANN, "Ann baked bread")
    memory._services.worker.step()
    assert memory.status()["queue"]["pending"] == 1
    assert memory.status()["jobs"]["retried"] == 1
    monkeypatch.setattr(store, "apply", real)
    memory.drain(20)
    hit = memory.get(ANN, str(id))
    assert hit is not None
    assert hit.kind == "event"


def test_a_queue_folder_that_vanishes_is_named_and_recall_goes_on(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    shutil.rmtree(filled / "queues")
    with pytest.raises(QueueError, match="pending"):
        memory.end_turn(ANN, "Ann baked bread")
    assert memory.recall(ANN, "Oslo", deadline=5.0).hits


def test_a_broken_job_file_is_set_aside_with_its_reason(
    filled: Path, open_memory: Callable[..., Memory]
) -> None:
    pending = filled / "queues/pending"
    pending.mkdir(parents=True, exist_ok=True)
    (pending / f"{'0' * 20}-{'a' * 12}.0.0.json").write_bytes(b'{"request_id": ')
    memory = open_memory()
    id = memory.end_turn(ANN, "Ann baked bread")
    memory.drain(20)
    assert memory.get(ANN, str(id)) is not None
    assert memory.status()["queue"]["failed"] == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_threads_that_end_leave_no_open_files(open_memory: Callable[..., Memory]) -> None:
    """A host with a thread per request must not run out of files."""
    memory = open_memory()
    memory.remember(ANN, "Ann moved to Oslo")

    def request() -> None:
        memory.get(ANN, "x")
        memory.end_turn(ANN, "Ann drank tea")
        memory.recall(ANN, "Oslo")

    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    for _ in range(5):
        thread = threading.Thread(target=request)
        thread.start()
        thread.join()
    before = open_files()
    for _ in range(40):
        thread = threading.Thread(target=request)
        thread.start()
        thread.join()
    assert open_files() <= before + 20
