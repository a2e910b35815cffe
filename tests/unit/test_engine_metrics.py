"""What the engine counts: right under many threads, cheap, and all of it declared."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from taishi import Memory, Message, Scope
from taishi.errors import MissingExtraError, ModelDownError
from taishi.historian.historian import RuleHistorian
from taishi.observe.metrics import METRICS, QUICK, Counter, Histogram, Metrics
from taishi.observe.tracing import NoTracing, tracing
from taishi.settings import TelemetrySettings

ANN = Scope(user="ann", session="s1")
MEASURING_BAR = 20e-6


def value(memory: Memory, name: str, **labels: str) -> Any:
    """One sample of a metric; for a histogram, how many it holds."""
    for sample in memory.metrics()[name]["samples"]:
        if sample["labels"] == labels:
            return sample.get("value", sample.get("count"))
    return 0


def test_O1_a_histogram_counts_up_to_each_bound() -> None:
    histogram = Histogram((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7.0):
        histogram.observe(seconds, "a")
    spread = histogram.read()["a",]
    assert spread.buckets == {"0.1": 2, "1.0": 3, "+Inf": 4}
    assert (spread.count, spread.sum) == (4, pytest.approx(7.65))


def test_O1_many_threads_lose_no_count() -> None:
    counter, histogram = Counter(), Histogram(QUICK)

    def work() -> None:
        for _ in range(5000):
            counter.add("x")
            histogram.observe(0.003, "y")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read() == {("x",): 40_000}
    assert histogram.read()["y",].count == 40_000


def test_O1_every_metric_is_there_from_the_start_and_can_be_sent_as_json(memory: Memory) -> None:
    told = memory.metrics()
    assert list(told) == [metric.name for metric in METRICS]
    assert json.loads(json.dumps(told)) == told
    for metric in METRICS:
        assert told[metric.name]["kind"] == metric.kind
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        for sample in told[metric.name]["samples"]:
            assert list(sample["labels"]) == list(metric.labels)


def test_O1_turns_and_recalls_are_measured(memory: Memory) -> None:
    memory.end_turn(ANN, new_info="Ann moved to Oslo.", sender_name="Ann")
    memory.drain(30)
    memory.recall(ANN, "Where does Ann live?")
    memory.recall(ANN, "Where does Ann live?")
    assert value(memory, "taishi_end_turn_seconds") == 1
    assert value(memory, "taishi_readable_seconds") == 1
    assert value(memory, "taishi_recall_seconds", level="hybrid") >= 2
    assert value(memory, "taishi_job_seconds", outcome="done") == 1
    assert value(memory, "taishi_jobs_total", outcome="done") == 1
    assert value(memory, "taishi_gate_total", grade="first_pass") == 1
    assert value(memory, "taishi_embed_seconds", kind="document") >= 1
    assert value(memory, "taishi_cache_total", cache="results", result="hit") >= 1
    memory.recall(ANN, "Where does Ann live?", top_k=3)
    assert value(memory, "taishi_cache_total", cache="vectors", result="hit") >= 1
    assert value(memory, "taishi_cache_total", cache="results", result="miss") >= 2
    assert value(memory, "taishi_records", kind="event") == 1
    assert value(memory, "taishi_queue_jobs", state="pending") == 0
    assert value(memory, "taishi_index_rows") >= 1
    assert value(memory, "taishi_index_bytes") > 0
    assert value(memory, "taishi_embedding_backlog") == 0


def test_O1_keyword_recall_is_counted_as_such(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"query.recall_timeout": 5.0}, embedder=None)
    memory.recall(ANN, "anything")
    assert value(memory, "taishi_recall_seconds", level="keyword") == 1
    assert value(memory, "taishi_recall_seconds", level="hybrid") == 0


def test_O1_jobs_that_fail_are_counted_by_what_became_of_them(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"historian.job_max_retries": 1})
    troubles: list[Exception] = [ModelDownError("down"), ValueError("odd"), ValueError("odd")]

    def write(self: RuleHistorian, job: Any) -> Any:
        raise troubles.pop(0)

    monkeypatch.setattr(RuleHistorian, "write", write)
    monkeypatch.setattr("taishi.ingest.worker.DOWN_SECONDS", 0.0)
    memory.end_turn(ANN, new_info="Ann moved to Oslo.")
    memory.drain(60)
    assert value(memory, "taishi_jobs_total", outcome="postponed") == 1
    assert value(memory, "taishi_jobs_total", outcome="retried") == 1
    assert value(memory, "taishi_jobs_total", outcome="failed") == 1
    assert value(memory, "taishi_job_seconds", outcome="failed") == 1
    assert value(memory, "taishi_queue_jobs", state="failed") == 1


def test_O1_dropped_tool_runs_and_the_age_of_the_queue_are_seen(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"observation.queue_max": 2})
    monkeypatch.setattr(memory._services.background, "wake_storing", lambda: None)
    for number in range(5):
        memory.observe(ANN, "tool", number, "result")
    assert value(memory, "taishi_observations_dropped_total") == 3
    assert value(memory, "taishi_observations_waiting") == 2
    memory.end_turn(ANN, new_info="Ann moved to Oslo.")
    time.sleep(0.02)
    assert value(memory, "taishi_queue_jobs", state="pending") == 1
    assert value(memory, "taishi_queue_oldest_seconds") > 0


def test_O1_the_worker_is_seen_at_work(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"historian.poll_interval_seconds": 0.01})
    assert value(memory, "taishi_workers") == 0
    assert value(memory, "taishi_worker_idle_seconds") == 0
    memory.start_worker()
    time.sleep(0.1)
    assert value(memory, "taishi_workers") == 1
    assert value(memory, "taishi_worker_idle_seconds") < 5


def test_H5_tokens_and_cost_by_task_outlive_the_process(
    open_memory: Callable[..., Memory],
) -> None:
    from taishi.ports import Call

    memory = open_memory()
    for ok in (True, False):
        memory._services.runtime.parts.store.ledger.add(
            Call("merge", "m1", ok, 0.5, 100, 20, "tool", 0.25)
        )
    memory.close()
    again = open_memory()
    merged = {"task": "merge", "model": "m1"}
    assert value(again, "taishi_model_tokens_total", **merged, direction="in") == 200
    assert value(again, "taishi_model_tokens_total", **merged, direction="out") == 40
    assert value(again, "taishi_model_calls_total", **merged, outcome="ok") == 1
    assert value(again, "taishi_model_calls_total", **merged, outcome="failed") == 1
    assert value(again, "taishi_model_cost_total", **merged) == 0.5
    assert value(again, "taishi_model_seconds_total", **merged) == 1.0


def test_O1_measuring_adds_less_than_20_microseconds_to_a_recall() -> None:
    """What a recall does to be measured, done again and again; the best of several runs, as a
    busy machine only ever makes it slower."""
    gauges, silence = Metrics(), NoTracing()

    def measured() -> None:
        with silence.span("taishi.recall") as span:
            span.set(level="hybrid", hits=5)
        gauges.recall.observe(0.004, "hybrid")
        gauges.cache.add("vectors", "hit")
        gauges.cache.add("results", "miss")
        gauges.embed.observe(0.004, "query")

    runs = []
    for _ in range(7):
        begun = time.perf_counter()
        for _ in range(2000):
            measured()
        runs.append((time.perf_counter() - begun) / 2000)
    best, usual = min(runs) * 1e6, statistics.median(runs) * 1e6
    print(f"measuring a recall costs {best:.2f} µs, median {usual:.2f}")
    assert min(runs) < MEASURING_BAR


def test_brief_is_the_block_and_how_it_was_found(memory: Memory) -> None:
    memory.remember(ANN, "Ann moved to Oslo")
    memory.drain(30)
    brief = memory.brief(ANN, "Where does Ann live?")
    assert "Oslo" in brief.text
    assert (brief.recall.level, len(brief.recall.hits)) == ("hybrid", 1)
    assert memory.context(ANN, "Where does Ann live?").splitlines()[0] == brief.text.splitlines()[0]


def test_W2_a_turn_is_about_what_the_person_said_not_the_bot(memory: Memory) -> None:
    said = [Message("I live in Oslo.", speaker="Ann"), Message("Noted, friend.", speaker="Robo")]
    memory.consider(ANN, said, sender_name="Ann", bot_name="Robo")
    memory._services.background.store_turns()
    (turn,) = memory.recall(ANN, "Oslo", kinds=["turn", "event"], floor=0.0).hits
    assert "Oslo" in turn.text
    assert "Noted" not in turn.text


# -- tracing ---------------------------------------------------------------------------------------


def test_O1_tracing_is_off_unless_asked_for() -> None:
    assert isinstance(tracing(TelemetrySettings()), NoTracing)


def test_O1_tracing_without_the_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(MissingExtraError, match=r"install .*\[telemetry\]"):
        tracing(TelemetrySettings(enabled=True))
