"""Recall, whole: three paths, fused, read back. Warm, with the real embedder, and cold."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import simsimd

from benchmarks.corpus import DIMENSIONS, Corpus, FakeEmbedder, natural_questions
from benchmarks.library import HERE, Built, Contents, build, forget_records, opened
from benchmarks.measure import Results, Row, Spread, below, show, table_of, timed
from benchmarks.profile import profile_recall
from taishi import Memory, load
from taishi.assembly import choose_embedder
from taishi.ports import Embedder

FOLDERS = {
    "10k": Contents(10_000),
    "100k": Contents(100_000),
    "100k_chinese": Contents(100_000, chinese=1.0),
}
QUICK = {"2k": Contents(2_000), "10k": Contents(10_000)}
BARS_MS = {10_000: 3.0, 100_000: 10.0}
EMBEDDED_BAR_MS = 12.0
COLD_BAR_MS = 1000.0
COLD_STARTS = 3
ASKED = 400
WARM_UP = 20
TURN = 50
MANY = 60


@dataclass(frozen=True, slots=True)
class Asked:
    """How a run of questions went, and a bare pass over as many vectors in between."""

    recall: Spread
    cpu: Spread  # of all threads: what a busy machine does not blur
    scan: Spread
    levels: dict[str, int]

    def as_dict(self) -> Results:
        spreads = {"recall": self.recall, "cpu": self.cpu, "scan": self.scan}
        return {**{k: v.as_dict() for k, v in spreads.items()}, "levels": self.levels}


def run(quick: bool = False, profile: bool = False) -> Results:
    embedder, note = choose_embedder(load())
    results: Results = {"embedder": note}
    try:
        for key, contents in (QUICK if quick else FOLDERS).items():
            with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name:
                folder = Path(name)
                built = build(folder, contents)
                if profile:
                    profile_recall(folder, MANY)
                else:
                    results[key] = _measure(folder, contents, built, embedder, quick)
    finally:
        if embedder is not None:
            embedder.close()
    return results


def _measure(
    folder: Path, contents: Contents, built: Built, embedder: Embedder | None, quick: bool
) -> Results:
    count = ASKED // 4 if quick else ASKED
    with opened(folder, FakeEmbedder()) as memory:
        index_bytes = memory.status()["index"]["bytes"]
        questions = Corpus(8, contents.chinese).questions(count)
        ready(memory, questions)
        few = ask(memory, contents, questions)
        many = ask(memory, contents, questions[: count // 2], top_k=MANY, floor=0.0)
    real = None
    if embedder is not None:
        with opened(folder, _Shared(embedder)) as memory:
            real = ask(memory, contents, natural_questions(count))
    starts = _cold_starts(folder, 1 if quick else COLD_STARTS) if embedder is not None else {}
    rows = [
        Row("remember_many", f"{built.remember_per_second:,} records/s"),
        Row("… until found by meaning, too", f"{built.searchable_per_second:,} records/s"),
        Row("on disk", f"{built.disk_bytes / 1e6:,.0f} MB"),
        Row("index in memory", f"{index_bytes / 1e6:,.0f} MB"),
        *_asked_rows("top_k=5", few, BARS_MS.get(contents.records)),
        *_asked_rows(f"top_k={MANY}", many, None),
        *(_asked_rows("real embedder", real, EMBEDDED_BAR_MS) if real else []),
        *(_cold_row(what, value) for what, value in starts.items()),
    ]
    share = f"{contents.records:,} records in one group, {contents.chinese:.0%} Chinese"
    show(f"recall: {share}", rows)
    return {
        "built": built.as_dict(),
        "index_bytes": index_bytes,
        "top_k_5": few.as_dict(),
        f"top_k_{MANY}": many.as_dict(),
        "real_embedder": real.as_dict() if real else None,
        "cold_ms": starts,
        "rows": table_of(rows),
    }


def _asked_rows(what: str, asked: Asked, bar: float | None) -> list[Row]:
    spread, scan = asked.recall, asked.scan
    hybrid, total = asked.levels.get("hybrid", 0), sum(asked.levels.values())
    p95 = f"{what}: p95"
    return [
        Row(f"{what}: p50", f"{spread.p50:.2f} ms"),
        Row(p95, f"{spread.p95:.2f} ms") if bar is None else below(p95, spread.p95, bar),
        Row(f"{what}: p99", f"{spread.p99:.2f} ms"),
        Row(f"{what}: CPU, p50", f"{asked.cpu.p50:.2f} ms"),
        Row(f"{what}: p50 / bare scan", f"{spread.p50 / scan.p50:.1f} (of {scan.p50:.2f} ms)"),
        Row(f"{what}: all paths in time", f"{hybrid} of {total}"),
    ]


def _cold_row(what: str, value: float) -> Row:
    if "answer" in what:
        return below(f"cold: {what}", value, COLD_BAR_MS)
    return Row(f"cold: {what}", f"{value:,.0f} ms")


def ready(memory: Memory, questions: Sequence[str]) -> None:
    """Precompute the vectors of the questions, and nothing else that asking them leaves behind:
    what is timed is recall without the embedding call."""
    for question in questions:
        memory.recall(HERE, question, deadline=60.0)
    forget_records(memory)


def ask(memory: Memory, contents: Contents, questions: Sequence[str], **options: Any) -> Asked:
    """Ask each question once, question upon question as a busy chat does; a bare scan in turns.

    Turn and turn about, not one by one: a scan after each question would push the place's vectors
    out of the processor's cache before the next.
    """
    levels: Counter[str] = Counter()
    cpu: list[float] = []
    scan = _bare_scan(contents)

    def recall(question: str) -> Callable[[], object]:
        def work() -> None:
            start = time.process_time()
            levels[memory.recall(HERE, question, **options).level] += 1
            cpu.append(time.process_time() - start)

        return work

    first: list[float] = []
    second: list[float] = []
    for start in range(0, len(questions), TURN):
        turn = questions[start : start + TURN]
        first += [timed(recall(question)) for question in turn]
        second += [timed(scan) for _ in turn]
    recalls, cpus, scans = (Spread.of(seconds[WARM_UP:]) for seconds in (first, cpu, second))
    return Asked(recalls, cpus, scans, dict(levels))


def _bare_scan(contents: Contents) -> Callable[[], object]:
    """The floor: one pass over as many int8 numbers, the best of them, and no more."""
    rng = np.random.default_rng(7)
    matrix = rng.integers(-127, 128, (contents.records, DIMENSIONS), dtype=np.int8)
    question = matrix[:1].copy()
    return lambda: np.argmax(np.asarray(simsimd.dot(question, matrix)))


def _cold_starts(folder: Path, times: int) -> dict[str, float]:
    """Median of a few fresh processes; the file system's cache is warm."""
    runs = []
    for _ in range(times):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.cold", str(folder)],
            check=True,
            capture_output=True,
            text=True,
        )
        runs.append(json.loads(done.stdout))
    return {what: statistics.median(run[what] for run in runs) for what in runs[0]}


class _Shared:
    """An embedder that several memories use in turn: closing one of them leaves it open."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimensions, self.embed = embedder.name, embedder.dimensions, embedder.embed

    def close(self) -> None: ...
