"""A folder of an older Taishi is taken over, vectors and all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import apsw
import numpy as np
import pytest

from taishi import Memory, Scope
from taishi.backends.sqlite import SqliteStore
from taishi.backends.terms import terms_of
from taishi.language import analyzer
from taishi.language.passages import cut
from taishi.ports import Embedded, IndexRow
from taishi.recall.vector_codec import decode
from taishi.types import Partition

HOME = Partition("default", "group", "g")


def of_schema_3(path: Path, vectors: list[np.ndarray]) -> None:
    """As version 3 wrote them: int8 beside the record, 16 bits in a table of their own."""
    connection = apsw.Connection(str(path))
    folder = resources.files("taishi.backends.sqlite") / "migrations"
    for script in sorted(item.name for item in folder.iterdir())[:3]:
        connection.execute((folder / script).read_text("utf-8"))
    connection.pragma("user_version", 3)
    connection.execute("INSERT INTO places VALUES (1, 'default', 'group', 'g', 9, 9, 0)")
    connection.execute("INSERT INTO models VALUES (1, 'm')")
    connection.execute("INSERT INTO packs VALUES (4194304, 'm', x'00')")
    for n, vector in enumerate(vectors):
        number = 1 << 32 | n + 1
        connection.execute(
            "INSERT INTO records VALUES (?,1,?,'note',?,0,0,NULL,0,NULL,NULL,NULL,NULL,"
            "'approved',1,NULL,0,'{}')",
            (number, str(n), f"note {n}"),
        )
        scale = np.float32(np.abs(vector).max() / 127)
        code = scale.tobytes() + np.round(vector / scale).astype(np.int8).tobytes()
        scale = np.float32(np.abs(vector).max() / 32767)
        full = scale.tobytes() + np.round(vector / scale).astype(np.int16).tobytes()
        connection.execute(
            "INSERT INTO shelf VALUES (?,1,'note','approved',0,0,NULL,NULL,NULL,NULL,x'',1,?)",
            (number, code),
        )
        if n != 2:
            connection.execute("INSERT INTO vectors VALUES (?, ?)", (number, full))
    connection.close()


def test_vectors_of_schema_3_are_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    vectors = [rng.normal(size=16).astype(np.float32) for _ in range(3)]
    vectors = [vector / np.linalg.norm(vector) for vector in vectors]
    of_schema_3(tmp_path / "taishi.db", vectors)
    store = SqliteStore(tmp_path / "taishi.db")
    assert [record.text for _, record in store.scan(HOME)] == ["note 0", "note 1", "note 2"]
    contents = store.snapshot(1, "m")
    assert contents.packs == []
    codes = [IndexRow._make(row).code for rows in contents.rows.values() for row in rows]
    for vector, code in zip(vectors[:2], codes[:2], strict=True):
        assert np.abs(decode(code) - vector).max() < 1e-4
    assert codes[2] is None
    assert [item.text for item in store.unembedded(9)] == ["note 2"], "it is embedded again"
    store.close()


def test_trust_and_uses_are_worked_out_for_what_is_there(tmp_path: Path) -> None:
    of_schema_3(tmp_path / "taishi.db", [np.ones(16, np.float32)] * 5)
    connection = apsw.Connection(str(tmp_path / "taishi.db"))
    for n, (kind, confidence, data) in enumerate(
        [
            ("fact", 0.5, '{"evidence_count": 4}'),
            ("procedure", 1.0, '{"success_rate": 0.25, "usage_count": 2}'),
            ("short_term", 0.9, '{"visited_sessions": ["a", "b"]}'),
            ("note", 1.0, '{"evidence_count": 7, "success_rate": 0.1}'),
        ]
    ):
        connection.execute(
            "UPDATE records SET kind = ?, confidence = ?, data = ? WHERE id = ?",
            (kind, confidence, data, str(n)),
        )
    connection.close()
    store = SqliteStore(tmp_path / "taishi.db")
    rows = [row for rows in store.snapshot(1, "m").rows.values() for row in rows]
    found = [(row.trust, row.uses) for row in map(IndexRow._make, rows)]
    assert found == [(0.5, 3), (0.25, 1), (0.9, 2), (1.0, 0), (1.0, 0)]
    store.close()


# A migration that was used is never edited: folders written by the old text would stay behind.
FROZEN = {
    "001_records.sql": "8a90463eaecdf02a",
    "002_history.sql": "a90fef8b625e45dc",
    "003_packs.sql": "9981a9d5299a1bee",
    "004_planes.sql": "50d9dbbcb825b2d2",
    "005_trust.sql": "d58afa7f4b71f2d9",
    "006_passages.sql": "ba084726ab1e5976",
    "007_deletions.sql": "60d48564b73282c1",
    "008_handed_out.sql": "16969dcf12b825d2",
    "009_refusals.sql": "e704f26d95580d59",
    "010_facts_by_subject.sql": "7d5c8394f4d62664",
    "011_session_messages.sql": "f1e310971f4d9402",
    "012_working_memory.sql": "b0a8d68f9fd6e444",
    "013_listing_index.sql": "19137718eabe5007",
    "014_updated_and_expires.sql": "f3dfafc60db9bc58",
    "015_note_receipts.sql": "8b47d840a6350cab",
    "016_conflicts.sql": "2e7146d8601b2c0d",
    "017_own_facts.sql": "c2c2dda3cdfcbcbe",
}


def test_B1_used_migrations_are_not_edited() -> None:
    folder = resources.files("taishi.backends.sqlite") / "migrations"
    assert FROZEN.keys() == {item.name for item in folder.iterdir() if item.name.endswith(".sql")}
    for name, digest in FROZEN.items():
        text = (folder / name).read_bytes()
        assert hashlib.sha256(text).hexdigest()[:16] == digest, f"{name}: add a migration instead"


FIRST_SCHEMA = """
CREATE TABLE places (no INTEGER PRIMARY KEY, workspace TEXT NOT NULL, kind TEXT NOT NULL,
  id TEXT NOT NULL, next INTEGER NOT NULL DEFAULT 1, seq INTEGER NOT NULL DEFAULT 0,
  floor INTEGER NOT NULL DEFAULT 0, UNIQUE (workspace, kind, id)) STRICT;
