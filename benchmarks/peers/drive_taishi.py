"""Ours. `filtered` is the whole of `Memory.recall`; the vector path alone is timed beside it.

With the option `one-scope`, all records are in one group: nothing to filter by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.peers.serve import TOP, Query, Records, serve
from taishi import Memory, Recall, Scope, load
from taishi.ports import Vector
from taishi.recall.int8_matrix import MISSING
from taishi.recall.topk import best
from taishi.recall.vector_search import RESCORED
from taishi.types import Partition

ONE = "everything"


class ReadyMade:
    """Embedding is not what is compared: the vector of every text is known beforehand."""

    name = "ready-made"

    def __init__(self, records: Records) -> None:
        self.dimensions = records.width
        self._vector_of: Callable[[str], Vector] = records.embedder()

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        return np.stack([self._vector_of(text) for text in texts])

    def close(self) -> None: ...


class Taishi:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        self._records = records
        self._one = options == ["one-scope"]
        # The same questions are asked again and again: no answer may come from memory.
        settings = load(overrides={"cache.results_minutes": 0.0})
        self._memory = Memory.open(folder, settings, embedder=ReadyMade(records))
        self.searches: dict[str, Callable[[Query], Any]]
        if self._one:
            self.searches = {"unfiltered": self._recall, "unfiltered vectors": self._near}
        else:
            self.searches = {"filtered": self._recall, "vectors": self._near}
        self.writes = {"one": self._write, "one, vector too": self._write_with_vector}

    def _group(self, group: str) -> str:
        return ONE if self._one else group

    def build(self) -> None:
        records = self._records
        items = defaultdict(list)
        for number in range(records.size):
            item = {"text": records.texts[number], "kind": "note", "source": str(number)}
            items[self._group(records.groups[number])].append(item)
        for group, members in items.items():
            self._memory.remember_many(Scope(group=group), members)
        self._memory.drain()
        # The vectors of the questions are computed before, too.
        if self._memory._services.runtime.embedder is not None:
            self._memory._services.runtime.embedder.queries(
                [query.text for query in records.queries]
            )

    def _recall(self, query: Query) -> Recall:
        scope = Scope(group=self._group(query.group))
        return self._memory.recall(scope, query.text, top_k=TOP, floor=0.0)

    def _near(self, query: Query) -> tuple[Partition, list[int]]:
        """The vector path by itself: a fresh index, the scan, the best again in full."""
        place = Scope(group=self._group(query.group)).home
        index = self._memory._services.retriever.source.indexes.load([place])[place]
        rows = index.rows
        scores = index.cosines(rows, query.vector)
        everything = np.ones(rows, np.bool_)
        found = best(scores, everything, RESCORED, MISSING)
        (exact,) = index.exact_cosines(found, [query.vector])
        order = found[np.argsort(-exact)[:TOP]]
        return place, index.numbers(rows)[order].tolist()

    def _write(self, number: int) -> None:
        records = self._records
        scope = Scope(group=self._group(records.groups[number]))
        self._memory.remember(scope, records.texts[number], source=str(number))

    def _write_with_vector(self, number: int) -> None:
        """As the others count it: until the record can be found by meaning, too."""
        self._write(number)
        while self._memory._services.background.embed_some():
            pass

    def numbers_of(self, answer: Recall | tuple[Partition, list[int]]) -> list[int]:
        if isinstance(answer, tuple):
            place, numbers = answer
            records = self._memory._services.runtime.parts.store.fetch(numbers, {place})
            return [int(records[number].source or -1) for number in numbers]
        if answer.level != "hybrid":
            return []  # an answer without its vector path counts as none
        return [int(hit.source or -1) for hit in answer.hits]

    def close(self) -> None:
        self._memory.close()


if __name__ == "__main__":
    serve(Taishi)
