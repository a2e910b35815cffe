"""Named locks keep threads and processes apart, and let go when their holder dies (H5)."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from taishi.backends.file_locks import FileLocks
from taishi.errors import BusyError, StorageError
from taishi.ports import Locks

BACKENDS: dict[str, Callable[[Path], Locks]] = {"files": lambda path: FileLocks(path / "locks")}


@pytest.fixture(params=BACKENDS)
def locks(request: pytest.FixtureRequest, tmp_path: Path) -> Locks:
    return BACKENDS[request.param](tmp_path)


def count_up(locks: Locks, counter: Path, times: int) -> None:
    for _ in range(times):
        with locks.hold("the counter"):
            value = int(counter.read_text())
            time.sleep(0.001)
            counter.write_text(str(value + 1))


def _child(kind: str, folder: Path, counter: Path) -> None:
    count_up(BACKENDS[kind](folder), counter, 20)


def _die(kind: str, folder: Path) -> None:
    with BACKENDS[kind](folder).hold("x"):
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


@pytest.mark.parametrize("kind", BACKENDS)
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


@pytest.mark.parametrize("kind", BACKENDS)
def test_H5_a_holder_that_dies_lets_go(kind: str, tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(target=_die, args=(kind, tmp_path))
    child.start()
    child.join(60)
    assert child.exitcode == 9
    with BACKENDS[kind](tmp_path).hold("x", timeout=1):
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
        pytest.raises(StorageError, match="cannot be locked"),
        FileLocks(tmp_path / "file" / "locks").hold("a"),
    ):
        pass
