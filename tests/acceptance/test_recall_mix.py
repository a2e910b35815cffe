"""Q4–Q6 and variety, seen through the public door: rerankers, intent, answers kept, repetition."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from support.hash_embedder import HashEmbedder
from support.scripted_reranker import ScriptedReranker
from taishi import Memory, Scope
from taishi.ports import Vector
from taishi.recall.deadline import Deadline
from taishi.recall.record_filter import RecordFilter
from taishi.recall.request import RecallRequest
from taishi.recall.result_cache import MOST, ResultCache
from taishi.types import Partition, Record, VisiblePartition

ANN = Scope(user="ann")
BOB = Scope(user="bob")
Open = Callable[..., Memory]


class CountingEmbedder(HashEmbedder):
    """Counts the questions, each of which it is asked anew."""

    questions = 0

    def embed(self, texts: Sequence[str], kind: Any) -> Vector:
        self.questions += kind == "query"
        return super().embed(texts, kind)


@pytest.fixture
def searches(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were really looked for."""
    seen: list[str] = []
    present = memory._services.retriever._present

    def noted(job: Any) -> Any:
        seen.append(job.request.text)
        return present(job)

    monkeypatch.setattr(memory._services.retriever, "_present", noted)
    return seen


# -- answers kept (Q6) -----------------------------------------------------------------------------


def texts(memory: Memory, query: str, scope: Scope = ANN, **options: Any) -> list[str]:
    return [hit.text for hit in memory.recall(scope, query, **options).hits]


def test_Q6_the_same_question_is_not_looked_for_again(memory: Memory, searches: list[str]) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    memory.drain()
    first, again = memory.recall(ANN, "Oslo"), memory.recall(ANN, "Oslo")
    assert (again.hits, again.level, again.paths) == (first.hits, first.level, first.paths)
    assert searches == ["Oslo"]
    texts(memory, "Oslo", top_k=2)
    texts(memory, "Oslo", kinds=["event"])
    texts(memory, "Oslo", floor=0.9)
    texts(memory, "Oslo", time_from=time.time() - 60)
    texts(memory, "Oslo", now=time.time())
    texts(memory, "Oslo", explain=True)
    assert len(searches) == 7, "another question, though in the same words"


def test_Q6_a_write_in_the_scope_drops_its_answers(memory: Memory, searches: list[str]) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    memory.remember(BOB, "Bob sails to Oslo")
    memory.drain()
    assert texts(memory, "Oslo") == ["Ann moved to Oslo"]
    memory.remember(BOB, "Bob is back from Oslo")
    memory.drain()
    assert texts(memory, "Oslo") == ["Ann moved to Oslo"]
    assert searches == ["Oslo"], "what Bob wrote is nothing to Ann's answers"
    memory.remember(ANN, "Oslo is cold")
    assert set(texts(memory, "Oslo")) == {"Ann moved to Oslo", "Oslo is cold"}
    memory.remember(Scope(shared=True), "The office in Oslo is closed in July")
    assert len(texts(memory, "Oslo")) == 3, "the commons are part of every answer"


def test_Q6_another_process_writes_and_the_answer_is_fresh(open_memory: Open) -> None:
    one, other = open_memory({"query.recall_timeout": 5.0}), open_memory()
    one.remember(ANN, "Ann moved to Oslo")
    assert len(texts(one, "Oslo")) == 1
    other.remember(ANN, "Oslo is cold")
    assert soon(lambda: len(texts(one, "Oslo")) == 2)
    other.forget(ANN)
    assert soon(lambda: texts(one, "Oslo") == [])


def soon(is_true: Callable[[], bool], seconds: float = 10.0) -> bool:
    """At once in a folder; in PostgreSQL when the notification has come."""
    end = time.monotonic() + seconds
    while not is_true() and time.monotonic() < end:
        time.sleep(0.01)
    return is_true()


def test_S3_an_answer_is_kept_for_its_scope_alone(memory: Memory) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    assert texts(memory, "Oslo") == ["Ann moved to Oslo"]
    assert texts(memory, "Oslo", BOB) == []
    assert texts(memory, "Oslo", Scope(group="g", user="ann")) == []
    memory.set_link(ANN, True)
    assert texts(memory, "Oslo", Scope(group="g", user="ann")) == ["Ann moved to Oslo"]
    memory.set_link(ANN, False)
    assert texts(memory, "Oslo", Scope(group="g", user="ann")) == []


