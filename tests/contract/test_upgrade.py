"""A folder of an older Taishi is taken over, vectors and all."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import apsw
import numpy as np

from taishi.backends.sqlite import SqliteStore
from taishi.backends.sqlite.terms import terms_of
from taishi.language import segment
from taishi.language.passages import cut
from taishi.ports import Embedded, ShelfRow
from taishi.recall.vectors import decode
from taishi.types import Place

HOME = Place("default", "group", "g")


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
    contents = store.shelf(1, "m")
    assert contents.packs == []
    codes = [ShelfRow._make(row).code for rows in contents.rows.values() for row in rows]
    for vector, code in zip(vectors[:2], codes[:2], strict=True):
        assert np.abs(decode(code, 16) - vector).max() < 1e-4
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
    rows = [row for rows in store.shelf(1, "m").rows.values() for row in rows]
    found = [(row.trust, row.uses) for row in map(ShelfRow._make, rows)]
    assert found == [(0.5, 3), (0.25, 1), (0.9, 2), (1.0, 0), (1.0, 0)]
    store.close()


def test_Q9_long_texts_of_schema_5_are_cut_and_wait_for_their_vectors(tmp_path: Path) -> None:
    of_schema_3(tmp_path / "taishi.db", [np.ones(16, np.float32)] * 2)
    long = "The harbour office opens at nine. " * 30
    connection = apsw.Connection(str(tmp_path / "taishi.db"))
    connection.execute("UPDATE records SET text = ?, speaker = 'Ann' WHERE id = '1'", (long,))
    connection.close()
    store = SqliteStore(tmp_path / "taishi.db")
    rows = [ShelfRow._make(row) for rows in store.shelf(1, "m").rows.values() for row in rows]
    assert [row.code is None for row in rows] == [False, True]
    assert [row.passages for row in rows] == [None, None]
    assert rows[1].terms == terms_of(long, "Ann")
    assert rows[1].terms.count(segment.NEXT_PASSAGE) == len(cut(long)) - 1
    (waiting,) = store.unembedded(9)
    assert waiting.text == long
    store.put_vectors("m", [Embedded(waiting.number, waiting.revision, b"code", b"passages")])
    assert store.unembedded(9) == []
    store.close()
    again = SqliteStore(tmp_path / "taishi.db")
    assert again.unembedded(9) == [], "once is enough"
    again.close()
