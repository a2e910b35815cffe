"""Documents: how fast they are taken in, beside the bare embedder, and searched among many chunks.

`TAISHI_CHUNKS=100000 python -m benchmarks knowledge_sync` for the full size; 20,000 by default. The
many chunks have made-up vectors of the local embedder's shape; the questions are embedded by it.
"""

from __future__ import annotations

import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import Corpus, FakeEmbedder, natural_questions
from benchmarks.measure import Results, Row, Spread, below, show, table_of, timed
from taishi import Memory, Scope, load
from taishi.assembly import choose_embedder
from taishi.ports import Embedder

OFFICE = Scope(shared=True)
CHUNKS, QUICK_CHUNKS = 20_000, 2_000
PARAGRAPHS = 12  # in a section; a few chunks
SECTIONS = 40  # in a file
ASKED, QUICK_ASKED = 200, 50
RATE_FILES, QUICK_RATE_FILES = 3, 1
SEARCH_BAR_MS = 15.0
RATE_BAR = 0.8
LARGE_MB, QUICK_LARGE_MB = 50, 4
MEMORY_BAR_MB = 1024.0
SENTENCE = (
    "The {a} of part {n} is checked by the {b} before the {c} of {year}, and then written down."
)
WORDS = "valve pump engineer winter supplier tank gauge shift report filter seal motor".split()


def run(quick: bool = False) -> Results:
    count = int(os.environ.get("TAISHI_CHUNKS", QUICK_CHUNKS if quick else CHUNKS))
    embedder, note = choose_embedder(load())  # a memory closes the one that it is given
    rows: list[Row] = []
    results: Results = {"chunks": count, "embedder": note}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        if embedder is not None:
            rates = import_rates(home, QUICK_RATE_FILES if quick else RATE_FILES)
            results["rates"] = rates
            share = rates["share"]
            bar = f"≥ {RATE_BAR:g} of it"
            bare = f"{rates['bare_per_second']:,.0f} chunks/s by the bare embedder"
            what = f"taken in and embedded, chunks/s ({bare})"
            rows.append(Row(what, f"{rates['per_second']:,.0f}", bar, share >= RATE_BAR))
            share = rates["share_of_processor_time"]
            what = "the bare embedder's part of the processor time"
            rows.append(Row(what, f"{share:.2f}", f"≥ {RATE_BAR:g}", share >= RATE_BAR))
        results["search"] = searched(home, embedder, count, QUICK_ASKED if quick else ASKED, rows)
        results["large"] = large_file(home, QUICK_LARGE_MB if quick else LARGE_MB, rows)
    show(f"documents, {count:,} chunks", rows)
    results["table"] = table_of(rows)
    return results


def import_rates(home: Path, files: int) -> Results:
    """A folder is synced and embedded; then the same texts by the embedder alone."""
    write_files(home / "some", files)
    with Memory.open(home / "rate", load()) as memory:
        memory.warm_up()
        start, work = time.perf_counter(), time.process_time()
        memory.knowledge.sync(OFFICE, home / "some")
        assert memory.drain(600)
        taken, taken_work = time.perf_counter() - start, time.process_time() - work
        texts = [one.text for one in memory.records.list(OFFICE, limit=1000).records]
    embedder, _ = choose_embedder(load())
    assert embedder is not None
    embedder.embed(texts[:1], "document")  # its files are read
    start, work = time.perf_counter(), time.process_time()
    for at in range(0, len(texts), 64):
        embedder.embed(texts[at : at + 64], "document")
    bare, bare_work = time.perf_counter() - start, time.process_time() - work
    with Memory.open(home / "words", load(overrides={"models.embedding.kind": "none"})) as memory:
        reading = timed(lambda: memory.knowledge.sync(OFFICE, home / "some"))
    count = len(texts)
    return {
        "chunks": count,
        "per_second": round(count / taken, 1),
        "bare_per_second": round(count / bare, 1),
        "share": round(bare / taken, 3),
        "share_of_processor_time": round(bare_work / taken_work, 3),
        "without_embedding_per_second": round(count / reading, 1),
    }


def searched(
    home: Path, embedder: Embedder | None, count: int, asked: int, rows: list[Row]
) -> Results:
    data = home / "many"
    with Memory.open(data, load(), embedder=FakeEmbedder()) as memory:
        start = time.perf_counter()
        chunks = number = 0
        while chunks < count:
            info = memory.knowledge.add(OFFICE, "\n\n".join(text_of(number)), name=f"{number}.txt")
            assert info is not None
            chunks, number = chunks + info.chunks, number + 1
        assert memory.drain(600)
        built = time.perf_counter() - start
    settings = load(overrides={"cache.results_minutes": 0.0})
    with Memory.open(data, settings, embedder=embedder or FakeEmbedder()) as memory:
        memory.warm_up(OFFICE, 60.0)
        memory.knowledge.search(OFFICE, "warm up", deadline=60.0)
        words = natural_questions(asked)
        work = time.process_time()
        spent = [timed(lambda q=q: memory.knowledge.search(OFFICE, q, deadline=5.0)) for q in words]
        work = (time.process_time() - work) / len(words) * 1000
    spread = Spread.of(spent)
    what = f"search with the embedding and neighbours, {chunks:,} chunks, p95"
    rows.append(below(what, spread.p95, SEARCH_BAR_MS))
    rows.append(Row("the same, p50", f"{spread.p50:.2f} ms"))
    rows.append(Row("processor time of a search, mean", f"{work:.2f} ms"))
    return {
        "chunks": chunks,
        "built_seconds": round(built, 1),
        "work_ms": round(work, 2),
        **spread.as_dict(),
    }


def large_file(home: Path, megabytes: int, rows: list[Row]) -> Results:
    """One text of many megabytes; how much memory this process had at most until then."""
    path = home / "large.txt"
    with path.open("w") as file:
        number = 0
        while file.tell() < megabytes << 20:
            file.write("\n\n".join(text_of(number)) + "\n\n")
            number += 1
    moves: list[int] = []
    with Memory.open(home / "large", load(overrides={"models.embedding.kind": "none"})) as memory:
        folder = home / "one"
        folder.mkdir()
        path.rename(folder / "large.txt")
        work = timed(
            lambda: memory.knowledge.sync(
                OFFICE, folder, progress=lambda done, total: moves.append(done)
            )
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows.append(
        below(f"{megabytes} MB of text in one file, most memory", peak, MEMORY_BAR_MB, "MB")
    )
    rows.append(Row(f"{megabytes} MB of text, MB/s", f"{megabytes / work:.2f}"))
    return {"megabytes": megabytes, "seconds": round(work, 1), "peak_mb": round(peak),
            "moves_of_the_bar": len(set(moves))}  # fmt: skip


def write_files(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.txt").write_text("\n\n".join(text_of(number)))


def text_of(number: int) -> Iterator[str]:
    """Paragraphs, a fifth of them Chinese; no two alike."""
    rng = random.Random(number)
    corpus = Corpus(number)
    for section in range(SECTIONS):
        for _ in range(PARAGRAPHS):
            a, b, c = rng.sample(WORDS, 3)
            year = rng.randint(1900, 2099)
            yield SENTENCE.format(a=a, b=b, c=c, n=section, year=year)
        yield " ".join(item["text"] for item in corpus.items(3))
