"""Timing: samples, interleaved with their floor, and what is said about them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

Results = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spread:
    """Many durations of the same thing, in milliseconds."""

    count: int
    mean: float
    p50: float
    p95: float
    p99: float

    @staticmethod
    def of(seconds: Sequence[float]) -> Spread:
        ms = np.asarray(seconds) * 1000
        p50, p95, p99 = (float(value) for value in np.percentile(ms, [50, 95, 99]))
        return Spread(len(ms), float(ms.mean()), p50, p95, p99)

    def as_dict(self) -> Results:
        return {
            name: value if name == "count" else round(value, 4)
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: what was measured, and the bar it is held against."""

    what: str
    measured: str
    bar: str = ""
    met: bool | None = None


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def paused_collector() -> Iterator[None]:
    """No garbage collection meanwhile: what it costs depends on all else that is in the process."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def interleaved(
    pairs: Iterable[tuple[Callable[[], object], Callable[[], object]]],
) -> tuple[list[float], list[float]]:
    """Time A, B, A, B …: what disturbs the machine disturbs both alike."""
    first, second = [], []
    for a, b in pairs:
        first.append(timed(a))
        second.append(timed(b))
    return first, second


def below(what: str, value: float, bar: float, unit: str = "ms") -> Row:
    return Row(what, f"{value:,.2f} {unit}", f"< {bar:g} {unit}", value < bar)


def show(title: str, rows: Sequence[Row]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    table.add_column("measured", justify="right")
    table.add_column("bar", justify="right")
    table.add_column("")
    for row in rows:
        verdict = {None: "", True: "[green]met[/]", False: "[red]missed[/]"}[row.met]
        table.add_row(row.what, row.measured, row.bar, verdict)
    Console().print(table)


def table_of(rows: Sequence[Row]) -> list[Results]:
    """Rows as they go into the JSON file."""
    return [asdict(row) for row in rows]
