"""What all vector engines have in common: models, revisions, questions of several sentences.

A subclass talks to one engine in a dozen short methods; this class makes a ports.VectorEngine of
them, and turns the driver's errors into ours.
"""

from __future__ import annotations

import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TypeVar

import numpy as np

from ...errors import StorageError, TaishiError
from ...ports.candidates import Floats
from .address import EngineAddress

PARTITION_BITS = 32  # a record's number: the partition's above these bits
# Positions lie in the same collection, in a partition that no record has: that of partition n has
# the number -1 - n, and the position is its revision.
POSITIONS = -1
BATCH = 500
# Of a question of several sentences: so many times k are looked at first, and more if need be.
WIDER = 4
MAX_K = 16_000  # Milvus takes no more
T = TypeVar("T")
Found = list[tuple[int, float]]


class CollectionEngine(ABC):
    """Implements ports.VectorEngine: one collection for each model, dropped with it."""

    def __init__(self, address: EngineAddress, prefix: str, dimensions: int) -> None:
        self._at = address
        self._prefix = prefix
        self._dimensions = dimensions
        self._lock = threading.RLock()
        self._model: str | None = None
        self._is_connected = False
        self._is_open = False

    # -- what a subclass does ----------------------------------------------------------------

    @abstractmethod
    def _connect(self) -> None: ...

    @abstractmethod
    def _disconnect(self) -> None: ...

    @abstractmethod
    def _names(self) -> list[str]:
        """Every collection of the engine."""

    @abstractmethod
    def _use(self, name: str) -> None:
        """Use this collection from now on; create it unless it exists."""

    @abstractmethod
    def _delete_collection(self, name: str) -> None: ...

    @abstractmethod
    def _upsert(self, rows: Sequence[tuple[int, int, Floats]]) -> None: ...

    @abstractmethod
    def _delete(self, numbers: Sequence[int]) -> None: ...

    @abstractmethod
    def _delete_partition(self, partition: int) -> None: ...

    @abstractmethod
    def _nearest(
        self, partition: int, query: Floats, k: int, allowed: Sequence[int] | None
    ) -> Found:
        """The nearest k by cosine, the nearest first, filtered inside the engine."""

    @abstractmethod
    def _get(self, numbers: Sequence[int]) -> dict[int, tuple[int, Floats]]: ...

    @abstractmethod
    def _revisions(self, numbers: Sequence[int]) -> dict[int, int]: ...

    @abstractmethod
    def _entries(self, partition: int) -> dict[int, int]: ...

    @abstractmethod
    def _count(self) -> int:
        """Of everything, positions included."""

    @abstractmethod
    def _compact(self) -> None:
        """Free what deleted vectors occupy, if the engine can be told to."""

    # -- the port ----------------------------------------------------------------------------

    @property
    def address(self) -> str:
        return str(self._at)

    def adopt(self, model: str) -> None:
        with self._lock, self._translated():
            if self._is_open and model == self._model:
                return
            self._open(model)

    def put(self, model: str, vectors: Sequence[tuple[int, int, Floats]]) -> None:
        self.adopt(model)
        with self._translated():
            for some in _batches(vectors):
                known = self._revisions([number for number, _, _ in some])
                newer: dict[int, tuple[int, int, Floats]] = {}
                for row in some:
                    number, revision, _ = row
                    if revision > known.get(number, -1):
                        newer[number], known[number] = row, revision
                if newer:
                    self._upsert(list(newer.values()))

    def remove(self, numbers: Collection[int]) -> None:
        with self._used():
            for some in _batches(sorted(set(numbers))):
                self._delete(some)

    def search(
        self,
        partition: int,
        queries: Sequence[Floats],
        k: int,
        allowed: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        if k < 1 or self._model is None:
            return []
        chosen = None
        if allowed is not None:
            chosen = sorted(no for no in set(allowed) if no >> PARTITION_BITS == partition)
            if not chosen:
                return []
        with self._used():
            if len(queries) == 1:
                return self._nearest(partition, queries[0], min(k, MAX_K), chosen)
            return self._nearest_of_all(partition, queries, k, chosen)

    def get(self, numbers: Collection[int]) -> dict[int, tuple[int, Floats]]:
        with self._used():
            found: dict[int, tuple[int, Floats]] = {}
            for some in _batches(list(numbers)):
                found |= self._get(some)
            return found

    def entries(self, partition: int) -> dict[int, int]:
        with self._used():
            return self._entries(partition)

    def count(self) -> int:
        with self._used():
            return self._count() - len(self._entries(POSITIONS))

    def positions(self) -> dict[int, int]:
        with self._used():
            return {-1 - no: at for no, at in self._entries(POSITIONS).items()}

    def set_position(self, partition: int, position: int) -> None:
        with self._used():
            self._upsert([(-1 - partition, position, self._any_vector(partition))])

    def drop(self, partition: int) -> None:
        with self._used():
            self._delete_partition(partition)
            self._delete([-1 - partition])

    def clear(self) -> None:
        with self._lock, self._used():
            for name in self._names():
                if name.startswith(f"{self._prefix}_"):
                    self._delete_collection(name)
            self._open(str(self._model))

    def compact(self) -> None:
        with self._used():
            self._compact()

    def close(self) -> None:
        with self._lock:
            self._is_open = False
            self._let_go()

    # -- how -----------------------------------------------------------------------------------

    def _open(self, model: str) -> None:
        """Connect and use the model's collection. That of another model is dropped only when
        this one exists, so that being killed in between loses nothing."""
        if not self._is_open:
            self._let_go()
            self._connect()
            self._is_connected = True
        digest = hashlib.sha256(f"{model}\n{self._dimensions}".encode("utf-8", "surrogatepass"))
        name = f"{self._prefix}_{digest.hexdigest()[:12]}"
        own = f"{name}_{self._dimensions}"
        self._use(own)
        for other in self._names():
            if other.startswith(f"{self._prefix}_") and other != own:
                self._delete_collection(other)
        self._model, self._is_open = model, True

    def _let_go(self) -> None:
        """Close the connection there was; one that failed may fail at that, too."""
        if self._is_connected:
            self._is_connected = False
            with suppress(Exception):
                self._disconnect()

    @contextmanager
    def _used(self) -> Iterator[None]:
        """An open engine; one that failed is reconnected."""
        if self._model is None:
            raise StorageError(f"{self.address}: no model was named yet; adopt one first")
        with self._translated():
            if not self._is_open:
                with self._lock:
                    if not self._is_open:
                        self._open(self._model)
            yield

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except TaishiError:
            raise
        except Exception as error:  # drivers raise what they like
            self._is_open = False
            text = " ".join(str(error).split())[:200]
            raise StorageError(
                f"the vector engine {self.address} failed ({type(error).__name__}: {text}); "
                "check that it runs; until then, recall is by keyword"
            ) from error

    def _nearest_of_all(
        self, partition: int, queries: Sequence[Floats], k: int, allowed: Sequence[int] | None
    ) -> Found:
        """Half the cosine of the whole, half that of the closest sentence, exactly: look further
        down every list until nothing that was not seen can be among the best."""
        width = min(k * WIDER, MAX_K)
        while True:
            lists = [self._nearest(partition, query, width, allowed) for query in queries]
            numbers = sorted({number for found in lists for number, _ in found})
            vectors = self._get_all(numbers)
            scored = _by_all(vectors, queries)[:k]
            if width == MAX_K or any(len(found) < width for found in lists):
                return scored  # a list that ended early holds all that there are
            ends = [found[-1][1] for found in lists]
            if len(scored) == k and scored[-1][1] >= (ends[0] + max(ends[1:])) / 2:
                return scored
            width = min(width * WIDER, MAX_K)

    def _any_vector(self, seed: int) -> Floats:
        """Engines want a vector in every row, also of a position. All different, as many equal
        ones would spoil an approximate index."""
        row = np.random.default_rng(seed).normal(size=self._dimensions)
        return (row / np.linalg.norm(row)).astype(np.float32)

    def _get_all(self, numbers: Sequence[int]) -> dict[int, Floats]:
        found: dict[int, Floats] = {}
        for some in _batches(numbers):
            found |= {number: vector for number, (_, vector) in self._get(some).items()}
        return found


def _by_all(vectors: dict[int, Floats], queries: Sequence[Floats]) -> Found:
    if not vectors:
        return []
    matrix = np.stack(list(vectors.values()))
    whole, *parts = [matrix @ query for query in queries]
    cosines = (whole + np.maximum.reduce(parts)) / 2 if parts else whole
    pairs = zip(vectors, cosines.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: -pair[1])


def _batches(values: Sequence[T]) -> Iterator[list[T]]:
    it = iter(values)
    while some := list(islice(it, BATCH)):
        yield some
