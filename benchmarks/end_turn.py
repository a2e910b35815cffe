"""What the end of a turn costs the host, against the least that any durable write costs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.corpus import Corpus, FakeEmbedder
from benchmarks.measure import Results, Row, Spread, below, show, table_of, timed
from taishi import Memory, Message, Scope, load

TURNS = 400
MESSAGES = 12
WARM_UP = 10
BAR_MS = 5.0
BAR_RATIO = 3.0
HERE = Scope(group="g42", user="u7", session="s1")


def run(quick: bool = False) -> Results:
    turns = TURNS // 4 if quick else TURNS
    turn, floor = measure(turns)
    burst = _burst(turns)
    ratio = turn.p95 / floor.p95
    rows = [
        Row("bare durable write, p50 / p95", f"{floor.p50:.2f} / {floor.p95:.2f} ms"),
        Row("end_turn, p50", f"{turn.p50:.2f} ms"),
        below("end_turn, p95", turn.p95, BAR_MS),
        Row("end_turn / bare write, p50", f"{turn.p50 / floor.p50:.2f}"),
        Row("end_turn / bare write, p95", f"{ratio:.2f}", f"≤ {BAR_RATIO:g}", ratio <= BAR_RATIO),
        Row("turn upon turn, p50", f"{burst.p50:.2f} ms"),
        below("turn upon turn, p95", burst.p95, BAR_MS),
    ]
    show(f"end_turn: {MESSAGES} messages, worker and keeper running", rows)
    return {
        "end_turn": turn.as_dict(),
        "floor": floor.as_dict(),
        "p50_ratio": round(turn.p50 / floor.p50, 3),
        "p95_ratio": round(ratio, 3),
        "turn_upon_turn": burst.as_dict(),
        "rows": table_of(rows),
    }


def measure(turns: int) -> tuple[Spread, Spread]:
    """(end_turn, a bare write of as many bytes to the same folder), interleaved.

    The worker is done before the next one is timed: else the floor, and only the floor, would
    share the disk with the work that the turn before it left behind.
    """
    with _working() as (memory, folder):
        data = os.urandom(_job_size())
        turn, floor = [], []
        for number, end in enumerate(_turns(memory, turns + WARM_UP)):
            turn.append(timed(end))
            memory.drain()
            # A name that the queue does not take for a job.
            path = folder / "queues" / "pending" / f"{number}.floor"
            floor.append(timed(partial(durable_write, path, data)))
    return Spread.of(turn[WARM_UP:]), Spread.of(floor[WARM_UP:])


def _burst(turns: int) -> Spread:
    """Turns without a pause, so that each meets the work that those before it left behind."""
    with _working() as (memory, _):
        return Spread.of([timed(end) for end in _turns(memory, turns + WARM_UP)][WARM_UP:])


@contextmanager
def _working() -> Iterator[tuple[Memory, Path]]:
    with (
        tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder,
        Memory.open(folder, load(), embedder=FakeEmbedder()) as memory,
    ):
        yield memory.start_worker(), Path(folder)


def _turns(memory: Memory, count: int) -> list[Callable[[], object]]:
    corpus = Corpus()
    return [_turn(memory, corpus, f"r{number}") for number in range(count)]


def _turn(memory: Memory, corpus: Corpus, request_id: str) -> Callable[[], object]:
    messages = [
        Message(item["text"], item["speaker"], item["time"], id=item["source"])
        for item in corpus.items(MESSAGES)
    ]
    action, *news = corpus.questions(3)
    return lambda: memory.end_turn(HERE, action, news, messages, request_id=request_id)


def _job_size() -> int:
    """Bytes of such a job's file, from one that nobody works on."""
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name:
        folder = Path(name)
        with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
            _turn(memory, Corpus(), "r")()
            (job,) = (folder / "queues" / "pending").glob("*.json")
            return job.stat().st_size


def durable_write(path: Path, data: bytes) -> None:
    """The floor: a temporary file, fsync, rename, fsync of the folder."""
    temp = path.with_suffix(".bare")
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    temp.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
