"""Whether anything changed, told from memory that processes share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from taishi.backends.sqlite import SqliteStore
from taishi.backends.sqlite.change_counters import ANY, SIZE, SLOTS, ChangeCounters
from taishi.errors import StorageError
from taishi.types import Edit, Partition, Record

HOME, OTHER = Partition("default", "group", "g"), Partition("default", "group", "h")


def put(store: SqliteStore, place: Partition = HOME, text: str = "tea", id: str = "1") -> None:
    store.apply([Edit("put", Record(id, place, "note", text))])


def test_a_mark_is_the_same_until_something_changes_there(tmp_path: Path) -> None:
    pulse = ChangeCounters(tmp_path / "pulse")
    marks = {places: pulse.token(places) for places in ((), (1,), (2,), (1, 2))}
    pulse.end(pulse.begin([2]))
    assert pulse.token((1,)) == marks[1,] and pulse.token(()) == marks[()]
    assert pulse.token((2,)) != marks[2,] and pulse.token((1, 2)) != marks[1, 2]
    pulse.end(pulse.begin([ANY]))
    assert pulse.token((1,)) != marks[1,] and pulse.token(()) != marks[()]
    pulse.close()


def test_while_somebody_writes_there_is_no_mark(tmp_path: Path) -> None:
    pulse, other = ChangeCounters(tmp_path / "pulse"), ChangeCounters(tmp_path / "pulse")
    first = other.begin([1])
    assert pulse.token((1,)) is None and pulse.token((2,)) is not None
    second = other.begin([1])  # a commit is over, the next begins before the first has said so
    other.end(first)
    assert pulse.token((1,)) is None
    other.end(second)
    mark = pulse.token((1,))
    assert mark is not None
    other.begin([1])  # and dies
    assert pulse.token((1,)) is None
    other.end(other.begin([1]))
    assert pulse.token((1,)) not in (None, mark)
    for one in (pulse, other):
        one.close()


def test_places_that_share_a_slot_share_a_mark(tmp_path: Path) -> None:
    pulse = ChangeCounters(tmp_path / "pulse")
    before = pulse.token((SLOTS,)), pulse.token((2,)), pulse.token(())
    pulse.end(pulse.begin([1]))
    assert [pulse.token((SLOTS,)) == before[0], pulse.token((2,)) == before[1]] == [False, True]
    assert pulse.token(()) == before[2], "no place has the slot of them all"
    assert (tmp_path / "pulse").stat().st_size == SIZE
    pulse.close()


def test_every_write_is_told_and_none_of_another_place(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "taishi.db")
    put(store)
    put(store, OTHER)
    mark = store.change_token([1])
    assert mark is not None and store.change_token([1]) == mark
    put(store, OTHER, "coffee")
    assert store.change_token([1]) == mark
    for change in (
        lambda: put(store, HOME, "rain"),
        lambda: store.put_vectors("m", []) or put(store, HOME, "snow"),
        lambda: store.set_link("default", "ann", True),
        lambda: put(store, Partition("default", "workspace")),
        lambda: store.void_vectors(),
        lambda: store.erasure.forget_record(HOME, "1"),
        lambda: store.erasure.forget_place(OTHER),
    ):
        change()
        now = store.change_token([1])
        assert now != mark
        mark = now
    with pytest.raises(ZeroDivisionError), store._db.writing():
        raise ZeroDivisionError
    assert store.change_token([1]) is not None, "nothing was written, and nobody writes"
    store.close()
    assert store.change_token([1]) is None


def test_another_process_is_seen_when_its_write_is_done(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "taishi.db")
    put(store)
    mark = store.change_token([1])
    code = (
        "import sys; from pathlib import Path; from taishi import Memory, Scope\n"
        "with Memory.open(Path(sys.argv[1]), embedder=None) as memory:\n"
        "    memory.remember(Scope(group='g'), 'rain')\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)
    assert store.change_token([1]) not in (None, mark)
    store.close()


def test_a_pulse_that_may_not_be_opened_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: object, *given: int) -> int:
        if str(path).endswith("-pulse"):
            raise PermissionError(13, "Permission denied")
        return real(path, *given)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StorageError, match=r"db-pulse.*same owner"):
        SqliteStore(tmp_path / "taishi.db")


def test_without_shared_memory_the_store_is_asked_every_time(tmp_path: Path) -> None:
    (tmp_path / "taishi.db-pulse").mkdir()
    store = SqliteStore(tmp_path / "taishi.db")
    put(store)
    assert store.change_token([1]) is None
    store.close()
