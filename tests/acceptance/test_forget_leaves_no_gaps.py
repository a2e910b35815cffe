"""After a person is forgotten, a small database is written anew: between its rows a short name or
id may be left, which is too common to be searched for (O2)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from taishi import Memory, Scope
from taishi.backends.sqlite.database import Database
from taishi.errors import DiskError

ANN, BEN = Scope(user="101"), Scope(user="102")


def told(memory: Memory) -> None:
    for number in range(200):
        memory.remember(ANN, f"Ann Byrne, row {number}: {'x' * 400}", kind="note")
    memory.remember(BEN, "Ben keeps bees")


def free_pages(memory: Memory, tmp_path: Path) -> int:
    (path,) = tmp_path.rglob("taishi.db")
    with sqlite3.connect(path) as connection:
        return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


def test_O2_nothing_is_left_between_the_rows(memory: Memory, tmp_path: Path) -> None:
    told(memory)
    memory.forget(ANN)
    assert free_pages(memory, tmp_path) == 0
    assert [one.text for one in memory.records.newest(BEN).records] == ["Ben keeps bees"]


def test_O2_a_database_that_cannot_be_written_anew_does_not_fail_the_request(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told(memory)

    def full(database: Database) -> None:
        raise DiskError("the disk is full")

    monkeypatch.setattr(Database, "compact", full)
    memory.forget(ANN)
    assert not memory.records.newest(ANN).records
    assert "not compacted after a deletion" in caplog.text
