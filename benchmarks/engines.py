"""Do all ways to answer find the same? `python -m benchmarks engines FILE`, a file of questions.

SQLite, PostgreSQL with indexes in memory, and PostgreSQL searched in SQL: of the first ten hits of
each question, how many two of them have in common.
"""

from __future__ import annotations

import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.measure import Results, Row, show
from benchmarks.postgres_server import running
from taishi import Memory, Scope, load
from taishi.evaluation.cases import CaseFile, read
from taishi.types import Partition

TOP = 10
BAR = 0.99
PATIENT = 60.0
PREPARING = 300.0
QUICK = 100
Hits = list[tuple[str, ...]]


def run(quick: bool, file: Path) -> Results:
    cases = read(file, QUICK if quick else None)
    found: dict[str, Hits] = {}
    with tempfile.TemporaryDirectory() as folder, running() as server:
        with _opened(folder, 0) as memory:
            _remember(memory, cases)
            found["SQLite"] = _ask(memory, cases)
        with _opened(server + "taishi", 10**9) as memory:
            _remember(memory, cases)
            found["PostgreSQL, in memory"] = _ask(memory, cases)
        with _opened(server + "taishi", 0) as memory:
            _prepare(memory, cases)
            found["PostgreSQL, in SQL"] = _ask(memory, cases)
    results: Results = {"questions": len(found["SQLite"])}
    rows = []
    for one, other in combinations(found, 2):
        pairs = zip(found[one], found[other], strict=True)
        share = float(np.mean([_overlap(*pair) for pair in pairs]))
        results[f"{one} / {other}"] = share
        rows.append(Row(f"{one} / {other}", f"{share:.4f}", f"≥ {BAR}", share >= BAR))
    show(f"overlap@{TOP} of {results['questions']} questions in {file.name}", rows)
    return results


def _opened(address: str, index_records: int) -> Memory:
    settings = load(
        environ={},
        overrides={"storage.index_records": index_records, "cache.results_minutes": 0.0},
    )
    return Memory.open(address, settings)


def _remember(memory: Memory, cases: CaseFile) -> None:
    for number, corpus in enumerate(cases.corpora):
        items = [{**item, "kind": "event"} for item in corpus.items]
        memory.remember_many(Scope(group=f"corpus-{number}"), items)
    memory.drain()


def _prepare(memory: Memory, cases: CaseFile) -> None:
    """Questions begin it, and are answered from memory until it is done."""
    parts = memory._services.runtime.parts
    assert parts.partition_search is not None
    for number in range(len(cases.corpora)):
        place = Partition("default", "group", f"corpus-{number}")
        parts.partition_search.searched(parts.store.states([place]))
        parts.partition_search._partitions.wait(PREPARING)  # type: ignore[attr-defined]
        assert parts.partition_search.searched(parts.store.states([place]))


def _ask(memory: Memory, cases: CaseFile) -> Hits:
    found = []
    for number, corpus in enumerate(cases.corpora):
        for question in corpus.questions:
            result = memory.recall(
                Scope(group=f"corpus-{number}"),
                question.query,
                top_k=TOP,
                floor=0.0,
                now=question.time,
                deadline=PATIENT,
            )
            assert result.level == "hybrid", result.paths
            found.append(tuple(hit.source or hit.id for hit in result.hits))
    return found


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    return len(set(one) & set(other)) / max(len(set(one)), len(set(other)), 1)
