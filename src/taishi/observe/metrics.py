"""What the engine counts while it works, and the one list of everything that can be read off (O1).

Nothing here knows of a metrics library: counting must cost next to nothing, whether or not anybody
ever looks. A door turns the families into whatever its monitor reads.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

# Seconds. Fine where a recall or a turn is good or bad, coarse where a model is waited for.
QUICK = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 10.0)
SLOW = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
INFINITE = "+Inf"

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Metric:
    """The declaration of one metric. `name` is the one a monitor sees."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: Labels = ()


@dataclass(frozen=True, slots=True)
class Spread:
    """A histogram read off: how many took at most each bound, all of them, and their sum."""

    buckets: Mapping[str, int]
    count: int
    sum: float


class Counter:
    """Numbers that only grow, one for each set of labels; for many threads."""

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
    """Durations in fixed buckets, one row for each set of labels; for many threads."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._rows: dict[Labels, tuple[list[int], list[float]]] = {}
        self._lock = threading.Lock()

    def observe(self, seconds: float, *labels: str) -> None:
        place = bisect_left(self._bounds, seconds)
        with self._lock:
            row = self._rows.get(labels)
            if row is None:
                row = self._rows[labels] = ([0] * (len(self._bounds) + 1), [0.0])
            row[0][place] += 1
            row[1][0] += seconds

    def read(self) -> dict[Labels, Spread]:
        with self._lock:
            rows = {labels: (list(row[0]), row[1][0]) for labels, row in self._rows.items()}
        return {labels: self._spread(counts, total) for labels, (counts, total) in rows.items()}

    def _spread(self, counts: list[int], total: float) -> Spread:
        buckets, so_far = {}, 0
        for bound, count in zip((*map(str, self._bounds), INFINITE), counts, strict=True):
            so_far += count
            buckets[bound] = so_far
        return Spread(buckets, so_far, total)


class Metrics:
    """What one open memory measures of itself."""

    def __init__(self) -> None:
        self.end_turn = Histogram(QUICK)
        self.recall = Histogram(QUICK)  # by level
        self.embed = Histogram(QUICK)  # by kind of text
        self.job = Histogram(SLOW)  # by outcome
        self.readable = Histogram(QUICK)
        self.cache = Counter()  # by cache and result
        self._last_step = time.monotonic()

    def beat(self) -> None:
        """A worker of this process has looked at the queue."""
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
    Metric("taishi_queue_oldest_seconds", "gauge", "Age of the oldest job that waits."),
    Metric("taishi_workers", "gauge", "Historian threads in this process."),
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

Values = Mapping[Labels, float | Spread]


def families(metrics: Iterable[Metric], values: Mapping[str, Values]) -> dict[str, Any]:
    """Declarations and what was read off, as plain data that can be sent as JSON."""
    return {
        metric.name: {
            "kind": metric.kind,
            "help": metric.help,
            "labels": list(metric.labels),
            "samples": [_sample(metric, *one) for one in sorted_values(values[metric.name])],
        }
        for metric in metrics
    }


def sorted_values(values: Values) -> Iterator[tuple[Labels, float | Spread]]:
    return iter(sorted(values.items(), key=lambda item: item[0]))


def _sample(metric: Metric, labels: Labels, value: float | Spread) -> dict[str, Any]:
    named = dict(zip(metric.labels, labels, strict=True))
    if isinstance(value, Spread):
        spread = {"buckets": dict(value.buckets), "count": value.count, "sum": value.sum}
        return {"labels": named, **spread}
    return {"labels": named, "value": value}


def engine_values(
    gauges: Metrics, status: Mapping[str, Any], ledger: Iterable[Mapping[str, Any]]
) -> dict[str, Values]:
    """Everything in METRICS, from what was measured and what `Memory.status` knows."""
    queue, jobs, index = status["queue"], status["jobs"], status["index"]
    records = dict(status["records"])
    backlog = records.pop("unembedded", 0)
    return {
        "taishi_enabled": {(): float(status["enabled"])},
        "taishi_end_turn_seconds": gauges.end_turn.read(),
        "taishi_recall_seconds": gauges.recall.read(),
        "taishi_embed_seconds": gauges.embed.read(),
        "taishi_job_seconds": gauges.job.read(),
        "taishi_readable_seconds": gauges.readable.read(),
        "taishi_jobs_total": {(name,): jobs[name] for name in JOBS},
        "taishi_gate_total": {(name,): jobs[name] for name in GRADES},
        "taishi_queue_jobs": {
            (state,): count for state, count in queue.items() if state != "oldest_seconds"
        },
        "taishi_queue_oldest_seconds": {(): queue["oldest_seconds"]},
        "taishi_workers": {(): status["workers"]["running"]},
        "taishi_worker_idle_seconds": {(): status["workers"]["idle_seconds"]},
        "taishi_observations_waiting": {(): status["observations"]["waiting"]},
        "taishi_observations_dropped_total": {(): status["observations"]["dropped"]},
        "taishi_records": {(kind,): count for kind, count in records.items()},
        "taishi_embedding_backlog": {(): backlog},
        **{f"taishi_index_{name}": {(): index[name]} for name in _INDEX},
        "taishi_cache_total": {
            **dict.fromkeys(product(CACHES, ("hit", "miss")), 0),
            **gauges.cache.read(),
        },
        **_model_values(ledger),
    }


_INDEX = ("places", "rows", "vectors", "bytes")


FAMILIES = ("chat", "embedding", "rerank")


def model_totals(ledger: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """What chat models, embedders and rerankers were asked so far, and what it cost."""
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
    """The ledger's days added up: it outlives the process, so these never fall."""
    calls, tokens, seconds, cost = Counter(), Counter(), Counter(), Counter()
    for row in ledger:
        who = (str(row["task"]), str(row["model"]))
        calls.add(*who, "ok", amount=row["calls"] - row["failed"])
        calls.add(*who, "failed", amount=row["failed"])
        tokens.add(*who, "in", amount=row["prompt_tokens"])
        tokens.add(*who, "out", amount=row["completion_tokens"])
        seconds.add(*who, amount=row["seconds"])
        cost.add(*who, amount=row["cost"])
    return {
        "taishi_model_calls_total": calls.read(),
        "taishi_model_tokens_total": tokens.read(),
        "taishi_model_seconds_total": seconds.read(),
        "taishi_model_cost_total": cost.read(),
    }
