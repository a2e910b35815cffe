"""What it costs an agent to mention a tool run."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from functools import partial

from benchmarks.corpus import FakeEmbedder
from benchmarks.measure import Results, Row, Spread, below, show, table_of, timed
from taishi import Memory, Scope, load

CALLS = 4000
WARM_UP = 20
BAR_US = 50.0
HERE = Scope(user="u7", session="s1")
SHAPES: dict[str, object] = {
    "str": "12 results; the first is about the ferry to Tromsø",
    "dict": {"status": 200, "items": [{"id": n, "name": f"item {n}"} for n in range(20)]},
    "large": {"rows": [{"id": n, "text": "row " * 20} for n in range(2000)]},
}


def run(quick: bool = False) -> Results:
    spreads = measure(CALLS // 4 if quick else CALLS)
    rows = []
    for shape, spread in spreads.items():
        rows.append(below(f"{shape}, mean", spread.mean * 1000, BAR_US, "µs"))
        rows.append(Row(f"{shape}, p95", f"{spread.p95 * 1000:.2f} µs"))
    show("observe", rows)
    named = {shape: spread.as_dict() for shape, spread in spreads.items()}
    return {**named, "rows": table_of(rows)}


def measure(calls: int, shapes: Collection[str] = tuple(SHAPES)) -> dict[str, Spread]:
    """Durations (ms) by the shape of the result; shapes take turns, the keeper is at work."""
    samples: dict[str, list[float]] = {shape: [] for shape in shapes}
    with (
        tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder,
        Memory.open(folder, load(), embedder=FakeEmbedder()) as memory,
    ):
        for _ in range(calls):
            for shape, seconds in samples.items():
                call = partial(memory.observe, HERE, "search", {"query": "ferry"}, SHAPES[shape])
                seconds.append(timed(call))
    return {shape: Spread.of(seconds[WARM_UP:]) for shape, seconds in samples.items()}
