"""The books beside the records: the ledger of model calls, messages that wait (H5, W8)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import apsw
import pytest

from taishi.backends.sqlite import SqliteStore
from taishi.backends.sqlite.sessions import SqliteSessions
from taishi.ports import Call, Ledger
from taishi.types import Edit, Message, Partition, Record

ANN = Partition("default", "private", "ann")
GROUP = Partition("default", "group", "g42")
DAY = 86_400.0
NOON = 1_772_366_400.0  # 2026-03-01 12:00 UTC


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "taishi.db", clock)
    yield opened
    opened.close()


@pytest.fixture
def history(store: SqliteStore) -> SqliteSessions:
    return store.history


def call(task: str = "rewrite", ok: bool = True, error: str = "") -> Call:
    return Call(task, "gpt", ok, 1.5, 100, 20, "tool", 0.25, error)


def said(*ids: str | None, speaker: str = "ann", time: float = NOON) -> list[Message]:
    return [Message(f"text {id}", speaker.title(), time, id, speaker) for id in ids]


# -- the ledger


def test_H5_calls_add_up_by_day_task_model_and_mode(history: SqliteSessions, clock: Clock) -> None:
    ledger: Ledger = history
    ledger.add(call())
    ledger.add(call(ok=False, error="429: slow down"))
    ledger.add(call())
    ledger.add(call("merge"))
    clock.now += DAY
    ledger.add(call())
    rows = history.totals()
    assert [(r["day"], r["task"], r["calls"]) for r in rows] == [
        ("2026-03-02", "rewrite", 1), ("2026-03-01", "merge", 1), ("2026-03-01", "rewrite", 3),
    ]  # fmt: skip
    assert rows[2] == {
        "day": "2026-03-01", "task": "rewrite", "model": "gpt", "mode": "tool", "calls": 3,
        "failed": 1, "prompt_tokens": 300, "completion_tokens": 60, "seconds": 4.5, "cost": 0.75,
        "last_error": "429: slow down",
    }  # fmt: skip
    assert [r["day"] for r in history.totals("2026-03-02")] == ["2026-03-02"]


def test_H5_the_ledger_is_kept(tmp_path: Path, store: SqliteStore) -> None:
    store.history.add(call())
    again = SqliteStore(tmp_path / "taishi.db")
    assert again.history.totals()[0]["calls"] == 1
    again.close()


def test_H5_many_threads_count_every_call(history: SqliteSessions) -> None:
    def work() -> None:
        for _ in range(25):
            history.add(call())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert history.totals()[0]["calls"] == 100


def test_H5_a_models_strange_answer_can_be_recorded(history: SqliteSessions) -> None:
    history.add(Call("x", "m\ud800", False, float("nan"), 0, 0, "", float("inf"), "\ud800" * 10**6))
    row = history.totals()[0]
    assert (row["seconds"], row["cost"], len(row["last_error"])) == (0.0, 0.0, 500)


# -- messages


def test_W8_messages_wait_durably_and_once(tmp_path: Path, store: SqliteStore) -> None:
    assert store.history.add_messages(ANN, "s1", said("m1", "m2")) == 2
    assert store.history.add_messages(ANN, "s1", said("m2", "m3")) == 1
    assert store.history.add_messages(ANN, "s1", said(None, None)) == 2
    assert store.history.add_messages(ANN, "s1", []) == 0
    again = SqliteStore(tmp_path / "taishi.db")
    taken = again.history.take_messages(ANN, "s1")
    again.close()
    assert [one.message.id for one in taken] == ["m1", "m2", "m3", None, None]
    assert taken[0].message == said("m1")[0]


def test_W8_sessions_and_places_are_apart(history: SqliteSessions) -> None:
    history.add_messages(ANN, "s1", said("m1"))
    history.add_messages(ANN, "s2", said("m1", "m2"))
    history.add_messages(GROUP, "s1", said("m1"))
    counts = [len(history.take_messages(*one)) for one in ((ANN, "s1"), (ANN, "s2"), (GROUP, "s1"),
                                                          (GROUP, "s2"))]  # fmt: skip
    assert counts == [1, 2, 1, 0]


def test_W8_due_after_the_interval_with_enough_messages(history: SqliteSessions) -> None:
    history.add_messages(ANN, "s1", said("1", "2", "3", "4"))
    history.add_messages(GROUP, "s1", said("1", "2", "3"))
    assert history.due_sessions(NOON + 299, 300, 4) == []
    (due,) = history.due_sessions(NOON + 300, 300, 4)
    assert (due.place, due.session, due.waiting, due.last_summary, due.summary) == (
        ANN, "s1", 4, None, "",
    )  # fmt: skip
    assert len(history.due_sessions(NOON + 300, 300, 1)) == 2
    taken = history.take_messages(ANN, "s1")
    history.mark_summarised(ANN, "s1", [m.number for m in taken], "They talked.", NOON + 300)
    assert history.due_sessions(NOON + 10**6, 300, 1)[0].place == GROUP
    history.add_messages(ANN, "s1", said("4", "5", "6", "7", "8", time=NOON + 310))
    assert history.due_sessions(NOON + 599, 300, 4) == []
    (due,) = history.due_sessions(NOON + 600, 300, 4)
    assert (due.waiting, due.summary) == (4, "They talked.")
    assert history.session_summary(ANN, "s1") == "They talked."
    assert history.session_summary(ANN, "s9") == ""


def test_W8_a_summary_marks_its_own_messages_only(history: SqliteSessions, tmp_path: Path) -> None:
    history.add_messages(ANN, "s1", said("1", "2", "3"))
    history.add_messages(GROUP, "s1", said("1"))
    numbers = [one.number for one in history.take_messages(ANN, "s1", limit=2)]
    foreign = [one.number for one in history.take_messages(GROUP, "s1")]
    history.mark_summarised(ANN, "s1", numbers + foreign, "x", NOON)
    assert [one.message.id for one in history.take_messages(ANN, "s1")] == ["3"]
    assert len(history.take_messages(GROUP, "s1")) == 1


# -- forgetting


def raw(store: SqliteStore, tmp_path: Path) -> bytes:
    store.close()
    return b"".join(path.read_bytes() for path in tmp_path.glob("taishi.db*"))


def test_O2_forgetting_a_user_takes_their_messages_everywhere(
    store: SqliteStore, tmp_path: Path
) -> None:
    history = store.history
    history.add_messages(ANN, "s1", [Message("zzprivatezz", "Bot", NOON, "1", "bot")])
    history.add_messages(GROUP, "s1", [Message("zzgroupzz", "Ann", NOON, "1", "ann")])
    history.add_messages(GROUP, "s1", [Message("of bob", "Bob", NOON, "2", "bob")])
    history.mark_summarised(GROUP, "s1", [], "Ann spoke of zzsummaryzz", NOON)
    history.mark_summarised(GROUP, "s2", [], "others", NOON)
    history.add(call(ok=False, error="cannot parse zzerrorzz"))
    other = Partition("w2", "private", "ann")
    history.add_messages(other, "s1", said("1"))
    assert store.erasure.forget_user("default", "ann") == 2
    assert [one.message.text for one in history.take_messages(GROUP, "s1")] == ["of bob"]
    assert history.session_summary(GROUP, "s1") == ""
    assert history.session_summary(GROUP, "s2") == "others"
    assert len(history.take_messages(other, "s1")) == 1
    assert history.totals()[0]["failed"] == 1
    left = raw(store, tmp_path)
    for word in (b"zzprivatezz", b"zzgroupzz", b"zzsummaryzz", b"zzerrorzz"):
        assert word not in left


def test_O2_forgetting_a_place_takes_its_messages(store: SqliteStore, tmp_path: Path) -> None:
    store.history.add_messages(GROUP, "s1", [Message("zzgroupzz", time=NOON)])
    store.history.mark_summarised(GROUP, "s2", [], "zzsummaryzz", NOON)
    store.history.add_messages(ANN, "s1", said("1"))
    assert store.erasure.forget_place(GROUP) == 1
    assert store.history.due_sessions(NOON + 10**6, 1, 1)[0].place == ANN
    assert store.history.forget(ANN, "ann") == 1
    left = raw(store, tmp_path)
    assert b"zzgroupzz" not in left
    assert b"zzsummaryzz" not in left


# -- find, and the migration


def test_find_gives_the_newest_of_a_kind_and_state(store: SqliteStore) -> None:
    def record(id: str, kind: str, state: str, place: Partition = ANN) -> Edit:
        return Edit("put", Record(id, place, kind, f"text {id}", state=state))

    store.apply([record("1", "fact", "approved"), record("2", "fact", "rejected"),
                 record("3", "event", "approved"), record("4", "fact", "approved"),
                 record("5", "fact", "approved", GROUP)])  # fmt: skip
    assert [r.id for r in store.find(ANN, ("fact",))] == ["4", "2", "1"]
    assert [r.id for r in store.find(ANN, ("fact",), ("rejected",))] == ["2"]
    assert [r.id for r in store.find(ANN, ("fact", "event"), ("approved",), 2)] == ["4", "3"]
    assert store.find(ANN, ("fact",), ()) == []
    assert store.find(Partition("w9", "private", "ann"), ("fact",)) == []


def test_a_database_from_before_gets_the_books(tmp_path: Path) -> None:
    path = tmp_path / "taishi.db"
    old = apsw.Connection(str(path))
    first = resources.files("taishi.backends.sqlite") / "migrations" / "001_records.sql"
    old.execute(first.read_text("utf-8"))
    old.pragma("user_version", 1)
    old.close()
    store = SqliteStore(path)
    store.history.add(call())
    assert store.history.add_messages(ANN, "s1", said("1")) == 1
    store.close()
