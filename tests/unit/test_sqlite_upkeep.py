"""What goes over everything that is stored: reindexing, rescanning, looking for copies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import apsw
import pytest

from taishi.backends.sqlite import SqliteStore, rescan
from taishi.backends.sqlite.imported_copies import copies_of
from taishi.backends.terms import terms_of
from taishi.exported import ExportedCalls, ExportedMessage, ExportedSession
from taishi.ports import Row
from taishi.types import Edit, Partition, Record

ANN = Partition("default", "private", "ann")
RED = Partition("red", "private", "ann")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "taishi.db")
    yield opened
    opened.close()


def put(store: SqliteStore, id: str, text: str, place: Partition = ANN, **data: Any) -> None:
    made = Record(id, place, "fact", text, time=5.0, created=1.0, data=data)
    store.apply([Edit("put", made)])


def terms(store: SqliteStore) -> list[bytes]:
    with store._db.reading() as connection:
        return [one for (one,) in connection.execute("SELECT terms FROM shelf ORDER BY number")]


def test_a_change_while_a_place_is_reindexed_is_not_overwritten(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "a", "Ann lives in Oslo")
    put(store, "b", "Ann has a cat")
    other = SqliteStore(tmp_path / "taishi.db")
    writing = store._db.writing
    changed: list[bool] = []

    def after_another(*touched: Any) -> AbstractContextManager[apsw.Connection]:
        """Another process writes just before this one may."""
        if not changed:
            changed.append(True)
            put(other, "a", "Ann lives in Bergen")
        return writing(*touched)

    monkeypatch.setattr(store._db, "writing", after_another)
    assert store.reindex() == 2
    assert changed
    assert terms(store) == [terms_of("Ann lives in Bergen", None), terms_of("Ann has a cat", None)]
    other.close()


def test_every_text_is_rescanned_page_by_page(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rescan, "TEXTS_AT_ONCE", 3)
    rows: list[Row] = []
    for n in range(7):
        said = "" if n == 4 else f"secret {n}"
        rows += [
            ExportedMessage(ANN, "s", "Ann", "ann", said, 2.0, f"m{n}", False),
            ExportedSession(ANN, f"s{n}", 4.0, f"secret {n}"),
            ExportedCalls(
                "2026-03-01", "rewrite", f"m{n}", "tool", 1, 1, 1, 1, 1.0, 0.0, f"secret {n}"
            ),
        ]
    store.transfer.take_in(rows, overwrite=False, model=None)
    other = SqliteStore(tmp_path / "taishi.db")
    seen: list[str] = []
    waited = 0

    def change(text: str) -> str:
        seen.append(text)
        return text.replace("secret", "mask")

    writing = store._db.writing

    def counted(*touched: Any) -> AbstractContextManager[apsw.Connection]:
        nonlocal waited
        waited += 1
        put(other, f"r{waited}", "a turn goes on between two pages")
        return writing(*touched)

    monkeypatch.setattr(store._db, "writing", counted)
    assert store.rescan.other_texts(change) == 20
    stored = [f"secret {n}" for n in range(7)] * 3
    stored.remove("secret 4")
    assert sorted(seen) == sorted(stored), "each once, but the empty one"
    assert waited >= 7
    assert store.rescan.other_texts(change) == 0
    other.close()


def test_a_damaged_record_does_not_hide_the_copies_of_others(store: SqliteStore) -> None:
    put(store, "bad", "Ann has a dog", RED, copied_from="default/ann/bad")
    put(store, "copy", "Ann has a cat", RED, copied_from="default/ann/copy")
    with store._db.writing() as connection:
        connection.execute("UPDATE records SET data = '{\"copied' WHERE id = 'bad'")
    assert copies_of(store._db, ANN) == [(RED, "copy", "default/ann/copy")]
