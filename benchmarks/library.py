"""A data folder of a given size, for the benchmarks that read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import CHINESE_SHARE, Corpus, FakeEmbedder
from taishi import Memory, Scope, load
from taishi.ports import Embedder

HERE = Scope(group="g42", user="u7")


@dataclass(frozen=True, slots=True)
class Contents:
    """How much is in a folder, and how much of it is Chinese."""

    records: int
    chinese: float = CHINESE_SHARE

    @property
    def corpus(self) -> Corpus:
        return Corpus(chinese=self.chinese)


@dataclass(frozen=True, slots=True)
class Built:
    """How the building went."""

    remember_per_second: int
    searchable_per_second: int  # vectors written, too
    disk_bytes: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def build(folder: Path, contents: Contents) -> Built:
    records = contents.records
    items = list(contents.corpus.items(records))
    with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
        start = time.perf_counter()
        memory.remember_many(HERE, items)
        kept = time.perf_counter()
        memory.drain()
        done = time.perf_counter()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Built(round(records / (kept - start)), round(records / (done - start)), size)


@contextmanager
def opened(folder: Path, embedder: Embedder) -> Iterator[Memory]:
    """The folder with its index in memory. Every question is worked out: none is remembered."""
    settings = load(overrides={"cache.results_minutes": 0.0})
    with Memory.open(folder, settings, embedder=embedder) as memory:
        memory.recall(HERE, "wake up", deadline=120.0)
        yield memory


def forget_records(memory: Memory) -> None:
    """What is shown has to be read from the store again."""
    memory._services.retriever.source.records.clear()
    memory._services.retriever.source.indexes.forget_texts()


def load_average() -> float:
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else -1.0
