"""The messages of sessions: kept in order, summarised once, forgotten for good (W8, O2)."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import apsw
import pytest

from support.stores import OpenStore
from taishi.backends.sqlite import SqliteStore
from taishi.ports import Call, Sessions, Store
from taishi.types import Message, Partition

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
def store(open_store: OpenStore, clock: Clock) -> Store:
    return open_store(clock)


@pytest.fixture
def sessions(store: Store) -> Sessions:
    return store.sessions


def call(task: str = "rewrite", ok: bool = True, error: str = "") -> Call:
    return Call(task, "gpt", ok, 1.5, 100, 20, "tool", 0.25, error)


def said(*ids: str | None, speaker: str = "ann", time: float = NOON) -> list[Message]:
    return [Message(f"text {id}", speaker.title(), time, id, speaker) for id in ids]


def test_W8_messages_wait_durably_and_once(open_store: OpenStore, store: Store) -> None:
    assert store.sessions.add_messages(ANN, "s1", said("m1", "m2")) == 2
    assert store.sessions.add_messages(ANN, "s1", said("m2", "m3")) == 1
    assert store.sessions.add_messages(ANN, "s1", said(None, None)) == 2
    assert store.sessions.add_messages(ANN, "s1", []) == 0
    taken = open_store().sessions.take_messages(ANN, "s1")
    assert [one.message.id for one in taken] == ["m1", "m2", "m3", None, None]
    assert taken[0].message == said("m1")[0]


def test_W8_sessions_and_places_are_apart(sessions: Sessions) -> None:
    sessions.add_messages(ANN, "s1", said("m1"))
    sessions.add_messages(ANN, "s2", said("m1", "m2"))
    sessions.add_messages(GROUP, "s1", said("m1"))
    counts = [len(sessions.take_messages(*one)) for one in ((ANN, "s1"), (ANN, "s2"), (GROUP, "s1"),
                                                          (GROUP, "s2"))]  # fmt: skip
    assert counts == [1, 2, 1, 0]


def test_W8_due_after_the_interval_with_enough_messages(sessions: Sessions) -> None:
    sessions.add_messages(ANN, "s1", said("1", "2", "3", "4"))
    sessions.add_messages(GROUP, "s1", said("1", "2", "3"))
    assert sessions.due_sessions(NOON + 299, 300, 4) == []
    (due,) = sessions.due_sessions(NOON + 300, 300, 4)
    assert (due.place, due.session, due.waiting, due.last_summary, due.summary) == (
        ANN, "s1", 4, None, "",
    )  # fmt: skip
    assert len(sessions.due_sessions(NOON + 300, 300, 1)) == 2
    taken = sessions.take_messages(ANN, "s1")
    sessions.mark_summarised(ANN, "s1", [m.number for m in taken], "They talked.", NOON + 300)
    assert sessions.due_sessions(NOON + 10**6, 300, 1)[0].place == GROUP
    sessions.add_messages(ANN, "s1", said("4", "5", "6", "7", "8", time=NOON + 310))
    assert sessions.due_sessions(NOON + 599, 300, 4) == []
    (due,) = sessions.due_sessions(NOON + 600, 300, 4)
    assert (due.waiting, due.summary) == (4, "They talked.")
    assert sessions.session_summary(ANN, "s1") == "They talked."
    assert sessions.session_summary(ANN, "s9") == ""


def test_W8_a_summary_marks_its_own_messages_only(sessions: Sessions, tmp_path: Path) -> None:
    sessions.add_messages(ANN, "s1", said("1", "2", "3"))
    sessions.add_messages(GROUP, "s1", said("1"))
    numbers = [one.number for one in sessions.take_messages(ANN, "s1", limit=2)]
    foreign = [one.number for one in sessions.take_messages(GROUP, "s1")]
    sessions.mark_summarised(ANN, "s1", numbers + foreign, "x", NOON)
    assert [one.message.id for one in sessions.take_messages(ANN, "s1")] == ["3"]
    assert len(sessions.take_messages(GROUP, "s1")) == 1


# -- all messages in order


def texts(sessions: Sessions, session: str = "s1", place: Partition = ANN) -> list[str]:
    return [one.message.text for one in sessions.messages(place, session)]


def test_W8_all_messages_of_a_session_in_order_summarised_or_not(sessions: Sessions) -> None:
    assert sessions.messages(ANN, "s1") == []
    sessions.add_messages(ANN, "s1", said("b", "a"))
    sessions.add_messages(ANN, "s2", said("other session"))
    sessions.add_messages(GROUP, "s1", said("other partition"))
    first = sessions.take_messages(ANN, "s1", 500)
    sessions.mark_summarised(ANN, "s1", [one.number for one in first], "x", NOON)
    sessions.add_messages(ANN, "s1", said("c", None, time=NOON - 100))
    found = sessions.messages(ANN, "s1")
    assert [one.message for one in found] == [*said("b", "a"), *said("c", None, time=NOON - 100)]
    assert [one.is_summarised for one in found] == [True, True, False, False]
    assert [one.message.id for one in sessions.take_messages(ANN, "s1", 500)] == ["c", None]
    assert texts(sessions, "s2") == ["text other session"]
    assert texts(sessions, "s9") == []
    assert texts(sessions, place=Partition("w2", "private", "ann")) == []


def test_W8_messages_are_read_a_page_at_a_time(sessions: Sessions) -> None:
    sessions.add_messages(ANN, "s1", said(*"abcdefg"))
    sessions.add_messages(ANN, "s2", said("between"))
    sessions.add_messages(ANN, "s1", said("h"))
    pages, after = [], 0
    while page := sessions.messages(ANN, "s1", after, 3):
        pages.append([one.message.id for one in page])
        after = page[-1].number
    assert pages == [["a", "b", "c"], ["d", "e", "f"], ["g", "h"]]


def test_W8_a_known_message_is_not_added_again_after_its_summary(sessions: Sessions) -> None:
    sessions.add_messages(ANN, "s1", said("a"))
    (one,) = sessions.take_messages(ANN, "s1", 500)
    sessions.mark_summarised(ANN, "s1", [one.number], "x", NOON)
    assert sessions.add_messages(ANN, "s1", said("a", "b")) == 1
    assert texts(sessions) == ["text a", "text b"]


def test_O2_a_summarised_message_is_forgotten_by_id_and_by_text(sessions: Sessions) -> None:
    sessions.add_messages(ANN, "s1", said("a", "b", "c"))
    sessions.add_messages(ANN, "s2", said("a"))
    taken = sessions.take_messages(ANN, "s1", 500)
    sessions.mark_summarised(ANN, "s1", [one.number for one in taken], "x", NOON)
    assert sessions.forget_messages(ANN, "s1", ["a"], ["text c", ""]) == 2
    assert texts(sessions) == ["text b"]
    assert texts(sessions, "s2") == ["text a"]


def test_O2_summarised_messages_go_with_their_speaker(store: Store, open_store: OpenStore) -> None:
    sessions = store.sessions
    sessions.add_messages(GROUP, "s1", [Message("zzgroupzz", "Ann", NOON, "1", "ann")])
    sessions.add_messages(GROUP, "s1", [Message("zznamedzz", "Ann", NOON, "2")])
    sessions.add_messages(GROUP, "s1", [Message("of bob", "Bob", NOON, "3", "bob")])
    sessions.add_messages(ANN, "s1", [Message("zzprivatezz", "Bot", NOON, "1", "bot")])
    for place in (GROUP, ANN):
        taken = sessions.take_messages(place, "s1")
        sessions.mark_summarised(place, "s1", [one.number for one in taken], "x", NOON)
    store.erasure.forget_user("default", "ann", ("Ann",))
    assert texts(sessions, place=GROUP) == ["of bob"]
    assert texts(sessions) == []
    left = raw(store, open_store)
    assert b"of bob" in left
    for word in (b"zzgroupzz", b"zznamedzz", b"zzprivatezz"):
        assert word not in left


def test_W8_a_message_that_an_older_version_emptied_is_left_out(
    store: Store, open_store: OpenStore
) -> None:
    store.sessions.add_messages(ANN, "s1", said("old", "new"))
    open_store.run("UPDATE messages SET text = '', summarised = true WHERE id = 'old'")
    assert texts(store.sessions) == ["text new"]


def test_R1_a_rescan_redacts_summarised_messages(store: Store) -> None:
    store.sessions.add_messages(ANN, "s1", said("a"))
    (one,) = store.sessions.take_messages(ANN, "s1")
    store.sessions.mark_summarised(ANN, "s1", [one.number], "x", NOON)
    assert store.rescan.other_texts(lambda text: text.replace("text", "[gone]")) == 1
    assert texts(store.sessions) == ["[gone] a"]


# -- forgetting


def raw(store: Store, open_store: OpenStore) -> bytes:
    store.close()
    return open_store.stored_bytes()


def test_O2_forgetting_a_user_takes_their_messages_everywhere(
    store: Store, open_store: OpenStore
) -> None:
    sessions = store.sessions
    sessions.add_messages(ANN, "s1", [Message("zzprivatezz", "Bot", NOON, "1", "bot")])
    sessions.add_messages(GROUP, "s1", [Message("zzgroupzz", "Ann", NOON, "1", "ann")])
    sessions.add_messages(GROUP, "s1", [Message("of bob", "Bob", NOON, "2", "bob")])
    sessions.mark_summarised(GROUP, "s1", [], "Ann spoke of zzsummaryzz", NOON)
    sessions.mark_summarised(GROUP, "s2", [], "others", NOON)
    store.ledger.add(call(ok=False, error="cannot parse zzerrorzz"))
    other = Partition("w2", "private", "ann")
    sessions.add_messages(other, "s1", said("1"))
    assert store.erasure.forget_user("default", "ann") == 2
    assert [one.message.text for one in sessions.take_messages(GROUP, "s1")] == ["of bob"]
    assert sessions.session_summary(GROUP, "s1") == ""
    assert sessions.session_summary(GROUP, "s2") == "others"
    assert len(sessions.take_messages(other, "s1")) == 1
    assert store.ledger.totals()[0]["failed"] == 1
    left = raw(store, open_store)
    for word in (b"zzprivatezz", b"zzgroupzz", b"zzsummaryzz", b"zzerrorzz"):
        assert word not in left


def test_O2_forgetting_a_place_takes_its_messages(store: Store, open_store: OpenStore) -> None:
    store.sessions.add_messages(GROUP, "s1", [Message("zzgroupzz", time=NOON)])
    store.sessions.mark_summarised(GROUP, "s2", [], "zzsummaryzz", NOON)
    store.sessions.add_messages(ANN, "s1", said("1"))
    assert store.erasure.forget_place(GROUP) == 1
    assert store.sessions.due_sessions(NOON + 10**6, 1, 1)[0].place == ANN
    assert store.sessions.forget(ANN, "ann") == 1
    left = raw(store, open_store)
    assert b"zzgroupzz" not in left
    assert b"zzsummaryzz" not in left


def test_a_database_from_before_gets_the_ledger_and_the_sessions(tmp_path: Path) -> None:
    path = tmp_path / "taishi.db"
    old = apsw.Connection(str(path))
    first = resources.files("taishi.backends.sqlite") / "migrations" / "001_records.sql"
    old.execute(first.read_text("utf-8"))
    old.pragma("user_version", 1)
    old.close()
    store = SqliteStore(path)
    store.ledger.add(call())
    assert store.sessions.add_messages(ANN, "s1", said("1")) == 1
    store.close()
