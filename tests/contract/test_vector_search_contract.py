"""Every vector search keeps the promises of ports.VectorSearch."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial

import numpy as np
import pytest

from support.brute_force import BruteForceVectors
from support.engines import shared_engine
from support.vector_engines import start_server, vector_engine
from taishi.backends.vector_engines import chroma, milvus, open_engine, parse_address
from taishi.ports import VectorEngine, VectorSearch
from taishi.recall import int8_matrix, int8_vector_search
from taishi.recall.int8_vector_search import Int8VectorSearch

DIMENSIONS = 32
ENGINES: dict[str, Callable[[], VectorSearch]] = {
    "int8 matrix": lambda: Int8VectorSearch(DIMENSIONS),
    "brute force": BruteForceVectors,
}


OUTSIDE = [
    "milvus",
    *(
        pytest.param(name, marks=pytest.mark.thorough)
        for name in ("lancedb", "chroma", "milvus server", "chroma server")
    ),
]


@pytest.fixture(scope="session")
def address_of_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Of a server that all tests share, started with the first that asks for it."""
    known: dict[str, str] = {}
    with ExitStack() as running:

        def address(name: str) -> str:
            if name not in known:
                start = shared_engine(
                    tmp_path_factory, f"{name}-vectors", partial(start_server, name)
                )
                known[name] = running.enter_context(start)["address"]
            return known[name]

        yield address


@pytest.fixture
def open_outside(
    tmp_path_factory: pytest.TempPathFactory, address_of_server: Callable[[str], str]
) -> Iterator[Callable[[str], VectorEngine]]:
    with ExitStack() as opened:

        def open_one(name: str) -> VectorEngine:
            name, _, server = name.partition(" ")
            if server:
                address = parse_address(address_of_server(name))
                engine = open_engine(address, f"t{secrets.token_hex(6)}", DIMENSIONS)
            else:
                engine = vector_engine(name, tmp_path_factory.mktemp("vectors"), DIMENSIONS)
            opened.callback(engine.close)
            return engine

        yield open_one


@pytest.fixture(params=[*ENGINES, *OUTSIDE])
def engine(
    request: pytest.FixtureRequest, open_outside: Callable[[str], VectorEngine]
) -> VectorSearch:
    return ENGINES[request.param]() if request.param in ENGINES else open_outside(request.param)


def unit(seed: int, half: bool = False) -> np.ndarray:
    """A random direction; with `half`, the last numbers are zero."""
    row = np.random.default_rng(seed).normal(size=DIMENSIONS)
    if half:
        row[24:] = 0
    return (row / np.linalg.norm(row)).astype(np.float32)


def number(partition: int, at: int) -> int:
    return partition << 32 | at


def filled(engine: VectorSearch, count: int, partition: int = 1) -> dict[int, np.ndarray]:
    vectors = {number(partition, at): unit(at, half=at % 3 == 0) for at in range(count)}
    engine.put("m", [(no, 1, vector) for no, vector in vectors.items()])
    return vectors


@pytest.mark.parametrize("k", [1, 7, 50])
def test_the_nearest_come_first_with_their_cosines(engine: VectorSearch, k: int) -> None:
    vectors = filled(engine, 300)
    query = unit(1000)
    exact = sorted(((float(query @ v), no) for no, v in vectors.items()), reverse=True)[:k]
    found = engine.search(1, [query], k)
    assert [no for no, _ in found] == [no for _, no in exact]
    assert [cosine for _, cosine in found] == pytest.approx([c for c, _ in exact], abs=1e-3)


def test_a_search_stays_within_its_partition(engine: VectorSearch) -> None:
    filled(engine, 20, partition=1)
    filled(engine, 20, partition=2)
    found = engine.search(2, [unit(3)], 50)
    assert {no >> 32 for no, _ in found} == {2} and len(found) == 20
    assert engine.search(3, [unit(3)], 5) == []


def test_only_what_is_allowed_is_found_however_near_the_others_are(engine: VectorSearch) -> None:
    filled(engine, 100)
    assert engine.search(1, [unit(5)], 1)[0][0] == number(1, 5), "the control"
    allowed = {number(1, at) for at in (7, 8, 9)}
    assert {no for no, _ in engine.search(1, [unit(5)], 10, allowed)} == allowed
    assert engine.search(1, [unit(5)], 10, ()) == []
    assert engine.search(1, [unit(5)], 10, [number(2, 5), number(1, 999)]) == []


def test_sentences_count_half_and_the_closest_of_them(engine: VectorSearch) -> None:
    vectors = filled(engine, 30)
    whole, first, second = unit(500), unit(501), unit(502)
    (best, cosine), *_ = engine.search(1, [whole, first, second], 1)
    by_hand = {
        no: float(whole @ v) / 2 + max(float(first @ v), float(second @ v)) / 2
        for no, v in vectors.items()
    }
    assert best == max(by_hand, key=by_hand.__getitem__)
    assert cosine == pytest.approx(by_hand[best], abs=1e-3)


