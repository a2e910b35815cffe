"""`TaishiStore` by what a LangGraph store has to do, without and with asyncio, on a folder and on
PostgreSQL; and in a real graph."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)

from support.running_app import RunningApp
from taishi import AsyncMemory, InputError, Memory, Scope
from taishi.adapters.langgraph import TaishiStore
from taishi.api_keys import Keys
from taishi.server.app import create_app

APP = Scope(agent="app")
KEY = "sk-proj-9hGq2LrX8vTn5KdW3mZp7RbY1cFs6JaU4eHo0TgVxNiQwPlE"
HERE = ("test",)


class Clock:
    now = 1_772_366_400.0

    def __call__(self) -> float:
        return self.now


class Both:
    """The verbs of a store through `batch` or through `abatch`."""

    def __init__(self, store: BaseStore, is_async: bool) -> None:
        self.store = store
        self._is_async = is_async

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if self._is_async:
                return asyncio.run(getattr(self.store, f"a{name}")(*arguments, **options))
            return getattr(self.store, name)(*arguments, **options)

        return call


@pytest.fixture(params=["folder", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["sync", "async"])
def store(request: pytest.FixtureRequest, memory: Memory) -> Both:
    return Both(TaishiStore(memory, APP), request.param == "async")


@pytest.fixture
def plain(memory: Memory) -> TaishiStore:
    return TaishiStore(memory, APP)


def keys(found: list[SearchItem]) -> list[str]:
    return [one.key for one in found]


def namespaces_in(store: Any, prefix: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {one.namespace for one in store.search(prefix, limit=100)}


# -- put, get, delete ----------------------------------------------------------------------------


def test_an_item_is_put_read_changed_and_deleted(store: Both) -> None:
    where, first = ("docs", uuid.uuid4().hex), {"title": "One", "n": 1}
    assert store.get(where, "k") is None and store.search(where) == []
    store.put(where, "k", first)
    item = store.get(where, "k")
    assert isinstance(item, Item) and (item.namespace, item.key, item.value) == (where, "k", first)
    store.put(where, "k", {"title": "Two"})
    changed = store.get(where, "k")
    assert changed.value == {"title": "Two"}, "a put replaces all of the value"
    assert changed.created_at == item.created_at and changed.updated_at > item.updated_at
    assert changed.created_at.tzinfo is UTC and item.created_at <= changed.updated_at
    assert store.get(("docs", "other"), "k") is None and store.get(where, "K") is None
    store.delete(where, "k")
    store.delete(where, "k")
    assert store.get(where, "k") is None and store.search(where) == []
    store.put(where, "k", first)
    assert store.get(where, "k").value == first, "it may come again"


def test_a_value_comes_back_as_it_was(store: Both) -> None:
    value = {
        "text": '日本 O\'Brien \n\t "quoted" 😊',
        "numbers": [0, -1, 1.5, 2**60, 1e-9],
        "flags": {"yes": True, "no": False, "none": None},
        "empty": ["", {}, []],
        "a.b": {"c-d": 1, "123": 2},
        "order": {"z": 1, "a": 2},
    }
    store.put(HERE, "k", value)
    assert store.get(HERE, "k").value == value
    assert list(store.get(HERE, "k").value["order"]) == ["z", "a"]
    (found,) = store.search(HERE)
    assert found.value == value and found.score is None
    store.put(HERE, "empty", {})
    assert store.get(HERE, "empty").value == {}


def test_large_and_deep_values_come_back_whole(store: Both) -> None:
    deep: Any = "end"
    for n in range(40):
        deep = {"in": deep} if n % 2 else [deep]
    value = {
        "list": list(range(5000)),
        "dict": {f"key {n}": [n] * 3 for n in range(3000)},
        "deep": deep,
        "large": 2**200,
        "long": "字" * 100_000,
    }
    store.put(HERE, "k", value, index=False)
    assert store.get(HERE, "k").value == value


def test_odd_keys_and_labels_are_exact(store: Both) -> None:
    names = ["a", "A", "a ", "a\n", "a/b", "日本", '"', "\\", "*", "%", "_", "a" * 300, '","']
    for n, name in enumerate(names):
        store.put(("keys",), name, {"n": n})
        store.put(("labels", name), "k", {"n": n})
    for n, name in enumerate(names):
        assert store.get(("keys",), name).value == {"n": n}
        assert store.get(("labels", name), "k").value == {"n": n}
        assert [one.value for one in store.search(("labels", name))] == [{"n": n}]
    assert len(store.search(("keys",), limit=100)) == len(names)
    assert set(store.list_namespaces(prefix=("labels",))) == {("labels", name) for name in names}


@pytest.mark.parametrize("value", [{"when": object()}, {"n": float("nan")}, {1: "a"}, [1]])
def test_a_value_that_is_not_json_is_refused(plain: TaishiStore, value: Any) -> None:
    with pytest.raises(InputError, match="a value must be"):
        plain.put(HERE, "k", value)
    assert plain.get(HERE, "k") is None


def test_a_namespace_that_cannot_be_used_is_refused(store: Both) -> None:
    for bad in ((), ("a", "b.c"), ("a", ""), ("langgraph", "a")):
        with pytest.raises(InvalidNamespaceError):
            store.put(bad, "k", {"a": 1})
    for op in (
        PutOp(("a.b",), "k", {"a": 1}),
        GetOp(("a", ""), "k"),
        SearchOp(("a.b",)),
        ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
    ):
        with pytest.raises(InvalidNamespaceError):
            store.batch([op])
    inner = ("a", "langgraph", "b")
    store.put(inner, "k", {"a": 1})
    assert store.get(inner, "k").value == {"a": 1} and len(store.search(inner)) == 1
    store.batch([PutOp(("langgraph", "a"), "k", {"a": 2})])
    assert store.get(("langgraph", "a"), "k").value == {"a": 2}, "by batch, a framework may"


# -- batches -------------------------------------------------------------------------------------


def test_an_item_that_is_put_again_comes_first(store: Both) -> None:
    for key in ("a", "b", "c", "a"):
        store.put(HERE, key, {"text": key})
    found = store.search(HERE)
    assert keys(found) == ["a", "c", "b"]
    assert [one.updated_at for one in found] == sorted((x.updated_at for x in found), reverse=True)


def test_results_come_in_the_order_of_the_operations(store: Both) -> None:
    store.put(("test", "foo"), "k1", {"data": "one"})
    store.put(("test", "bar"), "k2", {"data": "two"})
    got, put, found, listed, missing = store.batch(
        [
            GetOp(("test", "foo"), "k1"),
            PutOp(("test", "bar"), "k2", {"data": "new"}),
            SearchOp(("test",), filter={"data": "two"}),
            ListNamespacesOp(None, None, 10, 0),
            GetOp(("test",), "k3"),
        ]
    )
    assert got.value == {"data": "one"} and put is None and missing is None
    assert keys(found) == ["k2"], "reads see what was there before the batch"
    assert listed == [("test", "bar"), ("test", "foo")]
    found, got, put = store.batch(
        [SearchOp(("test",)), GetOp(("test", "bar"), "k2"), PutOp(("test",), "k3", {"data": 3})]
    )
    assert len(found) == 2 and got.value == {"data": "new"}
    assert store.get(("test",), "k3").value == {"data": 3}
    assert store.batch([]) == []
    with pytest.raises(ValueError, match="no operation"):
        store.batch(["get"])


def test_of_several_puts_the_last_counts(store: Both) -> None:
    results = store.batch(
        [
            PutOp(HERE, "k1", {"n": 1}),
            PutOp(HERE, "k2", {"n": 2}),
            PutOp(HERE, "k1", {"n": 3}),
            PutOp(HERE, "k2", None),
            PutOp(HERE, "k3", None),
            PutOp(HERE, "k3", {"n": 4}),
        ]
    )
    assert results == [None] * 6
    assert {one.key: one.value["n"] for one in store.search(HERE)} == {"k1": 3, "k3": 4}


def test_a_batch_with_a_bad_put_writes_nothing(plain: TaishiStore) -> None:
    with pytest.raises(InputError):
        plain.batch([PutOp(HERE, "good", {"n": 1}), PutOp(HERE, "bad", {"n": object()})])
    assert plain.search(HERE) == []


async def test_batches_side_by_side(plain: TaishiStore) -> None:
    docs = [(f"doc{n}", {"text": f"number {n}", "index": n}) for n in range(30)]
    await asyncio.gather(*(plain.aput(HERE, key, value) for key, value in docs))
    found, again, missing = await asyncio.gather(
        plain.asearch(HERE, filter={"index": {"$gte": 25}}),
        plain.aget(HERE, "doc7"),
        plain.aget(HERE, "none"),
    )
    assert sorted(keys(found)) == [f"doc{n}" for n in range(25, 30)]
    assert again is not None and again.value["index"] == 7 and missing is None

    def write(n: int) -> None:
        plain.batch([PutOp(HERE, f"doc{n}", {"n": n}), PutOp(HERE, "all", {"n": n})])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(30)))
    assert len(plain.search(HERE, limit=100)) == 31
    last = plain.get(HERE, "all")
    assert last is not None and last.value["n"] in range(30)


# -- filters -------------------------------------------------------------------------------------


def test_filters_by_value(store: Both) -> None:
    base = "docs"
    store.put((base, "a"), "1", {"author": "John", "tags": ["x"], "meta": {"ok": True, "n": 1}})
    store.put((base, "b"), "2", {"author": "Jane", "tags": ["y"], "meta": {"ok": False, "n": 2}})
    store.put((base, "c"), "3", {"author": "John", "tags": ["y", "x"], "price": 3.5})

    def found(**wanted: Any) -> list[str]:
        return sorted(keys(store.search((base,), filter=wanted)))

    assert found(author="John") == ["1", "3"] and found(author="john") == []
    assert found(tags=["y"]) == ["2"] and found(tags=["x", "y"]) == []
    assert found(meta={"ok": True}) == ["1"] and found(meta={"ok": True, "n": 2}) == []
    assert found(author="John", price=3.5) == ["3"] and found(price=None) == ["1", "2"]
    assert found(author={"$eq": "Jane"}) == ["2"] and found(author={"$ne": "John"}) == ["2"]
    assert found(price={"$ne": 3.5}) == ["1", "2"], "what is not there is not equal"
    assert found(price={"$gt": 3, "$lt": 4}) == ["3"] and found(price={"$gt": 3.5}) == []
    assert found(author={"$gte": "Jane", "$lt": "John"}) == ["2"]
    assert sorted(keys(store.search((base,), filter={"meta.n": 2}))) == ["2"]
    with pytest.raises(ValueError, match="unknown filter operator"):
        store.search((base,), filter={"price": {"$near": 3}})


def test_filters_by_number_and_truth(store: Both) -> None:
    for key, price in (("i1", 10), ("i2", 20), ("i3", 30.5), ("i4", -10), ("text", "20")):
        store.put(HERE, key, {"price": price, "on": price == 10, "one": 1})

    def found(wanted: Any) -> list[str]:
        return sorted(keys(store.search(HERE, filter=wanted)))

    assert found({"price": {"$gt": 15}}) == ["i2", "i3"]
    assert found({"price": {"$lte": 10}}) == ["i1", "i4"] and found({"price": 20}) == ["i2"]
    assert found({"price": 20.0}) == ["i2"] and found({"price": "20"}) == ["text"]
    assert found({"price": {"$lt": float("inf")}}) == ["i1", "i2", "i3", "i4"]
    assert found({"price": {"$gt": float("-inf")}}) == ["i1", "i2", "i3", "i4"]
    assert found({"price": {"$lt": 10**100}}) == ["i1", "i2", "i3", "i4"]
    assert found({"price": {"$eq": float("nan")}}) == []
    assert found({"on": True}) == ["i1"] and len(found({"on": False})) == 4
    assert found({"one": True}) == [], "true is not 1"


def test_hostile_filters_match_nothing_and_break_nothing(store: Both) -> None:
    store.put(("docs",), "public", {"access": "public", "access-level": 1, "123abc": "ok"})
    store.put(("docs",), "private", {"access": "private", "user": {"access-level": "nested"}})
    store.put(("docs",), "quote", {"title": "O'Brien's"})
    for value in (
        "public' OR '1'='1",
        "public'; --",
        "public' UNION SELECT * FROM records --",
        "public\0' OR '1'='1",
        "''''",
        "public' OR 'א'='א",
    ):
        assert store.search(("docs",), filter={"access": value}) == []
    for key in ("access') = 'public' OR '1'='1' OR json_extract(data, '$.", '"', "a\\b", "", "$eq"):
        assert store.search(("docs",), filter={key: "public"}) == []
    assert keys(store.search(("docs",), filter={"title": "O'Brien's"})) == ["quote"]
    assert keys(store.search(("docs",), filter={"access-level": 1})) == ["public"]
    assert keys(store.search(("docs",), filter={"user.access-level": "nested"})) == ["private"]
    assert keys(store.search(("docs",), filter={"123abc": "ok"})) == ["public"]


def test_pages_of_a_search(store: Both) -> None:
    for n in range(7):
        store.put(HERE, f"k{n}", {"n": n, "even": n % 2 == 0})
    everything = keys(store.search(HERE))
    assert everything == [f"k{n}" for n in reversed(range(7))], "those last put first"
    assert keys(store.search(HERE, limit=3)) == everything[:3]
    assert keys(store.search(HERE, limit=3, offset=3)) == everything[3:6]
    assert keys(store.search(HERE, limit=3, offset=6)) == everything[6:]
    assert store.search(HERE, limit=3, offset=9) == [] and store.search(HERE, limit=0) == []
    assert keys(store.search(HERE, filter={"even": True}, limit=2, offset=2)) == ["k2", "k0"]


# -- namespaces ----------------------------------------------------------------------------------


def test_a_search_ends_at_the_border_of_a_label(store: Both) -> None:
    told = [
        ("foo",),
        ("foo", "child"),
        ("foo", "child", "deep"),
        ("foobar",),
        ("foobar", "baz"),
        ("foo2",),
        ("Foo",),
        ("user_1",),
        ("user_1", "child"),
        ("userX1",),
        ("a%b",),
        ("axxb",),
        ("star*",),
        ("starX",),
    ]
    for namespace in told:
        store.put(namespace, "child", {"v": 1})
    assert namespaces_in(store, ("foo",)) == set(told[:3])
    assert namespaces_in(store, ("foo", "child")) == set(told[1:3])
    assert namespaces_in(store, ("foobar",)) == set(told[3:5])
    assert namespaces_in(store, ("foo2",)) == {("foo2",)} and namespaces_in(store, ("fo",)) == set()
    assert namespaces_in(store, ("Foo",)) == {("Foo",)}
    assert namespaces_in(store, ("user_1",)) == {("user_1",), ("user_1", "child")}
    assert namespaces_in(store, ("a%b",)) == {("a%b",)}
    assert namespaces_in(store, ("star*",)) == {("star*",)}, "a search knows no wildcards"
    assert namespaces_in(store, ()) == set(told)
    found = store.search(("foo",), query="v 1", limit=100)
    assert {one.namespace for one in found} == set(told[:3]), "by query as well"


def test_namespaces_are_listed_by_prefix_suffix_and_wildcard(store: Both) -> None:
    assert store.list_namespaces() == []
    told = [
        ("a", "b", "c"),
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
        ("a", "b", "f"),
        ("a", "c", "f"),
        ("b", "a", "f"),
        ("users", "123"),
        ("users", "456", "settings"),
        ("users", "malice"),
        ("users", "alice"),
        ("users", "alice\n"),
        ("admin", "users", "789"),
    ]
    for n, namespace in enumerate(told):
        store.put(namespace, f"id{n}", {"n": n})
        store.put(namespace, "second", {"n": n})
    listed = store.list_namespaces
    assert listed() == sorted(told) and listed(prefix=("none",)) == []
    assert listed(prefix=("a", "b")) == told[:4] and listed(prefix=["users", "123"]) == [told[6]]
    assert listed(suffix=("f",)) == told[3:6] and listed(suffix=("alice",)) == [("users", "alice")]
    assert listed(prefix=("a",), suffix=("f",)) == told[3:5]
    assert listed(prefix=("a", "*", "f")) == told[3:5] and listed(suffix=("*", "f")) == told[3:6]
    assert listed(prefix=("*", "users")) == [("admin", "users", "789")]
    assert listed(prefix=("users", "*", "settings")) == [told[7]], "a * is one label"
    assert listed(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), told[3]]
    assert listed(max_depth=1) == [("a",), ("admin",), ("b",), ("users",)]
    assert listed(prefix=("a", "b"), limit=2) == told[:2]
    assert listed(prefix=("a", "b"), offset=2) == told[2:4]
    assert listed(prefix=("a", "b"), limit=1, offset=1) == [told[1]]
    for key in ("id0", "second"):
        store.delete(told[0], key)
    assert told[0] not in listed()


def test_labels_are_no_patterns(store: Both) -> None:
    pairs = [("star*", "starX"), ("q?m", "qXm"), ("b[a]d", "bad"), ("a%b", "axb"), ("p+", "pp")]
    for label, decoy in pairs:
        for namespace in ((label,), (label, "child"), (decoy,)):
            store.put(namespace, "k", {"v": 1})
    for label, _ in pairs:
        assert store.list_namespaces(prefix=[label]) == [(label,), (label, "child")]


def test_S3_stores_of_other_scopes_are_other_stores(memory: Memory) -> None:
    ann, bob = (TaishiStore(memory, Scope(user=name)) for name in ("ann", "bob"))
    shared = TaishiStore(memory, Scope(shared=True))
    for store, text in ((ann, "Ann's tea"), (bob, "Bob's tea"), (shared, "tea for all")):
        store.put(("prefs",), "drink", {"text": text})
        store.put(("prefs", text), "k", {"text": text})
    for store, text in ((ann, "Ann's tea"), (bob, "Bob's tea"), (shared, "tea for all")):
        item = store.get(("prefs",), "drink")
        assert item is not None and item.value == {"text": text}
        for found in (store.search(("prefs",)), store.search(("prefs",), query="tea")):
            assert [one.value["text"] for one in found] == [text, text]
        assert store.list_namespaces() == [("prefs",), ("prefs", text)]
    ann.delete(("prefs",), "drink")
    assert bob.get(("prefs",), "drink") is not None
    memory.forget(Scope(user="bob"))
    assert bob.search(()) == [] and len(shared.search(())) == 2


def test_other_records_of_the_scope_are_not_items(memory: Memory, plain: TaishiStore) -> None:
    memory.remember(APP, "a note about apples", kind="note", source='["test","k"]')
    memory.remember(APP, "a fact about apples")
    plain.put(HERE, "k", {"text": "apples"})
    assert keys(plain.search(HERE)) == ["k"] and keys(plain.search((), query="apples")) == ["k"]
    assert plain.list_namespaces() == [HERE]


def test_a_damaged_item_does_not_hide_the_others(memory: Memory, plain: TaishiStore) -> None:
    plain.put(HERE, "good", {"text": "apples"})
    for n, (source, kept) in enumerate(
        [
            ("no JSON", {"value": {}, "created": 1.0, "ttl": None}),
            ('["test",3]', {"value": {}, "created": 1.0, "ttl": None}),
            ('["test","a"]', {"value": [], "created": 1.0, "ttl": None}),
            ('["test","b"]', {"value": {}, "created": "then", "ttl": None}),
            ('["test","c"]', {"value": {}, "created": 1e300, "ttl": None}),
            ('["test","d"]', {"value": {}, "created": 1.0, "ttl": "long"}),
            ('["test","e"]', {"searched": True}),
            ('["test","f"]', "text"),
        ]
    ):
        data = {"langgraph": kept}
        memory.remember(APP, f"apples {n}", kind="note", source=source, metadata=data)
    assert keys(plain.search(())) == ["good"] and plain.list_namespaces() == [HERE]
    assert keys(plain.search(HERE, query="apples")) == ["good"]


# -- search by meaning ---------------------------------------------------------------------------


def test_the_nearest_come_first_with_scores(store: Both) -> None:
    docs = {
        "doc1": {"text": "short text"},
        "doc2": {"text": "longer text document"},
        "doc3": {"text": "something about dogs"},
        "doc4": {"description": "a text in another field"},
    }
    for key, value in docs.items():
        store.put(HERE, key, value)
    found = store.search(HERE, query="longer document")
    assert keys(found)[0] == "doc2" and set(keys(found)) == set(docs)
    scored = [one.score for one in found if one.score is not None]
    assert scored == sorted(scored, reverse=True) and 0 < found[0].score <= 1
    assert all(isinstance(one, SearchItem) for one in found)


def test_what_a_query_says_nothing_of_has_no_score(open_memory: Callable[..., Memory]) -> None:
    """New items are looked at because they are new; that is no match."""
    store = TaishiStore(open_memory(embedder=None), APP)
    store.put(HERE, "kayak", {"text": "Ann goes to work by kayak"})
    for number in range(9):
        store.put(HERE, f"tea{number}", {"text": f"Tea number {number} is at five"})
    found = store.search(HERE, query="kayak")
    assert [one.score is None for one in found] == [False] + 9 * [True], found
    assert found[0].key == "kayak"
    assert keys(found)[1:] == [f"tea{number}" for number in reversed(range(9))]
    assert [one.score for one in store.search(HERE, query="zebra")] == 10 * [None]


def test_a_changed_item_is_found_by_what_it_says_now(store: Both) -> None:
    store.put(HERE, "doc1", {"text": "zany zebra Xerxes"})
    store.put(HERE, "doc2", {"text": "something about dogs"})
    store.put(HERE, "doc3", {"text": "text about birds"})
    first = store.search(HERE, query="zany Xerxes")
    assert first[0].key == "doc1"
    store.put(HERE, "doc1", {"text": "new text about dogs"})
    after = {one.key: one.score or 0.0 for one in store.search(HERE, query="zany Xerxes")}
    assert after.get("doc1", 0.0) < first[0].score
    new = {one.key: one.score or 0.0 for one in store.search(HERE, query="new text about dogs")}
    assert new["doc1"] > after.get("doc1", 0.0)


def test_a_search_with_a_filter(store: Both) -> None:
    for key, text, color, score in (
        ("doc1", "red apple", "red", 4.5),
        ("doc2", "red car", "red", 3.0),
        ("doc3", "green apple", "green", 4.0),
        ("doc4", "blue car", "blue", 3.5),
    ):
        store.put(HERE, key, {"text": text, "color": color, "score": score}, index=["text"])
    search = store.search
    assert keys(search(HERE, query="apple", filter={"color": "red"})) == ["doc1", "doc2"]
    assert keys(search(HERE, query="car", filter={"color": "red"})) == ["doc2", "doc1"]
    found = search(HERE, query="blue", filter={"score": {"$gt": 3.2}})
    assert keys(found)[0] == "doc4" and set(keys(found)) == {"doc1", "doc3", "doc4"}
    both = {"score": {"$gte": 4.0}, "color": "green"}
    assert keys(search(HERE, query="apple", filter=both)) == ["doc3"]


def test_pages_of_a_search_by_meaning(store: Both) -> None:
    for n in range(5):
        store.put(HERE, f"doc{n}", {"text": f"test document number {n}"})
    first = store.search(HERE, query="test", limit=2)
    second = store.search(HERE, query="test", limit=2, offset=2)
    assert len(first) == len(second) == 2 and not set(keys(first)) & set(keys(second))
    everything = store.search(HERE, query="test", limit=10)
    assert len(everything) == 5, "likeness to another one is no reason to be left out"
    assert keys(everything)[:4] == keys(first) + keys(second)
    assert first[0].score >= first[1].score >= second[0].score >= second[1].score


def test_any_text_is_a_query(store: Both) -> None:
    store.put(HERE, "doc1", {"text": "test document"})
    for query in ("", None, "test " * 100, "test!@#$%^&*()", "nothing alike", '"', "\0", "测试"):
        assert keys(store.search(HERE, query=query)) == ["doc1"], query


def test_only_the_fields_that_were_asked_for_are_searched(memory: Memory) -> None:
    store = TaishiStore(memory, APP, fields=["key0", "key1", "key3"])
    store.put(HERE, "doc1", {"key1": "xenon", "key2": "yacht", "key3": "zinc"})
    store.put(HERE, "doc2", {"key0": "umber", "key1": "violet", "key2": "walnut", "key3": "xenon"})

    def scores(query: str) -> dict[str, float]:
        return {one.key: one.score or 0.0 for one in store.search(HERE, query=query)}

    both = scores("xenon")
    assert set(both) == {"doc1", "doc2"} and min(both.values()) > 0.5
    for query, best in (("umber", "doc2"), ("zinc", "doc1")):
        assert next(iter(scores(query))) == best
    assert max(scores("walnut").values()) < min(both.values()), "key2 is not read"


def test_a_put_says_what_is_searched(store: Both) -> None:
    store.put(HERE, "doc3", {"key0": "amber", "key1": "beech", "key2": "cedar"}, index=["key0"])
    nested = {"meta": {"tags": ["birch", "fern"]}, "parts": [{"text": "moss"}, {"text": "reed"}]}
    paths = ["meta.tags[*]", "parts[-1].text"]
    store.put(HERE, "doc4", nested, index=paths)
    store.put(HERE, "doc5", {"key0": "amber"}, index=False)
    store.put(HERE, "doc6", {"key0": "amber"}, index=["key9"])

    def best(query: str) -> str | None:
        found = store.search(HERE, query=query)
        assert set(keys(found)) == {"doc3", "doc4"}, "what is not indexed is not found by meaning"
        return str(found[0].key) if (found[0].score or 0) > 0.3 else None

    assert best("amber") == "doc3" and best("fern") == "doc4" and best("reed") == "doc4"
    assert best("cedar") is None and best("moss") is None
    assert set(keys(store.search(HERE))) == {"doc3", "doc4", "doc5", "doc6"}
    assert store.get(HERE, "doc5").value == {"key0": "amber"}


def test_every_language_is_found(store: Both) -> None:
    told = ["这是中文", "これは日本語です", "이건 한국어야", "Это русский", "यह रूसी है"]
    for n, text in enumerate(told):
        store.put(("user_123", "memories"), str(n), {"text": text})
    for n, text in enumerate(told):
        assert store.search(("user_123", "memories"), query=text)[0].key == str(n)


# -- times to live -------------------------------------------------------------------------------


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(open_memory: Callable[..., Memory], clock: Clock) -> Callable[..., TaishiStore]:
    memory = open_memory({"query.recall_timeout": 5.0}, clock=clock)

    def make(**options: Any) -> TaishiStore:
        return TaishiStore(memory, APP, clock=clock, **options)

    return make


def test_an_item_lives_as_long_as_its_ttl(timed: Callable[..., TaishiStore], clock: Clock) -> None:
    store = timed()
    assert store.supports_ttl
    store.put(HERE, "short", {"text": "tea"}, ttl=10)
    store.put(HERE, "long", {"text": "tea"})
    clock.now += 9 * 60
    assert store.get(HERE, "short", refresh_ttl=False) is not None
    assert len(store.search(HERE, query="tea", refresh_ttl=False)) == 2
    clock.now += 2 * 60
    assert store.get(HERE, "short") is None and keys(store.search(HERE)) == ["long"]
    assert keys(store.search(HERE, query="tea")) == ["long"]
    store.put(("gone",), "k", {"n": 1}, ttl=1)
    clock.now += 61
    assert store.list_namespaces() == [HERE], "nor are there namespaces of what has expired"
    store.put(HERE, "short", {"text": "again"})
    assert store.get(HERE, "short") is not None


def test_reading_starts_the_time_again(timed: Callable[..., TaishiStore], clock: Clock) -> None:
    store = timed()
    for key in ("read", "searched", "left"):
        store.put((key,), key, {"text": key}, ttl=10)
        clock.now += 1
    before = store.get(("read",), "read")
    for _ in range(3):
        clock.now += 8 * 60
        after = store.get(("read",), "read")
        assert after is not None and before is not None
        assert (after.created_at, after.updated_at) == (before.created_at, before.updated_at)
        assert keys(store.search(("searched",))) == ["searched"]
    assert store.get(("left",), "left") is None
    assert [one.key for one in store.search((), refresh_ttl=False)] == ["searched", "read"]


def test_the_store_may_have_a_ttl_of_its_own(
    timed: Callable[..., TaishiStore], clock: Clock
) -> None:
    store = timed(ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(HERE, "usual", {"n": 1})
    store.put(HERE, "kept", {"n": 2}, ttl=None)
    clock.now += 6 * 60
    assert store.get(HERE, "usual") is not None, "which does not start its time again"
    store.put(HERE, "usual", {"n": 3})
    clock.now += 6 * 60
    assert store.get(HERE, "usual") is not None, "but a put does"
    clock.now += 5 * 60
    assert store.get(HERE, "usual") is None and store.get(HERE, "kept") is not None
    for wrong in (0, -1):
        with pytest.raises(InputError, match="ttl must be"):
            store.put(HERE, "k", {"n": 1}, ttl=wrong)


# -- secrets, other processes, a graph -----------------------------------------------------------


def test_R1_secrets_are_not_stored_and_that_is_told(
    plain: TaishiStore, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        plain.put(HERE, "plain", {"text": "nothing to hide", "list": [1, (2, 3)]})
        assert caplog.messages == []
        plain.put(HERE, "k", {"note": f"it is {KEY}", "login": {"password": "hunter2"}, "n": 1})
    item = plain.get(HERE, "k")
    assert item is not None and item.value["n"] == 1
    assert KEY not in str(item.value) and "hunter2" not in str(item.value)
    (told,) = caplog.messages
    assert "$.note" in told and "$.login.password" in told and "'k'" in told
    assert KEY not in told and "hunter2" not in told


@pytest.fixture(params=["folder", "server"])
def on_either(request: pytest.FixtureRequest, open_memory: Callable[..., Memory]) -> Iterator[Any]:
    """A store on a folder, and one on a server."""
    kept = open_memory({"query.recall_timeout": 10.0})
    if request.param == "folder":
        yield TaishiStore(kept, APP)
        return
    app = create_app(kept, keys=Keys(kept.status()["folder"]))
    with RunningApp(app, kept.settings.server) as server, Memory.open(server.url) as memory:
        yield TaishiStore(memory, APP)


@pytest.mark.parametrize("engine", ["folder"], indirect=True)
async def test_what_others_write_meanwhile_or_json_changes_is_no_secret(
    on_either: TaishiStore, caplog: pytest.LogCaptureFixture
) -> None:
    marked = {"n": 0, "note": f"it is {KEY}", "log": "[redacted:password] is what you will see"}
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        puts = ({"n": n, "note": f"number {n}", "list": [n] * n} for n in range(8))
        await asyncio.gather(*(on_either.aput(HERE, "same", value) for value in puts))
        await on_either.aput(HERE, "k", {"n": 1, "m": {1: "a", 2: None}})
        await on_either.aput(HERE, "k", {"log": marked["log"]})
        assert caplog.messages == []
        await on_either.aput(HERE, "same", marked)
        await on_either.aput(HERE, "k", {f"my {KEY}": 1})
    assert [line.rpartition(" at ")[2] for line in caplog.messages] == ["$.note", "$"]


@pytest.mark.parametrize("engine", ["folder"], indirect=True)
def test_a_long_key_is_kept_and_one_too_long_is_named(on_either: TaishiStore) -> None:
    on_either.put(HERE, "k" * 3000, {"n": 1})
    found = on_either.get(HERE, "k" * 3000)
    assert found is not None and found.value == {"n": 1}
    assert keys(on_either.search(HERE)) == ["k" * 3000]
    with pytest.raises(InputError, match=r"the key 'kkk.+' have 5011 characters .+ at most 4000"):
        on_either.put(HERE, "k" * 5000, {"n": 1})


@pytest.mark.parametrize("engine", ["folder"], indirect=True)
@pytest.mark.parametrize("where", ["folder", "server"])
def test_a_memory_that_could_not_be_opened_finds_nothing_and_keeps_nothing(
    engine: str, where: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    address = str(tmp_path / "file") if where == "folder" else "http://127.0.0.1:9"
    with Memory.open(address, on_error="off") as memory:
        store = TaishiStore(memory, APP)
        assert store.get(HERE, "k") is None
        assert store.search(HERE) == [] and store.search(HERE, query="x") == []
        assert store.list_namespaces() == []
        for value in ({"n": 1}, None):
            with pytest.raises(InputError, match=r"cannot keep anything \(.+\)$"):
                store.batch([PutOp(HERE, "k", value)])


def test_a_memory_that_is_off_does_not_lose_items_silently(
    open_memory: Callable[..., Memory],
) -> None:
    store = TaishiStore(open_memory({"memory.enabled": False}), APP)
    with pytest.raises(InputError, match="switched off"):
        store.put(HERE, "k", {"n": 1})


def test_another_process_reads_on(open_memory: Callable[..., Memory]) -> None:
    first = open_memory()
    TaishiStore(first, APP).put(HERE, "k", {"n": 1})
    first.close()
    found = TaishiStore(AsyncMemory(open_memory()), APP).get(HERE, "k")
    assert found is not None and found.value == {"n": 1}


class State(TypedDict, total=False):
    said: str
    found: str


async def test_a_graph_reads_and_writes_its_store(plain: TaishiStore) -> None:
    async def remember(state: State, runtime: Runtime) -> State:
        assert runtime.store is not None
        where = ("users", "ann")
        found = await runtime.store.asearch(where, query=state["said"])
        await runtime.store.aput(where, uuid.uuid4().hex, {"text": state["said"]})
        return {"found": found[0].value["text"] if found else ""}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    graph = builder.compile(store=plain)
    assert (await graph.ainvoke({"said": "I moved to Cork"}))["found"] == ""
    assert (await graph.ainvoke({"said": "Where did I move?"}))["found"] == "I moved to Cork"
