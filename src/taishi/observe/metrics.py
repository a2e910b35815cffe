"""Metrics: counters and histograms of one memory, and the list of every metric it exposes (O1).

Independent of any metrics library: counting must cost next to nothing, whether or not anybody reads
it. The server converts the values into the format of its monitoring system.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from .minutes import Activity, MinuteLatencies, MinutePeaks

# Bucket bounds in seconds: fine for recalls and turns, coarse for model calls.
QUICK = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 10.0)
SLOW = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
INFINITE = "+Inf"

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Metric:
    """The declaration of one metric, under the name that monitoring systems see."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: Labels = ()


@dataclass(frozen=True, slots=True)
class HistogramSnapshot:
    """A snapshot of a histogram: cumulative count per bucket bound, total count, sum."""

    buckets: Mapping[str, int]
    count: int
    sum: float


class Counter:
    """Monotonic counters, one per set of labels. Thread-safe."""

    def __init__(self) -> None:
        self._values: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def add(self, *labels: str, amount: float = 1) -> None:
        with self._lock:
            self._values[labels] = self._values.get(labels, 0) + amount

    def read(self) -> dict[Labels, float]:
        with self._lock:
            return dict(self._values)


class Histogram:
    """Durations in fixed buckets, one row per set of labels. Thread-safe."""

    def __init__(self, bounds: tuple[float, ...], minutes: MinuteLatencies | None = None) -> None:
        """`minutes` also keeps the last hours, minute by minute."""
        self._bounds = bounds
        self._minutes = minutes
        self._rows: dict[Labels, tuple[list[int], list[float]]] = {}
        self._lock = threading.Lock()

    def observe(self, seconds: float, *labels: str) -> None:
        bucket = bisect_left(self._bounds, seconds)
        with self._lock:
            row = self._rows.get(labels)
            if row is None:
                row = self._rows[labels] = ([0] * (len(self._bounds) + 1), [0.0])
            row[0][bucket] += 1
            row[1][0] += seconds
        if self._minutes is not None:
            self._minutes.observe(seconds)

    def read(self) -> dict[Labels, HistogramSnapshot]:
        with self._lock:
            rows = {labels: (list(row[0]), row[1][0]) for labels, row in self._rows.items()}
        return {labels: self._snapshot(counts, total) for labels, (counts, total) in rows.items()}

    def _snapshot(self, counts: list[int], total: float) -> HistogramSnapshot:
        buckets, cumulative = {}, 0
        for bound, count in zip((*map(str, self._bounds), INFINITE), counts, strict=True):
            cumulative += count
            buckets[bound] = cumulative
        return HistogramSnapshot(buckets, cumulative, total)


