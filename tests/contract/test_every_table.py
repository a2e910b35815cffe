"""A new table cannot be left out of forgetting and of redaction: its rows have to be explained."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from taishi.backends.sqlite import SqliteStore
from taishi.backends.sqlite.rescan import _TEXTS
from taishi.types import Partition

ANN = Partition("default", "private", "ann")
# Tables that `mentions` does not count, so that the proof of forgetting does not ask them.
NOBODYS = {
    "shelf": "goes with its record, by the same number",
    "packs": "a copy of shelf, dropped by the write that removes a row",
    "changes": "numbers",
    "models": "names of embedders",
    "ledger": "calls of models, by day",
    "deletions": "who deleted; the scope is a keyed hash",
    "refusals": "who was refused; the scope is a keyed hash",
    "forgotten": "keyed hashes",
    "forgotten_key": "the key",
}
# Tables without a text that somebody said or a server sent.
NO_FREE_TEXT = {
    "places": "ids",
    "shelf": "hashes of words",
    "packs": "hashes of words",
    "changes": "numbers",
    "models": "names of embedders",
    "links": "ids",
    "deletions": "our own words",
    "refusals": "our own words",
    "forgotten": "keyed hashes",
    "forgotten_key": "the key",
    "handed_out": "hashes of words",
    "note_receipts": "keyed hashes and numbers",
}


def tables(path: Path) -> set[str]:
    found = apsw.Connection(str(path)).execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return {name for (name,) in found}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "taishi.db")


def unreached(store: SqliteStore) -> set[str]:
    """Tables that neither the proof of forgetting asks nor anybody explains."""
    asked = store.erasure.mentions("default", ANN, "ann").keys()
    return tables(store.path) - asked - NOBODYS.keys()


def unread(store: SqliteStore) -> set[str]:
    """Tables that neither a rescan reads nor anybody explains."""
    rescanned = {"records", *(table for table, _ in _TEXTS)}
    return tables(store.path) - rescanned - NO_FREE_TEXT.keys()


def test_O2_every_table_is_asked_by_the_proof_of_forgetting(store: SqliteStore) -> None:
    assert unreached(store) == set()
    assert not NOBODYS.keys() & store.erasure.mentions("default", ANN, "ann").keys()
    assert NOBODYS.keys() <= tables(store.path)
    store.close()


def test_R1_every_table_with_text_is_read_by_a_rescan(store: SqliteStore) -> None:
    assert unread(store) == set()
    assert NO_FREE_TEXT.keys() <= tables(store.path)
    store.close()


def test_a_new_table_is_noticed(store: SqliteStore) -> None:
    apsw.Connection(str(store.path)).execute("CREATE TABLE notes (user TEXT, text TEXT)")
    assert unreached(store) == unread(store) == {"notes"}
    store.close()
