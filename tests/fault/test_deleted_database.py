"""The database is deleted or replaced under a running process: the next write says so, and nothing
that was acknowledged is lost with the old file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from taishi import Memory, Scope
from taishi.errors import DiskError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file stays there")
ANN = Scope(user="ann")


def deleted(folder: Path) -> None:
    for path in folder.glob("taishi.db*"):
        path.unlink()


def moved_away(folder: Path) -> None:
    (folder / "taishi.db").rename(folder.parent / "elsewhere.db")


def replaced(folder: Path) -> None:
    """As a back-up tool puts a file back: under another name first."""
    shutil.copy(folder / "taishi.db", folder / "copy.db")
    (folder / "copy.db").rename(folder / "taishi.db")


def made_anew(folder: Path) -> None:
    deleted(folder)
    connection = apsw.Connection(str(folder / "taishi.db"))
    connection.execute("CREATE TABLE other (x)")
    connection.close()


WAYS = [deleted, moved_away, replaced, made_anew]


@pytest.mark.parametrize("way", WAYS)
def test_W5_the_next_write_after_the_file_went_says_so(
    memory: Memory, tmp_path: Path, way: Callable[[Path], None]
) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    way(tmp_path / "data")
    for verb in (
        lambda: memory.remember(ANN, "Ann baked bread"),
        lambda: memory.set_link(ANN, True),
        lambda: memory.forget(ANN),
        lambda: memory.sessions.add_messages(Scope(user="ann", session="s"), [{"text": "hello"}]),
    ):
        with pytest.raises(DiskError, match=r"taishi\.db was deleted or replaced.*start this"):
            verb()
    assert "deleted or replaced" in memory.maintenance.check()


@pytest.mark.parametrize("way", WAYS)
def test_W5_a_turn_that_is_accepted_meanwhile_waits_for_the_next_start(
    open_memory: Callable[..., Memory],
    tmp_path: Path,
    way: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("taishi.ingest.worker.DOWN_SECONDS", 0.05)
    memory = open_memory()
    memory.end_turn(ANN, "Ann moved to Oslo")
    memory.drain(20)
    memory.transfer.backup(tmp_path / "kept")
    way(tmp_path / "data")
    id = memory.end_turn(ANN, "Ann baked bread in Bergen")
    memory._services.worker.step()
    # Not by status(), which reads the database: a new connection finds no file.
    services = memory._services
    assert services.status._threads.own_work()["jobs"]["postponed"] == 1
    assert services.runtime.parts.queue.counts()["failed"] == 0, "the job is not to blame"
    memory.close()
    deleted(tmp_path / "data")
    shutil.copy(tmp_path / "kept" / "taishi.db", tmp_path / "data" / "taishi.db")
    again = open_memory()
    again.drain(20)
    assert id is not None
    found = again.get(ANN, id)
    assert found is not None
    assert found.kind == "event"
    assert again.recall(ANN, "Oslo", deadline=5.0).hits


def test_W5_a_file_that_goes_while_a_write_is_under_way_is_noticed(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = memory._services.runtime.parts.store._db
    begin = type(database)._writer_transaction

    def late(self: object) -> object:
        deleted(tmp_path / "data")
        return begin(database)

    monkeypatch.setattr(type(database), "_writer_transaction", late)
    with pytest.raises(DiskError, match="deleted or replaced"):
        memory.remember(ANN, "Ann baked bread")
