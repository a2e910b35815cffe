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


class VectorEngine(VectorSearch, Protocol):
    """A vector database outside this process. It follows the store's change sequence: beside each
    partition's vectors it keeps durably up to which change they are complete.

    Every call may block and raises StorageError if the engine does not answer; the next call tries
    to reach it again.
    """

    @property
    def address(self) -> str:
        """Where it is, without a password."""

    def adopt(self, model: str) -> None:
        """Name the model that is searched from now on; vectors of another one are dropped."""

    def get(self, numbers: Collection[int]) -> dict[int, tuple[int, Floats]]:
        """Revision and vector of those that there are, by number."""

    def entries(self, partition: int) -> dict[int, int]:
        """The revision of every vector of a partition, by number."""

    def count(self) -> int:
        """How many vectors there are in all partitions."""

    def positions(self) -> dict[int, int]:
        """By partition: the change up to which its vectors are complete."""

    def set_position(self, partition: int, position: int) -> None: ...

    def drop(self, partition: int) -> None:
        """Let every vector of a partition go, and its position."""

    def clear(self) -> None:
        """Let everything go."""

    def compact(self) -> None:
        """Free what deleted vectors occupy, as far as the engine can be told to."""

    def close(self) -> None: ...
