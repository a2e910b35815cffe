"""A data folder as somebody has it after two years, for the pages: 100,000 records in one scope.

Built once and kept in the machine's folder for temporary files, under a name made of everything
that it depends on. The vectors of the records are FakeEmbedder's: they cost nothing, and bear the
name of the local model, which answers the questions.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import taishi.backends.sqlite
from benchmarks import corpus
from benchmarks.corpus import Corpus, FakeEmbedder
from taishi import Memory, Scope, load
from taishi.types import Edit, Record

PLACE = "private:ann"
ANN = Scope(user="ann")
OTHERS = (Scope(group="club"), Scope(user="bo"), Scope(agent="seller"))
OTHER_RECORDS = 500
DAY = 86_400
NOW = 1_793_000_000.0
TWO_YEARS = 730 * DAY
BATCH = 1000
KINDS = ("note", "note", "fact", "fact", "fact", "event", "event", "turn", "procedure")
TAGS = ("work", "home", "travel", "音乐", "健康")
# What one looks for: a word in one old record, one in a few of them, and one in thousands.
RARE, FEW, COMMON = "zanzibarite", "紫藤花架", "lighthouse"
RARE_TAG, RARE_PERSON = "heirloom", "grandmother"


def folder_for(records: int) -> tuple[Path, float]:
    """The folder to copy from, and how many seconds its building took; 0: it was there."""
    target = Path(tempfile.gettempdir()) / f"taishi-bench-pages-{records}-{_key()}"
    if (target / "complete").exists():
        return target, 0.0
    started = time.perf_counter()
    shutil.rmtree(target, ignore_errors=True)
    with Memory.open(target / "data", load(), embedder=FakeEmbedder()) as memory:
        memory.remember_many(ANN, _items(records))
        for place in OTHERS:
            memory.remember_many(place, _items(OTHER_RECORDS))
        memory.drain()
        _decide_some(memory, records)
        memory.drain()
    (target / "complete").touch()
    return target, time.perf_counter() - started


def _key() -> str:
    """Changes with the schema and with what is put in."""
    migrations = Path(taishi.backends.sqlite.__file__).parent / "migrations"
    files = [Path(__file__), Path(corpus.__file__), *sorted(migrations.glob("*.sql"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def _items(records: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(11)
    for number, item in enumerate(Corpus().items(records)):
        text = item["text"]
        if number == records // 50:
            text += f" {RARE}"
        if number % 37 == 0:
            text += f" {COMMON}"
        if number in (7, records // 9, records // 3):
            text += FEW
        metadata: dict[str, Any] = {}
        if rng.random() < 0.5:
            metadata["tags"] = rng.sample(TAGS, rng.randint(1, 2))
        if number in (9, records // 40):
            metadata["tags"] = [RARE_TAG]
        yield {
            "id": f"r{number}",
            "text": text,
            "kind": rng.choice(KINDS),
            "speaker": item["speaker"],
            "user": RARE_PERSON if number in (11, records // 30) else "ann",
            "time": NOW - TWO_YEARS * (1 - number / records),
            "confidence": round(rng.uniform(0.3, 1.0), 2),
            "metadata": metadata,
        }


def _decide_some(memory: Memory, records: int) -> None:
    """Some wait for a person, some were rejected or superseded, some have ended."""
    store = memory._services.runtime.parts.store
    edits: list[Edit] = []
    for number in range(0, records, 50):
        record = store.get(ANN.home, f"r{number}")
        if record is not None and record.kind == "fact":
            edits.append(Edit("put", _decided(record, number)))
    for start in range(0, len(edits), BATCH):
        store.apply(edits[start : start + BATCH])


def _decided(record: Record, number: int) -> Record:
    if number % 3 == 0:
        return replace(record, state="candidate")
    if number % 3 == 1:
        return replace(record, state="rejected" if number % 2 else "superseded")
    return replace(record, until=NOW - DAY)
