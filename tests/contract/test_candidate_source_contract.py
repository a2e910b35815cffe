"""Every candidate source keeps the promises of ports.CandidateSource, and recall works on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.brute_force import BruteForceSource
from support.hash_embedder import DIMENSIONS, HashEmbedder
from taishi import load
from taishi.backends.memory_cache import MemoryCache
from taishi.backends.sqlite import SqliteStore
from taishi.ingest.embedding import embed_some
from taishi.models.cached_embedder import CachedEmbedder
from taishi.ports import CandidateRequest, Candidates, CandidateSource, RecordFilter
from taishi.recall.deadline import Deadline
from taishi.recall.index_cache import IndexCache
from taishi.recall.int8_vector_search import Int8VectorSearch
from taishi.recall.partition_source import PartitionSource
from taishi.recall.retriever import RecallRequest, Retriever
from taishi.recall.vector_codec import code_size
from taishi.types import Edit, Partition, Record, VisiblePartition

HOME = Partition("default", "private", "ann")
GROUP = Partition("default", "group", "club")
COMMONS = Partition("default", "workspace", "default")
BOBS = Partition("default", "private", "bob")
NOW = 1_000_000.0
DAY = 86_400.0
Build = Callable[[Sequence[Record], Path], tuple[CandidateSource, Callable[[], None]]]


def record(id: str, text: str, place: Partition = HOME, **changes: Any) -> Record:
    plain = Record(id, place, "event", text, time=NOW - DAY, created=NOW - DAY, user="ann")
    return replace(plain, **changes)


RECORDS = [
    record("boat", "Ann bought a red boat in Oslo"),
    record("tea", "Ann drinks green tea every morning", kind="fact"),
    record("rain", "It rained in the harbour", time=NOW - 90 * DAY),
    record("old", "Ann lived in Bergen with a boat", kind="fact", until=NOW - 10),
    record("doubt", "Ann may sell the boat", kind="fact", state="candidate"),
    record("club", "Ann told the club about a boat trip", GROUP),
    record("bob", "Bob told the club about a boat race", GROUP, user="bob"),
    record("rule", "Every boat of the workspace is insured", COMMONS, user=None),
    record("secret", "Bob hides his boat from Ann", BOBS, user="bob"),
]


def in_process(records: Sequence[Record], folder: Path) -> tuple[CandidateSource, Any]:
    store = SqliteStore(folder / "taishi.db")
    embedder = CachedEmbedder(HashEmbedder(), MemoryCache(), 1.0)
    store.apply([Edit("put", one) for one in records])
    store.adopt_model(embedder.name, code_size(embedder.dimensions))
    while embed_some(store, embedder)[1]:
        pass
    indexes = IndexCache(store, embedder.name, embedder.dimensions, 1 << 24)
    source = PartitionSource(store, indexes, embedder)
    return source, store.close


def brute_force(records: Sequence[Record], folder: Path) -> tuple[CandidateSource, Any]:
    return BruteForceSource(records, HashEmbedder()), lambda: None


def brute_force_on_int8(records: Sequence[Record], folder: Path) -> tuple[CandidateSource, Any]:
    return BruteForceSource(records, HashEmbedder(), Int8VectorSearch(DIMENSIONS)), lambda: None


def in_database(records: Sequence[Record], address: str) -> tuple[CandidateSource, Any]:
    from support.large_partitions import SearchedInDatabase

    searched = SearchedInDatabase.open(address)
    searched.put(records)
    places = {one.place for one in records}
    searched.prepare(sorted(places))
    assert searched.engine.searched(searched.store.states(sorted(places))).keys() == places
    return searched.source, searched.close


SOURCES: dict[str, Build] = {
    "partition index": in_process,
    "brute force": brute_force,
    "brute force on int8 vectors": brute_force_on_int8,
}
IN_DATABASE = "search in PostgreSQL"
Opened = Callable[..., CandidateSource]


@pytest.fixture(params=[*SOURCES, IN_DATABASE])
def open_source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    closing: list[Callable[[], None]] = []

    def open_one(records: Sequence[Record] = RECORDS) -> CandidateSource:
        if request.param == IN_DATABASE:
            source, close = in_database(records, request.getfixturevalue("postgres"))
        else:
            source, close = SOURCES[request.param](records, tmp_path)
        closing.extend([source.close, close])
        return source

    yield open_one
    for close in closing:
        close()


@pytest.fixture
def source(open_source: Opened) -> CandidateSource:
    return open_source()


def request_of(
    text: str, *visible: VisiblePartition, count: int = 30, **wanted: Any
) -> CandidateRequest:
    seen = visible or (VisiblePartition(HOME),)
    return CandidateRequest(text, lambda: seen, RecordFilter(NOW, **wanted), count, reader=seen)


def ask(source: CandidateSource, request: CandidateRequest) -> Candidates | None:
    deadline = Deadline(10.0)
    return source.candidates(request, source.snapshot(request, deadline), deadline)


def records_of(candidates: Candidates) -> list[Record]:
    """The records of all candidates, row by row."""
    found = candidates.details.records(candidates.rows, lambda read: read())
    return [found[number] for number, _ in candidates.details.identities(candidates.rows)]


def ids(source: CandidateSource, request: CandidateRequest) -> set[str]:
    candidates = ask(source, request)
    return set() if candidates is None else {one.id for one in records_of(candidates)}


# -- what is found -----------------------------------------------------------------------------


def test_columns_have_one_entry_for_each_candidate(source: CandidateSource) -> None:
    candidates = ask(source, request_of("Where is the red boat?", *visible_of(HOME, GROUP)))
    assert candidates is not None and len(candidates) >= 3
    columns = (
        "times", "sessions", "kinds", "first", "unembedded", "cosine", "nearness", "coverage",
        "around", "session_coverage", "relevance",
    )  # fmt: skip
    assert {len(getattr(candidates, name)) for name in columns} == {len(candidates)}
    rows = candidates.rows
    assert (np.diff(rows) > 0).all(), "ascending, once each"
    assert set(np.concatenate(list(candidates.ranked.values())).tolist()) == set(rows.tolist())
    kinds = [candidates.kind_names[code] for code in candidates.kinds]
    assert kinds == [one.kind for one in records_of(candidates)]
    assert candidates.times.tolist() == [one.time for one in records_of(candidates)]
    assert candidates.sessions.max(initial=-1) < max(candidates.session_count, 1)
    details = candidates.details
    assert len(details.said(rows)) == len(details.shared(rows)) == len(rows)
    assert len(details.vectors(rows)) == len(rows)
    assert (trust := details.trust(rows)) is None or len(trust) == len(rows)


def test_both_paths_take_part_and_say_so(source: CandidateSource) -> None:
    candidates = ask(source, request_of("Ann bought a red boat in Oslo"))
    assert candidates is not None and source.uses_vectors
    assert candidates.level == "hybrid"
    assert candidates.paths["keyword"] == candidates.paths["vector"] == "ok"
    for path in ("keyword", "vector"):
        number, _ = candidates.details.identities(candidates.ranked[path][:1])[0]
        (first,) = candidates.details.records(
            candidates.ranked[path][:1], lambda read: read()
        ).items()
        assert first[0] == number and first[1].id == "boat", path
    best = int(np.flatnonzero([one.id == "boat" for one in records_of(candidates)])[0])
    assert candidates.nearness[best] == candidates.nearness.max() > 0.9
    assert candidates.coverage[best] == candidates.coverage.max() > 0.9


def test_a_path_returns_at_most_so_many(open_source: Opened) -> None:
    source = open_source([record(str(n), f"boat number {n} in the harbour") for n in range(40)])
    candidates = ask(source, request_of("boat in the harbour", count=7))
    assert candidates is not None
    assert len(candidates.ranked["keyword"]) == len(candidates.ranked["vector"]) == 7


# -- what may be read --------------------------------------------------------------------------


def visible_of(*partitions: Partition) -> tuple[VisiblePartition, ...]:
    return tuple(VisiblePartition(one) for one in partitions)


@pytest.mark.parametrize(
    ("partitions", "expected"),
    [
        ((HOME,), {"boat", "tea", "rain"}),
        ((HOME, GROUP), {"boat", "tea", "rain", "club", "bob"}),
        ((HOME, COMMONS), {"boat", "tea", "rain", "rule"}),
        ((BOBS,), {"secret"}),
    ],
)
def test_nothing_is_found_outside_of_what_may_be_read(
    source: CandidateSource, partitions: tuple[Partition, ...], expected: set[str]
) -> None:
    found = ids(source, request_of("Who has a boat, Ann or Bob?", *visible_of(*partitions)))
    assert found == expected


def test_of_a_group_only_one_users_records_may_be_read(source: CandidateSource) -> None:
    only = VisiblePartition(GROUP, only_user="ann")
    assert ids(source, request_of("boat", only)) == {"club"}
    assert ids(source, request_of("boat", VisiblePartition(GROUP))) == {"club", "bob"}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, {"boat", "tea", "rain"}),
        ({"kinds": ("fact",)}, {"tea"}),
        ({"kinds": ()}, set()),
        ({"states": ("candidate",)}, {"doubt"}),
        ({"states": ("approved", "candidate")}, {"boat", "tea", "rain", "doubt"}),
        ({"time_from": NOW - 2 * DAY}, {"boat", "tea"}),
        ({"time_to": NOW - 2 * DAY}, {"rain"}),
    ],
)
def test_only_what_is_asked_for_is_found(
    source: CandidateSource, wanted: dict[str, Any], expected: set[str]
) -> None:
    assert ids(source, request_of("Ann and the boat in the harbour", **wanted)) == expected


def test_of_the_past_what_held_then_is_found_and_not_what_was_withdrawn(
    open_source: Opened,
) -> None:
    now = record("now", "Ann has a boat in the harbour")
    old = {"state": "superseded", "until": NOW - DAY}
    ended = replace(record("ended", "Ann had a boat in the harbour"), since=NOW - 9 * DAY, **old)
    open_start = replace(record("before", "Ann kept a boat in the harbour"), **old)
    withdrawn = replace(record("never", "Ann sold a boat in the harbour"), since=NOW - DAY, **old)
    source = open_source([now, ended, open_start, withdrawn])
    question = "Which boat did Ann have in the harbour?"
    found = ids(source, request_of(question, asked=(NOW - 3 * DAY, NOW)))
    assert found == {"now", "ended", "before"}


def test_where_nothing_is_there_are_no_candidates(source: CandidateSource) -> None:
    nowhere = Partition("default", "private", "nobody")
    assert ask(source, request_of("boat", *visible_of(nowhere))) is None


def test_what_was_forgotten_is_not_found(source: CandidateSource) -> None:
    assert ids(source, request_of("boat", *visible_of(HOME, GROUP))) >= {"boat", "club"}
    if isinstance(source, PartitionSource):
        source.records._store.erasure.forget_place(GROUP)
    source.forget(GROUP, [HOME])
    source.forget_texts()
    found = ids(source, request_of("boat", *visible_of(HOME, GROUP)))
    assert found == {"boat", "tea", "rain"}


def test_a_warm_snapshot_is_the_same_or_is_not_there(source: CandidateSource) -> None:
    request = request_of("boat")
    first = source.snapshot(request, Deadline(10.0))
    warm = source.warm_snapshot(request)
    assert warm is None or (warm.visible, warm.version) == (first.visible, first.version)
    stale = replace(request, unchanged=lambda: False)
    assert source.warm_snapshot(stale) is None
    assert source.warm_snapshot(replace(request, reader=None)) is None


# -- the whole way -----------------------------------------------------------------------------


@pytest.fixture
def retriever(source: CandidateSource) -> Iterator[Retriever]:
    retriever = Retriever(source, lambda: load(environ={}).query, results_minutes=1.0)
    yield retriever
    retriever.close()


def recall_request(text: str, top_k: int = 5, **changes: Any) -> RecallRequest:
    visible = visible_of(HOME, GROUP, COMMONS)
    request = RecallRequest(text, lambda: visible, top_k, RecordFilter(NOW), reader=visible)
    return replace(request, **changes)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What colour is the boat that Ann bought in Oslo?", "boat"),
        ("What does Ann drink in the morning? green tea", "tea"),
        ("Did it rain in the harbour? It rained", "rain"),
        ("What did Bob tell the club about a race?", "bob"),
    ],
)
def test_recall_answers_from_any_source(retriever: Retriever, question: str, expected: str) -> None:
    result = retriever.recall(recall_request(question), Deadline(10.0))
    assert result.level == "hybrid" and result.hits[0][0].id == expected
    scores = [score for _, score in result.hits]
    assert scores == sorted(scores, reverse=True)
    again = retriever.recall(recall_request(question, top_k=1), Deadline(10.0))
    assert [one.id for one, _ in again.hits] == [expected]


def test_recall_explains_from_any_source(retriever: Retriever) -> None:
    result = retriever.recall(recall_request("the red boat", 2, explain=True), Deadline(10.0))
    explained = {record.id: why for record, why in result.explained}
    shown = [record.id for record, _ in result.hits]
    assert [id for id in explained if explained[id].dropped is None] == shown
    assert explained["boat"].paths["keyword"] >= 1 and explained["boat"].cosine > 0
    assert "secret" not in explained and len(explained) > 2


def test_an_answer_is_cached_until_the_version_changes(retriever: Retriever) -> None:
    request = recall_request("the red boat", live=True)
    first = retriever.recall(request, Deadline(10.0))
    assert retriever.recall(request, Deadline(10.0)) is first
    retriever.forget_texts()
    assert retriever.recall(request, Deadline(10.0)) is not first


# -- expansion ---------------------------------------------------------------------------------


class Neighbours:
    """Adds what belongs with a hit, just behind it."""

    def __init__(self, *added: Record) -> None:
        self._added = added

    def expand(self, hits: Sequence[tuple[Record, float]]) -> list[tuple[Record, float]]:
        return [*hits[:1], *((one, 0.0) for one in self._added), *hits[1:]]


def expanded(source: CandidateSource, *added: Record) -> list[str]:
    retriever = Retriever(source, lambda: load(environ={}).query, expander=Neighbours(*added))
    result = retriever.recall(recall_request("Ann bought a red boat", 2, floor=0.0), Deadline(10.0))
    searched = retriever.search(recall_request("Ann bought a red boat", 2), Deadline(10.0))
    assert not {one.id for one in added} & {one.id for one, _ in searched.hits}
    return [one.id for one, _ in result.hits]


def test_an_expander_adds_to_the_hits_of_a_recall_and_not_of_a_search(
    source: CandidateSource,
) -> None:
    plain = expanded(source)
    assert len(plain) == 2
    page = record("page", "The page on which the boat is", HOME)
    assert expanded(source, page) == [plain[0], "page", plain[1]]


@pytest.mark.parametrize(
    "changes",
    [{"place": BOBS}, {"state": "rejected"}, {"until": NOW - 1}],
)
def test_an_expander_cannot_show_what_the_reader_may_not_see(
    source: CandidateSource, changes: dict[str, Any]
) -> None:
    page = record("page", "The page on which the boat is", HOME)
    assert "page" in expanded(source, page), "the control"
    assert "page" not in expanded(source, replace(page, **changes))
