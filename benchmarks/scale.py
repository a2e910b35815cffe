"""A million records: a thousand scopes of a thousand each, and one scope of all.

Written through the public door, vectors included; read by fresh processes and by this one. The
made-up vectors have the local embedder's shape, so that it can take its place over the folder.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.corpus import Corpus, FakeEmbedder, natural_questions
from benchmarks.library import HERE, Contents, forget_records, opened
from benchmarks.measure import Results, Row, Spread, below, interleaved, show, table_of
from benchmarks.recall import Asked, ask
from taishi import Memory, Scope, load
from taishi.assembly import choose_embedder
from taishi.backends.sqlite import SqliteStore
from taishi.recall import candidates, index_cache, partition_source, retriever, vector_search
from taishi.recall.partition_index import PartitionIndex
from taishi.recall.retriever import Retriever

MILLION = 1_000_000
QUICK = 20_000
A_SCOPE = 1_000
QUICK_A_SCOPE = 100
ASKED = 400
WARM_UP = 20
RATIO_BAR = 0.30
ONE_SCOPE_BAR_MS = 40.0
PATIENT = 600.0
QUESTION = "What did Ann say about the ferry?"
# Of one question, what takes time, and where that is in the code; none is inside another.
STAGES: dict[str, tuple[Any, str]] = {
    "what the scope may see": (PartitionIndex, "mask"),
    "keyword: looking terms up": (PartitionIndex, "find"),
    "keyword: postings": (PartitionIndex, "keyword"),
    "keyword: sessions": (PartitionIndex, "session_coverage"),
    "keyword: neighbours": (candidates, "_with_neighbours"),
    "best by words": (candidates, "best"),
    "waiting for the embedder": (partition_source, "_result"),
    "vectors: the first look, and the best of it": (PartitionIndex, "scan_cosines"),
    "best by meaning": (vector_search, "best"),
    "full vectors": (PartitionIndex, "exact_cosines"),
    "scoring": (retriever, "score"),
    "reading records": (SqliteStore, "fetch"),
}


@dataclass(frozen=True, slots=True)
class Spreading:
    """How many records there are, and over how many scopes they are spread."""

    records: int
    scopes: int

    @property
    def each(self) -> int:
        return self.records // self.scopes

    def scope(self, number: int) -> Scope:
        return HERE if self.scopes == 1 else Scope(group=f"g{number}", user="u7")


@dataclass(frozen=True, slots=True)
class Filled:
    """How the filling went: writing alone, and what was left to embed when it was done."""

    seconds: float
    remembering_seconds: float
    disk_bytes: int

    def rows(self, records: int) -> list[Row]:
        rate, alone = records / self.seconds, records / self.remembering_seconds
        return [
            Row("filled, made-up vectors written", f"{rate:,.0f} records/s"),
            Row("… remember_many, vectors made beside it", f"{alone:,.0f} records/s"),
            Row("on disk", f"{self.disk_bytes / 1e6:,.0f} MB"),
        ]


def run(quick: bool = False) -> Results:
    records, each = (QUICK, QUICK_A_SCOPE) if quick else (MILLION, A_SCOPE)
    results: Results = {}
    for key, spreading, measure in (
        ("many_scopes", Spreading(records, records // each), measure_many),
        ("one_scope", Spreading(records, 1), measure_one),
    ):
        with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name:
            filled = fill(Path(name), spreading)
            results[key] = measure(Path(name), spreading, filled, quick)
    return results


def fill(folder: Path, spreading: Spreading) -> Filled:
    """As an import would: scope by scope, texts are embedded meanwhile and afterwards."""
    items = Corpus().items(spreading.records)
    remembering = 0.0
    with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
        start = time.perf_counter()
        for number in range(spreading.scopes):
            part = list(islice(items, spreading.each))
            begun = time.perf_counter()
            memory.remember_many(spreading.scope(number), part)
            remembering += time.perf_counter() - begun
        memory.drain(float("inf"))
        seconds = time.perf_counter() - start
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Filled(seconds, remembering, size)


# -- many scopes -----------------------------------------------------------------------------


def measure_many(
    folder: Path, spreading: Spreading, filled: Filled, quick: bool = False
) -> Results:
    """Recall from one scope of many, turn by turn with a folder that holds such a scope alone."""
    cold = fresh_process(folder, spreading)
    count = ASKED // 4 if quick else ASKED
    with (
        tempfile.TemporaryDirectory(prefix="taishi-bench-") as name,
        opened(folder, FakeEmbedder()) as memory,
    ):
        fill(Path(name), Spreading(spreading.each, 1))
        first = Spread.of(_touch_all(memory, spreading))
        memory.drain(float("inf"))  # the records of the scopes are read into memory meanwhile
        with opened(Path(name), FakeEmbedder()) as alone:
            same = _beside(memory, alone, 8, count, lambda: spreading.scope(1))
            rng = random.Random(7)

            def any_scope() -> Scope:
                return spreading.scope(rng.randrange(spreading.scopes))

            some = _beside(memory, alone, 9, count, any_scope)
            with mock.patch.object(index_cache, "SMALL", 0):  # no scope's records are kept whole
                unread = _beside(memory, alone, 10, count, any_scope, unread=True)
        index = memory.status()["index"]
    rows = [
        *filled.rows(spreading.records),
        *cold_rows("", cold),
        Row("a scope's first recall, p50 / p95", f"{first.p50:.2f} / {first.p95:.2f} ms"),
        Row("index of all scopes in memory", f"{index['bytes'] / 1e6:,.0f} MB"),
        *same.rows("one scope of them, again and again"),
        *some.rows("a different scope every time"),
        *unread.rows("… with no record in memory on either side"),
    ]
    show(f"scale: {spreading.records:,} records in {spreading.scopes:,} scopes", rows)
    return {
        "filled": asdict(filled),
        "cold": cold,
        "first_recall_of_a_scope": first.as_dict(),
        "index": index,
        "same_scope": asdict(same),
        "any_scope": asdict(some),
        "any_scope_unread": asdict(unread),
        "rows": table_of(rows),
    }


def _touch_all(memory: Memory, spreading: Spreading) -> list[float]:
    seconds = []
    for number in range(spreading.scopes):
        start = time.perf_counter()
        memory.recall(spreading.scope(number), QUESTION, deadline=PATIENT)
        seconds.append(time.perf_counter() - start)
    return seconds


@dataclass(frozen=True, slots=True)
class Beside:
    """Recall from a scope among many, and from one that is alone in its folder."""

    ours: Spread
    alone: Spread
    our_cpu: Spread
    alone_cpu: Spread

    def rows(self, what: str) -> list[Row]:
        ours, alone = self.ours, self.alone
        ratio = ours.p50 / alone.p50
        met = abs(ratio - 1) <= RATIO_BAR
        return [
            Row(f"{what}: p50 / p95", f"{ours.p50:.2f} / {ours.p95:.2f} ms"),
            Row("… one alone in a folder: p50 / p95", f"{alone.p50:.2f} / {alone.p95:.2f} ms"),
            Row("… ratio of the p50", f"{ratio:.2f}", f"1 ± {RATIO_BAR}", met),
            Row("… ratio of the p95", f"{ours.p95 / alone.p95:.2f}"),
            Row("… ratio of the CPU, p50", f"{self.our_cpu.p50 / self.alone_cpu.p50:.2f}"),
        ]


def _beside(
    memory: Memory,
    alone: Memory,
    seed: int,
    count: int,
    scope: Callable[[], Scope],
    unread: bool = False,
) -> Beside:
    """`unread`: no record is in memory, so both read what they show."""
    our_cpu: list[float] = []
    alone_cpu: list[float] = []

    def asked(of: Memory, where: Scope, question: str, cpu: list[float]) -> Callable[[], object]:
        def work() -> None:
            start = time.process_time()
            of.recall(where, question)
            cpu.append(time.process_time() - start)

        return work

    def pairs() -> Iterator[tuple[Callable[[], object], Callable[[], object]]]:
        for question in Corpus(seed).questions(count):
            if unread:
                forget_records(memory)
                forget_records(alone)
            yield asked(memory, scope(), question, our_cpu), asked(alone, HERE, question, alone_cpu)

    times = interleaved(pairs())
    return Beside(*(Spread.of(seconds[WARM_UP:]) for seconds in (*times, our_cpu, alone_cpu)))


# -- one scope -------------------------------------------------------------------------------


def measure_one(folder: Path, spreading: Spreading, filled: Filled, quick: bool = False) -> Results:
    """Recall over all records; where there is a local embedder, it is asked for the question."""
    contents = Contents(spreading.records)
    cold = fresh_process(folder, spreading, times=1)  # whoever reads it begins to pack
    packing = pack(folder)
    packed = fresh_process(folder, spreading)
    count = ASKED // 4 if quick else ASKED
    embedder, note = choose_embedder(load())
    with opened(folder, FakeEmbedder()) as memory:
        made_up = ask(memory, contents, Corpus(8).questions(count), deadline=PATIENT)
        index = memory.status()["index"]
    real = None
    hurried: dict[str, int] = {}
    stages: dict[str, float] = {}
    if embedder is not None:
        with opened(folder, embedder) as memory:
            real = ask(memory, contents, natural_questions(count), deadline=PATIENT)
            hurried = ask(memory, contents, natural_questions(count)).levels  # vectors are known
            with timed_stages() as stages:
                for number, question in enumerate(natural_questions(count // 4)):
                    asked = f"{question} {number}"  # not before
                    memory.recall(HERE, asked, deadline=PATIENT)
    rows = [
        *filled.rows(spreading.records),
        *cold_rows(", no packs", cold),
        Row("packs made in", f"{packing:,.1f} s"),
        *cold_rows(", packs of an earlier process", packed),
        Row("index in memory", f"{index['bytes'] / 1e6:,.0f} MB"),
        *asked_rows("question's vector ready", made_up, None),
        *(asked_rows(f"embedded by {note}", real, ONE_SCOPE_BAR_MS) if real else []),
        Row("with the usual deadline", ", ".join(f"{n} {level}" for level, n in hurried.items())),
        *(Row(f"of a question, mean: {what}", f"{ms:.2f} ms") for what, ms in stages.items()),
    ]
    show(f"scale: {spreading.records:,} records in one scope", rows)
    return {
        "filled": asdict(filled),
        "cold_without_packs": cold,
        "packing_seconds": packing,
        "cold_with_packs": packed,
        "index": index,
        "embedder": note,
        "made_up": made_up.as_dict(),
        "real_embedder": real.as_dict() if real else None,
        "levels_in_150_ms": hurried,
        "stages_ms": stages,
        "rows": table_of(rows),
    }


def asked_rows(what: str, asked: Asked, bar: float | None) -> list[Row]:
    spread = asked.recall
    p95 = f"{what}: p95"
    return [
        Row(f"{what}: p50", f"{spread.p50:.2f} ms"),
        Row(p95, f"{spread.p95:.2f} ms") if bar is None else below(p95, spread.p95, bar),
        Row(f"{what}: CPU, p50", f"{asked.cpu.p50:.2f} ms"),
        Row(f"{what}: a bare pass over the vectors, p50", f"{asked.scan.p50:.2f} ms"),
    ]


@contextmanager
def timed_stages() -> Iterator[dict[str, float]]:
    """Milliseconds that a question spends in each stage, on average; complete at the end."""
    spent: dict[str, list[float]] = {what: [] for what in STAGES}
    means: dict[str, float] = {}
    recalls: list[float] = []

    def watched(real: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return real(*given, **options)
            finally:
                seconds.append(time.perf_counter() - start)

        return call

    with ExitStack() as patches:
        everything = (*((place, spent[what]) for what, place in STAGES.items()),
                      ((Retriever, "recall"), recalls))  # fmt: skip
        for (owner, name), seconds in everything:
            call = watched(getattr(owner, name), seconds)
            patches.enter_context(mock.patch.object(owner, name, call))
        yield means
    for what, seconds in (*spent.items(), ("all of it", recalls)):
        means[what] = round(sum(seconds) / max(len(recalls), 1) * 1000, 3)


# -- fresh processes -------------------------------------------------------------------------


def fresh_process(folder: Path, spreading: Spreading, times: int = 3) -> Results:
    """The median of a few processes that open the folder and ask once. The file system's cache is
    warm, the process is not."""
    scope = spreading.scope(0)
    runs = [_child("ask", str(folder), scope.group or "") for _ in range(times)]
    return {what: statistics.median(run[what] for run in runs) for what in runs[0]}


def pack(folder: Path) -> float:
    """A process that asks and then does what is left to do in the background; seconds."""
    return float(_child("pack", str(folder), HERE.group or "")["packing seconds"])


def _child(*arguments: str) -> Results:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: Results = json.loads(done.stdout)
    return found


def cold_rows(when: str, cold: Results) -> list[Row]:
    return [
        Row(f"fresh process{when}: opened in", f"{cold['opened ms']:,.0f} ms"),
        Row(f"fresh process{when}: first recall", f"{cold['first recall ms']:,.0f} ms"),
        Row(f"fresh process{when}: resident then", f"{cold['rss'] / 1e6:,.0f} MB"),
        Row(f"fresh process{when}: at most", f"{cold['peak rss'] / 1e6:,.0f} MB"),
    ]


def main(submit: str, folder: str, group: str) -> None:
    """In a fresh process. The submit is "ask" or "pack"."""
    scope = Scope(group=group, user="u7")
    start = time.perf_counter()
    with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
        opened_at = time.perf_counter()
        memory.recall(scope, QUESTION, deadline=PATIENT)
        asked_at = time.perf_counter()
        found = {
            "opened ms": (opened_at - start) * 1000,
            "first recall ms": (asked_at - opened_at) * 1000,
            "rss": _memory("VmRSS"),
            "peak rss": _memory("VmHWM"),
        }
        if submit == "pack":
            memory.drain(float("inf"))
            found["packing seconds"] = time.perf_counter() - asked_at
    print(json.dumps(found))


def _memory(what: str) -> int:
    """Bytes, as the system counts them. The peak of `getrusage` would be the parent's, too."""
    status = Path("/proc/self/status").read_text().splitlines()
    (line,) = [line for line in status if line.startswith(f"{what}:")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
