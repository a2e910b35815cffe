"""How many jobs a second the file queue takes in, hands out and finishes."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.corpus import FakeEmbedder
from benchmarks.measure import Results, Row, show, table_of
from taishi import Memory, Scope, load
from taishi.backends.file_queue.queue import FileQueue
from taishi.types import Job

JOBS = 1000


def run(quick: bool = False) -> Results:
    count = JOBS // 4 if quick else JOBS
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder:
        job = _sample_job(Path(folder) / "sample")
        queue = FileQueue(Path(folder) / "queue")
        start = time.perf_counter()
        for number in range(count):
            queue.put(replace(job, request_id=f"r{number}"))
        put = time.perf_counter()
        while lease := queue.claim():
            queue.ack(lease)
        done = time.perf_counter()
        queue.close()
    puts, claims = count / (put - start), count / (done - put)
    rows = [
        Row("put (durable)", f"{puts:,.0f} /s"),
        Row("claim and ack", f"{claims:,.0f} /s"),
    ]
    show(f"queue: {count:,} jobs, one thread", rows)
    return {"puts_per_second": round(puts), "claims_per_second": round(claims),
            "rows": table_of(rows)}  # fmt: skip


def _sample_job(folder: Path) -> Job:
    """A job as `end_turn` makes it, from a memory where nobody works on it."""
    with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
        memory.end_turn(Scope(user="u7"), "booked the night train", "Ann leaves on Friday")
    queue = FileQueue(folder / "queues")
    (job,) = queue.pending_jobs()
    queue.close()
    return job
