from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from taishi.errors import MissingExtraError, ModelError
from taishi.models.fastembed_embedder import FastembedEmbedder


class Tiny:
    """What fastembed's TextEmbedding looks like from outside."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def query_embed(self, texts: list[str]) -> Iterator[Any]:
        self.asked.append(("query", texts))
        return iter([np.array([3.0, 4.0], np.float64) for _ in texts])

    def passage_embed(self, texts: list[str]) -> Iterator[Any]:
        self.asked.append(("passage", texts))
        return iter([np.array([0.0, 2.0], np.float64) for _ in texts])


@pytest.mark.skipif(importlib.util.find_spec("fastembed") is not None, reason="it is installed")
def test_without_the_package_the_pip_line_is_given() -> None:
    with pytest.raises(MissingExtraError, match=r"install .*\[fastembed\]"):
        FastembedEmbedder("BAAI/bge-small-zh-v1.5")


def test_queries_and_documents_are_asked_apart() -> None:
    model = Tiny()
    embedder = FastembedEmbedder("tiny", model=model)
    assert embedder.dimensions == 2
    np.testing.assert_allclose(embedder.embed(["a"], "query"), [[0.6, 0.8]])
    np.testing.assert_allclose(embedder.embed(["a\x00\ud800", ""], "document"), [[0, 1]] * 2)
    assert model.asked[-2:] == [("query", ["a"]), ("passage", ["a\ufffd\ufffd", " "])]


def test_a_failing_model_is_a_model_error() -> None:
    embedder = FastembedEmbedder("tiny", model=Tiny())
    embedder._model.query_embed = lambda texts: [np.zeros(2)] * 5
    with pytest.raises(ModelError, match="model_name"):
        embedder.embed(["x"], "query")
    embedder._model.query_embed = lambda texts: 1 / 0
    with pytest.raises(ModelError, match="division"):
        embedder.embed(["x"], "query")
    embedder.close()
    with pytest.raises(ModelError, match="closed"):
        embedder.embed(["x"], "query")
