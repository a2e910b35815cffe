"""Vector engines beside the in-process search: do they find the same, and how fast?

`python -m benchmarks vector_engines FILE.json` asks 300 questions of a case file of one memory for
each engine, all from the same vectors, and compares the first ten hits with those of the in-process
search. Put rate and search time are those of the port alone: vectors of the same size, 5,000 in one
partition, questions of one sentence. Engines whose package is not installed are left out.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import Results
from taishi import Memory, Scope, load
from taishi.assembly.models import choose_embedder
from taishi.backends.vector_engines import open_engine, parse_address
from taishi.errors import ModelMissingError
from taishi.evaluation import cases as case_files
from taishi.evaluation.baselines import CachingEmbedder
from taishi.evaluation.cases import CaseFile
from taishi.ports import VectorSearch
from taishi.recall.int8_vector_search import Int8VectorSearch

OURS = "in-process"
ADDRESSES = {"milvus": "milvus://{}/v.db", "lancedb": "lancedb://{}/v", "chroma": "chroma://{}/v"}
PACKAGES = {"milvus": "milvus_lite", "lancedb": "lancedb", "chroma": "chromadb"}
TOP = 10
DEADLINE = 30.0
VECTORS, QUICK_VECTORS = 5_000, 1_000
SEARCHES = 100
QUESTIONS = 300  # spread over the whole file; `--quick`: all of the first corpus
BATCH = 500
NEAREST = 240


@dataclass(frozen=True, slots=True)
class Figures:
    engine: str
    questions: int
    overlap: float  # share of the in-process search's first ten hits
    same_order: float  # share of questions with the very same list
    recall_p50_ms: float
    recall_p95_ms: float
    puts_per_second: float
    search_p50_ms: float
    search_p95_ms: float


def run(quick: bool, file: Path) -> Results:
    cases = case_files.read(file)
    embedder, note = choose_embedder(load(environ={}), None)
    if embedder is None:
        raise ModelMissingError(f"this benchmark needs an embedder: {note}")
    caching = _KeptOpen(embedder)
    engines = [OURS, *(name for name in ADDRESSES if find_spec(PACKAGES[name]))]
    figures: list[Figures] = []
    expected: list[list[str]] = []
    for engine in engines:
        lists, times = _ask(cases, engine, caching, quick)
        expected = expected or lists
        rate, searches = _port(engine, embedder.dimensions, QUICK_VECTORS if quick else VECTORS)
        pairs = list(zip(expected, lists, strict=True))
        figures.append(
            Figures(
                engine,
                len(lists),
                statistics.fmean(_overlap(one, other) for one, other in pairs),
                statistics.fmean(one == other for one, other in pairs),
                *_percentiles(times),
                rate,
                *_percentiles(searches),
            )
        )
        _show(figures[-1:])
    embedder.close()
    Console().print(_table(figures))
    return {one.engine: asdict(one) for one in figures}


class _KeptOpen(CachingEmbedder):
    """Every memory closes its embedder; this one is used by the next."""

    def close(self) -> None:
        pass


def _ask(
    cases: CaseFile, engine: str, embedder: CachingEmbedder, quick: bool
) -> tuple[list[list[str]], list[float]]:
    """The first ten hits of every question, and how long each took."""
    lists, times = [], []
    with _folder() as folder:
        address = "" if engine == OURS else ADDRESSES[engine].format(folder)
        settings = load(environ={}, overrides={"storage.vectors": address})
        with Memory.open(folder / "data", settings, embedder=embedder) as memory:
            for number, corpus in enumerate(cases.corpora[: 1 if quick else None]):
                scope = Scope(group=f"corpus-{number}")
                items = [{**item, "kind": "event"} for item in corpus.items]
                memory.remember_many(scope, items)
                if not memory.drain(300):
                    raise TimeoutError(f"{engine} did not get its vectors within five minutes")
                for question in corpus.questions[:: _step(cases, quick)]:
                    found = memory.recall(
                        scope,
                        question.query,
                        top_k=TOP,
                        floor=0.0,
                        now=question.time,
                        deadline=DEADLINE,
                    )
                    if found.level != "hybrid":
                        raise RuntimeError(f"{engine}: {found.level}, {dict(found.paths)}")
                    lists.append([f"{hit.source} {hit.text}" for hit in found.hits])
                    times.append(found.took_ms)
            if engine != OURS and not (check := memory.maintenance.verify_vectors()).ok:
                raise RuntimeError(f"{engine}: {check}")
    return lists, times


def _step(cases: CaseFile, quick: bool) -> int:
    total = sum(len(corpus.questions) for corpus in cases.corpora)
    return 1 if quick else max(1, total // QUESTIONS)


def _port(name: str, dimensions: int, count: int) -> tuple[float, list[float]]:
    """Vectors put per second, and the milliseconds of each search."""
    random = np.random.default_rng(7)
    rows = random.normal(size=(count, dimensions)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    with _folder() as folder:
        engine: VectorSearch = Int8VectorSearch(dimensions)
        if name != OURS:
            address = parse_address(ADDRESSES[name].format(folder))
            engine = open_engine(address, "benchmark", dimensions)
        engine.put("m", [(2 << 32, 1, rows[0])])  # opens it
        began = time.perf_counter()
        for at in range(0, count, BATCH):
            some = range(at, min(at + BATCH, count))
            engine.put("m", [(1 << 32 | row, 1, rows[row]) for row in some])
        rate = count / (time.perf_counter() - began)
        times = []
        for _ in range(SEARCHES):
            query = rows[random.integers(count)] + 0.05 * random.normal(size=dimensions)
            query = (query / np.linalg.norm(query)).astype(np.float32)
            began = time.perf_counter()
            engine.search(1, [query], NEAREST)
            times.append((time.perf_counter() - began) * 1000)
        if not isinstance(engine, Int8VectorSearch):
            engine.close()  # type: ignore[attr-defined]
    return rate, times


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="taishi-vectors-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _overlap(one: Sequence[str], other: Sequence[str]) -> float:
    longest = max(len(one), len(other))
    return len(set(one) & set(other)) / longest if longest else 1.0


def _percentiles(times: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(times)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]


def _show(figures: Sequence[Figures]) -> None:
    for one in figures:
        print(one, flush=True)


def _table(figures: Sequence[Figures]) -> Table:
    table = Table(title="vector engines")
    headings = (
        "engine",
        "overlap@10",
        "same list",
        "recall p50 / p95",
        "puts/s",
        "search p50 / p95",
    )
    for heading in headings:
        table.add_column(heading)
    for one in figures:
        table.add_row(
            one.engine,
            f"{one.overlap:.4f}",
            f"{one.same_order:.3f}",
            f"{one.recall_p50_ms:.1f} / {one.recall_p95_ms:.1f} ms",
            f"{one.puts_per_second:,.0f}",
            f"{one.search_p50_ms:.2f} / {one.search_p95_ms:.2f} ms",
        )
    return table
