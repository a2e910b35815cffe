"""Limits how many hits are events, so that the block of a turn has room for other kinds (Q1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..ports import Candidates
from ..types import KINDS, Hit, Record
from ..types import checked_kinds as checked_kinds
from .intent import SHARED
from .scoring import Scored
from .topk import Rows

EVENT_KINDS = ("event", "turn")
# Searched apart from what was said and learned: a large knowledge base must not displace that.
# A document's own record has its summary, which its first chunk often says, too.
KNOWLEDGE_KINDS = ("chunk",)
MEMORY_KINDS = tuple(kind for kind in KINDS if kind not in (*KNOWLEDGE_KINDS, "document"))
NEARLY = 0.75  # of a hit's score: what may take its place


def order_with_at_most(candidates: Candidates, order: Rows, events: int | None, width: int) -> Rows:
    """The order of the candidates without the events after the first so many, times `width`."""
    if events is None:
        return order
    codes = [code for code, name in enumerate(candidates.kind_names) if name in EVENT_KINDS]
    is_event = np.isin(candidates.kinds[order], codes)
    kept: Rows = order[~is_event | (np.cumsum(is_event) <= events * width)]
    return kept


def with_reserved(scored: Scored, order: Rows, count: int, asked: Collection[str]) -> Rows:
    """The order, but if none of the first `count` is what the intent asks for, the best that is
    takes the last of their places, unless it is far less relevant (Q5)."""
    if not asked or len(order) <= count:
        return order
    candidates = scored.candidates
    codes = [code for code, name in enumerate(candidates.kind_names) if name in asked]
    wanted = np.isin(candidates.kinds[order], codes)
    if SHARED in asked:
        wanted |= candidates.details.shared(candidates.rows[order])
    at = np.flatnonzero(wanted)
    if not len(at) or at[0] < count:
        return order
    best = at[0]
    if scored.scores[order[best]] < NEARLY * scored.scores[order[count - 1]]:
        return order
    rest = np.delete(order, best)
    moved: Rows = np.concatenate([rest[: count - 1], order[best : best + 1], rest[count - 1 :]])
    return moved


def with_at_most(
    events: int, hits: Sequence[tuple[Record, float]], count: int
) -> list[tuple[Record, float]]:
    """The best `count` hits, of which so many events."""
    kept, seen = [], 0
    for hit in hits:
        seen += hit[0].kind in EVENT_KINDS
        if hit[0].kind not in EVENT_KINDS or seen <= events:
            kept.append(hit)
    return kept[:count]


def with_knowledge(
    memory: Sequence[Hit], knowledge: Sequence[Hit], count: int, is_asked: bool = False
) -> tuple[Hit, ...]:
    """The best `count` of both, at most half of them from documents unless there is nothing else,
    in the order of their scores. If the intent asks for documents (`is_asked`), the best passage
    has the last place, unless it is far less relevant (Q5)."""
    most = max(1, count // 2, count - len(memory))
    best = sorted((*memory, *knowledge[:most]), key=lambda hit: -hit.score)
    hits = best[:count]
    for passage in knowledge[: int(is_asked)]:
        if hits and passage not in hits and passage.score >= NEARLY * hits[-1].score:
            hits[-1] = passage
    return tuple(hits)