CREATE TABLE records (number INTEGER PRIMARY KEY, place INTEGER NOT NULL, id TEXT NOT NULL,
  kind TEXT NOT NULL, text TEXT NOT NULL, time REAL, created REAL NOT NULL, user TEXT,
  speaker TEXT, session TEXT, source TEXT, state TEXT NOT NULL, confidence REAL NOT NULL,
  redaction INTEGER NOT NULL, data TEXT NOT NULL, UNIQUE (place, id)) STRICT;
CREATE TABLE shelf (number INTEGER PRIMARY KEY, revision INTEGER NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL, time REAL, user TEXT, speaker TEXT, session TEXT, terms BLOB NOT NULL,
  model INTEGER NOT NULL DEFAULT 0, code BLOB) STRICT;
CREATE INDEX shelf_to_embed ON shelf (number) WHERE model = 0;
CREATE TABLE vectors (number INTEGER PRIMARY KEY, full BLOB NOT NULL) STRICT;
CREATE TABLE models (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE changes (place INTEGER NOT NULL, seq INTEGER NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY (place, seq, number)) STRICT, WITHOUT ROWID;
CREATE TABLE links (workspace TEXT NOT NULL, user TEXT NOT NULL,
  PRIMARY KEY (workspace, user)) STRICT, WITHOUT ROWID;
CREATE INDEX records_by_user ON records (user, place) WHERE user IS NOT NULL;
PRAGMA user_version = 1;
INSERT INTO places VALUES (1, 'default', 'private', 'u1', 2, 1, 0);
INSERT INTO records VALUES (4294967297, 1, 'n1', 'note', 'the boat is called Petrel', 0, 0, 'u1',
  NULL, NULL, NULL, 'approved', 1, 0, '{}');
INSERT INTO shelf VALUES (4294967297, 1, 'note', 'approved', 0, 'u1', NULL, NULL, x'', 0, NULL);
"""


@pytest.mark.parametrize("stamped", [False, True], ids=["first commit", "stamped as schema 3"])
def test_B1_a_folder_of_the_first_schema_works(
    tmp_path: Path, open_memory: Callable[..., Memory], stamped: bool
) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    connection = apsw.Connection(str(folder / "taishi.db"))
    connection.execute(FIRST_SCHEMA)
    if stamped:
        migrations = resources.files("taishi.backends.sqlite") / "migrations"
        for name in ("002_history.sql", "003_packs.sql"):
            connection.execute((migrations / name).read_text("utf-8"))
        connection.pragma("user_version", 3)
    connection.close()
    memory, scope = open_memory(folder=folder), Scope(user="u1")
    memory.remember(scope, "the tide turns at noon")
    memory.end_turn(scope, new_info="I live in Cork", sender_name="Ann")
    memory.drain()
    texts = [hit.text for hit in memory.recall(scope, "Petrel tide", floor=0.0, top_k=9).hits]
    assert {"the tide turns at noon", "the boat is called Petrel"} <= set(texts)
    assert memory.status()["records"]["note"] == 1
    assert memory.maintenance.check() == "ok"


def test_Q9_long_texts_of_schema_5_are_cut_and_wait_for_their_vectors(tmp_path: Path) -> None:
    of_schema_3(tmp_path / "taishi.db", [np.ones(16, np.float32)] * 2)
    long = "The harbour office opens at nine. " * 30
    connection = apsw.Connection(str(tmp_path / "taishi.db"))
    connection.execute("UPDATE records SET text = ?, speaker = 'Ann' WHERE id = '1'", (long,))
    connection.close()
    store = SqliteStore(tmp_path / "taishi.db")
    rows = [IndexRow._make(row) for rows in store.snapshot(1, "m").rows.values() for row in rows]
    assert [row.code is None for row in rows] == [False, True]
    assert [row.passages for row in rows] == [None, None]
    assert rows[1].terms == terms_of(long, "Ann")
    assert rows[1].terms.count(analyzer.NEXT_PASSAGE) == len(cut(long)) - 1
    (waiting,) = store.unembedded(9)
    assert waiting.text == long
    store.put_vectors("m", [Embedded(waiting.number, waiting.revision, b"code", b"passages")])
    assert store.unembedded(9) == []
    store.close()
    again = SqliteStore(tmp_path / "taishi.db")
    assert again.unembedded(9) == [], "once is enough"
    again.close()