def test_Q6_forgetting_leaves_no_answer_behind(memory: Memory) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    assert texts(memory, "Oslo")
    assert len(memory._services.retriever._results) == 1
    memory.forget(ANN)
    assert len(memory._services.retriever._results) == 0


def test_Q6_a_poor_answer_is_not_kept(open_memory: Open) -> None:
    class Failing(HashEmbedder):
        down = False

        def embed(self, given: Sequence[str], kind: Any) -> Vector:
            if self.down:
                raise RuntimeError("down")
            return super().embed(given, kind)

    embedder = Failing()
    memory = open_memory({"query.recall_timeout": 5.0}, embedder=embedder)
    memory.remember(ANN, "Ann moved to Oslo")
    memory.drain()
    embedder.down = True
    assert memory.recall(ANN, "Oslo now").level == "keyword"
    embedder.down = False
    assert memory.recall(ANN, "Oslo now").level == "hybrid"


def test_Q6_answers_age_end_and_are_bounded() -> None:
    class Clock:
        now = 0.0

        def __call__(self) -> float:
            return self.now

    class Kept:
        def __init__(self, until: float | None = None) -> None:
            record = Record("1", Partition("default", "private", "ann"), "fact", "tea", until=until)
            self.hits = ((record, 1.0),)

    clock = Clock()
    results: ResultCache[Kept] = ResultCache(5, clock)
    answer = Kept()
    results.put("q", {}, answer)
    clock.now = 299
    assert results.get("q", {}, now=0) is answer
    clock.now = 301
    assert results.get("q", {}, now=0) is None
    results.put("q", {}, Kept(until=1000))
    assert results.get("q", {}, now=999) is not None
    assert results.get("q", {}, now=1000) is None, "it has ceased to be true"
    for n in range(MOST + 10):
        results.put(n, {}, answer)
    assert len(results) == MOST
    off: ResultCache[Kept] = ResultCache(0, clock)
    off.put("q", {}, answer)
    assert len(off) == 0


# -- an external reranker (Q4) ---------------------------------------------------------------------

SAID = [
    "Ann sails on the lake",
    "Ann sails on the lake in May with Bob and a dog",
    "the lake is deep",
    "Bob sails",
]


def with_reranker(open_memory: Open, url: str, **changes: Any) -> Memory:
    memory = open_memory(
        {"models.rerank.api_url": url, "query.recall_timeout": 5.0, **changes}, embedder=None
    )
    for text in SAID:
        memory.remember(ANN, text)
    return memory


def test_Q4_an_external_reranker_decides_the_order(open_memory: Open) -> None:
    with ScriptedReranker("cohere") as server:
        memory = with_reranker(open_memory, server.url)
        found = memory.recall(ANN, "who sails with Bob in May", top_k=2, floor=0.0)
        assert found.paths["rerank"] == "ok"
        assert found.hits[0].text == SAID[1]
        assert len(found.hits) == 2
        assert len(server.requests[-1].body["documents"]) <= 6, "three for each result"


@pytest.mark.parametrize("fault", ["500", "html", "nan"])
def test_Q4_a_reranker_that_fails_is_left_out(open_memory: Open, fault: str) -> None:
    with ScriptedReranker("cohere", script=[fault] * 20) as server:
        memory = with_reranker(open_memory, server.url)
        found = memory.recall(ANN, "who sails on the lake", floor=0.0)
        assert found.paths["rerank"] == "failed"
        assert found.level == "keyword"
        assert found.hits


def test_Q4_a_reranker_that_is_late_costs_no_more_than_the_deadline(open_memory: Open) -> None:
    with ScriptedReranker("cohere", script=["slow"] * 20, slow_seconds=2.0) as server:
        memory = with_reranker(open_memory, server.url, **{"query.recall_timeout": 0.6})
        begun = time.perf_counter()
        found = memory.recall(ANN, "who sails on the lake", floor=0.0)
        assert time.perf_counter() - begun < 1.0
        assert found.paths["rerank"] == "late"
        assert found.hits


