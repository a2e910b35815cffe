"""Q7: vectors of another model or of other dimensions are computed again; words serve meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope
from taishi.ports import Vector

ANN = Scope(user="ann")
FEW = {"query.recall_timeout": 5.0}
LONG = "The cooper mends barrels in Nairn. " * 30
TEXTS = ("Ann moved to Oslo", "小明搬到了杭州", LONG)


class StoppedEmbedder(HashEmbedder):
    """Embeds no documents until it is let go."""

    stopped = True

    def embed(self, texts: Sequence[str], kind: Any) -> Vector:
        if self.stopped and kind == "document":
            raise ConnectionError("not yet")
        return super().embed(texts, kind)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("taishi-local-1", 768), ("taishi-local-2", 384)),
        (("mine", 64), ("mine", 32)),
        (("mine", 32), ("mine", 64)),
    ],
)
def test_Q7_a_folder_with_vectors_of_other_dimensions_answers_by_words_and_embeds_them_again(
    open_memory: Callable[..., Memory],
    caplog: pytest.LogCaptureFixture,
    old: tuple[str, int],
    new: tuple[str, int],
) -> None:
    with open_memory(FEW, HashEmbedder(*old)) as memory:
        memory.remember_many(ANN, [{"text": text} for text in TEXTS])
        memory.drain()
        assert memory.recall(ANN, "Oslo").level == "hybrid"
    caplog.set_level(logging.WARNING, "taishi")
    embedder = StoppedEmbedder(*new)
    memory = open_memory(FEW, embedder)
    assert memory.status()["records"]["unembedded"] == len(TEXTS)
    for question, text in (("Oslo", TEXTS[0]), ("杭州", TEXTS[1]), ("barrels in Nairn", LONG)):
        assert memory.recall(ANN, question).hits[0].text.startswith(text[:20])
    assert ("other dimensions" in caplog.text) == (old[0] == new[0])
    embedder.stopped = False
    memory.drain()
    assert memory.status()["records"]["unembedded"] == 0
    found = memory.recall(ANN, "Ann moved to Oslo")
    assert (found.level, found.paths["vector"]) == ("hybrid", "ok")
    assert found.hits[0].text == TEXTS[0]


class WithBlocks:
    """An embedder as it was written while vectors had blocks."""

    name = "mine"
    blocks = (64,)

    def embed(self, texts: Sequence[str], kind: str) -> Vector:
        return np.ones((len(texts), 64), np.float32) / 8

    def close(self) -> None: ...


class WithNone(WithBlocks):
    dimensions = 0


class WithTuple(WithBlocks):
    dimensions = (64,)


@pytest.mark.parametrize("embedder", [WithBlocks(), WithNone(), WithTuple()])
def test_Q7_an_embedder_without_dimensions_is_told_to_have_them(
    tmp_path: Path, embedder: Any
) -> None:
    with pytest.raises(InputError, match=r"'mine' .*attribute `dimensions`.* replaces `blocks`"):
        Memory.open(tmp_path / "data", embedder=embedder)
    assert not (tmp_path / "data").exists(), "nothing was begun"
    embedder.dimensions = np.int64(64)
    with Memory.open(tmp_path / "data", embedder=embedder) as memory:
        memory.remember(ANN, TEXTS[0])
        assert memory.drain()
        assert memory.recall(ANN, "Oslo", deadline=5.0).level == "hybrid"