def test_a_later_revision_replaces_an_earlier_one_and_not_the_other_way(
    engine: VectorSearch,
) -> None:
    filled(engine, 10)
    engine.put("m", [(number(1, 4), 3, unit(900))])
    engine.put("m", [(number(1, 4), 2, unit(901))])
    (nearest, cosine), *others = engine.search(1, [unit(900)], 20)
    assert nearest == number(1, 4) and cosine == pytest.approx(1.0, abs=1e-3)
    assert len(others) == 9, "once each"
    assert engine.search(1, [unit(901)], 1)[0][1] < 0.99


def test_what_was_removed_is_not_found(engine: VectorSearch) -> None:
    filled(engine, 10)
    assert engine.search(1, [unit(4)], 1)[0][0] == number(1, 4), "the control"
    engine.remove([number(1, 4), number(1, 77), number(9, 1)])
    assert number(1, 4) not in {no for no, _ in engine.search(1, [unit(4)], 20)}
    engine.put("m", [(number(1, 4), 1, unit(4))])
    assert engine.search(1, [unit(4)], 1)[0][0] == number(1, 4), "and may come back"


def test_vectors_of_another_model_replace_all(engine: VectorSearch) -> None:
    filled(engine, 10)
    engine.put("another", [(number(1, 1), 1, unit(1))])
    assert [no for no, _ in engine.search(1, [unit(4)], 20)] == [number(1, 1)]


def test_nothing_is_found_where_nothing_is(engine: VectorSearch) -> None:
    assert engine.search(1, [unit(1)], 5) == []
    filled(engine, 3)
    assert engine.search(1, [unit(1)], 0) == []
    assert len(engine.search(1, [unit(1)], 5)) == 3


def test_what_changes_again_and_again_does_not_pile_up(engine: VectorSearch) -> None:
    vectors = filled(engine, 5)
    for revision in range(2, 300):
        vectors[number(1, 2)] = unit(revision)
        engine.put("m", [(number(1, 2), revision, unit(revision))])
    for no, vector in vectors.items():
        assert engine.search(1, [vector], 1)[0] == (no, pytest.approx(1.0, abs=1e-3))
    if isinstance(engine, Int8VectorSearch):
        rows = len(engine._partitions[1]._numbers)
        assert rows <= len(vectors) + int8_vector_search.MIN_STALE + 1


def test_a_large_partition_is_prefiltered_and_the_nearest_are_still_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(int8_matrix, "SIGNS_FROM", 1000)
    monkeypatch.setattr(int8_matrix, "MIN_SHORT", 300)
    prefiltered, exact = Int8VectorSearch(DIMENSIONS), BruteForceVectors()
    for engine in (prefiltered, exact):
        engine.put("m", [(number(1, at), 1, unit(at)) for at in range(2000)])
    assert prefiltered._partitions[1]._matrix.has_prefilter
    for at in range(0, 2000, 100):
        close = unit(at) + 0.05 * unit(at + 5000)
        query = (close / np.linalg.norm(close)).astype(np.float32)
        assert prefiltered.search(1, [query], 1)[0][0] == exact.search(1, [query], 1)[0][0]


@pytest.fixture(params=OUTSIDE)
def outside(
    request: pytest.FixtureRequest, open_outside: Callable[[str], VectorEngine]
) -> VectorEngine:
    return open_outside(request.param)


def test_an_engine_keeps_revisions_positions_and_vectors(outside: VectorEngine) -> None:
    vectors = filled(outside, 30)
    outside.put("m", [(number(2, 1), 7, unit(1))])
    assert outside.entries(1) == dict.fromkeys(vectors, 1) and outside.entries(2) == {
        number(2, 1): 7
    }
    assert outside.positions() == {} and outside.entries(3) == {}
    outside.set_position(1, 10)
    outside.set_position(2, -1)
    outside.set_position(1, 12)
    assert outside.positions() == {1: 12, 2: -1} and outside.count() == 31
    fetched = outside.get([number(1, 3), number(2, 1), number(1, 99)])
    assert {no: revision for no, (revision, _) in fetched.items()} == {
        number(1, 3): 1,
        number(2, 1): 7,
    }
    assert fetched[number(1, 3)][1] == pytest.approx(vectors[number(1, 3)], abs=1e-6)
    assert not {no for no, _ in outside.search(1, [unit(1)], 100)} - vectors.keys()
    outside.drop(1)
    outside.compact()
    assert outside.positions() == {2: -1} and outside.count() == 1
    assert outside.search(1, [unit(1)], 5) == []
    outside.clear()
    assert outside.positions() == {} and outside.count() == 0


def test_an_engine_that_was_closed_opens_again_with_what_it_had(outside: VectorEngine) -> None:
    filled(outside, 30)
    outside.set_position(1, 5)
    outside.close()
    outside.adopt("m")
    assert outside.count() == 30 and outside.positions() == {1: 5}
    assert outside.search(1, [unit(4)], 1)[0][0] == number(1, 4)


def test_an_engine_lists_more_than_a_page(
    outside: VectorEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (milvus, chroma):
        monkeypatch.setattr(module, "PAGE", 100)
    order = np.random.default_rng(3).permutation(450).tolist()
    outside.put("m", [(number(1, 3 * no), 1, unit(no)) for no in order])
    for partition in range(1, 150):
        outside.set_position(partition, partition)
    assert outside.entries(1) == {number(1, 3 * no): 1 for no in order}
    assert outside.positions() == {no: no for no in range(1, 150)} and outside.count() == 450