def test_Q4_what_the_historian_looks_up_is_not_reranked(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedReranker("cohere") as server:
        memory = open_memory({"models.rerank.api_url": server.url, "query.recall_timeout": 5.0})
        looked_up: list[str] = []
        search = memory._services.retriever.search

        def noted(request: Any, deadline: Any) -> Any:
            looked_up.append(request.text)
            return search(request, deadline)

        monkeypatch.setattr(memory._services.retriever, "search", noted)
        for said in ("My cat is called Momo.", "I live in Oslo.", "I live in Oslo now."):
            memory.end_turn(ANN, new_info=said, sender_name="Ann")
        memory.drain()
        assert looked_up, "the control: facts were drafted, and compared with what is known"
        assert not server.requests
        assert memory.recall(ANN, "where does Ann live", floor=0.0).paths["rerank"] == "ok"
        assert len(server.requests) == 1


def test_a_search_finds_what_says_the_same_and_a_recall_shows_it_once(memory: Memory) -> None:
    for number, text in enumerate(("Ann likes green tea", "Ann likes green tea.", "Bob sails")):
        memory.remember(ANN, text, id=f"r{number}")
    memory.drain()
    wanted = RecordFilter(now=time.time())
    request = RecallRequest(
        "Ann likes tea", lambda: (VisiblePartition(ANN.home),), 3, wanted, floor=0.0, live=True
    )
    searched = memory._services.retriever.search(request, Deadline(5.0))
    assert [record.id for record, _ in searched.hits[:2]] in (["r0", "r1"], ["r1", "r0"])
    assert len(memory._services.retriever._results) == 0, (
        "a search leaves the cache of answers alone"
    )
    shown = memory._services.retriever.recall(request, Deadline(5.0))
    assert len(shown.hits) == len(searched.hits) - 1
    assert len(memory._services.retriever._results) == 1
    assert searched.level == shown.level == "hybrid"


# -- intent (Q5) and variety -----------------------------------------------------------------------


def test_Q5_a_new_task_favours_a_way_of_working(memory: Memory) -> None:
    memory.remember(ANN, "deploy the site: build, test, upload", kind="event")
    memory.remember(ANN, "deploy the site: build, test, publish", kind="procedure")
    memory.drain()
    plain = memory.recall(ANN, "deploy the site", explain=True, floor=0.0)
    task = memory.recall(ANN, "Please deploy the site for me", explain=True, floor=0.0)
    factors = [
        {e.kind_factor for e in found.explain if "publish" in e.text} for found in (plain, task)
    ]
    assert max(factors[1]) > 1.1
    assert task.hits[0].kind == "procedure"


def test_variety_puts_a_repetition_after_something_else(open_memory: Open) -> None:
    said = ["the ferry to Oslo sails at nine", "the ferry to Oslo sails at nine today",
            "the ferry to Oslo leaves at nine"]  # fmt: skip
    orders = []
    for lam in (1.0, 0.0):
        with open_memory({"query.mmr_lambda": lam, "query.recall_timeout": 5.0}) as memory:
            for number, text in enumerate(said):
                # At one time: a newer text would lose nothing to the one that it repeats.
                memory.remember(ANN, text, kind="event", id=str(number), time="2026-03-18")
            memory.drain()
            orders.append(texts(memory, "the ferry to Oslo sails at nine", floor=0.0))
    assert orders == [said, [said[0], said[2], said[1]]]


def test_the_key_of_a_wish_tells_scopes_apart(memory: Memory) -> None:
    wish = memory._services.recall.request(memory.settings, ANN, "Oslo", 5, None)
    assert wish.key((VisiblePartition(ANN.home),)) != wish.key((VisiblePartition(BOB.home),))
    assert wish.key((VisiblePartition(ANN.home),)) == wish.key((VisiblePartition(ANN.home),))


def test_W6_what_was_just_said_holds_its_own_before_it_has_a_vector(memory: Memory) -> None:
    for n in range(40):
        memory.remember(ANN, f"the ferry to Oslo sailed at nine on day {n}", kind="event")
    memory.drain()
    memory._services.background.wake_embedding = lambda: None  # type: ignore[method-assign]
    memory.remember(ANN, "the ferry to Oslo sails at ten from now on", kind="event")
    assert "from now on" in " ".join(texts(memory, "when does the ferry to Oslo sail?"))
