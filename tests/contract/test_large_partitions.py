"""Partitions that are too large for memory are searched in PostgreSQL, with the same promises."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import psycopg
import pytest

from support.hash_embedder import HashEmbedder
from support.large_partitions import PREPARING_SECONDS, SearchedInDatabase
from taishi import load
from taishi.backends.memory_cache import MemoryCache
from taishi.backends.postgres import large_partitions, partition_search
from taishi.backends.postgres.database import ALL
from taishi.backends.sqlite import SqliteStore
from taishi.domain.filter_parser import parse_filters
from taishi.ingest.embedding import embed_some
from taishi.models.cached_embedder import CachedEmbedder
from taishi.ports import (
    CandidateRequest,
    CandidateSource,
    LargePartition,
    NearestQuery,
    RecordFilter,
    SearchTarget,
    WordsQuery,
)
from taishi.recall.deadline import BoundedExecutor, Deadline
from taishi.recall.index_cache import IndexCache
from taishi.recall.partition_source import PartitionSource
from taishi.recall.retriever import RecallRequest, Retriever
from taishi.recall.vector_codec import code_size
from taishi.types import Edit, Partition, Record, VisiblePartition

NOW = 1_700_000_000.0
GROUP = Partition("default", "group", "club")
SHARED = Partition("default", "workspace", "default")
PATIENT = 20.0
PARITY_QUESTIONS = 20
PEOPLE = ("Ann", "Bob", "Cem", "Dora")
DEEDS = ("bought", "sold", "lost", "painted", "repaired", "found", "carried", "described", "hid")


def words(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    syllables = [c + v for c in "bdfgklmnprtvz" for v in "aiou"]
    return ["".join(rng.choices(syllables, k=3)) for _ in range(count)]


THINGS, PLACES = ["boat", "tea", *words(120, 1)], ["Oslo", *words(60, 2)]


TEMPLATES = (
    "{who} {deed} the {one} with the {other} in {place}.",
    "In {place}, {who} told us how somebody {deed} a {one}.",
    "{one} and {other}: {who} never {deed} any of them.",
    "We went to {place} because of the {one}, {who} said.",
    "{who}'s {one} was {deed} near {place} last year",
    "Nobody {deed} my {other}, not even {who}!",
    "{place} is where {who} keeps an old {one}.",
    "Yes, {who} {deed} it, the {other} that came from {place}.",
    "Was it {who} who {deed} that {one}?",
)


def texts(count: int, seed: int = 3) -> list[str]:
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        one, other = rng.sample(THINGS, 2)
        who, deed, place = (rng.choice(some) for some in (PEOPLE, DEEDS, PLACES))
        template = rng.choice(TEMPLATES)
        made.append(template.format(who=who, deed=deed, one=one, other=other, place=place))
    return made


def records(count: int, place: Partition = GROUP, seed: int = 3) -> list[Record]:
    rng = random.Random(seed)
    return [
        Record(
            str(number),
            place,
            rng.choice(("event", "event", "fact")),
            text,
            time=NOW - 3600.0 * (count - number),
            created=NOW,
            user="u",
            speaker=rng.choice(PEOPLE),
            session=f"s{number // 12}",
        )
        for number, text in enumerate(texts(count, seed))
    ]


STARTS = ("Who bought", "What did Ann do with", "When was it that Bob lost", "Tell me about")
QUESTIONS = [
    f"{STARTS[at % 4]} the {THINGS[at]} and the {THINGS[-at]} in {PLACES[at]}"
    + ("?" if at % 3 else "? It rained on that day. Who told us?")
    for at in range(1, 41)
]


@pytest.fixture
def searched(postgres: str) -> Iterator[SearchedInDatabase]:
    opened = SearchedInDatabase.open(postgres)
    yield opened
    opened.close()


def visible_of(*places: Partition) -> tuple[VisiblePartition, ...]:
    return tuple(VisiblePartition(one) for one in places)


def hits(
    source: CandidateSource,
    question: str,
    *places: Partition,
    top_k: int = 10,
    filters: object = None,
) -> list[str]:
    visible = visible_of(*(places or (GROUP,)))
    retriever = Retriever(source, lambda: load(environ={}).query)
    wanted = RecordFilter(NOW, filters=parse_filters(filters, UTC))
    request = RecallRequest(question, lambda: visible, top_k, wanted, floor=0.0)
    result = retriever.recall(request, Deadline(PATIENT))
    assert result.level == "hybrid", result.paths
    return [f"{record.place.id}/{record.id}" for record, _ in result.hits]


def rows_in(searched: SearchedInDatabase, table: str) -> int:
    return int(searched.db.scalar(ALL, f"SELECT count(*) FROM {table}"))


def large(searched: SearchedInDatabase, place: Partition = GROUP) -> LargePartition | None:
    return searched.engine.searched(searched.store.states([place])).get(place)


# -- the same answers ----------------------------------------------------------------------------


def in_memory(folder: Path, some: Sequence[Record]) -> tuple[SqliteStore, PartitionSource]:
    store = SqliteStore(folder / "taishi.db")
    embedder = CachedEmbedder(HashEmbedder(), MemoryCache(), 1.0)
    store.adopt_model(embedder.name, code_size(embedder.dimensions))
    store.apply([Edit("put", one) for one in some])
    while embed_some(store, embedder)[1]:
        pass
    indexes = IndexCache(store, embedder.name, embedder.dimensions, 1 << 26)
    return store, PartitionSource(store, indexes, embedder)


def test_Q1_a_search_in_sql_finds_what_an_index_in_memory_finds(
    searched: SearchedInDatabase, tmp_path: Path
) -> None:
    some = records(800)
    searched.put(some)
    searched.prepare([GROUP])
    assert large(searched) is not None
    store, source = in_memory(tmp_path, some)
    shares = []
    for question in QUESTIONS[:PARITY_QUESTIONS]:
        expected, found = set(hits(source, question)), set(hits(searched.source, question))
        shares.append(len(expected & found) / len(expected))
    store.close()
    assert sum(shares) / PARITY_QUESTIONS >= 0.99, shares


def test_large_and_small_partitions_are_answered_together(searched: SearchedInDatabase) -> None:
    rule = Record("rule", SHARED, "fact", "Every boat of Oslo is insured", created=NOW, time=NOW)
    searched.partitions.limit = 50
    searched.put([*records(120), rule])
    searched.prepare([GROUP, SHARED])
    assert large(searched) is not None and large(searched, SHARED) is None
    found = hits(searched.source, "Is every boat of Oslo insured?", GROUP, SHARED)
    assert "default/rule" in found and any(one.startswith("club/") for one in found)
    assert searched.source.stats()["searched_in_database"] == 1


@pytest.mark.parametrize("most", [2000, 20])
def test_Q10_filters_select_before_the_search_ranks(
    searched: SearchedInDatabase, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Few that fit are compared one by one; of many, the database looks at what it finds."""
    monkeypatch.setattr(partition_search, "MAX_MARKED", most)
    some = [
        replace(one, data={"rare": number % 250 == 7, "half": number % 2})
        for number, one in enumerate(records(1000))
    ]
    searched.put(some)
    searched.prepare([GROUP])
    assert large(searched) is not None
    rare = {f"club/{n}" for n in range(1000) if n % 250 == 7}
    for question in QUESTIONS[:3]:
        found = hits(searched.source, question, filters={"metadata.rare": True})
        assert set(found) == rare
        found = hits(searched.source, question, filters={"metadata.half": 1})
        assert len(found) == 10 and all(int(one.removeprefix("club/")) % 2 for one in found)
        assert hits(searched.source, question, filters={"metadata.half": 3}) == []