class Metrics:
    """The metrics of one open memory."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._end_turn_minutes, self._recall_minutes = (
            MinuteLatencies(clock),
            MinuteLatencies(clock),
        )
        self.queue_age = MinutePeaks(clock)
        self.end_turn = Histogram(QUICK, self._end_turn_minutes)
        self.recall = Histogram(QUICK, self._recall_minutes)  # by level
        self.embed = Histogram(QUICK)  # by kind of text
        self.job = Histogram(SLOW)  # by outcome
        self.readable = Histogram(QUICK)
        self.cache = Counter()  # by cache and result
        self._last_step = time.monotonic()

    def activity(self) -> Activity:
        """The last hours, minute by minute."""
        return Activity(
            self._recall_minutes.read(), self._end_turn_minutes.read(), self.queue_age.read()
        )

    def beat(self) -> None:
        """Note that a worker of this process has polled the queue."""
        self._last_step = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        return time.monotonic() - self._last_step


JOBS = ("done", "retried", "failed", "postponed", "not_worth_keeping")
CACHES = ("vectors", "results")
GRADES = ("first_pass", "after_revision", "degraded")

METRICS = (
    Metric("taishi_enabled", "gauge", "1 while memory.enabled is on."),
    Metric(
        "taishi_end_turn_seconds",
        "histogram",
        "What a turn's end cost its caller, until the job was durable.",
    ),
    Metric(
        "taishi_recall_seconds",
        "histogram",
        "Whole recalls, by the level that answered: hybrid, keyword, profile-only, empty.",
        ("level",),
    ),
    Metric(
        "taishi_embed_seconds",
        "histogram",
        "Calls of the embedder, by what was embedded: query or document.",
        ("kind",),
    ),
    Metric(
        "taishi_job_seconds",
        "histogram",
        "The historian's work on one job, by outcome.",
        ("outcome",),
    ),
    Metric(
        "taishi_readable_seconds",
        "histogram",
        "From end_turn until the raw turn could be found by its words.",
    ),
    Metric("taishi_jobs_total", "counter", "What became of jobs in this process.", ("outcome",)),
    Metric(
        "taishi_gate_total",
        "counter",
        "Records by how they passed the gate: first_pass, after_revision, degraded.",
        ("grade",),
    ),
    Metric(
        "taishi_queue_jobs", "gauge", "Jobs in the queue: pending, processing, failed.", ("state",)
    ),
    Metric("taishi_queue_oldest_seconds", "gauge", "Age of the oldest job that is not done."),
    Metric("taishi_workers", "gauge", "Historian threads in this process."),
    Metric(
        "taishi_fleet_workers",
        "gauge",
        "Historian threads in all processes that have the memory open.",
    ),
    Metric(
        "taishi_worker_idle_seconds",
        "gauge",
        "Since a worker of this process last looked at the queue; 0 where none runs.",
    ),
    Metric("taishi_observations_waiting", "gauge", "Tool runs in memory, not yet written."),
    Metric(
        "taishi_observations_dropped_total", "counter", "Tool runs dropped because too many waited."
    ),
    Metric("taishi_records", "gauge", "Records kept, by kind.", ("kind",)),
    Metric("taishi_embedding_backlog", "gauge", "Texts that wait for their vector."),
    Metric("taishi_index_places", "gauge", "Places whose index is in memory."),
    Metric("taishi_index_rows", "gauge", "Records in those indexes."),
    Metric("taishi_index_vectors", "gauge", "Of these, with a vector."),
    Metric("taishi_index_bytes", "gauge", "Memory that those indexes take."),
    Metric(
        "taishi_cache_total",
        "counter",
        "Looks into a cache: vectors of questions, results of recall. A miss had to be made.",
        ("cache", "result"),
    ),
    Metric(
        "taishi_engine_up",
        "gauge",
        "1 while an engine outside the data folder answers: database, cache, files.",
        ("engine",),
    ),
    Metric(
        "taishi_model_calls_total",
        "counter",
        "Calls of models (chat, embedding, rerank) since the folder was made, by outcome.",
        ("task", "model", "outcome"),
    ),
    Metric(
        "taishi_model_tokens_total",
        "counter",
        "Tokens of those calls, by task, model and direction: in or out.",
        ("task", "model", "direction"),
    ),
    Metric(
        "taishi_model_seconds_total", "counter", "Seconds spent in those calls.", ("task", "model")
    ),
    Metric(
        "taishi_model_cost_total",
        "counter",
        "Their cost, in the currency of the prices that are set.",
        ("task", "model"),
    ),
)

Values = Mapping[Labels, float | HistogramSnapshot]


def families(metrics: Iterable[Metric], values: Mapping[str, Values]) -> dict[str, Any]:
    """Declarations with their current values, as JSON-compatible data. What has no values now is
    left out."""
    return {
        metric.name: {
            "kind": metric.kind,
            "help": metric.help,
            "labels": list(metric.labels),
            "samples": [_sample(metric, *sample) for sample in sorted_values(values[metric.name])],
        }
        for metric in metrics
        if metric.name in values
    }


def sorted_values(values: Values) -> Iterator[tuple[Labels, float | HistogramSnapshot]]:
    return iter(sorted(values.items(), key=lambda item: item[0]))


def _sample(metric: Metric, labels: Labels, value: float | HistogramSnapshot) -> dict[str, Any]:
    label_values = dict(zip(metric.labels, labels, strict=True))
    if isinstance(value, HistogramSnapshot):
        histogram = {"buckets": dict(value.buckets), "count": value.count, "sum": value.sum}
        return {"labels": label_values, **histogram}
    return {"labels": label_values, "value": value}


def engine_values(
    metrics: Metrics, status: Mapping[str, Any], ledger: Iterable[Mapping[str, Any]] | None
) -> dict[str, Values]:
    """The values of every metric in METRICS, from the counters and `Memory.status`. Without a
    ledger the store is away: only what this process knows itself."""
    jobs, index = status["jobs"], status["index"]
    return {
        "taishi_enabled": {(): float(status["enabled"])},
        "taishi_end_turn_seconds": metrics.end_turn.read(),
        "taishi_recall_seconds": metrics.recall.read(),
        "taishi_embed_seconds": metrics.embed.read(),
        "taishi_job_seconds": metrics.job.read(),
        "taishi_readable_seconds": metrics.readable.read(),
        "taishi_jobs_total": {(name,): jobs[name] for name in JOBS},
        "taishi_gate_total": {(name,): jobs[name] for name in GRADES},
        "taishi_workers": {(): status["workers"]["running"]},
        "taishi_worker_idle_seconds": {(): status["workers"]["idle_seconds"]},
        "taishi_observations_waiting": {(): status["observations"]["waiting"]},
        "taishi_observations_dropped_total": {(): status["observations"]["dropped"]},
        **{f"taishi_index_{name}": {(): index[name]} for name in _INDEX_METRICS},
        "taishi_cache_total": {
            **dict.fromkeys(product(CACHES, ("hit", "miss")), 0),
            **metrics.cache.read(),
        },
        "taishi_engine_up": {
            (name,): float(engine["state"] == "ok") for name, engine in status["engines"].items()
        },
        **({} if ledger is None else {**_stored_values(status), **_model_values(ledger)}),
    }


def _stored_values(status: Mapping[str, Any]) -> dict[str, Values]:
    queue, records = dict(status["queue"]), dict(status["records"])
    oldest, backlog = queue.pop("oldest_seconds"), records.pop("unembedded", 0)
    return {
        "taishi_queue_jobs": {(state,): count for state, count in queue.items()},
        "taishi_queue_oldest_seconds": {(): oldest},
        "taishi_fleet_workers": {(): status["fleet_workers"]},
        "taishi_records": {(kind,): count for kind, count in records.items()},
        "taishi_embedding_backlog": {(): backlog},
    }


_INDEX_METRICS = ("places", "rows", "vectors", "bytes")


FAMILIES = ("chat", "embedding", "rerank")


def model_totals(ledger: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Calls, tokens and cost of chat models, embedders and rerankers so far."""
    names = ("calls", "failed", "prompt_tokens", "completion_tokens", "cost")
    totals: dict[str, dict[str, float]] = {name: dict.fromkeys(names, 0) for name in FAMILIES}
    for row in ledger:
        total = totals[_family(str(row["task"]))]
        for name in names:
            total[name] += row[name]
    return totals


def _family(task: str) -> str:
    if task.startswith("embedding_"):
        return "embedding"
    return "rerank" if task == "recall_rerank" else "chat"


def _model_values(ledger: Iterable[Mapping[str, Any]]) -> dict[str, Values]:
    """The sum over all days of the ledger: it outlives the process, so these never decrease."""
    calls, tokens, seconds, cost = Counter(), Counter(), Counter(), Counter()
    for row in ledger:
        labels = (str(row["task"]), str(row["model"]))
        calls.add(*labels, "ok", amount=row["calls"] - row["failed"])
        calls.add(*labels, "failed", amount=row["failed"])
        tokens.add(*labels, "in", amount=row["prompt_tokens"])
        tokens.add(*labels, "out", amount=row["completion_tokens"])
        seconds.add(*labels, amount=row["seconds"])
        cost.add(*labels, amount=row["cost"])
    return {
        "taishi_model_calls_total": calls.read(),
        "taishi_model_tokens_total": tokens.read(),
        "taishi_model_seconds_total": seconds.read(),
        "taishi_model_cost_total": cost.read(),
    }
