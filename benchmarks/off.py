"""What a memory that is switched off costs a bot (C3)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Results, Row, Spread, below, show, table_of, timed
from taishi import Memory, Scope, load

CALLS = 20_000
WARM_UP = 50
OPENINGS = 20
BAR_US = 10.0
HERE = Scope(group="g42", user="u7", session="s1")
MESSAGES = [{"speaker": "Ann", "text": "When does the ferry leave?"}] * 12
SWITCHED: dict[str, dict[str, Any]] = {
    "off": {"memory.enabled": False},
    "on": {"models.embedding.kind": "none"},
}


def run(quick: bool = False) -> Results:
    spreads = measure(CALLS // 10 if quick else CALLS)
    nothing = spreads.pop("nothing")
    rows = [Row("a call that does nothing, p50", f"{nothing.p50 * 1000:.2f} µs")]
    rows += [below(f"{verb}, p50", s.p50 * 1000, BAR_US, "µs") for verb, s in spreads.items()]
    opened = measure_opening(OPENINGS // 4 if quick else OPENINGS)
    rows += [Row(f"open, {state}, p50", f"{s.p50:.2f} ms") for state, s in opened.items()]
    show("off", rows)
    named = {name: s.as_dict() for name, s in {**spreads, **opened}.items()}
    return {**named, "nothing": nothing.as_dict(), "rows": table_of(rows)}


def measure(calls: int) -> dict[str, Spread]:
    """Durations (ms) of each verb while memory is off, and of a call that does nothing."""
    with (
        tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder,
        Memory.open(folder, load(environ={}, overrides=SWITCHED["off"])) as memory,
    ):
        verbs: dict[str, Callable[[], object]] = {
            "nothing": lambda: None,
            "end_turn": partial(memory.end_turn, HERE, "The ferry leaves at six.", "", MESSAGES),
            "observe": partial(memory.observe, HERE, "search", {"query": "ferry"}, MESSAGES),
            "recall": partial(memory.recall, HERE, "When does the ferry leave?"),
            "context": partial(memory.context, HERE, "When does the ferry leave?"),
        }
        samples: dict[str, list[float]] = {verb: [] for verb in verbs}
        for _ in range(calls):
            for verb, call in verbs.items():
                samples[verb].append(timed(call))
    return {verb: Spread.of(seconds[WARM_UP:]) for verb, seconds in samples.items()}


def measure_opening(times: int) -> dict[str, Spread]:
    """Durations (ms) of opening and closing a memory that holds something, off and on."""
    samples: dict[str, list[float]] = {state: [] for state in SWITCHED}
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder:
        with Memory.open(folder, load(environ={}, overrides=SWITCHED["on"])) as memory:
            memory.remember_many(HERE, [{"text": f"ferry {n}"} for n in range(1000)])
        for _ in range(times):
            for state, seconds in samples.items():
                seconds.append(timed(partial(_open, Path(folder), state)))
    return {state: Spread.of(seconds) for state, seconds in samples.items()}


def _open(folder: Path, state: str) -> None:
    Memory.open(folder, load(environ={}, overrides=SWITCHED[state])).close()
