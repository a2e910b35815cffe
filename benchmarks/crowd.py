"""Many at once: sixteen threads recall without a pause while two write.

Answers are right, or it is an error here: a write that was acknowledged before a recall began is
found by its word, and nothing of another scope is ever shown. The floor of keeping a deadline is
a thread that only waits for as long: in the same process, and in one of its own.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.corpus import Corpus, FakeEmbedder
from benchmarks.measure import Results, Row, Spread, below, show, table_of
from taishi import Memory, Recall, Scope, load
from taishi.assembly import choose_embedder
from taishi.ports import Embedder

READERS = 16
WRITERS = 2
SCOPES = tuple(Scope(group=f"g{number}", user="u7") for number in range(4))
SECONDS = 60.0
QUICK_SECONDS = 5.0
SIZES = (10_000, 100_000)
DEADLINE_MS = 150.0
SLACK_MS = 20.0
IN_TIME_BAR = 0.999
QUESTIONS = 500
MARKED_SHARE = 0.1  # of the questions: about what was written a moment ago
LETTERS = "bcdfghjklmnpqrst"  # words of these alone are in no text of the corpus
READING = ("hybrid", "keyword")  # levels at which the store was read


@dataclass(slots=True)
class Tally:
    """What went on. Each thread has its own; they are added up at the end."""

    seconds: list[float] = field(default_factory=list)
    levels: Counter[str] = field(default_factory=Counter)
    late_paths: Counter[str] = field(default_factory=Counter)
    writes: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)  # of the threads that only wait
    marked: int = 0  # questions about a word that was acknowledged before
    unshown: int = 0  # it was found, and others were thought better
    stale: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name in ("seconds", "writes", "waits", "stale", "foreign", "errors"):
            getattr(self, name).extend(getattr(other, name))
        self.levels += other.levels
        self.late_paths += other.late_paths
        self.marked += other.marked
        self.unshown += other.unshown

    @property
    def in_time(self) -> float:
        return in_time(self.seconds)


class Crowd:
    """Threads over one open memory. `known` is the last word written to each scope, and its id."""

    def __init__(self, memory: Memory, seed: int = 7) -> None:
        self._memory = memory
        self._seed = seed
        self._stop = threading.Event()
        self._known: dict[Scope, tuple[str, str]] = {}
        self._tallies: list[Tally] = []
        self._questions: list[list[str]] = []

    def run(self, seconds: float, readers: int = READERS, writers: int = WRITERS) -> Tally:
        # Before anybody is timed: making them up keeps the interpreter busy for a second.
        self._questions = [
            Corpus(self._seed + 200 + number).questions(QUESTIONS) for number in range(readers)
        ]
        works: list[tuple[Callable[[int, Tally], Iterator[None]], int]]
        works = [(self._read, number) for number in range(readers)]
        works += [(self._write, number) for number in range(writers)]
        works += [(self._wait, 0)]
        threads = []
        for work, number in works:
            tally = Tally()
            self._tallies.append(tally)
            threads.append(threading.Thread(target=self._until_stopped, args=(work, number, tally)))
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self._stop.set()
        for thread in threads:
            thread.join(60)
        total = Tally()
        for tally in self._tallies:
            total.add(tally)
        total.errors += [f"{t.name} hangs" for t in threads if t.is_alive()]
        return total

    def _until_stopped(
        self, work: Callable[[int, Tally], Iterator[None]], number: int, tally: Tally
    ) -> None:
        try:
            for _ in work(number, tally):
                if self._stop.is_set():
                    return
        except Exception as error:  # whatever it is, it is a finding
            tally.errors.append(f"{type(error).__name__}: {error}")

    def _write(self, number: int, tally: Tally) -> Iterator[None]:
        rng = random.Random(f"{self._seed} writer {number}")
        count = 0
        while True:
            scope, word = rng.choice(SCOPES), word_of(self._seed * WRITERS + number, count)
            # Short: made-up vectors are near each other by chance, and must not outdo the word.
            text = f"please note {word}"
            start = time.perf_counter()
            id = self._memory.remember(scope, text, kind="note")
            tally.writes.append(time.perf_counter() - start)
            self._known[scope] = (word, id)
            count += 1
            yield

    def _read(self, number: int, tally: Tally) -> Iterator[None]:
        rng = random.Random(f"{self._seed} reader {number}")
        questions = self._questions[number]
        while True:
            scope = rng.choice(SCOPES)
            known = self._known.get(scope) if rng.random() < MARKED_SHARE else None
            question = rng.choice(questions) if known is None else known[0]
            start = time.perf_counter()
            found = self._memory.recall(scope, question, explain=known is not None)
            if known is None:  # to explain takes longer
                tally.seconds.append(time.perf_counter() - start)
            tally.levels[found.level] += 1
            tally.late_paths.update(p for p, state in found.paths.items() if state == "late")
            self._check(scope, found, known, tally)
            yield

    @staticmethod
    def _wait(_: int, tally: Tally) -> Iterator[None]:
        never = threading.Lock()
        never.acquire()
        while True:
            start = time.perf_counter()
            never.acquire(timeout=DEADLINE_MS / 1000)
            tally.waits.append(time.perf_counter() - start)
            yield

    @staticmethod
    def _check(scope: Scope, found: Recall, known: tuple[str, str] | None, tally: Tally) -> None:
        here = str(scope.home)
        tally.foreign += [hit.id for hit in found.hits if hit.metadata["place"] != here]
        if known is not None and found.level in READING:
            tally.marked += 1
            by_word = {e.id for e in found.explain if "keyword" in e.paths}
            if known[1] not in by_word:
                tally.stale.append(f"{known[0]} in {here}: {dict(found.paths)}")
            tally.unshown += known[1] not in [hit.id for hit in found.hits]


def in_time(seconds: Sequence[float]) -> float:
    """The share that was back by the deadline, with some slack for waking up."""
    limit = (DEADLINE_MS + SLACK_MS) / 1000
    return sum(s <= limit for s in seconds) / max(len(seconds), 1)


def word_of(writer: int, count: int) -> str:
    digits = [LETTERS[int(digit, 16)] for digit in f"{count:05x}"]
    return f"zx{LETTERS[writer % len(LETTERS)]}{''.join(digits)}"


@contextmanager
def prepared(folder: Path, records: int, embedder: Embedder) -> Iterator[Memory]:
    """A folder of so many records in a few scopes, its indexes in memory, no answer remembered."""
    settings = load(overrides={"cache.results_minutes": 0.0})
    items = list(Corpus().items(records))
    share = -(-records // len(SCOPES))
    with Memory.open(folder, settings, embedder=FakeEmbedder()) as memory:
        for number, scope in enumerate(SCOPES):
            memory.remember_many(scope, items[number * share : (number + 1) * share])
        memory.drain(float("inf"))
    del items  # the collector would go through them all
    with Memory.open(folder, settings, embedder=embedder) as memory:
        for scope in SCOPES:
            memory.recall(scope, "wake up 醒来", deadline=60.0)  # the embedder's Chinese half, too
        memory.drain()
        yield memory


def run(quick: bool = False) -> Results:
    seconds = QUICK_SECONDS if quick else SECONDS
    embedder, note = choose_embedder(load())
    cases: list[tuple[int, str, Embedder]] = [(size, "ready", FakeEmbedder()) for size in SIZES]
    if embedder is not None:
        cases.append((SIZES[0], note, embedder))
    results: Results = {}
    for size, vectors, chosen in cases:
        with (
            tempfile.TemporaryDirectory(prefix="taishi-bench-") as name,
            prepared(Path(name), size, chosen) as memory,
            _waiting_elsewhere() as elsewhere,
        ):
            tally = Crowd(memory).run(seconds)
        results[f"{size}_{vectors}"] = _report(size, vectors, tally, elsewhere, seconds)
    return results


@contextmanager
def _waiting_elsewhere() -> Iterator[list[float]]:
    """A process that only waits; how long each wait took is there at the end."""
    found: list[float] = []
    command = [sys.executable, "-m", "benchmarks.crowd"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield found
        finally:
            found += json.loads(process.communicate()[0])


def wait_until_told() -> None:
    """What that process does."""
    told, seconds = threading.Event(), []

    def listen() -> None:
        sys.stdin.read()
        told.set()

    threading.Thread(target=listen, daemon=True).start()
    while not told.is_set():
        start = time.perf_counter()
        time.sleep(DEADLINE_MS / 1000)
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


def _report(
    size: int, vectors: str, tally: Tally, elsewhere: Sequence[float], seconds: float
) -> Results:
    recall, write = Spread.of(tally.seconds), Spread.of(tally.writes)
    total = sum(tally.levels.values())
    levels = {level: round(count / total, 4) for level, count in tally.levels.most_common()}
    wrong = [*tally.errors, *tally.stale, *tally.foreign]
    rows = [
        Row("recalls", f"{total / seconds:,.0f} /s"),
        Row("recall, p50 / p99", f"{recall.p50:.1f} / {recall.p99:.1f} ms"),
        below("recall, p99.9 and the deadline", _p999(tally), DEADLINE_MS + SLACK_MS),
        Row(
            "in time",
            f"{tally.in_time:.2%}",
            f"≥ {IN_TIME_BAR:.1%}",
            tally.in_time >= IN_TIME_BAR,
        ),
        Row("floor: a bare wait as long, same process: in time", f"{in_time(tally.waits):.2%}"),
        Row("floor: a bare wait, process of its own: in time", f"{in_time(elsewhere):.2%}"),
        *(Row(f"level {level}", f"{share:.2%}") for level, share in levels.items()),
        Row("writes", f"{len(tally.writes) / seconds:,.0f} /s"),
        Row("write, p50 / p99", f"{write.p50:.1f} / {write.p99:.1f} ms"),
        _none("errors", tally.errors),
        _none(f"acknowledged, yet not found (of {tally.marked:,})", tally.stale),
        Row("… found, but not among the five shown", f"{tally.unshown:,}"),
        _none("of another scope", tally.foreign),
    ]
    show(f"crowd: {READERS} recall, {WRITERS} write, {size:,} records, vectors: {vectors}", rows)
    return {
        "recall": recall.as_dict(),
        "write": write.as_dict(),
        "recalls_per_second": round(total / seconds, 1),
        "writes_per_second": round(len(tally.writes) / seconds, 1),
        "in_time": round(tally.in_time, 5),
        "bare_wait_in_time": round(in_time(tally.waits), 5),
        "bare_wait_elsewhere_in_time": round(in_time(elsewhere), 5),
        "levels": levels,
        "late_paths": dict(tally.late_paths),
        "marked": tally.marked,
        "unshown": tally.unshown,
        "wrong": wrong[:20],
        "rows": table_of(rows),
    }


def _p999(tally: Tally) -> float:
    ordered = sorted(tally.seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * IN_TIME_BAR))] * 1000


def _none(what: str, found: list[Any]) -> Row:
    return Row(what, f"{len(found):,}", "0", not found)


if __name__ == "__main__":
    wait_until_told()
