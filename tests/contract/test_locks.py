"""Named locks keep threads and processes apart, and let go when their holder dies (H5)."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from support.engine_postgres import postgres as postgres
from support.engine_postgres import postgres_engine as postgres_engine
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.locks import AdvisoryLocks
from taishi.disk.file_locks import FileLocks
from taishi.errors import BusyError, StorageError
from taishi.ports import Locks

ADDRESS = "address"


@contextmanager
def in_files(folder: Path) -> Iterator[Locks]:
    yield FileLocks(folder / "locks")


@contextmanager
def in_postgres(folder: Path) -> Iterator[Locks]:
    """Another process finds the address in the folder."""
    database = Database((folder / ADDRESS).read_text())
    locks = AdvisoryLocks(database)
    yield locks
    locks.close()
    database.close()


BACKENDS: dict[str, Callable[[Path], AbstractContextManager[Locks]]] = {
    "files": in_files,
    "postgres": in_postgres,
}


@pytest.fixture(params=BACKENDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        (tmp_path / ADDRESS).write_text(request.getfixturevalue("postgres"))
    return str(request.param)


@pytest.fixture
def locks(kind: str, tmp_path: Path) -> Iterator[Locks]:
    with BACKENDS[kind](tmp_path) as opened:
        yield opened


def count_up(locks: Locks, counter: Path, times: int) -> None:
    for _ in range(times):
        with locks.hold("the counter"):
            value = int(counter.read_text())
            time.sleep(0.001)
            counter.write_text(str(value + 1))


def _child(kind: str, folder: Path, counter: Path) -> None:
    with BACKENDS[kind](folder) as locks:
        count_up(locks, counter, 20)


def _die(kind: str, folder: Path) -> None:
    with BACKENDS[kind](folder) as locks, locks.hold("x"):
        os._exit(9)


def test_H5_threads_take_turns(locks: Locks, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    threads = [threading.Thread(target=count_up, args=(locks, counter, 15)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read_text() == "60"


def test_H5_processes_take_turns(kind: str, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    spawn = multiprocessing.get_context("spawn")
    children = [spawn.Process(target=_child, args=(kind, tmp_path, counter)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0, 0]
    assert counter.read_text() == "40"


def test_H5_a_holder_that_dies_lets_go(kind: str, tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(target=_die, args=(kind, tmp_path))
    child.start()
    child.join(60)
    assert child.exitcode == 9
    with BACKENDS[kind](tmp_path) as locks, locks.hold("x", timeout=1):
        pass


def test_H5_names_are_apart_and_waiting_ends(locks: Locks) -> None:
    with locks.hold("a"), locks.hold("b", timeout=0):
        start = time.monotonic()
        with pytest.raises(BusyError, match="try again"), locks.hold("a", timeout=0.05):
            pass
        assert 0.04 < time.monotonic() - start < 2
    with locks.hold("a", timeout=0):
        pass


def test_H5_an_error_inside_lets_go(locks: Locks) -> None:
    with pytest.raises(ZeroDivisionError), locks.hold("a"):
        raise ZeroDivisionError
    with locks.hold("a", timeout=0):
        pass


@pytest.mark.parametrize("name", ["", "../../x", "a/b", "群 🍞", "\x00\ud800", "x" * 10**6])
def test_H5_any_name_will_do(locks: Locks, name: str) -> None:
    with locks.hold(name), pytest.raises(BusyError), locks.hold(name, timeout=0):
        pass


def test_H5_nothing_is_left_behind(tmp_path: Path) -> None:
    with FileLocks(tmp_path / "locks").hold("a"):
        assert len(list((tmp_path / "locks").iterdir())) == 1
    assert not list((tmp_path / "locks").iterdir())


def test_H5_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StorageError, match="cannot be written"),
        FileLocks(tmp_path / "file" / "locks").hold("a"),
    ):
        pass


@contextmanager
def flocked(path: Path) -> Iterator[None]:
    """What a process with an older Taishi does: flock, and the file removed while it is held."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
        path.unlink()
    finally:
        os.close(handle)


def lock_file(folder: Path, name: str) -> Path:
    with FileLocks(folder).hold(name):
        return next(folder.iterdir())


def test_H5_it_excludes_an_older_process_and_the_other_way_round(tmp_path: Path) -> None:
    path, locks = lock_file(tmp_path, "a"), FileLocks(tmp_path)
    with flocked(path), pytest.raises(BusyError), locks.hold("a", timeout=0.03):
        pass
    with locks.hold("a"), pytest.raises(BlockingIOError), flocked(path):
        pass
    with flocked(path):
        assert locks.sweep() == 0
        assert path.exists()
    assert not path.exists()


def test_H5_a_wait_for_an_older_process_ends_when_it_removes_the_file(tmp_path: Path) -> None:
    path, taken, done = lock_file(tmp_path, "a"), threading.Event(), threading.Event()

    def older() -> None:
        with flocked(path):
            taken.set()
            done.wait(10)

    thread = threading.Thread(target=older)
    thread.start()
    taken.wait(10)
    threading.Timer(0.05, done.set).start()
    with FileLocks(tmp_path).hold("a", timeout=10), pytest.raises(BlockingIOError), flocked(path):
        pass
    thread.join()


def test_H5_the_file_of_a_killed_holder_is_swept_and_that_of_a_live_one_is_not(
    tmp_path: Path,
) -> None:
    locks = FileLocks(tmp_path / "locks")
    child = multiprocessing.get_context("spawn").Process(target=_die, args=("files", tmp_path))
    child.start()
    child.join(60)
    with locks.hold("alive"):
        assert len(list(locks.folder.iterdir())) == 2
        assert locks.sweep() == 1
        assert len(list(locks.folder.iterdir())) == 1


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_H5_a_forked_child_neither_holds_nor_lets_go_of_its_parents_lock(tmp_path: Path) -> None:
    locks, path, child = FileLocks(tmp_path), lock_file(tmp_path, "a"), -1
    try:
        with locks.hold("a"):
            child = os.fork()
            if child == 0:
                raise ZeroDivisionError
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert path.exists()
            with pytest.raises(BlockingIOError), flocked(path):
                pass
    finally:
        if child == 0:
            os._exit(7)
    assert not path.exists()


def test_H5_a_parent_that_dies_lets_go_though_its_child_lives_on(tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(target=_fork_and_die, args=(tmp_path,))
    child.start()
    child.join()  # with a time-out it would wait for the grandchild, which has the same pipe
    assert child.exitcode == 9
    try:
        with FileLocks(tmp_path).hold("x", timeout=2):
            pass
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


def _fork_and_die(folder: Path) -> None:
    with FileLocks(folder).hold("x"):
        child = os.fork()
        if child == 0:
            time.sleep(30)
            os._exit(0)
        (folder / "child").write_text(str(child))
        os._exit(9)


@pytest.mark.parametrize("timeout", [-1.0, 0.0])
def test_H5_no_time_to_wait_is_one_try(locks: Locks, timeout: float) -> None:
    with locks.hold("a"), pytest.raises(BusyError), locks.hold("a", timeout=timeout):
        pass


def test_H5_lock_files_are_their_owners_only(tmp_path: Path) -> None:
    with FileLocks(tmp_path).hold("a"):
        assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o600]
