"""What a store must do to forget: list what is somebody's, remove it, leave no byte of it (O2)."""

from __future__ import annotations

import pytest

from support.stores import OpenStore
from taishi.ports import Compression, ErasableStore, NoteReceipt, Overview, Store
from taishi.types import Edit, Message, Partition, Record

ANN = Partition("default", "private", "ann-4711")
BOB = Partition("default", "private", "bob-0815")
GROUP = Partition("default", "group", "kitchen")
ELSEWHERE = Partition("w2", "private", "ann-4711")


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    opened = open_store()
    opened.apply([Edit("put", one) for one in RECORDS])
    for place in (GROUP, ANN):
        opened.sessions.add_messages(
            place,
            "s1",
            [
                Message("zzmessagezz of ann", "Ann", 1.0, "1", "ann-4711"),
                Message("kept message of bob", "Bob", 2.0, "2", "bob-0815"),
            ],
        )
        opened.sessions.mark_summarised(place, "s1", [], "zzsummaryzz", 3.0)
        opened.working.put_scratchpad(place, "s1", {"current_goal": "zzgoalzz"}, 3.0)
        made = Compression(1, 1, 0, "zzsegmentzz", Overview("zzoverviewzz"), "rules", 3.0)
        assert opened.working.add_compression(place, "s1", made)
    opened.set_link("default", "ann-4711", True)
    opened.handed_out.add(ANN, [("zzkeyzz", "zzhashzz")], 10)
    opened.note_receipts.put(ANN, NoteReceipt("zzkeyzz", "zzprintzz", 1, 1), 10)
    return opened


@pytest.fixture
def erasure(store: Store) -> ErasableStore:
    return store.erasure


def test_users_of_the_same_id_but_for_a_prefix(store: Store) -> None:
    own = Partition("default", "private", "QQ:10003")
    store.apply(
        [
            Edit("put", one)
            for one in (
                record("1", GROUP, "said", user="10003"),
                record("2", GROUP, "said", user="QQ:10003"),
                record("3", own, "in private", user="QQ:10003"),
                record("4", own, "in private, of nobody"),
                record("5", GROUP, "a longer number", user="910003"),
                record("6", GROUP, "no wildcard", user="1_003"),
                record("7", Partition("w2", "group", "g"), "in another workspace", user="10003"),
            )
        ]
    )
    named = store.erasure.users_named
    assert named("default", "10003") == {"10003": 1, "QQ:10003": 3}
    assert named("w2", "10003") == {"10003": 1}
    assert named("default", "1_003") == {"1_003": 1}
    assert named("default", "%") == {}


def record(id: str, place: Partition, text: str, **more: object) -> Record:
    return Record(id=id, place=place, kind=str(more.pop("kind", "fact")), text=text, **more)  # type: ignore[arg-type]


RECORDS = (
    record("own", ANN, "zzownzz"),
    record("said", GROUP, "zzsaidzz", user="ann-4711", speaker="Ann"),
    record("turn", GROUP, "zzturnzz", kind="event", data={"user_id": "ann-4711"}),
    record("sum", GROUP, "zzsumzz", kind="summary", session="s1"),
    record("other sum", GROUP, "kept summary", kind="summary", session="s2"),
    record("bob", GROUP, "kept fact of bob", user="bob-0815"),
    record("bob's own", BOB, "kept private fact"),
    record("own", ELSEWHERE, "kept in another workspace"),
    record("copy", ELSEWHERE, "kept copy", data={"copied_from": "mark-1"}),
)


def test_O2_what_is_somebodys_is_listed_and_nothing_else(erasure: ErasableStore) -> None:
    theirs = {(one.place, one.id) for one in erasure.belongings(ANN, "ann-4711")}
    assert theirs == {(ANN, "own"), (GROUP, "said"), (GROUP, "turn")}
    assert {one.id for one in erasure.belongings(BOB)} == {"bob's own"}
    assert len(list(erasure.belongings(GROUP))) == 5
    assert list(erasure.belongings(Partition("w9", "private", "ann-4711"), "ann-4711")) == []