# -- scope ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_S3_nothing_of_another_scope_is_found(searched: SearchedInDatabase, seed: int) -> None:
    rng = random.Random(seed)
    places = [Partition(w, "group", g) for w in ("default", "other") for g in ("x", "y")]
    every = [one for place in places for one in records(25, place, seed=7)]
    rng.shuffle(every)
    searched.put(every)
    searched.prepare(places)
    for place in places:
        for question in rng.sample(QUESTIONS, 3):
            found = hits(searched.source, question, place)
            assert found and {one.split("/")[0] for one in found} == {place.id}
        seen = searched.source.candidates(*asked(searched, rng.choice(QUESTIONS), place))
        assert seen is not None
        no = searched.store.states([place])[place].no
        assert {n >> 32 for n, _ in seen.details.identities(seen.rows)} == {no}


def asked(searched: SearchedInDatabase, text: str, place: Partition):  # type: ignore[no-untyped-def]
    visible = visible_of(place)
    request = CandidateRequest(text, lambda: visible, RecordFilter(NOW), 30)
    deadline = Deadline(PATIENT)
    return request, searched.source.snapshot(request, deadline), deadline


def test_S3_a_forged_partition_number_gives_nothing(searched: SearchedInDatabase) -> None:
    """The second wall: our own filter is passed over, and the database says no."""
    mine, theirs = Partition("default", "group", "x"), Partition("other", "group", "x")
    searched.put([*records(20, mine), *records(20, theirs)])
    searched.prepare([mine, theirs])
    target = large(searched, theirs)
    assert target is not None
    term = int(target.statistics.terms[0])
    vector = searched.embedder.embed([QUESTIONS[0]], "query")[0]
    wanted = RecordFilter(NOW)
    words = WordsQuery([(int(one),) for one in target.statistics.terms], 100, 5)
    nearest = NearestQuery([vector], 10, speakers=PEOPLE, markers=[term])

    def found_as(place: Partition) -> tuple[int, int, int, int]:
        forged = LargePartition(place, target.no, target.statistics)
        seen = SearchTarget(forged, VisiblePartition(place), wanted)
        found = searched.engine.with_words(seen, words, Deadline(PATIENT))
        by_vector = searched.engine.nearest(seen, nearest, Deadline(PATIENT))
        numbers = [target.no << 32 | n for n in range(1, 21)]
        rows = searched.engine.rows(forged, numbers, numbers, Deadline(PATIENT))
        near = sum(len(some) for some in by_vector)
        return len(found.rows), len(found.newest), near, len(rows.rows)

    by_words, newest, near, rows = found_as(theirs)
    assert (by_words, newest, rows) == (20, 5, 20) and near > 20, "the control"
    assert found_as(mine) == (0, 0, 0, 0)
    assert found_as(Partition("", "group", "x")) == (0, 0, 0, 0)


