"""Memories as a map: principal components, the same each time, whatever the vectors are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope, load
from taishi.curate.meaning_map import positions, principal_axes
from taishi.recall.vector_codec import encode

ANN = Scope(user="ann")


def test_the_axes_are_those_of_the_singular_value_decomposition() -> None:
    rows = np.random.default_rng(1).standard_normal((300, 40)) * np.linspace(9, 1, 40) ** 2
    rows -= rows.mean(axis=0)
    exact = np.linalg.svd(rows, full_matrices=False)[2][:2]
    assert np.abs(np.sum(principal_axes(rows).T * exact, axis=1)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_or_equal_vectors_have_a_place(count: int) -> None:
    code = encode(np.full(8, 8**-0.5, np.float32))
    assert positions([code] * count) == [(0.0, 0.0)] * count


def test_what_was_stored_many_times_counts_once() -> None:
    random = np.random.default_rng(2)
    codes = [encode(row) for row in random.standard_normal((20, 16)).astype(np.float32)]
    found = positions(codes)
    assert positions([*codes, *[codes[3]] * 50]) == [*found, *[found[3]] * 50]
    for axis in zip(*found, strict=True):
        assert (min(axis), max(axis)) == pytest.approx((-1, 1))


def test_the_map_puts_similar_memories_together_and_nothing_of_other_chats(tmp_path: Path) -> None:
    settings = load(None, environ={})
    with Memory.open(tmp_path, settings, embedder=HashEmbedder()) as memory:
        for number in range(8):
            memory.remember(ANN, f"green tea leaves cup water {number}", kind="fact")
            memory.remember(ANN, f"bicycle wheel chain brake road {number}", kind="fact")
        memory.remember(ANN, "a note", kind="note")
        memory.remember(Scope(user="bob"), "Bob drinks green tea", kind="fact")
        early = memory.records.map(ANN)  # vectors are computed in the background
        assert len(early.points) + early.without == 17
        memory.drain()
        found = memory.records.map(ANN, kinds=["fact"])
        again = memory.records.map(ANN, kinds=["fact"])
        assert len(found.points) == 16 and found.without == 0 and found == again
        tea = {point.x > 0 for point in found.points if "tea" in point.record.text}
        bicycles = {point.x > 0 for point in found.points if "chain" in point.record.text}
        assert len(tea) == len(bicycles) == 1 and tea != bicycles
        assert len(memory.records.map(ANN, limit=3).points) == 3
        for wrong in ({"limit": 2001}, {"limit": 0}, {"kinds": ["dream"]}):
            with pytest.raises(InputError):
                memory.records.map(ANN, **wrong)  # type: ignore[arg-type]