def test_O2_events_that_name_a_user_are_found(store: Store) -> None:
    def told(id: str, place: Partition, **data: object) -> Record:
        return record(id, place, "told", kind="event", data=data)

    by_id = {"messages": [{"speaker": "安", "speaker_id": "ann-4711"}]}
    store.apply(
        [
            Edit("put", one)
            for one in (
                told("by id", GROUP, retained_turn=by_id),
                told("by name", BOB, context={"participants": ["Bob", 'An "n" 100%_']}),
                told("within", BOB, new_info=['An "n" 100%_ is away', "ann-4711 is an id"]),
                told("another", GROUP, retained_turn={"messages": [{"speaker_id": "ann-47112"}]}),
                told("elsewhere", ELSEWHERE, retained_turn=by_id),
                record("fact", GROUP, "no event", data={"retained_turn": by_id}),
            )
        ]
    )
    naming = store.erasure.naming
    assert [one.id for one in naming("default", "ann-4711", ())] == ["by id"]
    found = {one.id: one for one in naming("default", "ann-4711", ('An "n" 100%_',))}
    assert set(found) == {"by id", "by name"}
    assert found["by name"].place == BOB and found["by id"].data["retained_turn"] == by_id
    assert not list(naming("default", "%", ("%", "_")))


def test_O2_a_user_leaves_no_row_and_no_byte(
    store: Store, erasure: ErasableStore, open_store: OpenStore
) -> None:
    before = erasure.mentions("default", ANN, "ann-4711")
    assert all(before.values()), f"a positive control for every table: {before}"
    assert b"zzownzz" in open_store.stored_bytes()
    assert erasure.forget_user("default", "ann-4711") == 4 + 3, "records, messages"
    assert list(erasure.belongings(ANN, "ann-4711")) == []
    assert not any(erasure.mentions("default", ANN, "ann-4711").values())
    erasure.compact()
    data = open_store.stored_bytes()
    for word in (b"zzownzz", b"zzsaidzz", b"zzturnzz", b"zzsumzz", b"zzsummaryzz", b"zzmessagezz"):
        assert word not in data
    for word in (b"zzgoalzz", b"zzsegmentzz", b"zzoverviewzz"):
        assert word not in data
    for word in (b"kept fact of bob", b"kept summary", b"kept private fact", b"kept message of"):
        assert word in data
    assert store.get(ELSEWHERE, "own") is not None, "another workspace is another person"


def test_O2_a_partition_is_forgotten_alone(
    store: Store, erasure: ErasableStore, open_store: OpenStore
) -> None:
    assert erasure.forget_place(GROUP) == 5 + 2
    assert erasure.forget_place(GROUP) == 0
    assert not any(erasure.mentions("default", GROUP, None).values())
    assert store.get(ANN, "own") is not None
    assert len(store.sessions.messages(ANN, "s1")) == 2
    assert b"zzsaidzz" not in open_store.stored_bytes()


def test_O2_a_record_is_forgotten_alone(
    store: Store, erasure: ErasableStore, open_store: OpenStore
) -> None:
    assert erasure.forget_record(GROUP, "said") == 1
    assert erasure.forget_record(GROUP, "said") == 0
    assert erasure.forget_record(BOB, "own") == 0, "an id means nothing in another partition"
    assert store.get(GROUP, "said") is None
    assert store.get(ANN, "own") is not None
    erasure.compact()
    data = open_store.stored_bytes()
    assert b"zzsaidzz" not in data
    assert b"zzownzz" in data


def test_O2_copies_in_other_workspaces_are_found(store: Store, erasure: ErasableStore) -> None:
    copy = Partition("w2", "private", "ann-4711")
    assert erasure.copies_of(ANN, ["copy"]) == [(copy, "copy", "mark-1")]
    assert erasure.copies_of(ANN) == [(copy, "copy", "mark-1")]
    assert erasure.copies_of(ANN, ["own"]) == [], "without a mark it is no copy"
    assert erasure.copies_of(BOB) == []
    assert erasure.copies_of(copy) == [], "in the workspace itself there are none"


def test_O2_the_log_is_emptied(store: Store, erasure: ErasableStore) -> None:
    assert erasure.scrub()
    for path in erasure.files():
        assert path.is_file()


def test_O2_the_name_that_a_speaker_without_an_id_has_counts(
    store: Store, erasure: ErasableStore
) -> None:
    store.sessions.add_messages(GROUP, "s3", [Message("zznamedzz", "Ann", 1.0, "9")])
    store.sessions.add_messages(GROUP, "s3", [Message("kept name", "Anna", 1.0, "10")])
    erasure.forget_user("default", "ann-4711", ["Ann"])
    assert [one.message.text for one in store.sessions.messages(GROUP, "s3")] == ["kept name"]
