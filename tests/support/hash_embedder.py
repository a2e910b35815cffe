"""An embedder that needs no model: the stand-in wherever a model's quality does not matter."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from taishi.language.analyzer import has_cjk
from taishi.ports import Vector

DIMENSIONS = 64


class HashEmbedder:
    """Texts with the same words and characters are near one another: half of the dimensions count
    words, the other half the characters of a text with Chinese in it.

    The model's stand-in wherever its quality does not matter: fast and deterministic.
    """

    def __init__(self, name: str = "hash-1", dimensions: int = DIMENSIONS) -> None:
        self._name = name
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        rows = [self._row(text[:2000]) for text in texts]
        return np.asarray(rows, np.float32).reshape(len(texts), self._dimensions)

    def close(self) -> None:
        pass

    def _row(self, text: str) -> Vector:
        half = self._dimensions // 2
        row = np.zeros(self._dimensions, np.float32)
        row[0] = 0.1  # never all zero, whatever the text
        for word in re.findall(r"\w+", text.lower()):
            row[_number(word) % half] += 1
        if has_cjk(text):
            for character in text:
                row[half + _number(character) % half] += 1
        return row / np.linalg.norm(row)


def _number(piece: str) -> int:
    return zlib.crc32(piece.encode("utf-8", "surrogatepass"))
