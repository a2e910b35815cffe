"""Records that say something similar, by the vectors that are stored: of one place alone (S2)."""

from __future__ import annotations

import pytest

from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope, load

ANN, BEN, EVERYBODY = Scope(user="ann"), Scope(user="ben"), Scope(shared=True)


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path, load(environ={}), embedder=HashEmbedder()) as opened:
        for number in range(8):
            opened.remember(
                ANN, f"green tea leaves cup water {number}", kind="fact", id=f"t{number}"
            )
        opened.remember(ANN, "the boat leaves the harbour at nine", kind="event", id="boat")
        opened.remember(BEN, "green tea leaves cup water of Ben", kind="fact", id="bens")
        opened.remember(EVERYBODY, "green tea leaves cup water for all", kind="fact", id="all")
        opened.drain()
        yield opened


def test_Q10_the_most_alike_come_first_with_their_cosine(memory):
    found = memory.records.related(ANN, "t0")
    assert len(found) == 5
    assert {hit.id for hit in found} <= {f"t{n}" for n in range(1, 8)}
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert 0.5 < scores[-1] <= scores[0] <= 1.001
    assert len(memory.records.related(ANN, "t0", limit=2)) == 2


def test_S2_nothing_of_another_place_is_related(memory):
    everything = memory.records.related(ANN, "t0", limit=50)
    assert not {"bens", "all"} & {hit.id for hit in everything}
    assert [hit.id for hit in memory.records.related(BEN, "bens", limit=50)] == []
    with pytest.raises(InputError):
        memory.records.related(ANN, "bens")


def test_Q10_what_no_longer_holds_is_not_offered(memory):
    memory.facts.reject(ANN, "t1")
    assert "t1" not in {hit.id for hit in memory.records.related(ANN, "t0", limit=50)}
    assert memory.records.related(ANN, "t1"), "but one may ask from there"


def test_Q10_without_vectors_there_are_none(tmp_path):
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path, settings) as opened:
        for number in range(3):
            opened.remember(ANN, f"green tea {number}", kind="fact", id=f"t{number}")
        opened.drain()
        assert opened.records.related(ANN, "t0") == ()


def test_Q10_a_megabyte_has_relatives_too(memory):
    memory.remember(ANN, "green tea leaves cup water " * 40_000, kind="note", id="long")
    memory.drain()
    assert memory.records.related(ANN, "long")
