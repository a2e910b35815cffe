"""Every store keeps the promises of ports.Store, on its real engine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from support.stores import OpenStore
from taishi.errors import ClosedError, InputError
from taishi.language import analyzer
from taishi.language.passages import cut
from taishi.ports import Embedded, IndexRow, PartitionInfo, Store
from taishi.recall.vector_codec import code_size, encode
from taishi.types import Edit, Message, Partition, Record

HOME = Partition("default", "private", "ann")
GROUP = Partition("default", "group", "ann")
OTHER = Partition("w2", "private", "ann")
T = TypeVar("T")
SIZE = code_size(8)  # of vector_of


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


def record(id: str = "1", place: Partition = HOME, text: str = "Ann moved to Oslo") -> Record:
    return Record(id=id, place=place, kind="fact", text=text, created=5.0)


def put(*records: Record) -> list[Edit]:
    return [Edit("put", one) for one in records]


def number_of(store: Store, place: Partition, id: str = "1") -> int:
    return next(number for number, one in store.scan(place) if one.id == id)


def vector_of(number: int, revision: int = 1) -> Embedded:
    row = np.ones(8, np.float32) / np.sqrt(8).astype(np.float32)
    return Embedded(number, revision, encode(row))


def codes(store: Store, model: str) -> dict[int, bytes]:
    """The vectors that are there, by record."""
    shelf = store.states([HOME])[HOME]
    rows = map(IndexRow._make, rows_of(store, shelf.no, model))
    return {row.number: row.code for row in rows if row.code}


# -- edits -------------------------------------------------------------------------------------

FULL = Record(
    id="r1:1", place=GROUP, kind="event", text="小明 baked 🍞 \u202e'; --", time=-1.5, created=7.25,
    user="u7", speaker="小明", session="s", source="m1", state="candidate", confidence=0.5,
    data={"a": [1, {"b": None}], "中": "文"},
)  # fmt: skip


def test_a_record_comes_back_as_it_was_put(store: Store) -> None:
    assert store.apply(put(FULL, record())) == 2
    assert store.get(GROUP, "r1:1") == FULL
    assert store.get(HOME, "1") == record()
    assert store.get(HOME, "r1:1") is None
    assert store.get(Partition("nowhere", "agent", "x"), "1") is None


@pytest.mark.parametrize(
    "odd",
    [
        replace(FULL, text="a\x00b", speaker="\x00", data={"k\x00": "v\x00"}),
        replace(FULL, text="\ufdd0 \ufdd00\x00", id="\ufdd0"),
        replace(FULL, text="a" * 2_000_000),
        replace(FULL, id="'\"%s $1 \\ \n; --", user="%", session="{}"),
        replace(FULL, id="漢" * 320, user="語" * 256, session="字" * 256, owner="主" * 320),
        replace(FULL, kind="fact", data={"subject": "s" * 10_000, "category": "c" * 10_000}),
        replace(FULL, time=float("-inf"), until=float("inf")),
    ],
    ids=["nul", "escape", "huge", "quotes", "long ids", "long subject", "infinite"],
)
def test_odd_texts_come_back_as_they_were_put(store: Store, odd: Record) -> None:
    store.apply(put(odd, record()))
    assert store.get(GROUP, odd.id) == odd
    ((number, found),) = store.scan(GROUP)
    assert found == odd and store.fetch([number], [GROUP]) == {number: odd}
    assert store.apply(put(odd)) == 1 and len(store.scan(GROUP)) == 1, "known by its id"
    (row,) = map(IndexRow._make, rows_of(store, number >> 32, None))
    assert (row.user, row.speaker, row.session) == (odd.user, odd.speaker, odd.session)


def test_a_half_character_is_refused_and_the_store_goes_on(store: Store) -> None:
    with pytest.raises(UnicodeEncodeError):
        store.apply(put(record(), record("2", text="half \ud800")))
    assert store.scan(HOME) == []
    assert store.apply(put(record())) == 1


def test_a_time_that_is_no_number_is_no_time(store: Store) -> None:
    store.apply(put(replace(record(), time=float("nan"))))
    found = store.get(HOME, "1")
    assert found is not None and found.time is None


def test_two_processes_that_write_to_the_same_partitions_lose_nothing(
    open_store: OpenStore,
) -> None:
    places = [HOME, GROUP, OTHER]
    errors: list[BaseException] = []

    def work(store: Store, name: str, order: list[Partition]) -> None:
        try:
            for n in range(15):
                store.apply(put(*(record(f"{name}{n}", place) for place in order)))
        except BaseException as error:
            errors.append(error)

    stores = [open_store(), open_store()]
    threads = [
        threading.Thread(target=work, args=(stores[0], "a", places)),
        threading.Thread(target=work, args=(stores[1], "b", places[::-1])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for place in places:
        numbers = [number for number, _ in stores[0].scan(place)]
        assert len(numbers) == 30 and len(set(numbers)) == 30
        assert stores[1].states([place])[place].seq == 30


def test_a_record_without_a_creation_time_gets_one(store: Store) -> None:
    store.apply(put(replace(record(), created=0.0)))
    found = store.get(HOME, "1")
    assert found is not None
    assert found.created > 1_600_000_000


def test_put_replaces_and_keeps_the_time_of_creation(store: Store) -> None:
    store.apply(put(record()))
    number = number_of(store, HOME)
    store.apply(put(replace(record(text="Ann left"), created=9.0, kind="event")))
    assert store.get(HOME, "1") == replace(record(text="Ann left"), kind="event")
    assert number_of(store, HOME) == number
    assert store.counts()["event"] == 1


def test_land_never_overwrites(store: Store) -> None:
    assert store.apply([Edit("land", record())]) == 1
    assert store.apply([Edit("land", record(text="raw"))]) == 0
    found = store.get(HOME, "1")
    assert found is not None
    assert found.text == "Ann moved to Oslo"


def test_unland_deletes_the_raw_turn_of_its_job_and_nothing_else(store: Store) -> None:
    raw = replace(record(), kind="turn", owner="job 1")
    store.apply([Edit("land", raw)])
    for other in (replace(raw, owner="job 2"), replace(raw, owner=None)):
        assert store.apply([Edit("unland", other)]) == 0
    assert store.apply([Edit("unland", raw)]) == 1
    assert store.apply([Edit("unland", raw)]) == 0
    assert store.get(HOME, "1") is None
    store.apply([Edit("land", raw), Edit("put", replace(raw, kind="event"))])
    assert store.apply([Edit("unland", raw)]) == 0, "the event stays"
    assert store.get(HOME, "1") is not None
    second = replace(record("2"), kind="turn", owner="job 2")
    store.apply([Edit("land", second), Edit("unland", second)])
    assert store.get(HOME, "2") is None


def test_remove_removes_and_is_safe_twice(store: Store) -> None:
    store.apply(put(record(), record("2")))
    assert store.apply([Edit("remove", place=HOME, id="1")]) == 1
    assert store.apply([Edit("remove", place=HOME, id="1")]) == 0
    assert store.get(HOME, "1") is None
    assert store.get(HOME, "2") is not None


def test_W5_edits_are_applied_whole_or_not_at_all(store: Store) -> None:
    with pytest.raises(InputError):
        store.apply([*put(record()), Edit("remove", place=HOME, id="9"), Edit("put")])
    assert store.get(HOME, "1") is None
    assert store.counts() == {"unembedded": 0}
    store.apply(put(record()))
    assert store.scan(HOME)[0][1] == record(), "the store is usable afterwards"


def test_W5_the_same_edits_twice_are_the_same_as_once(store: Store) -> None:
    edits = [*put(record(), record("2")), Edit("remove", place=HOME, id="2")]
    store.apply(edits)
    once = store.scan(HOME)
    store.apply(edits)
    assert store.scan(HOME) == once


def test_no_edits_are_no_change(store: Store) -> None:
    assert store.apply([]) == 0
    assert store.places() == []


# -- places ------------------------------------------------------------------------------------


def test_S1_the_same_id_lives_in_every_place_apart(store: Store) -> None:
    places = [
        HOME,
        GROUP,
        OTHER,
        Partition("default", "agent", "ann"),
        Partition("default", "workspace"),
        Partition("default", "private", "ann:"),
        Partition("default", "private", "ANN"),
    ]
    store.apply(put(*(record(place=place, text=str(place)) for place in places)))
    for place in places:
        found = store.get(place, "1")
        assert found is not None
        assert (found.place, found.text) == (place, str(place))
    assert store.places() == [(place, 1) for place in sorted(places)]


def test_S3_fetch_gives_only_what_lives_in_the_given_places(store: Store) -> None:
    store.apply(put(record(), record(place=GROUP), record(place=OTHER)))
    numbers = [number_of(store, place) for place in (HOME, GROUP, OTHER)]
    assert {r.place for r in store.fetch(numbers, {HOME, OTHER}).values()} == {HOME, OTHER}
    assert store.fetch(numbers, {Partition("none", "agent", "x")}) == {}
    assert store.fetch(numbers, []) == {}
    assert store.fetch([], {HOME}) == {}
    assert store.fetch([-1, 0, 1, 2**62], {HOME}) == {}


@pytest.mark.thorough_on("postgres")
def test_fetch_takes_thousands(store: Store) -> None:
    store.apply(put(*(record(str(n)) for n in range(2000))))
    numbers = [number for number, _ in store.scan(HOME, limit=5000)]
    assert len(store.fetch(numbers, {HOME})) == 2000


def test_scan_pages_in_the_order_of_coming(store: Store) -> None:
    store.apply(put(*(record(f"{n:03d}") for n in range(25)), record(place=GROUP)))
    ids, after = [], 0
    while page := store.scan(HOME, after, limit=10):
        ids += [one.id for _, one in page]
        after = page[-1][0]
    assert ids == [f"{n:03d}" for n in range(25)]
    assert store.scan(Partition("none", "agent", "x")) == []


def test_numbers_are_never_used_twice(store: Store) -> None:
    store.apply(put(record()))
    first = number_of(store, HOME)
    store.apply([Edit("remove", place=HOME, id="1")])
    store.apply(put(record("2")))
    assert number_of(store, HOME, "2") > first


# -- end_seq -----------------------------------------------------------------------------------


def test_W2_last_end_seq_is_the_highest_of_that_request_in_that_place(store: Store) -> None:
    ids = ["r:1", "r:2", "r:10", "r:11:x", "rr:99", "r;:77", "r", "r:x", "q:5", "r%:50", "R:60"]
    store.apply(put(*(record(id) for id in ids), record("r:40", GROUP)))
    assert store.last_end_seq(HOME, "r") == 11
    assert store.last_end_seq(GROUP, "r") == 40
    assert store.last_end_seq(HOME, "r%") == 50
    assert store.last_end_seq(HOME, "nothing") == 0
    assert store.last_end_seq(OTHER, "r") == 0


# -- what the index reads ----------------------------------------------------------------------


def rows_of(store: Store, no: int, model: str | None) -> list[IndexRow]:
    """The rows of a place that has no packs."""
    contents = store.snapshot(no, model)
    assert not contents.packs
    return [row for run in contents.rows.values() for row in run]


def test_a_shelf_tells_what_changed_since(store: Store) -> None:
    store.apply(put(record(), record("2")))
    shelf = store.states([HOME, GROUP])[HOME]
    assert list(store.states([HOME, GROUP])) == [HOME]
    seq = store.snapshot(shelf.no, None).seq
    rows = rows_of(store, shelf.no, None)
    assert (seq, len(rows)) == (shelf.seq, 2)
    store.apply(put(record("3"), record("1", text="changed")))
    store.apply([Edit("remove", place=HOME, id="2")])
    store.apply(put(record(place=GROUP)))
    changes = store.changes(shelf.no, seq, None)
    assert changes is not None
    assert changes.seq == store.states([HOME])[HOME].seq > seq
    assert sorted(row.revision for row in changes.rows) == [1, 2]
    assert list(changes.gone) == [rows[1][0]]
    again = store.changes(shelf.no, changes.seq, None)
    assert again is not None
    assert (again.rows, list(again.gone)) == ([], [])


def test_changes_of_long_ago_are_read_anew_or_whole(store: Store) -> None:
    store.apply(put(record("0")))
    shelf = store.states([HOME])[HOME]
    for n in range(6000):
        if n % 1000 == 0:
            store.apply(put(record(str(n))))
    changes = store.changes(shelf.no, 0, None)
    if changes is not None:
        assert len(changes.rows) == 6


@pytest.mark.thorough_on("postgres")
def test_another_process_sees_every_change(open_store: OpenStore) -> None:
    one, other = open_store(), open_store()
    for n in range(5):
        one.apply(put(record(f"a{n}")))
        other.apply(put(record(f"b{n}")))
        assert len(one.scan(HOME)) == len(other.scan(HOME)) == 2 * (n + 1)
        assert one.states([HOME]) == other.states([HOME])


def test_a_token_stays_while_nothing_changes_and_changes_with_its_partition(
    open_store: OpenStore,
) -> None:
    store, other = open_store(), open_store()
    store.apply(put(record(), record(place=GROUP)))
    home, group = store.states([HOME])[HOME].no, store.states([GROUP])[GROUP].no

    def token(*numbers: int) -> object:
        return eventually(lambda: store.change_token(numbers))

    before, beside, both = token(home), token(group), token(home, group)
    assert (token(home), token(group)) == (before, beside)
    store.apply(put(record("2")))
    assert token(home) != before and token(home, group) != both, "at once"
    assert token(group) == beside
    before = token(home)
    other.apply(put(record("3")))
    eventually(lambda: token(home) != before)
    assert token(group) == beside
    for change in (
        lambda: store.set_link("default", "ann", True),
        lambda: store.apply(put(record(place=Partition("default", "group", "new")))),
        lambda: other.apply(put(record(place=Partition("default", "group", "newer")))),
        lambda: store.void_vectors(),
        lambda: store.erasure.forget_user("default", "somebody"),
    ):
        beside = token(group)
        change()
        eventually(lambda old=beside: token(group) != old)


def eventually(known: Callable[[], T], seconds: float = 10.0) -> T:
    """What another process did may be known a moment later."""
    end = time.monotonic() + seconds
    while not (found := known()) and time.monotonic() < end:
        time.sleep(0.002)
    assert found
    return found


# -- vectors -----------------------------------------------------------------------------------


def test_Q7_vectors_wait_come_and_go_with_the_model(store: Store) -> None:
    assert store.adopt_model("m1", SIZE) == 0
    store.apply(put(record(), record("2", text="小明")))
    waiting = store.unembedded(10)
    assert [item.text for item in waiting] == ["Ann moved to Oslo", "小明"]
    assert len(store.unembedded(1)) == 1
    store.put_vectors("m1", [vector_of(item.number, item.revision) for item in waiting])
    assert store.unembedded(10) == []
    assert store.counts()["unembedded"] == 0
    numbers = [item.number for item in waiting]
    assert set(codes(store, "m1")) == set(numbers)
    shelf = store.states([HOME])[HOME]
    assert [bool(IndexRow._make(row).code) for row in rows_of(store, shelf.no, "m1")] == [
        True,
        True,
    ]
    for stranger in ("m2", None):
        assert [IndexRow._make(row).code for row in rows_of(store, shelf.no, stranger)] == [
            None,
            None,
        ]
    assert store.adopt_model("m1", SIZE) == 0, "the same model again changes nothing"
    assert store.adopt_model("m2", SIZE) == 2
    assert codes(store, "m1") == codes(store, "m2") == {}
    assert [r.text for _, r in store.scan(HOME)] == ["Ann moved to Oslo", "小明"]


def test_Q7_vectors_of_other_dimensions_wait_again_and_the_others_stay(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(record(), record("2", text="小明")))
    narrow, right = store.unembedded(10)
    other = replace(vector_of(narrow.number), code=encode(np.ones(4, np.float32)))
    store.put_vectors("m1", [other, vector_of(right.number)])
    seq = store.states([HOME])[HOME].seq
    assert store.adopt_model("m1", SIZE) == 1
    assert [item.number for item in store.unembedded(10)] == [narrow.number]
    assert set(codes(store, "m1")) == {right.number}
    no, now = (state := store.states([HOME])[HOME]).no, state.seq
    assert now > seq and store.changes(no, seq, "m1") is None, "every index reads it anew"
    store.put_vectors("m1", [vector_of(narrow.number)])
    seq = store.states([HOME])[HOME].seq
    assert store.adopt_model("m1", SIZE) == 0
    assert store.states([HOME])[HOME].seq == seq, "nothing to do, nothing done"


LONG_TEXT = "Ann told of the harbour and of nothing else. " * 20


def passages_of(store: Store, model: str) -> list[bytes | None]:
    shelf = store.states([HOME])[HOME]
    return [IndexRow._make(row).passages for row in rows_of(store, shelf.no, model)]


def test_Q9_vectors_of_passages_come_and_go_with_the_text(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(record(text=LONG_TEXT), record("2")))
    (long, short) = store.unembedded(10)
    embedded = [replace(vector_of(long.number), passages=b"codes"), vector_of(short.number)]
    store.put_vectors("m1", embedded)
    assert passages_of(store, "m1") == [b"codes", None]
    assert passages_of(store, "m2") == [None, None], "another model's are as good as none"
    store.apply(put(replace(record(text=LONG_TEXT), state="candidate")))
    assert passages_of(store, "m1") == [b"codes", None], "the text is the same"
    store.apply(put(record(text=LONG_TEXT + "more")))
    assert passages_of(store, "m1") == [None, None]
    (again,) = store.unembedded(10)
    store.put_vectors("m1", [replace(vector_of(again.number, again.revision), passages=b"new")])
    assert store.void_vectors() == 2
    assert passages_of(store, "m1") == [None, None]
    store.put_vectors("m1", [replace(vector_of(again.number, again.revision), passages=b"new")])
    store.adopt_model("m2", SIZE)
    assert passages_of(store, "m2") == [None, None]


def test_Q9_the_terms_of_a_long_text_are_those_of_its_passages(store: Store) -> None:
    store.apply(put(replace(record(text=LONG_TEXT), speaker="Ann"), record("2")))
    rows = map(IndexRow._make, rows_of(store, store.states([HOME])[HOME].no, None))
    long, short = [row.terms for row in rows]
    assert long.count(analyzer.NEXT_PASSAGE) == len(cut(LONG_TEXT)) - 1 > 0
    assert short.count(analyzer.NEXT_PASSAGE) == 0


def test_Q7_an_index_is_told_that_the_model_changed(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(record()))
    store.put_vectors("m1", [vector_of(number_of(store, HOME))])
    shelf = store.states([HOME])[HOME]
    store.adopt_model("m2", SIZE)
    now = store.states([HOME])[HOME]
    assert now.seq > shelf.seq
    assert store.changes(shelf.no, shelf.seq, "m2") is None, "read it anew"
    store.put_vectors("m2", [vector_of(number_of(store, HOME))])
    changes = store.changes(shelf.no, now.seq, "m2")
    assert changes is not None
    assert changes.rows[0].code is not None


def test_a_vector_of_a_text_that_changed_meanwhile_is_not_taken(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(record()))
    (waiting,) = store.unembedded(10)
    store.apply(put(record(text="Ann left")))
    store.put_vectors("m1", [vector_of(waiting.number, waiting.revision)])
    (again,) = store.unembedded(10)
    assert (again.text, again.revision > waiting.revision) == ("Ann left", True)
    assert codes(store, "m1") == {}


def test_a_vector_of_what_was_removed_meanwhile_leaves_nothing(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(record()))
    (waiting,) = store.unembedded(10)
    store.apply([Edit("remove", place=HOME, id="1")])
    store.put_vectors("m1", [vector_of(waiting.number)])
    assert codes(store, "m1") == {}
    assert store.counts() == {"unembedded": 0}


def test_a_changed_text_waits_for_its_vector_again(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(record()))
    store.put_vectors("m1", [vector_of(number_of(store, HOME))])
    store.apply(put(record(text="Ann left")))
    assert [item.text for item in store.unembedded(10)] == ["Ann left"]


# -- links and forgetting ----------------------------------------------------------------------


def test_S2_links_are_off_and_belong_to_one_user_of_one_workspace(store: Store) -> None:
    assert not store.linked("default", "ann")
    store.set_link("default", "ann", True)
    store.set_link("default", "ann", True)
    assert store.linked("default", "ann")
    assert not store.linked("default", "an")
    assert not store.linked("w2", "ann")
    store.set_link("default", "ann", False)
    assert not store.linked("default", "ann")


def test_S2_groups_of_a_user_are_those_of_that_workspace(store: Store) -> None:
    far = Partition("w2", "group", "g9")
    store.apply(put(
        replace(record(place=GROUP), user="u7"), replace(record(place=far), user="u7"),
        replace(record(place=HOME), user="u7"), replace(record("2", place=GROUP), user="u8"),
    ))  # fmt: skip
    assert store.groups_of("default", "u7") == [GROUP]
    assert store.groups_of("w2", "u7") == [far]
    assert store.groups_of("w2", "u8") == []


def test_O2_a_user_is_forgotten_in_the_whole_workspace_and_nowhere_else(store: Store) -> None:
    store.apply(put(
        record(), replace(record("2", GROUP), user="ann"), replace(record("3", GROUP), user="bob"),
        record(place=OTHER), replace(record("4", Partition("default", "workspace")), user="ann"),
    ))  # fmt: skip
    store.adopt_model("m1", SIZE)
    number = number_of(store, HOME)
    store.put_vectors("m1", [vector_of(number)])
    store.set_link("default", "ann", True)
    shelf = store.states([HOME])[HOME]
    assert store.erasure.forget_user("default", "ann") == 3
    assert store.get(HOME, "1") is None
    assert [one.id for _, one in store.scan(GROUP)] == ["3"]
    assert store.get(OTHER, "1") is not None
    assert store.changes(shelf.no, 0, "m1").rows == []
    assert not store.linked("default", "ann")
    changes = store.changes(shelf.no, shelf.seq, None)
    assert changes is None or number in changes.gone
    assert store.erasure.forget_user("default", "ann") == 0


def test_O2_a_place_is_forgotten_whole(store: Store) -> None:
    store.apply(put(record(), record("2"), record(place=GROUP)))
    assert store.erasure.forget_place(HOME) == 2
    assert store.erasure.forget_place(HOME) == 0
    assert store.erasure.forget_place(Partition("none", "agent", "x")) == 0
    assert store.get(GROUP, "1") is not None


def test_O2_what_is_forgotten_leaves_no_words_on_the_disk(
    open_store: OpenStore, tmp_path: Path
) -> None:
    store = open_store()
    store.apply(put(record(text="the word is xyzzyplugh"), *(record(str(n)) for n in range(9))))
    store.erasure.forget_place(HOME)
    store.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"xyzzyplugh" not in path.read_bytes()


# -- as a whole --------------------------------------------------------------------------------


@pytest.mark.thorough_on("postgres")
def test_threads_write_and_read_at_once(store: Store) -> None:
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for n in range(20):
                store.apply(put(record(f"{name}-{n}")))
                assert store.get(HOME, f"{name}-{n}") is not None
                store.states([HOME])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(store.scan(HOME)) == 80
    assert store.states([HOME])[HOME].seq == 80
    assert store.check() == "ok"


def test_counts_are_by_kind(store: Store) -> None:
    store.apply(put(record(), record("2"), FULL))
    assert store.counts() == {"fact": 2, "event": 1, "unembedded": 3}
    assert store.check() == "ok"


def test_what_was_written_is_there_after_reopening(open_store: OpenStore) -> None:
    one = open_store()
    one.apply(put(FULL))
    one.set_link("default", "ann", True)
    one.close()
    other = open_store()
    assert other.get(GROUP, "r1:1") == FULL
    assert other.linked("default", "ann")


def test_a_closed_store_says_so(open_store: OpenStore) -> None:
    store = open_store()
    store.apply(put(record()))
    store.close()
    store.close()
    for use in (lambda: store.get(HOME, "1"), lambda: store.apply(put(record()))):
        with pytest.raises(ClosedError):
            use()


# -- packs ---------------------------------------------------------------------------------------

CHUNK = 1024  # rows in a chunk; the first has one less, as numbers begin at 1


def packed_place(store: Store) -> tuple[int, list[int]]:
    """A place with two full chunks, both packed, and a third that is not full."""
    store.apply(put(*(record(str(n)) for n in range(2 * CHUNK + 10))))
    no = store.states([HOME])[HOME].no
    seq, chunks = store.unpacked(no, None, 10)
    assert len(chunks) == 2
    assert store.put_packs(seq, None, [(chunk, b"pack") for chunk in chunks]) == 2
    return no, chunks


@pytest.mark.thorough_on("postgres")
def test_packs_stand_for_their_rows(store: Store) -> None:
    no, chunks = packed_place(store)
    contents = store.snapshot(no, None)
    assert [(chunk, bytes(data)) for chunk, data in contents.packs] == [
        (chunk, b"pack") for chunk in chunks
    ]
    assert sum(map(len, contents.rows.values())) == 11
    assert len(store.chunk_rows(chunks[0], None)) == CHUNK - 1
    assert len(store.chunk_rows(chunks[1], None)) == CHUNK
    assert store.unpacked(no, None, 10)[1] == []
    assert not store.snapshot(no, "another model").packs


@pytest.mark.thorough_on("postgres")
@pytest.mark.parametrize("change", ["edit", "remove", "forget"])
def test_a_change_drops_the_pack_that_holds_the_row_and_no_other(store: Store, change: str) -> None:
    no, chunks = packed_place(store)
    if change == "edit":
        store.apply(put(record("5", text="changed")))
    elif change == "remove":
        store.apply([Edit("remove", place=HOME, id="5")])
    else:
        store.erasure.forget_record(HOME, "5")
    contents = store.snapshot(no, None)
    assert [chunk for chunk, _ in contents.packs] == chunks[1:]
    assert sorted(contents.rows) == [chunks[0], chunks[1] + 1], "in order around the pack"
    rows = [row for run in contents.rows.values() for row in run]
    assert len(rows) == 11 + CHUNK - 1 - (change != "edit")


def test_a_pack_of_rows_that_changed_meanwhile_is_refused(store: Store) -> None:
    store.apply(put(*(record(str(n)) for n in range(CHUNK))))
    no = store.states([HOME])[HOME].no
    seq, chunks = store.unpacked(no, None, 10)
    store.apply(put(record("5", text="changed")))
    assert store.put_packs(seq, None, [(chunks[0], b"stale")]) == 0
    assert not store.snapshot(no, None).packs


@pytest.mark.thorough_on("postgres")
def test_Q7_packs_wait_for_vectors_and_go_with_their_model(store: Store) -> None:
    store.adopt_model("m1", SIZE)
    store.apply(put(*(record(str(n)) for n in range(CHUNK))))
    no = store.states([HOME])[HOME].no
    assert store.unpacked(no, "m1", 10)[1] == [], "not all of them have their vector"
    waiting = store.unembedded(CHUNK)
    store.put_vectors("m1", [vector_of(item.number, item.revision) for item in waiting])
    seq, chunks = store.unpacked(no, "m1", 10)
    assert store.put_packs(seq, "m1", [(chunks[0], b"pack")]) == 1
    store.adopt_model("m2", SIZE)
    assert not store.snapshot(no, "m1").packs


@pytest.mark.thorough_on("postgres")
def test_forgetting_a_place_leaves_no_pack(store: Store) -> None:
    no, _ = packed_place(store)
    store.erasure.forget_place(HOME)
    assert not store.snapshot(no, None).packs


def test_H8_records_whose_ids_begin_alike_are_found_newest_first(store: Store) -> None:
    elsewhere = Partition("default", "private", "somebody else")
    store.apply(put(record("instruction-1"), record("fact-1"), record("instruction-2")))
    store.apply(put(record("instruction"), record("instruction.3"), record("instruction-%")))
    store.apply(put(record("instruction-9", elsewhere)))
    found = store.find(HOME, ("fact",), ("approved",), 10, "instruction-")
    assert [one.id for one in found] == ["instruction-%", "instruction-2", "instruction-1"]
    assert store.find(HOME, ("event",), None, 10, "instruction-") == []
    assert len(store.find(HOME, ("fact",), None, 2, "instruction-")) == 2


def fact(id: str, subject: str, category: str, state: str = "approved") -> Record:
    data = {"subject": subject, "category": category}
    return replace(record(id), kind="fact", state=state, data=data)


def test_F2_facts_are_found_by_subject_and_category_newest_first(store: Store) -> None:
    elsewhere = replace(fact("8", "Ann", "home"), place=OTHER)
    others = (fact("5", "Bo", "home"), fact("6", "Ann", "home", "superseded"), elsewhere)
    event = replace(fact("7", "Ann", "home"), kind="event")
    store.apply(put(fact("1", "Ann", "home"), fact("2", "Ann", "pet"), *others, event,
                    fact("3", "Ann", "home", "conflict"), fact("4", "Ann", "job")))  # fmt: skip

    def ids(found: list[tuple[int, Record]]) -> list[str]:
        assert [number for number, _ in found] == sorted((n for n, _ in found), reverse=True)
        return [one.id for _, one in found]

    facts = store.facts
    assert ids(facts.of_category(HOME, "Ann", "home", 9)) == ["3", "1"]
    assert ids(facts.of_category(HOME, "Ann", "home", 1)) == ["3"]
    assert ids(facts.of_subject(HOME, "Ann", ["home"], 9)) == ["4", "2"]
    assert ids(facts.of_subject(HOME, "Cy", ["home"], 9)) == []


def test_F1_the_names_under_which_a_user_spoke_of_himself_are_found(store: Store) -> None:
    def own(id: str, name: str, user: str = "u1", about_user: object = True, **more: Any) -> Record:
        made = replace(fact(id, name, "home", **more), user=user)
        return replace(made, data={**made.data, "about_user": about_user})

    store.apply(put(own("1", "Ann"), own("2", "Annie"), own("3", "Annie"), own("4", "Bo", "u2"),
                    own("5", "Cy", about_user=False), own("6", "Di", state="superseded"),
                    replace(own("7", "Em"), place=OTHER), own("8", "安")))  # fmt: skip
    assert sorted(store.facts.names_of(HOME, "u1", 9)) == ["Ann", "Annie", "安"]
    assert len(store.facts.names_of(HOME, "u1", 1)) == 1
    assert store.facts.names_of(HOME, "u3", 9) == []


def test_P5_rejected_facts_are_found(store: Store) -> None:
    rejected = [fact(str(n), "Ann", "home", "rejected") for n in (1, 2)]
    store.apply(put(*rejected, fact("3", "Ann", "home"), replace(rejected[0], place=OTHER)))
    assert [one.id for one in store.find(HOME, ("fact",), ("rejected",), 9)] == ["2", "1"]
    assert [one.id for one in store.find(HOME, ("fact",), ("rejected",), 1)] == ["2"]


def test_find_gives_the_newest_of_a_kind_and_state(store: Store) -> None:
    def of(id: str, kind: str, state: str, place: Partition = HOME) -> Edit:
        return Edit("put", Record(id, place, kind, f"text {id}", state=state))

    store.apply([of("1", "fact", "approved"), of("2", "fact", "rejected"),
                 of("3", "event", "approved"), of("4", "fact", "approved"),
                 of("5", "fact", "approved", GROUP)])  # fmt: skip
    assert [r.id for r in store.find(HOME, ("fact",))] == ["4", "2", "1"]
    assert [r.id for r in store.find(HOME, ("fact",), ("rejected",))] == ["2"]
    assert [r.id for r in store.find(HOME, ("fact", "event"), ("approved",), 2)] == ["4", "3"]
    assert store.find(HOME, ("fact",), ()) == []
    assert store.find(Partition("w9", "private", "ann"), ("fact",)) == []


def test_partitions_of_a_workspace_with_counts_and_the_last_time(store: Store) -> None:
    assert store.partitions("default") == []
    empty = Partition("default", "group", "talk only")
    shared = Partition("default", "workspace", "")
    store.apply(put(record("1"), replace(record("2"), created=7.5), record("1", GROUP)))
    store.apply(put(record("1", OTHER), record("s", shared)))
    store.sessions.add_messages(empty, "s1", [Message("hello")])
    assert store.partitions("default") == [
        PartitionInfo(GROUP, 1, 5.0),
        PartitionInfo(empty, 0, None),
        PartitionInfo(HOME, 2, 7.5),
        PartitionInfo(shared, 1, 5.0),
    ]
    assert store.partitions("w2") == [PartitionInfo(OTHER, 1, 5.0)], "nothing crosses a workspace"
    assert store.partitions("w%") == store.partitions("") == []


def test_a_partition_has_the_name_on_its_page(store: Store) -> None:
    page = replace(record("x"), kind="profile", data={"name": 'Ann 安 "A"'})
    store.apply(put(replace(page, id="user:ann"),
                    replace(page, id="group:ann", data={"name": "no page of a private chat"}),
                    replace(page, id="user:bob", place=GROUP),
                    replace(page, id=f"group:{GROUP.id}", place=GROUP, data={})))  # fmt: skip
    names = {info.partition: info.name for info in store.partitions("default")}
    assert names == {HOME: 'Ann 安 "A"', GROUP: ""}
    crew = replace(page, id=f"group:{GROUP.id}", place=GROUP, data={"name": "Harbour Lights"})
    store.apply(put(crew))
    assert {one.name for one in store.partitions("default")} == {'Ann 安 "A"', "Harbour Lights"}


def test_O2_a_forgotten_partition_is_not_listed(store: Store) -> None:
    shared = Partition("default", "workspace", "")
    store.apply(put(record("1"), record("1", GROUP), record("1", shared)))
    assert len(store.partitions("default")) == 3
    store.erasure.forget_user("default", "ann")
    store.erasure.forget_place(shared)
    assert store.partitions("default") == [PartitionInfo(GROUP, 1, 5.0)]
    store.erasure.forget_place(GROUP)
    assert store.partitions("default") == []
