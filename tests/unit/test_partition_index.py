"""The in-memory index of one place: it follows the store row by row and filters before it ranks."""

from __future__ import annotations

import json
import struct
import sys
import threading
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.language import analyzer
from taishi.ports import Changes, IndexRow, IndexSnapshot, PartitionState
from taishi.recall import index_cache
from taishi.recall import int8_matrix as vectors_module
from taishi.recall.bm25 import POSTING, SEGMENT_ROWS, TAIL_ROWS, Bm25Index
from taishi.recall.column_batch import ColumnBatch
from taishi.recall.index_cache import IndexCache
from taishi.recall.int8_matrix import MISSING, Int8Matrix
from taishi.recall.mmr import cosines
from taishi.recall.partition_index import PartitionIndex, RecordFilter
from taishi.recall.passage_index import packed as pack_passages
from taishi.recall.passage_index import unpacked
from taishi.recall.vector_codec import Int8Planes, decode, encode
from taishi.recall.vector_search import with_pieces
from taishi.types import Partition, VisiblePartition

HOME = Partition("default", "private", "ann")
NOW = 1e9
ALL = VisiblePartition(HOME)
DIMENSIONS = 16


def unit(*values: float) -> np.ndarray:
    row = np.zeros(16, np.float32)
    row[: len(values)] = values
    return row / np.linalg.norm(row)


def row(
    number: int,
    text: str = "tea",
    revision: int = 1,
    *,
    kind: str = "fact",
    state: str = "approved",
    time: float | None = 0.0,
    since: float | None = None,
    until: float | None = None,
    user: str | None = None,
    speaker: str | None = None,
    session: str | None = None,
    vector: np.ndarray | None = None,
    passages: Sequence[np.ndarray] = (),
) -> IndexRow:
    """A text with | in it is a long one, cut there."""
    code = None if vector is None else encode(vector)
    words = [analyzer.pack(analyzer.terms(passage)) for passage in text.split("|")]
    terms = analyzer.NEXT_PASSAGE.join(words)
    codes = pack_passages([encode(one) for one in passages])
    return IndexRow(
        number, revision, kind, state, time, since, until, user, speaker, session, 1.0, 0, terms,
        code, codes,
    )  # fmt: skip


