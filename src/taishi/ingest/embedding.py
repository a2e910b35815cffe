"""Vectors for texts: in the background for what is stored, from a cache for what is asked."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..language.passages import cut
from ..observe.metrics import Metrics
from ..ports import Embedded, Embedder, Shareable, Store, Unembedded
from ..recall.passage_index import packed
from ..recall.vector_codec import encode

BATCH = 64
CACHE_BYTES = 64 << 20

Floats = NDArray[np.float32]


class CachedEmbedder:
    """Remembers vectors by text for a while (Q6); bounded in bytes, oldest use leaves first."""

    def __init__(
        self,
        embedder: Embedder,
        hours: float,
        clock: Callable[[], float] = time.monotonic,
        gauges: Metrics | None = None,
    ) -> None:
        self._gauges = gauges or Metrics()
        self._embedder = embedder
        self._life = hours * 3600
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[float, Floats]] = OrderedDict()
        self._bytes = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def blocks(self) -> tuple[int, ...]:
        return self._embedder.blocks

    def known_queries(self, texts: Sequence[str]) -> list[Floats] | None:
        """The vectors of these questions, if all of them are at hand."""
        found = [self._get(("query", text)) for text in texts]
        known = [vector for vector in found if vector is not None]
        whole = len(known) == len(texts)
        self._gauges.cache.add("vectors", "hit" if whole else "miss")
        return known if whole else None

    def queries(self, texts: Sequence[str]) -> list[Floats]:
        return self.embed(texts, "query")

    def help(self) -> bool:
        """Do a part of what is being embedded for a question, where that is possible."""
        return isinstance(self._embedder, Shareable) and self._embedder.help()

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[Floats]:
        found = {text: self._get((kind, text)) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            start = time.perf_counter()
            vectors = self._embedder.embed(missing, kind)
            self._gauges.embed.observe(time.perf_counter() - start, kind)
            for text, vector in zip(missing, vectors, strict=True):
                found[text] = vector
                self._put((kind, text), vector)
        return [vector for text in texts if (vector := found[text]) is not None]

    def close(self) -> None:
        self._embedder.close()

    def cached_texts(self) -> list[str]:
        with self._lock:
            return [text for _, text in self._kept]

    def clear_text(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every text that was seen."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _get(self, key: tuple[str, str]) -> Floats | None:
        with self._lock:
            entry = self._kept.get(key)
            if entry is None or self._clock() - entry[0] > self._life:
                return None
            self._kept.move_to_end(key)
            return entry[1]

    def _put(self, key: tuple[str, str], vector: Floats) -> None:
        with self._lock:
            if key not in self._kept:
                self._bytes += vector.nbytes + len(key[1])
            self._kept[key] = (self._clock(), vector)
            while self._bytes > CACHE_BYTES:
                (_, text), (_, old) = self._kept.popitem(last=False)
                self._bytes -= old.nbytes + len(text)


def embed_some(store: Store, embedder: CachedEmbedder) -> tuple[int, bool]:
    """Embed a batch of what waits: how many, and whether more may wait. Text that changed
    meanwhile waits again."""
    waiting = store.unembedded(BATCH)
    some = list(_some(waiting))
    if some:
        texts = [text for item, passages in some for text in (item.text, *passages)]
        vectors = embedder.embed(texts, "document")
        codes = (encode(vector, embedder.blocks) for vector in vectors)
        embedded = [
            Embedded(item.number, item.revision, next(codes), packed([*islice(codes, len(own))]))
            for item, own in some
        ]
        store.put_vectors(embedder.name, embedded)
    return len(some), len(some) < len(waiting) or len(waiting) == BATCH


def _some(waiting: Sequence[Unembedded]) -> Iterator[tuple[Unembedded, list[str]]]:
    """Texts with their passages, as many as make a batch: a long one takes as long as many."""
    count = 0
    for item in waiting:
        passages = [item.text[start:end] for start, end in cut(item.text)]
        count += 1 + len(passages)
        if count > BATCH and count > 1 + len(passages):
            return
        yield item, passages
