"""PostgreSQL: one large scope and many small ones, beside plain pgvector SQL on the same server.

Vectors and words are made up (benchmarks/postgres_corpus.py): embedding is not measured, both sides
are given the vectors of the questions. Nine tenths of the records are in one scope, which the
database searches; the rest are in scopes of 10,000 and of 1,000, which an index in memory answers.
The records of all scopes arrive mixed; plain SQL is also asked about the smaller scopes with the
rows of each side by side, as after a bulk load.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from benchmarks.measure import Results, Row, Spread, interleaved, show, timed
from benchmarks.postgres_corpus import (
    DIMENSIONS,
    MIDDLE_SCOPE,
    SMALL_SCOPE,
    MadeUpRecords,
    Question,
)
from benchmarks.postgres_plain import BY_SCOPE, EVERY, PlainSql
from benchmarks.postgres_server import running
from taishi import Memory, Scope, load
from taishi.ports import CandidateRequest, Embedded, RecordFilter
from taishi.recall.deadline import Deadline
from taishi.recall.vector_codec import code_size, encode
from taishi.types import Edit, Partition, VisiblePartition

RECORDS = 1_000_000
QUICK = 20_000
AT_ONCE = 2_000
ASKED = 200
WARM_UP = 30
TOP = 10
PATIENT = 30.0
SMALL_BAR, LARGE_BAR = 5.0, 1.5
SETTLING = 8.0
OVERLAPS = 100
EF_SEARCHES = (40, 60, 80, 120, 160, 240, 400, 800)
_SIZES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class
WHERE relname IN ('records', 'index_rows', 'record_vectors', 'record_terms')
   OR relname LIKE 'large\\_%\\_vectors\\_%' OR relname = 'record_terms_by_term'"""


class KnownVectors:
    """An embedder that knows the questions."""

    name, dimensions = "made-up", DIMENSIONS

    def __init__(self) -> None:
        self.vectors: dict[str, Any] = {}

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Any:
        return np.stack([self.vectors[text] for text in texts])

    def close(self) -> None: ...


def place_of(scope: int) -> Partition:
    return Partition("default", "group", f"scope{scope}")