# -- deadlines -----------------------------------------------------------------------------------


def test_Q2_a_late_path_is_left_out_and_named(searched: SearchedInDatabase, postgres: str) -> None:
    searched.put(records(60))
    searched.prepare([GROUP])
    visible = visible_of(GROUP)
    request = CandidateRequest("the boat in Oslo", lambda: visible, RecordFilter(NOW), 30)
    snapshot = searched.source.snapshot(request, Deadline(PATIENT))
    with psycopg.connect(postgres) as other:
        other.execute("LOCK TABLE record_vectors IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        candidates = searched.source.candidates(request, snapshot, Deadline(1.0))
        took = time.monotonic() - began
        assert candidates is not None and len(candidates) >= 5
        assert candidates.paths["vector"] == "late" and candidates.paths["keyword"] == "ok"
        assert candidates.level == "keyword" and took < 1.5
        other.rollback()
        candidates = searched.source.candidates(request, snapshot, Deadline(PATIENT))
    assert candidates is not None and candidates.paths["vector"] == "ok"


def test_Q2_a_database_that_hangs_does_not_hold_the_answer_up(
    searched: SearchedInDatabase, postgres: str
) -> None:
    searched.put(records(30))
    searched.prepare([GROUP])
    assert hits(searched.source, "the boat in Oslo")
    visible = visible_of(GROUP)
    retriever = Retriever(searched.source, lambda: load(environ={}).query)
    request = RecallRequest("the tea", lambda: visible, 5, RecordFilter(NOW), reader=visible)
    assert retriever.recall(request, Deadline(PATIENT)).hits
    with psycopg.connect(postgres) as other:
        other.execute("LOCK TABLE index_rows IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        result = retriever.recall(request, Deadline(0.3))
        assert time.monotonic() - began < 1.0
        assert result.level == "empty" and "late" in result.paths.values()


class SlowEmbedder(HashEmbedder):
    """As one on another machine is."""

    def embed(self, texts, kind):  # type: ignore[no-untyped-def]
        time.sleep(0.05)
        return super().embed(texts, kind)


def test_Q1_words_are_searched_while_a_slow_embedder_is_waited_for(
    searched: SearchedInDatabase,
) -> None:
    searched.put(records(60))
    searched.prepare([GROUP])
    expected = hits(searched.source, QUESTIONS[0])
    executor = BoundedExecutor("vector", 1)
    slow = CachedEmbedder(SlowEmbedder(), MemoryCache(), 1.0, executor)
    executor.start(lambda: time.sleep(0.05))  # it has not even begun when we first look
    source = PartitionSource(
        searched.store, searched.source.indexes, slow, large=searched.source._large
    )
    assert hits(source, QUESTIONS[0]) == expected
    executor.close()


# -- growing and shrinking -----------------------------------------------------------------------


def test_B1_a_partition_grows_over_the_limit_while_it_is_written_to(
    searched: SearchedInDatabase,
) -> None:
    searched.partitions.limit = 100
    some = records(600)
    searched.put(some[:90])
    assert hits(searched.source, QUESTIONS[0]) and large(searched) is None
    assert rows_in(searched, "record_terms") == 0
    written = threading.Event()

    def write() -> None:
        for start in range(90, 600, 30):
            searched.store.apply([Edit("put", one) for one in some[start : start + 30]])
            embed_some(searched.store, searched.embedder)
            searched.store.apply([Edit("remove", place=GROUP, id=str(start - 5))])
        while embed_some(searched.store, searched.embedder)[1]:
            pass
        written.set()

    writer = threading.Thread(target=write)
    writer.start()
    until = time.monotonic() + PREPARING_SECONDS
    while not written.is_set() and time.monotonic() < until:
        searched.partitions.forget()  # as if a minute passed
        assert hits(searched.source, random.choice(QUESTIONS))
    writer.join()
    searched.partitions.forget()
    searched.prepare([GROUP])
    assert large(searched) is not None
    expected = 600 - 17
    assert rows_in(searched, "index_rows") == expected
    assert rows_in(searched, "record_terms") == rows_in(searched, "record_vectors") == expected
    assert searched.source.indexes.stats()["places"] <= 1


def test_B1_large_partitions_have_indexes_of_their_own_until_they_shrink(
    searched: SearchedInDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_partitions, "INDEXED_FROM", 50)
    searched.partitions.limit = 60
    searched.put(records(150))
    searched.prepare([GROUP])
    assert (found := large(searched)) is not None and found.has_vectors
    assert len(own_indexes(searched)) == 5
    assert len(hits(searched.source, QUESTIONS[0])) == 10
    searched.store.apply([Edit("remove", place=GROUP, id=str(n)) for n in range(140)])
    searched.partitions.forget()
    searched.prepare([GROUP])
    assert large(searched) is None, "it is small again"
    assert own_indexes(searched) == [] and rows_in(searched, "record_terms") == 0
    assert rows_in(searched, "record_vectors") == 0
    assert len(hits(searched.source, QUESTIONS[0])) == 10


def own_indexes(searched: SearchedInDatabase) -> list[str]:
    sql = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'large\\_%'"
    with searched.db.reading(ALL) as connection:
        return [name for (name,) in connection.execute(sql)]


# -- forgetting ----------------------------------------------------------------------------------


def test_O2_what_is_forgotten_is_in_no_table_of_the_search(searched: SearchedInDatabase) -> None:
    searched.put([*records(40), *records(5, SHARED)])
    searched.prepare([GROUP, SHARED])
    assert rows_in(searched, "record_terms") == rows_in(searched, "record_vectors") == 45
    searched.store.erasure.forget_place(GROUP)
    searched.source.forget(GROUP, [SHARED])
    assert rows_in(searched, "record_terms") == rows_in(searched, "record_vectors") == 5
    found = hits(searched.source, "the boat in Oslo", GROUP, SHARED)
    assert {one.split("/")[0] for one in found} == {"default"}
    assert not searched.partitions._counted.keys() - {
        state.no for state in searched.store.states([SHARED]).values()
    }