def extend(postings: Bm25Index, texts: Sequence[str]) -> None:
    packed = [analyzer.pack(analyzer.terms(text)) for text in texts]
    sizes = np.array([len(row) // POSTING.itemsize for row in packed], np.int32)
    postings.extend(b"".join(packed), sizes)


def index_of(*rows: IndexRow) -> PartitionIndex:
    index = PartitionIndex(1, DIMENSIONS)
    index.apply(Changes(1, rows, []))
    return index


def found(
    index: PartitionIndex, text: str, sight: VisiblePartition = ALL, **limits: object
) -> set[int]:
    """Numbers of the rows that hold a word of the text and may be seen."""
    words = [analyzer.number_of(word) for word in analyzer.terms(text)]
    scores = index.keyword(index.rows, index.find(words))
    mask = index.mask(index.rows, sight, RecordFilter(NOW, **limits))  # type: ignore[arg-type]
    return {int(n) for n in index.numbers(index.rows)[mask & (scores > 0)]}


def test_rows_are_found_changed_and_struck_out() -> None:
    index = index_of(row(1, "tea oslo"), row(2, "tea bergen"))
    assert found(index, "tea") == {1, 2}
    index.apply(Changes(2, [row(1, "coffee", 2), row(3, "tea")], [2]))
    assert found(index, "tea") == {3}
    assert found(index, "coffee") == {1}
    assert found(index, "oslo bergen") == set()
    assert index.seq == 2


def test_the_same_changes_twice_are_the_same_as_once() -> None:
    index = index_of(row(1, "tea"), row(2, "tea", vector=unit(1)))
    changes = Changes(2, [row(1, "coffee", 2, vector=unit(1))], [2])
    index.apply(changes)
    rows, vectors = index.rows, index.vector_count
    index.apply(changes)
    assert (index.rows, index.vector_count) == (rows, vectors)
    assert found(index, "tea coffee") == {1}


def test_a_vector_that_comes_later_joins_its_row() -> None:
    index = index_of(row(1), row(2))
    assert list(index.cosines(2, unit(1))) == [MISSING, MISSING]
    index.apply(Changes(2, [row(2, vector=unit(1))], []))
    assert index.rows == 2
    scores = index.cosines(2, unit(1))
    assert scores[0] == MISSING
    assert scores[1] == pytest.approx(1.0, abs=0.02)


def test_S3_the_mask_is_applied_before_anything_is_ranked() -> None:
    index = index_of(
        row(1, user="ann"), row(2, user="bob"), row(3), row(4, user="an"),
        row(5, kind="event", user="ann"), row(6, state="candidate"), row(7, time=None),
    )  # fmt: skip
    assert found(index, "tea") == {1, 2, 3, 4, 5, 7}, "what is not approved is not recalled"
    assert found(index, "tea", VisiblePartition(HOME, "ann")) == {1, 5}
    assert found(index, "tea", VisiblePartition(HOME, "nobody")) == set()
    assert found(index, "tea", VisiblePartition(HOME, "")) == set()
    assert found(index, "tea", kinds=["event"]) == {5}
    assert found(index, "tea", kinds=[]) == set()
    assert found(index, "tea", kinds=["chunk"]) == set()


def test_E2_time_limits_are_inclusive_and_leave_the_timeless_out() -> None:
    index = index_of(*(row(n, time=float(n)) for n in range(1, 6)), row(6, time=None))
    assert found(index, "tea", time_from=2.0, time_to=4.0) == {2, 3, 4}
    assert found(index, "tea", time_from=5.0) == {5}
    assert found(index, "tea", time_to=0.5) == set()
    assert found(index, "tea") == {1, 2, 3, 4, 5, 6}


def test_neighbours_in_a_session_know_each_other() -> None:
    index = index_of(
        row(1, session="a"), row(2, session="b"), row(3, session="a"), row(4), row(5, session="a")
    )
    assert list(index.neighbours(5)[0]) == [-1, -1, 0, -1, 2]
    assert list(index.neighbours(5)[1]) == [2, -1, 4, -1, -1]


def test_a_view_taken_once_stays_valid_while_rows_are_appended() -> None:
    index = index_of(*(row(n, "tea oslo", vector=unit(1)) for n in range(1, 4)))
    rows = index.rows
    index.apply(Changes(2, [row(n, "tea", vector=unit(1)) for n in range(4, 3000)], [1]))
    assert len(index.mask(rows, ALL, RecordFilter(NOW))) == rows
    assert len(index.keyword(rows, index.find([analyzer.number_of("tea")]))) == rows
    assert len(index.cosines(rows, unit(1))) == rows
    assert len(index.numbers(rows)) == len(index.times(rows)) == rows


def test_readers_and_one_writer_at_once() -> None:
    index = index_of(row(1, "tea", vector=unit(1)))
    errors: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                rows = index.rows
                assert len(index.keyword(rows, index.find([analyzer.number_of("tea")]))) == rows
                assert (index.cosines(rows, unit(1)) > 0.9).all()
                assert index.mask(rows, ALL, RecordFilter(NOW)).sum() <= rows
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(2, 1200, 3):
        index.apply(Changes(n, [row(n + i, "tea", vector=unit(1)) for i in range(3)], []))
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert found(index, "tea") == set(range(1, index.rows + 1))


STEP = st.tuples(st.sampled_from(["put", "put", "remove"]), st.integers(1, 6), st.integers(0, 3))
WORDS = ["tea", "火锅", "oslo", "tea oslo"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(STEP, max_size=5), max_size=8))
def test_following_changes_is_the_same_as_reading_the_shelf_anew(
    batches: list[list[tuple[str, int, int]]],
) -> None:
    index = PartitionIndex(1, DIMENSIONS)
    truth: dict[int, IndexRow] = {}
    revision = 0
    for seq, batch in enumerate(batches, start=1):
        touched = {}
        for op, number, word in batch:
            revision += 1
            touched[number] = None
            truth.pop(number, None)
            if op == "put":
                truth[number] = row(number, WORDS[word], revision, vector=unit(word + 1, 1))
        rows = [truth[n] for n in touched if n in truth]
        index.apply(Changes(seq, rows, [n for n in touched if n not in truth]))
    for text in WORDS:
        assert found(index, text) == found(index_of(*truth.values()), text)


# -- postings and vectors ----------------------------------------------------------------------


def naive(texts: Sequence[str], term: str) -> set[int]:
    return {n for n, text in enumerate(texts) if term in analyzer.terms(text)}


@pytest.mark.parametrize("count", [1, TAIL_ROWS - 1, TAIL_ROWS, TAIL_ROWS + 1, 3 * TAIL_ROWS + 7])
def test_postings_find_every_row_across_tails_and_segments(count: int) -> None:
    texts = [f"tea word{n % 7} number{n}" for n in range(count)]
    postings = Bm25Index()
    for start in range(0, count, 100):
        extend(postings, texts[start : start + 100])
    for term in ("tea", "word3", f"number{count - 1}", "absent"):
        scores = postings.score(postings.find([analyzer.number_of(term)]))
        assert {int(n) for n in np.flatnonzero(scores)} == naive(texts, term)
    assert postings.rows == count


def test_a_rare_word_weighs_more_and_a_full_match_is_the_best_possible() -> None:
    postings = Bm25Index()
    texts = ["tea oslo", "tea", "tea bergen", "coffee"]
    extend(postings, texts)
    terms = [analyzer.number_of("tea"), analyzer.number_of("oslo")]
    scores = postings.score(postings.find(terms))
    assert scores.argmax() == 0
    assert scores[3] == 0
    assert 0 < scores[0] <= 1.9
    assert not len(Bm25Index().score(Bm25Index().find([1])))
    assert SEGMENT_ROWS > TAIL_ROWS


def test_vectors_keep_their_order_within_one_percent() -> None:
    random = np.random.default_rng(7)
    rows = random.normal(size=(200, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors = Int8Matrix(DIMENSIONS)
    encoded = [encode(one) for one in rows]
    vectors.add(range(200), encoded)
    query = rows[17]
    assert np.abs(vectors.score(query, 200) - rows @ query).max() < 0.03
    assert np.abs(np.stack([decode(code) for code in encoded]) - rows).max() < 1e-4
    assert np.abs(vectors.exact_scores(query, np.arange(200)) - rows @ query).max() < 1e-4
    likeness = cosines(vectors.upper(np.arange(200)))
    assert np.abs(likeness - rows @ rows.T).max() < 0.03


def test_a_row_without_a_vector_is_zero_in_full_and_others_are_not_moved() -> None:
    vectors = Int8Matrix(DIMENSIONS)
    for at in (4, 1):  # late, and out of order
        vectors.add([at], [encode(unit(1, at))])
    found = vectors.exact_scores(unit(1, 4), np.array([0, 1, 4, 9]))
    assert found[0] == found[3] == 0
    np.testing.assert_allclose(found[1:3], [unit(1, 1) @ unit(1, 4), 1], atol=1e-4)


def test_a_vector_of_other_dimensions_counts_as_none() -> None:
    narrow, wide = np.ones(8, np.float32), np.ones(24, np.float32)
    index = index_of(row(1, vector=narrow), row(2, vector=unit(1)), row(3, vector=wide),
                     row(4, "tea|snow", passages=[narrow, unit(2)]))  # fmt: skip
    index.apply(Changes(2, [row(1, vector=wide), row(3, vector=unit(1))], []))  # made late
    found = index.cosines(4, unit(1))
    np.testing.assert_allclose(found, [MISSING, 1, 1, MISSING], atol=1e-2)
    assert (index.vector_count, index.pieces.passage_count) == (2, 1)


def test_an_index_without_an_embedder_has_no_vectors_and_answers() -> None:
    index = PartitionIndex(1, 0)
    index.apply(Changes(1, [row(1), row(2)], []))
    assert (index.cosines(2, np.zeros(0, np.float32)) == MISSING).all()
    assert cosines(index.int8_codes(np.arange(2))).max() == 0
    assert found(index, "tea") == {1, 2}


# -- the bounded set of indexes ----------------------------------------------------------------


class Shelves:
    """As much of a store as Indexes asks of it."""

    def __init__(self, rows_each: int) -> None:
        self.rows_each = rows_each
        self.loads = 0

        self.seq = 1

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]:
        return {place: PartitionState(int(place.id), self.seq) for place in places}

    def changes(self, no: int, since: int, model: str | None) -> Changes:
        first = no * 1_000_000 + since * 1000
        return Changes(self.seq, [row(first + n, f"tea word{n}") for n in range(500)], [])

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot:
        self.loads += 1
        rows = [row(no * 1000 + n, f"tea word{n}") for n in range(self.rows_each)]
        return IndexSnapshot(self.seq, [], {0: rows})


def place(n: int) -> Partition:
    return Partition("default", "private", str(n))


def test_indexes_are_bounded_in_bytes_and_the_oldest_use_leaves_first() -> None:
    store = Shelves(100)
    indexes = IndexCache(store, None, DIMENSIONS, 100_000)  # type: ignore[arg-type]
    for n in range(20):
        indexes.load([place(0)])
        indexes.load([place(n)])
    stats = indexes.stats()
    assert stats["bytes"] <= 100_000
    assert 0 < stats["places"] < 20
    loads = store.loads
    indexes.load([place(0)])
    assert store.loads == loads, "what is in use stays"
    assert found(indexes.load([place(3)])[place(3)], "word7") == {3007}


def test_an_index_larger_than_the_bound_still_serves() -> None:
    indexes = IndexCache(Shelves(100), None, DIMENSIONS, 1)  # type: ignore[arg-type]
    for n in range(3):
        assert len(found(indexes.load([place(n)])[place(n)], "tea")) == 100
        assert indexes.stats()["places"] == 1


def test_indexes_that_grow_are_bounded_too() -> None:
    store = Shelves(10)
    indexes = IndexCache(store, None, DIMENSIONS, 1_000_000)  # type: ignore[arg-type]
    places = [place(n) for n in range(8)]
    for seq in range(1, 6):
        store.seq = seq
        for one in places:
            indexes.load([one])
    assert indexes.stats()["bytes"] <= 1_200_000


@pytest.mark.parametrize("count", [1, 100, 5000])
def test_the_bytes_of_an_index_are_near_the_truth(count: int) -> None:
    rows = [row(n, f"tea word{n}", user=f"u{n % 5}", session="s") for n in range(count)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        indexes = [index_of(*rows) for _ in range(max(1, 50 // count))]
        used = (tracemalloc.get_traced_memory()[0] - before) / len(indexes)
    finally:
        tracemalloc.stop()
    assert used / 2.5 < indexes[0].nbytes < used * 2.5


def test_a_scan_gives_away_no_reference_to_none() -> None:
    """simsimd's `out=` does, and from some ten thousand scans Python 3.11 dies."""
    vectors = Int8Matrix(DIMENSIONS)
    vectors.add(range(3), [encode(unit(1, at + 1)) for at in range(3)])
    vectors.score(unit(1, 2), 3)
    before = sys.getrefcount(None)
    for _ in range(2000):
        vectors.score(unit(1, 2), 3)
    assert sys.getrefcount(None) > before - 1000


def test_a_large_place_is_looked_at_by_signs_first_and_finds_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors_module, "SIGNS_FROM", 3000)
    monkeypatch.setattr(vectors_module, "MIN_SHORT", 400)
    rng = np.random.default_rng(5)
    topics = rng.normal(size=(50, 128)).astype(np.float32)
    rows = topics[rng.integers(0, 50, 4000)] + rng.normal(size=(4000, 128)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors = Int8Matrix(128)
    codes = [encode(row) for row in rows]
    vectors.extend([Int8Planes.of(codes[:2000], 128), Int8Planes.of(codes[2000:3500], 128)],
                   [0, 2000])  # fmt: skip
    for n in range(3999, 3499, -1):  # late ones, out of order, but for one that waits
        if n != 3600:
            vectors.add([n], [codes[n]])
    mask = np.ones(4000, np.bool_)
    mask[::5] = False
    also = np.array([3, 5, 3600]).copy
    for question in (topics[7], topics[11]):
        query = (question / np.linalg.norm(question)).astype(np.float32)
        exact = vectors.score(query, 4000)
        rows, (some,) = vectors.scores([query], 4000, mask, also)
        assert rows is not None
        found = np.full(4000, MISSING, np.float32)
        found[rows] = some
        scored = found > MISSING / 2
        assert 250 <= scored.sum() < 800, "few are scored"
        np.testing.assert_allclose(found[scored], exact[scored], atol=1e-5)
        assert scored[[3, 5]].all()
        assert not scored[3600]
        visible = np.where(mask, exact, MISSING)
        best = np.argsort(-visible)[:20]
        assert scored[best].all(), "the nearest are among them"


# -- packs -----------------------------------------------------------------------------------------

names = st.one_of(st.none(), st.text(max_size=8))
moments = st.one_of(st.none(), st.floats(0, 2e9))
shelf_rows = st.lists(
    st.builds(
        lambda text, **fields: (text, fields),
        st.one_of(st.text(max_size=30), st.just("tea and milk|green tea|snow")),
        kind=st.sampled_from(["fact", "event"]),
        time=moments,
        since=moments,
        until=moments,
        user=names,
        speaker=names,
        session=names,
        vector=st.sampled_from([None, unit(1), unit(1, 2, 3), unit(*range(1, 17))]),
        passages=st.lists(st.sampled_from([unit(1), unit(3, 4), unit(*range(1, 17))]), max_size=3),
    ),
    min_size=1,
    max_size=30,
)


class OnePlace:
    """A store that has one place, in packs or in rows."""

    def __init__(self, contents: IndexSnapshot, rows: Sequence[IndexRow] = ()) -> None:
        self.contents = contents
        self.rows = rows

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot:
        return self.contents

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]:
        return self.rows

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        return self.contents.seq, []  # there is a pack, whatever is in it

    def put_packs(self, seq: int, model: str | None, packs: list[tuple[int, bytes]]) -> int:
        self.contents = IndexSnapshot(seq, packs, {})
        return len(packs)


@given(shelf_rows, st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_an_index_from_packs_is_the_index_from_rows(
    drawn: list[tuple[str, dict[str, object]]], cut: int
) -> None:
    rows = [row(n, text, **fields) for n, (text, fields) in enumerate(drawn, 1)]  # type: ignore[arg-type]
    packs, rest = rows[:cut], rows[cut:]
    packed = [(0, ColumnBatch.of(packs, DIMENSIONS).packed())] if packs else []
    split = OnePlace(IndexSnapshot(3, packed, {1: rest} if rest else {}))
    whole = OnePlace(IndexSnapshot(3, [], {0: rows}))
    one, other = (PartitionIndex.load(s, 1, "m", DIMENSIONS) for s in (split, whole))  # type: ignore[arg-type]
    assert (one.seq, one.rows, one.vector_count) == (other.seq, other.rows, other.vector_count)
    count = one.rows
    query = unit(3, 1, 2, 0, 0, 0, 0, 0, 1)
    np.testing.assert_array_equal(one.cosines(count, query), other.cosines(count, query))
    terms = tuple(analyzer.number_of(t) for text, _ in drawn for t in analyzer.terms(text))[:9]
    for words in (lambda i: i.keyword(count, i.find(terms)),
                  lambda i: i.session_coverage(count, i.find(terms))):  # fmt: skip
        np.testing.assert_array_equal(words(one), words(other))
    everyone = np.ones(count, np.bool_)
    long = [i.pieces.nearest(count, [query], everyone, with_pieces, None) for i in (one, other)]
    assert [each and each.rows.tolist() for each in long[:1]] == [
        each and each.rows.tolist() for each in long[1:]
    ]
    for column in (
        PartitionIndex.numbers,
        PartitionIndex.times,
        PartitionIndex.neighbours,
        PartitionIndex.asks,
        PartitionIndex.said,
        PartitionIndex.first,
    ):
        np.testing.assert_array_equal(column(one, count), column(other, count))
    assert one.speakers.names == other.speakers.names
    everything = np.arange(count)
    np.testing.assert_array_equal(one.int8_codes(everything), other.int8_codes(everything))
    np.testing.assert_array_equal(
        one.exact_cosines(everything, [query]), other.exact_cosines(everything, [query])
    )
    for sight in (ALL, VisiblePartition(HOME, only_user=str(drawn[0][1]["user"]))):
        wanted = RecordFilter(now=NOW)
        np.testing.assert_array_equal(
            one.mask(count, sight, wanted), other.mask(count, sight, wanted)
        )


def test_a_pack_of_another_version_is_read_from_its_rows() -> None:
    rows = [row(1, "tea"), row(2, "rain")]
    other = b"\xff\xff\xff\xff\x00\x00\x00\x00"
    store = OnePlace(IndexSnapshot(1, [(0, other)], {}), rows)
    index = PartitionIndex.load(store, 1, None, DIMENSIONS)  # type: ignore[arg-type]
    assert found(index, "rain") == {2}


def pack_of_format_4(rows: Sequence[IndexRow]) -> bytes:
    """As it was while a vector had blocks; these rows have none."""
    data = ColumnBatch.of(rows, DIMENSIONS).packed()
    size = int.from_bytes(data[4:8], "little")
    head = json.loads(data[8 : 8 + size])
    for name in ("dimensions", "vectors", "passages"):
        del head[name]
    text = json.dumps(head | {"blocks": [[0, 8], [0, 8]], "passages": [[0, 8], [0, 8]]}).encode()
    return struct.pack("<II", 4, len(text)) + text + data[8 + size :]


@pytest.mark.parametrize("before", ["with blocks", "of other dimensions"])
def test_a_pack_that_cannot_be_used_is_written_again(
    monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.setattr(index_cache, "WORTH_PACKING", 1)
    rows = [row(1, "tea"), row(2, "rain")]
    other = ColumnBatch.of(rows, 8).packed()
    pack = pack_of_format_4(rows) if before == "with blocks" else other
    assert ColumnBatch.unpacked(pack, DIMENSIONS) is None
    store = OnePlace(IndexSnapshot(1, [(0, pack)], {}), [row(1, "tea", vector=unit(1)), rows[1]])
    store.states = lambda places: {HOME: PartitionState(1, 1)}  # type: ignore[attr-defined]
    later: list[Callable[[], None]] = []
    indexes = IndexCache(store, "m", DIMENSIONS, 1 << 20, later.append)  # type: ignore[arg-type]
    index = indexes.load([HOME])[HOME]
    assert found(index, "rain") == {2} and index.vector_count == 1, "answered from its rows"
    while later:
        later.pop()()
    store.rows = ()  # from now on only the new pack can tell
    indexes.drop(HOME)
    index = indexes.load([HOME])[HOME]
    assert found(index, "rain") == {2} and index.vector_count == 1
    assert index.outdated_packs == []


# -- what most requests have in common -------------------------------------------------------------


def test_a_known_mask_ends_when_a_row_does_and_with_every_change() -> None:
    index = index_of(row(1, until=NOW + 10), row(2), row(3, until=NOW - 10))

    def seen(now: float) -> list[bool]:
        return index.mask(index.rows, ALL, RecordFilter(now=now)).tolist()

    assert seen(NOW) == seen(NOW + 9) == [True, True, False]
    assert seen(NOW + 10) == [False, True, False]
    assert seen(NOW - 11) == [True, True, True], "a question asked of the past"
    assert seen(NOW) == [True, True, False]
    index.apply(Changes(2, [], [2]))
    assert seen(NOW) == [True, False, False]
    index.apply(Changes(3, [row(4)], []))
    assert seen(NOW) == [True, False, False, True]


def test_the_newest_are_found_among_many_and_behind_a_mask() -> None:
    index = index_of(*(row(n, time=float(n % 700)) for n in range(1, 2001)))
    times = index.times(index.rows)
    everything = np.ones(index.rows, np.bool_)
    newest = times[index.newest(index.rows, everything, 5)].tolist()
    assert newest == sorted(times.tolist())[-1:-6:-1]
    old = times < 100
    assert times[index.newest(index.rows, old, 5)].tolist() == sorted(times[old].tolist())[-1:-6:-1]
    assert len(index_of(row(1, time=None)).newest(1, np.ones(1, np.bool_), 5)) == 0


# -- long texts, by passage (Q9) -----------------------------------------------------------------


def nearest(index: PartitionIndex, *query: float) -> dict[int, float]:
    """By row: the cosine of its best passage."""
    mask = np.ones(index.rows, np.bool_)
    found = index.pieces.nearest(index.rows, [unit(*query)], mask, with_pieces, None)
    if found is None:
        return {}
    return dict(
        zip(found.rows.tolist(), (float(round(c, 1)) for c in found.cosines.tolist()), strict=True)
    )


def test_Q9_words_count_within_one_passage() -> None:
    index = index_of(row(1, "green|tea|milk"), row(2, "green tea"), row(3, "snow"))
    terms = tuple(analyzer.number_of(term) for term in analyzer.terms("green tea"))
    spread, together, none = index.keyword(3, index.find(terms))
    assert together > spread > none == 0
    by_piece = index.keyword_of_pieces(index.find(terms))
    assert by_piece[0] > 0 and by_piece[1] > 0 and by_piece[2] == 0


def test_Q9_a_word_is_as_rare_as_the_records_that_have_it() -> None:
    """A long text is about its subject in every passage; that makes the word no more common."""
    index = index_of(row(1, "tea a|tea b|tea c|tea d"), row(2, "tea"), row(3, "snow"))
    terms = tuple(analyzer.number_of(term) for term in ("tea", "snow"))
    found = index.find(terms)
    by_term = dict(
        zip(found.frequencies.tolist(), index.pieces.row_frequencies(found), strict=True)
    )
    assert by_term == {1: 1, 5: 2}


def test_Q9_the_best_of_many_passages_has_the_words_by_chance() -> None:
    index = index_of(row(1, "tea|a|b|c"), row(2, "tea"), row(3, "tea|a"))
    four, one, two = index.keyword(3, index.find([analyzer.number_of("tea")]))
    assert one > two > four > 0.85 * one


def test_Q9_a_session_has_the_words_of_all_passages() -> None:
    index = index_of(row(1, "green|tea", session="a"), row(2, "snow", session="b"))
    terms = tuple(analyzer.number_of(term) for term in analyzer.terms("green tea"))
    assert index.session_coverage(2, index.find(terms)).tolist() == [1.0, 0.0, 0.0]


def test_Q9_a_row_is_as_near_as_its_best_passage() -> None:
    index = index_of(
        row(1, "a|b", vector=unit(1), passages=[unit(0, 1), unit(0, 0, 1)]),
        row(2, "c", vector=unit(0, 1)),
        row(3, "d|e|f", vector=unit(1), passages=[unit(1), unit(1), unit(0, 1, 1)]),
    )
    assert nearest(index, 0, 1) == {0: 1.0, 2: 0.7}
    assert nearest(index, 0, 0, 1) == {0: 1.0, 2: 0.7}
    assert index.pieces.passage_count == 5
    assert index.pieces.of_row(1).tolist() == []


def test_Q9_passages_come_with_the_vector_and_go_with_the_row() -> None:
    index = index_of(row(1, "a|b"), row(2, "c"))
    assert nearest(index, 1) == {}
    index.apply(Changes(2, [row(1, "a|b", vector=unit(1), passages=[unit(1), unit(0, 1)])], []))
    assert nearest(index, 0, 1) == {0: 1.0}
    changed = row(1, "a|b|c", 2, vector=unit(1), passages=[unit(1), unit(0, 0, 1), unit(1)])
    index.apply(Changes(3, [changed], []))
    mask = index.mask(index.rows, ALL, RecordFilter(now=NOW))
    assert mask.tolist() == [False, True, True], "the old row is struck out, its passages with it"
    assert nearest(index, 0, 0, 1)[2] == 1.0


def test_Q9_fewer_vectors_than_passages_are_no_harm() -> None:
    index = index_of(row(1, "a|b|c", vector=unit(1), passages=[unit(0, 1)]), row(2, "d"))
    assert nearest(index, 0, 1) == {0: 1.0}
    index = index_of(row(1, "a|b", vector=unit(1), passages=[unit(1), unit(0, 1), unit(0, 0, 1)]))
    assert nearest(index, 0, 0, 1) == {0: 0.0}, "one too many is left out"


def test_Q9_many_passages_are_looked_at_by_their_signs_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors_module, "SIGNS_FROM", 64)
    monkeypatch.setattr(vectors_module, "MIN_SHORT", 200)
    rng = np.random.default_rng(9)
    many = [[unit(*rng.normal(size=16)) for _ in range(4)] for _ in range(100)]
    rows = [row(n, "a|b|c|d", vector=unit(1), passages=own) for n, own in enumerate(many, 1)]
    index = index_of(*rows)
    for at in (0, 42, 99):
        found = nearest(index, *many[at][2].tolist())
        assert max(found, key=found.__getitem__) == at
        assert found[at] == 1.0


def test_Q9_vectors_of_passages_are_stored_whatever_their_length() -> None:
    assert pack_passages([]) is None
    assert unpacked(None) == []
    codes = [b"", b"one", b"a longer one"]
    assert unpacked(pack_passages(codes)) == codes
