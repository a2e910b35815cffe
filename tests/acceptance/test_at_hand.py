"""Recall from memory alone: as fresh as if the store had been asked."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from unittest import mock

import pytest

from taishi import Memory, Scope
from taishi.recall import index_cache, record_cache

ANN, GROUP, BOB = Scope(user="ann"), Scope(group="g", user="ann"), Scope(user="bob")
Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """With records, and asked often enough to have all of them at hand."""
    memory = open_memory({"cache.results_minutes": 0.0, "query.recall_timeout": 5.0})
    for scope in (ANN, GROUP, BOB):
        memory.remember_many(scope, [{"text": f"note {n} about tea"} for n in range(20)])
    memory.drain()
    for scope in (ANN, GROUP, BOB):
        for _ in range(3):
            memory.recall(scope, "tea")
    memory.drain()
    return memory


def texts(memory: Memory, scope: Scope, query: str = "tea") -> set[str]:
    return {hit.text for hit in memory.recall(scope, query, top_k=30, floor=0.0).hits}


def test_Q2_with_all_at_hand_nothing_is_asked_of_the_store(memory: Memory) -> None:
    store = type(memory._services.runtime.parts.store)
    asked = mock.Mock(side_effect=AssertionError("the store was asked"))
    with mock.patch.multiple(store, states=asked, fetch=asked, linked=asked, changes=asked):
        found = memory.recall(ANN, "which tea?", top_k=20, floor=0.0)
    assert len(found.hits) == 20
    assert found.level == "hybrid"


def nothing_is_read(memory: Memory) -> AbstractContextManager[object]:
    unread = mock.Mock(side_effect=AssertionError("the store was asked for records"))
    return mock.patch.object(type(memory._services.runtime.parts.store), "fetch", unread)


def test_Q2_after_one_question_all_of_a_small_place_is_at_hand(open_memory: Open) -> None:
    memory = open_memory({"cache.results_minutes": 0.0, "query.recall_timeout": 5.0})
    cities = [f"city{n}" for n in range(500)]
    memory.remember_many(ANN, [{"text": f"Ann was in {city}"} for city in cities])
    memory.drain()
    before = memory.status()["index"]
    memory.recall(ANN, "city0")
    memory.drain()
    after = memory.status()["index"]
    assert after["bytes"] > before["bytes"] + 500 * 100
    with nothing_is_read(memory):
        for city in cities[::9]:
            assert memory.recall(ANN, city).hits[0].text == f"Ann was in {city}"
    memory.remember(ANN, "Ann was in Kirkwall")
    assert memory.recall(ANN, "Kirkwall").hits[0].text == "Ann was in Kirkwall"
    id = memory.recall(ANN, "city7").hits[0].id
    memory.records.update(ANN, id, text="Ann was in Oslo")
    memory.drain()
    assert "Ann was in city7" not in texts(memory, ANN, "city7")
    assert memory.recall(ANN, "Oslo").hits[0].text == "Ann was in Oslo"


def test_Q2_long_records_of_a_small_place_are_read_when_they_are_shown(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "RECORD_BATCH", 2)
    memory = open_memory({"cache.results_minutes": 0.0, "query.recall_timeout": 5.0})
    long = [f"city{n} " + f"word{n} " * 4000 for n in range(5)]
    memory.remember_many(ANN, [{"text": text} for text in [*long, "Ann was in Oslo"]])
    for _ in range(2):
        memory.drain()
        assert long[3] in {hit.text for hit in memory.recall(ANN, "city3").hits}
    assert memory.recall(ANN, "Oslo").hits[0].text == "Ann was in Oslo"
    (index,) = memory._services.retriever.source.indexes.load([ANN.home]).values()
    assert 0 < index.records_cache.nbytes < 2000


def test_Q2_closing_does_not_wait_for_what_nobody_waits_for(
    open_memory: Open, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "RECORD_BATCH", 1)
    memory = open_memory({"query.recall_timeout": 5.0})
    memory.remember_many(ANN, [{"text": f"Ann was in city{n}"} for n in range(3000)])
    memory.drain()
    memory.recall(ANN, "city1")
    started = time.perf_counter()
    memory.close()
    assert time.perf_counter() - started < 2.0
    assert caplog.text == ""


def test_Q2_a_large_place_is_not_kept_whole(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "SMALL", 30)
    monkeypatch.setattr(record_cache, "RECORD_BATCH", 10)
    memory = open_memory({"cache.results_minutes": 0.0, "query.recall_timeout": 5.0})
    memory.remember_many(ANN, [{"text": f"Ann was in city{n}"} for n in range(40)])
    memory.drain()
    memory.recall(ANN, "city1")
    memory.drain()
    (index,) = memory._services.retriever.source.indexes.load([ANN.home]).values()
    assert index.records_cache.nbytes == 0


def test_W6_what_was_written_a_moment_ago_is_found(memory: Memory) -> None:
    for n in range(30):
        memory.remember(ANN, f"the harbour froze {n}")
        assert f"the harbour froze {n}" in texts(memory, ANN, f"harbour froze {n}")


def test_W6_what_another_process_wrote_is_found(memory: Memory, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from taishi import Memory, Scope\n"
        "with Memory.open(Path(sys.argv[1]), embedder=None) as memory:\n"
        "    memory.remember(Scope(user='ann'), 'the harbour froze')\n"
    )
    folder = memory.status()["folder"]
    subprocess.run([sys.executable, "-c", code, folder], check=True, timeout=60)
    assert "the harbour froze" in texts(memory, ANN, "harbour")


def test_O2_what_was_forgotten_or_changed_is_not_shown_again(memory: Memory) -> None:
    first, second, *_ = memory.recall(ANN, "tea", top_k=30).hits
    memory.forget(ANN, id=first.id)
    assert memory.status()["index"]["kept_records_bytes"] == 0
    places = memory._services.retriever.source.indexes.load([ANN.home, BOB.home])
    assert [index.records_cache.nbytes for index in places.values()] == [0, 0]
    memory.records.update(ANN, second.id, text="coffee, not that")
    found = texts(memory, ANN)
    assert first.text not in found
    assert second.text not in found
    assert "coffee, not that" in texts(memory, ANN, "coffee")
    memory.forget(ANN)
    assert texts(memory, ANN) == set()
    assert memory._services.retriever.stats()["kept_records_bytes"] == 0
    assert len(texts(memory, BOB)) == 20, "another chat is as it was"


def test_O2_not_even_a_word_of_what_was_forgotten_stays_in_a_cache(memory: Memory) -> None:
    id = memory.remember(ANN, "the tea is hidden in Kirkwallington")
    assert "the tea is hidden in Kirkwallington" in texts(memory, ANN)
    caches = memory._services.runtime.text_caches
    assert any("Kirkwallington" in text for text in caches.texts()), "the control"
    memory.forget(ANN, id=id)
    assert not any("Kirkwallington" in text for text in caches.texts())


def test_S2_a_link_counts_from_the_next_question_on_and_no_longer(memory: Memory) -> None:
    memory.remember(ANN, "a secret about tea")
    assert "a secret about tea" not in texts(memory, GROUP)
    memory.set_link(ANN, on=True)
    assert "a secret about tea" in texts(memory, GROUP)
    memory.remember(Scope(group="new", user="ann"), "tea in the new group", user="ann")
    assert "tea in the new group" in texts(memory, ANN)
    memory.set_link(ANN, on=False)
    assert "a secret about tea" not in texts(memory, GROUP)
    assert "tea in the new group" not in texts(memory, ANN)


def test_S2_commons_that_come_into_being_are_seen(memory: Memory) -> None:
    memory.remember(Scope(shared=True), "tea is free for all")
    for scope in (ANN, GROUP, BOB):
        assert "tea is free for all" in texts(memory, scope)


def test_P1_an_edit_by_hand_is_seen_by_the_next_question(memory: Memory) -> None:
    memory.profiles.set(ANN, "Likes green tea", name="Ann")
    assert any("green tea" in text for text in texts(memory, ANN))
    (page,) = Path(memory.status()["folder"]).rglob("ann*.md")
    page.write_text(page.read_text("utf-8").replace("green tea", "black coffee"), "utf-8")
    found = texts(memory, ANN, "coffee tea")
    assert any("black coffee" in text for text in found)
    assert not any("green tea" in text for text in found)


def test_a_write_of_any_program_leaves_a_trace(memory: Memory) -> None:
    store = memory._services.runtime.parts.store
    before = store.file_fingerprint()
    memory.recall(ANN, "tea")
    assert before is not None
    assert store.file_fingerprint() == before, "asking leaves none"
    memory.remember(ANN, "tea again")
    memory.drain()
    ours = store.file_fingerprint()
    assert ours != before
    path = Path(memory.status()["folder"]) / "taishi.db"
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE records SET source = 'elsewhere'")
    assert store.file_fingerprint() not in (before, ours)
