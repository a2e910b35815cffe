"""Port for a vector index or a vector database: nearest neighbours of a question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from .candidates import Floats


class VectorSearch(Protocol):
    """Nearest neighbours by cosine. Vectors cross this port as float32, however they are kept.

    A record's number holds the number of its partition (`number >> 32`), so vectors are filed by
    themselves, and a search stays within one partition.
    """

    def put(self, model: str, vectors: Sequence[tuple[int, int, Floats]]) -> None:
        """Keep (number, revision, unit vector); a later revision replaces an earlier one. Vectors
        of another model than before replace all that there are."""

    def remove(self, numbers: Collection[int]) -> None:
        """Let vectors go; unknown numbers are ignored."""

    def search(
        self,
        partition: int,
        queries: Sequence[Floats],
        k: int,
        allowed: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """The nearest k as (number, cosine), the nearest first. The first query is the whole
        question, further ones its sentences: half the cosine of the whole, half that of the
        closest sentence. With `allowed`, only among these numbers."""
