"""One durable `remember`, against one fsync of the same disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.corpus import Corpus, FakeEmbedder
from benchmarks.measure import Results, Row, Spread, interleaved, show, table_of
from taishi import Memory, Scope, load

WRITES = 400
PAGE = os.urandom(8192)
HERE = Scope(user="u7")


def run(quick: bool = False) -> Results:
    write, floor = _measure(WRITES // 4 if quick else WRITES)
    rows = [
        Row("8 KiB appended and fsynced, p50 / p95", f"{floor.p50:.2f} / {floor.p95:.2f} ms"),
        Row("remember, p50 / p95", f"{write.p50:.2f} / {write.p95:.2f} ms"),
        Row("remember / fsync, p50", f"{write.p50 / floor.p50:.2f}"),
        Row("remember / fsync, p95", f"{write.p95 / floor.p95:.2f}"),
    ]
    show("write: one remember(), keeper running", rows)
    return {"remember": write.as_dict(), "floor": floor.as_dict(), "rows": table_of(rows)}


def _measure(writes: int) -> tuple[Spread, Spread]:
    with (
        tempfile.TemporaryDirectory(prefix="taishi-bench-") as name,
        Memory.open(name, load(), embedder=FakeEmbedder()) as memory,
        (Path(name) / "floor").open("ab", buffering=0) as log,
    ):

        def append() -> None:
            log.write(PAGE)
            os.fsync(log.fileno())

        def remember(text: str) -> Callable[[], object]:
            return lambda: memory.remember(HERE, text)

        texts = [item["text"] for item in Corpus().items(writes + 10)]
        first, second = interleaved((remember(text), append) for text in texts)
        return Spread.of(first[10:]), Spread.of(second[10:])