def run(quick: bool, records: int | None = None) -> Results:
    count = records or (QUICK if quick else RECORDS)
    corpus = MadeUpRecords(count)
    embedder = KnownVectors()
    limit = min(200_000, corpus.in_big // 2)
    print(
        f"{count:,} records: one scope of {corpus.in_big:,}, {corpus.middles} of {MIDDLE_SCOPE:,}, "
        f"{corpus.scopes - corpus.middles - 1} of {SMALL_SCOPE:,}"
    )
    with running() as server:
        plain = PlainSql(server + "plain")
        results: Results = {"records": count, "limit": limit}
        results["plain"] = _fill_plain(plain, corpus)
        settings = load(
            environ={},
            overrides={
                "storage.index_records": limit,
                "cache.results_minutes": 0.0,
                "query.recall_timeout": PATIENT,
            },
        )
        with Memory.open(server + "taishi", settings, embedder=embedder) as memory:
            results["taishi"] = _fill(memory, corpus)
            results |= _compare(memory, plain, corpus, embedder)
        plain.connection.close()
    _show(results)
    return results


def _seconds(name: str, work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    taken = time.perf_counter() - began
    print(f"  {name}: {taken:,.1f} s", flush=True)
    return taken


def _fill_plain(plain: PlainSql, corpus: MadeUpRecords) -> Results:
    print("plain SQL", flush=True)
    plain.create()
    copied = _seconds("COPY with to_tsvector", lambda: plain.copy(corpus))
    indexed = _seconds("indexes", plain.index)
    plain.copy_by_scope("scope0")
    return {"ingest": copied, "index": indexed, "sizes": plain.sizes()}


def _fill(memory: Memory, corpus: MadeUpRecords) -> Results:
    print("Taishi", flush=True)
    store = memory._services.runtime.parts.store
    store.adopt_model(KnownVectors.name, code_size(DIMENSIONS))
    stamp = memory._services.runtime.redactor.stamp  # as a verb leaves it: not read again by recall

    def put() -> None:
        for some in corpus.batches(AT_ONCE):
            places = {at: place_of(corpus.scope_of(at)) for at in some}
            store.apply([Edit("put", corpus.record(at, places[at], stamp)) for at in some])
            states = store.states(set(places.values()))
            store.put_vectors(
                KnownVectors.name,
                [
                    Embedded(
                        states[places[at]].no << 32 | corpus.rank(at) + 1,
                        1,
                        encode(corpus.vectors[at]),
                    )
                    for at in some
                ],
            )

    ingest = _seconds("records, terms and vectors", put)
    assert store.counts()["unembedded"] == 0
    engine = memory._services.runtime.parts.partition_search
    assert engine is not None

    def prepare() -> None:
        engine.searched(store.states([place_of(0)]))
        engine._partitions.wait(3600.0)  # type: ignore[attr-defined]

    index = _seconds("large scope filled in and indexed", prepare)
    assert engine.searched(store.states([place_of(0)])), "not prepared"
    with store._db.reading("default") as connection:  # type: ignore[attr-defined]
        sizes = {name: int(size) for name, size in connection.execute(_SIZES)}
    return {"ingest": ingest, "index": index, "sizes": sizes}


def _compare(
    memory: Memory, plain: PlainSql, corpus: MadeUpRecords, embedder: KnownVectors
) -> Results:
    found: Results = {}
    sizes = {
        "small": range(1 + corpus.middles, corpus.scopes),
        "middle": range(1, 1 + corpus.middles),
        "large": range(1),
    }
    for name, of_size in sizes.items():
        if not of_size:
            continue
        scopes = [of_size[at % len(of_size)] for at in range(ASKED + WARM_UP)]
        questions = corpus.questions(scopes)
        embedder.vectors = {one.text: one.vector for one in questions}
        cached = memory._services.runtime.embedder
        assert cached is not None
        cached.queries(list(embedder.vectors))

        def ask(question: Question) -> None:
            result = memory.recall(
                Scope(group=f"scope{question.scope}"), question.text, top_k=TOP, deadline=PATIENT
            )
            assert result.hits and result.level == "hybrid", result

        began = time.perf_counter()
        ask(questions[0])
        first = time.perf_counter() - began
        for scope in sorted(set(scopes)):
            for one in [one for one in questions if one.scope == scope][:2]:
                ask(one)  # the index is read, statements are prepared
                plain.ask(one)
        for one in questions[:WARM_UP]:
            ask(one)
            plain.ask(one)
        time.sleep(SETTLING)  # records of small scopes are read into memory in the background
        asked = questions[WARM_UP:]
        ours, theirs = interleaved([(partial(ask, one), partial(plain.ask, one)) for one in asked])
        found[name] = {
            "first": first,
            "taishi": Spread.of(ours).as_dict(),
            "plain": Spread.of(theirs).as_dict(),
            "overlap": _overlap(memory, plain, corpus, asked[:OVERLAPS]),
        }
        found[name] |= _other_ways(plain, corpus, asked, found[name]["overlap"]["taishi"])
        print(f"  {name}: {found[name]}", flush=True)
    return found


def _other_ways(
    plain: PlainSql, corpus: MadeUpRecords, questions: Sequence[Question], overlap: float
) -> Results:
    """Plain SQL that looks for any of the words; with the rows of each scope side by side; and one
    whose vectors are as exact as ours."""
    ways: Results = {}
    some = questions[:OVERLAPS]
    ways["any_word"] = Spread.of([timed(partial(plain.ask, one, True)) for one in some]).as_dict()
    if questions[0].scope:
        plain.table = BY_SCOPE
        for one in some:
            plain.ask(one)
        ways["by_scope"] = Spread.of([timed(partial(plain.ask, one)) for one in some]).as_dict()
        plain.table = EVERY
    for ef_search in EF_SEARCHES:
        plain.look_at(ef_search)
        shares = [_share(plain, corpus, one) for one in some]
        if float(np.mean(shares)) >= overlap or ef_search == EF_SEARCHES[-1]:
            times = Spread.of([timed(partial(plain.ask, one)) for one in some]).as_dict()
            ways["as_exact"] = {**times, "ef_search": ef_search, "overlap": float(np.mean(shares))}
            break
    plain.look_at(EF_SEARCHES[0])
    return ways


def _share(plain: PlainSql, corpus: MadeUpRecords, question: Question) -> float:
    near = plain.nearest(question, TOP)
    return len(corpus.exact(question, TOP) & {id for id, _ in near}) / TOP


def _overlap(
    memory: Memory, plain: PlainSql, corpus: MadeUpRecords, questions: Sequence[Question]
) -> Results:
    """Of the ten nearest by exact cosine, how many are the first ten of each vector path."""
    source = memory._services.retriever.source
    ours, theirs = [], []
    for question in questions:
        exact = corpus.exact(question, TOP)
        visible = (VisiblePartition(place_of(question.scope)),)
        request = CandidateRequest(
            question.text,
            lambda visible=visible: visible,
            RecordFilter(time.time()),
            30,  # type: ignore[misc]
        )
        deadline = Deadline(PATIENT)
        candidates = source.candidates(request, source.snapshot(request, deadline), deadline)
        assert candidates is not None
        rows = candidates.ranked["vector"][:TOP]
        members = corpus.members[question.scope]
        numbers = [n for n, _ in candidates.details.identities(rows)]
        ours.append(len(exact & {int(members[(n & 0xFFFFFFFF) - 1]) for n in numbers}) / TOP)
        theirs.append(_share(plain, corpus, question))
    return {"taishi": float(np.mean(ours)), "plain": float(np.mean(theirs))}


def _show(results: Results) -> None:
    count = results["records"]
    plain, ours = results["plain"], results["taishi"]
    rows = [
        Row("ingest, plain SQL", f"{count / plain['ingest']:,.0f} records/s"),
        Row("ingest, Taishi", f"{count / ours['ingest']:,.0f} records/s"),
        Row("indexes, plain SQL", f"{plain['index']:,.1f} s"),
        Row("large scope filled in and indexed", f"{ours['index']:,.1f} s"),
        Row("sizes, plain SQL (MB)", _megabytes(plain["sizes"])),
        Row("sizes, Taishi (MB)", _megabytes(ours["sizes"])),
    ]
    for name in ("small", "middle", "large"):
        if name not in results:
            continue
        one = results[name]
        a, b = one["taishi"], one["plain"]
        factor = b["p95"] / a["p95"]
        is_large = name == "large"
        met = 1 / factor <= LARGE_BAR if is_large else factor >= SMALL_BAR
        bar = f"≤ {LARGE_BAR} × its time" if is_large else f"≥ {SMALL_BAR} × faster"
        rows += [
            Row(f"{name} scope, plain SQL", _times(b)),
            Row(f"{name} scope, plain SQL, any word", _times(one["any_word"])),
            *(
                [Row(f"{name} scope, plain SQL, rows by scope", _times(one["by_scope"]))]
                if "by_scope" in one
                else []
            ),
            Row(
                f"{name} scope, plain SQL, ef_search {one['as_exact']['ef_search']}, "
                f"overlap {one['as_exact']['overlap']:.3f}",
                _times(one["as_exact"]),
            ),
            Row(
                f"{name} scope, Taishi",
                f"p50 {a['p50']:.2f}, p95 {a['p95']:.2f} ms ({factor:.2f} × as fast at p95, "
                f"{b['p50'] / a['p50']:.2f} × at p50)",
                bar,
                met,
            ),
            Row(
                f"{name} scope, overlap@10 with exact cosine",
                f"plain {one['overlap']['plain']:.3f}, Taishi {one['overlap']['taishi']:.3f}",
                "≥ plain",
                one["overlap"]["taishi"] >= one["overlap"]["plain"],
            ),
        ]
    show("PostgreSQL", rows)


def _times(spread: Results) -> str:
    return f"p50 {spread['p50']:.2f}, p95 {spread['p95']:.2f} ms"


def _megabytes(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} {size / 2**20:,.0f}" for name, size in sorted(sizes.items()))
