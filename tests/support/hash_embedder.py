"""An embedder that needs no model: the stand-in wherever a model's quality does not matter."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from taishi.language.analyzer import has_cjk
from taishi.ports import Vector

WIDTHS = (32, 32)


class HashEmbedder:
    """Texts with the same words and characters are near one another; English leaves block 2 zero.

    The model's stand-in wherever its quality does not matter: fast, deterministic, two blocks.
    """

    def __init__(self, name: str = "hash-1", blocks: tuple[int, int] = WIDTHS) -> None:
        self._name = name
        self._blocks = blocks

    @property
    def name(self) -> str:
        return self._name

    @property
    def blocks(self) -> tuple[int, ...]:
        return self._blocks

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        rows = [self._row(text[:2000]) for text in texts]
        return np.asarray(rows, np.float32).reshape(len(texts), sum(self._blocks))

    def close(self) -> None:
        pass

    def _row(self, text: str) -> Vector:
        words, characters = self._blocks
        row = np.zeros(words + characters, np.float32)
        row[0] = 0.1  # never all zero, whatever the text
        for word in re.findall(r"\w+", text.lower()):
            row[_number(word) % words] += 1
        if has_cjk(text):
            for character in text:
                row[words + _number(character) % characters] += 1
        return row / np.linalg.norm(row)


def _number(piece: str) -> int:
    return zlib.crc32(piece.encode("utf-8", "surrogatepass"))
