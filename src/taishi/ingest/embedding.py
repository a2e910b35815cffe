"""Embeds stored texts in the background, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, Protocol

from ..language.event_header import without_group_name
from ..language.passages import passages_of
from ..ports import Embedded, Store, Unembedded, Vector
from ..recall.passage_index import packed
from ..recall.vector_codec import encode

BATCH = 64


class DocumentEmbedder(Protocol):
    """Any ports.Embedder, with or without a cache."""

    @property
    def name(self) -> str: ...

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"]
    ) -> Iterable[Vector]: ...


def embed_some(store: Store, embedder: DocumentEmbedder) -> tuple[int, bool]:
    """Embed a batch of the texts without vectors: how many, and whether there may be more. A text
    that changed meanwhile is embedded again."""
    waiting = store.unembedded(BATCH)
    batch = list(_one_batch(waiting))
    if batch:
        texts = [
            without_group_name(text) if item.kind == "event" else text
            for item, passages in batch
            for text in (item.text, *passages)
        ]
        vectors = embedder.embed(texts, "document")
        codes = map(encode, vectors)
        embedded = [
            Embedded(item.number, item.revision, next(codes), packed([*islice(codes, len(own))]))
            for item, own in batch
        ]
        store.put_vectors(embedder.name, embedded)
    return len(batch), len(batch) < len(waiting) or len(waiting) == BATCH


def _one_batch(waiting: Sequence[Unembedded]) -> Iterator[tuple[Unembedded, list[str]]]:
    """Texts with their passages, as many as make a batch: a long one takes as long as many."""
    count = 0
    for item in waiting:
        passages = [item.text[start:end] for start, end in passages_of(item.kind, item.text)]
        count += 1 + len(passages)
        if count > BATCH and count > 1 + len(passages):
            return
        yield item, passages
