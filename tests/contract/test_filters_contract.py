"""Filters select the same records on every engine as the evaluator in Python does."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.stores import OpenStore
from taishi.domain.filter_matching import matches
from taishi.domain.filter_parser import parse_filters
from taishi.ports import ListingFilter, Store
from taishi.types import Edit, Partition, Record

HOME = Partition("default", "private", "ann")
OTHER = Partition("default", "group", "ann")
WORDS = ("a", "b", "ab", "AB", "10", "true", "", "茶", 'q"u', "é", "x'y", "\\", "2026-01-02")
NAMES = ("n", "项目", "deep.er", "in ner", "tags")
NUMBERS = st.one_of(
    st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.floats(-9, 9).map(lambda x: x + 0.0)
)
SCALARS = st.one_of(st.sampled_from(WORDS), st.booleans(), NUMBERS)
VALUES = st.recursive(
    st.one_of(SCALARS, st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    ),
    max_leaves=6,
)
METADATA = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4)
TIMES = st.one_of(st.none(), st.integers(0, 5).map(float))
RECORDS = st.builds(
    Record,
    st.just("r"),
    st.just(HOME),
    st.sampled_from(("fact", "note")),
    st.just("text"),
    time=TIMES,
    expires=TIMES,
    created=st.integers(1, 5).map(float),
    user=st.one_of(st.none(), st.sampled_from(("ann", "bo"))),
    speaker=st.one_of(st.none(), st.sampled_from(WORDS)),
    session=st.one_of(st.none(), st.sampled_from(("s1", "s2"))),
    source=st.one_of(st.none(), st.sampled_from(WORDS)),
    state=st.sampled_from(("approved", "candidate")),
    confidence=st.sampled_from((0.0, 0.1, 0.5, 1.0)),
    data=METADATA,
)
ORDER = st.sampled_from(("gt", "gte", "lt", "lte"))
EQUAL = st.sampled_from(("eq", "ne"))
AMONG = st.sampled_from(("in", "nin"))


def compared(field: st.SearchStrategy[str], value: st.SearchStrategy[Any], *orders: Any) -> Any:
    one = st.tuples(st.one_of(EQUAL, *orders), value)
    many = st.tuples(AMONG, st.lists(value, max_size=3))
    there = st.tuples(st.just("exists"), st.booleans())
    ops = st.one_of(one, many, there).map(lambda pair: {pair[0]: pair[1]})
    return st.tuples(field, ops).map(lambda pair: {pair[0]: pair[1]})


PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2).map(
    lambda path: ".".join(["metadata", *(name.replace(".", "\\.") for name in path)])
)
CONTAINS, ICONTAINS = st.just("contains"), st.just("icontains")
PARTS = st.one_of(ORDER, CONTAINS, ICONTAINS)
TEXTS = st.sampled_from(WORDS)
LEAVES = st.one_of(
    compared(st.sampled_from(("speaker", "source", "session", "user")), TEXTS, PARTS),
    compared(st.just("kind"), st.sampled_from(("fact", "note"))),
    compared(st.just("tags"), TEXTS, CONTAINS),
    compared(
        st.sampled_from(("time", "created", "updated", "expires")),
        st.one_of(st.integers(0, 5), st.just("1970-01-01T00:00:03Z")),
        ORDER,
    ),
    compared(st.just("confidence"), st.sampled_from((0, 0.1, 0.5, 1)), ORDER),
    compared(PATHS, SCALARS, CONTAINS),
    compared(PATHS, TEXTS, ICONTAINS),
    compared(PATHS, st.one_of(TEXTS, NUMBERS), ORDER),
    PATHS.map(lambda path: {path: None}),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"and": some}),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"or": some}),
        inner.map(lambda one: {"not": one}),
    ),
    max_leaves=5,
)


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store(lambda: 4.0)


def put(store: Store, *records: Record) -> None:
    store.apply([Edit("put", one) for one in records])


def found(store: Store, filters: object, place: Partition = HOME) -> set[str]:
    """The ids that the store selects, which must be those that Python does."""
    expression = parse_filters(filters, UTC)
    assert expression is not None
    numbers = store.browse.matching(place, expression)
    assert list(numbers) == sorted(numbers)
    selected = {record.id for record in store.fetch(numbers, [place]).values()}
    everything = [record for _, record in store.scan(place)]
    assert selected == {one.id for one in everything if matches(expression, one)}, filters
    return selected


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(RECORDS, min_size=6, max_size=6), st.lists(FILTERS, min_size=8, max_size=8))
def test_Q10_every_engine_selects_what_the_evaluator_does(
    store: Store, records: list[Record], filters: list[Any]
) -> None:
    put(store, *(replace(one, id=f"r{n}") for n, one in enumerate(records)))
    for one in filters:
        found(store, one)


ROWS = [
    Record("a", HOME, "fact", "one", time=10.0, created=100.0, user="ann", confidence=0.9,
           data={"tags": ["work", "x"], "project": {"name": "apollo", "size": 3}, "done": True}),
    Record("b", HOME, "note", "two", time=20.0, created=200.0, session="s1", speaker="Bo",
           data={"tags": "work", "project": {"name": "gemini", "size": 3.5}, "done": 1}),
    Record("c", HOME, "note", "three", created=300.0, source="m-1", state="candidate",
           data={"list": [1, "x", None, True], "id": 1234567890123456789, "done": False}),
    Record("d", HOME, "event", "four", created=400.0, expires=500.0,
           data={"odd": "nul\0 ", "note": "it's", "done": None}),
]  # fmt: skip


@pytest.mark.parametrize(("filters", "ids"), [
    ({"id": "a"}, "a"),
    ({"kind": {"in": ["note", "event"]}}, "bcd"),
    ({"kind": {"nin": ["note", "event"]}}, "a"),
    ({"state": {"ne": "approved"}}, "c"),
    ({"tags": "work"}, "ab"),
    ({"tags": {"contains": "x"}}, "a"),
    ({"tags": {"nin": ["x"]}}, "bcd"),
    ({"tags": {"exists": False}}, "cd"),
    ({"time": {"gte": "1970-01-01T00:00:10Z", "lt": 20}}, "a"),
    ({"time": {"ne": 10}}, "bcd"),
    ({"created": {"gt": datetime.fromtimestamp(200, UTC)}}, "cd"),
    ({"expires": {"exists": True}}, "d"),
    ({"user": None}, "bcd"),
    ({"session": "s1", "speaker": {"contains": "o"}}, "b"),
    ({"session": "s1", "speaker": {"icontains": "O"}}, "b"),
    ({"source": {"gte": "m"}}, "c"),
    ({"confidence": {"lt": 1}}, "a"),
    ({"metadata.project.name": "apollo"}, "a"),
    ({"metadata.project.name": {"icontains": "APO"}}, "a"),
    ({"metadata.list": {"icontains": "x"}}, ""),
    ({"metadata.project.size": {"gt": 3}}, "b"),
    ({"metadata.project.size": {"lte": 3.5}}, "ab"),
    ({"metadata.project.size": {"lte": "3.5"}}, ""),
    ({"metadata.done": True}, "a"),
    ({"metadata.done": 1}, "b"),
    ({"metadata.done": False}, "c"),
    ({"metadata.done": None}, "d"),
    ({"metadata.done": {"in": [True, 1]}}, "ab"),
    ({"metadata.list": {"contains": 1}}, "c"),
    ({"metadata.list": {"contains": "x"}}, "c"),
    ({"metadata.list": {"contains": True}}, "c"),
    ({"metadata.list": {"contains": False}}, ""),
    ({"metadata.list": 1}, ""),
    ({"metadata.list.0": 1}, ""),
    ({"metadata.id": 1234567890123456789}, "c"),
    ({"metadata.id": 1234567890123456788}, ""),
    ({"metadata.note": {"contains": "'"}}, "d"),
    ({"metadata.odd": {"exists": True}}, "d"),
    ({"metadata.missing": {"ne": 1}}, "abcd"),
    ({"metadata.missing": {"gt": 1}}, ""),
    ({"not": {"metadata.missing": {"gt": 1}}}, "abcd"),
    ({"or": [{"id": "a"}, {"and": [{"kind": "note"}, {"not": {"state": "candidate"}}]}]}, "ab"),
    ({"metadata.x' OR 1=1 --": "y"}, ""),
    ({"id": "a' OR '1'='1"}, ""),
])  # fmt: skip
def test_Q10_a_filter_selects(store: Store, filters: Any, ids: str) -> None:
    put(store, *ROWS, *(replace(one, place=OTHER) for one in ROWS))
    assert found(store, filters) == set(ids)


def test_Q10_a_filter_reads_one_partition_alone(store: Store) -> None:
    put(store, ROWS[0], replace(ROWS[0], place=OTHER, id="z"))
    assert found(store, {"kind": "fact"}) == {"a"}
    assert found(store, {"kind": "fact"}, OTHER) == {"z"}


def test_Q10_updated_is_when_it_was_last_written(open_store: OpenStore) -> None:
    now = [1.0]
    store = open_store(lambda: now[0])
    put(store, Record("a", HOME, "note", "first"), Record("b", HOME, "note", "other", created=0.5))
    now[0] = 2.0
    known = store.get(HOME, "a")
    assert known is not None and (known.created, known.updated) == (1.0, 1.0)
    put(store, known)
    after = [store.get(HOME, "a"), store.get(HOME, "b")]
    assert [(one.created, one.updated) for one in after if one] == [(1.0, 2.0), (0.5, 0.5)]
    assert found(store, {"updated": {"gt": 1}}) == {"a"}


def listed(store: Store, before: int = 0, at: float | None = None, **only: Any) -> list[str]:
    rows = store.browse.newest(HOME, ListingFilter(**only), before, 9, at)
    return [record.id for _, record in rows]


def test_Q10_what_has_an_end_is_found_when_it_comes(open_store: OpenStore) -> None:
    store = open_store(lambda: 100.0)
    put(
        store,
        Record("now", HOME, "note", "one", created=1.0, expires=50.0),
        Record("later", HOME, "note", "two", created=2.0, expires=150.0),
        Record("never", HOME, "fact", "three", created=3.0, until=60.0),
        Record("passing", HOME, "short_term", "four", created=4.0, expires=10.0),
        Record("there", OTHER, "note", "five", created=5.0, expires=40.0),
    )
    assert store.expired(100.0, 9) == [(OTHER, "there"), (HOME, "now")]
    assert store.expired(100.0, 1) == [(OTHER, "there")]
    assert store.expired(30.0, 9) == []
    assert listed(store, deleted_at=100.0) == ["never", "later"]
    assert listed(store, expired_at=100.0) == ["passing", "never", "now"]
    assert store.browse.digest(HOME, 100.0, 1).expired == 3
    state = store.states([HOME])[HOME]
    rows = store.snapshot(state.no, None).rows.values()
    ends = {row[0]: row[6] for some in rows for row in some}
    assert sorted(ends.values()) == [10.0, 50.0, 60.0, 150.0]  # the index knows either end
    store.reindex()
    rows = store.snapshot(state.no, None).rows.values()
    assert {row[0]: row[6] for some in rows for row in some} == ends


@pytest.mark.parametrize("order_by", ["created", "updated"])
def test_Q10_a_listing_by_time_goes_on_where_it_stopped(
    open_store: OpenStore, order_by: Any
) -> None:
    now = [10.0]
    store = open_store(lambda: now[0])
    times = {"a": 3.0, "b": 1.0, "c": 3.0, "d": 2.0, "e": 3.0}
    put(store, *(Record(id, HOME, "note", f"{id} tea", created=t, session="s" if id < "d" else None)
                 for id, t in times.items()))  # fmt: skip
    expected = ["e", "c", "a", "d", "b"]
    if order_by == "updated":
        now[0] = 20.0
        put(store, *(one for id in "bd" if (one := store.get(HOME, id))))
        expected = ["d", "b", "e", "c", "a"]
    only = {"order_by": order_by}
    assert listed(store, **only) == expected
    for text in (None, "tea"):
        seen: list[str] = []
        before, at = 0, None
        while rows := store.browse.newest(HOME, ListingFilter(text=text, **only), before, 2, at):
            seen += [record.id for _, record in rows]
            before, at = rows[-1][0], getattr(rows[-1][1], order_by)
        assert seen == expected
    in_session = [id for id in expected if id < "d"]
    assert listed(store, session="s", **only) == in_session
    assert listed(store, session="s") == ["c", "b", "a"]
    known = {record.id: number for number, record in store.scan(HOME)}
    assert listed(store, known["c"], session="s") == ["b", "a"]
