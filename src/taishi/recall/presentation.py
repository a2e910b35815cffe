"""Turns scored candidates into the hits that are shown: rerank, deduplicate, expand.

A look-up, such as the historian's, does none of this: it wants what is known in scored order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..observe.stage_times import timed
from ..ports import Expander, RecordFilter
from ..types import Record, VisiblePartition
from .deadline import BoundedExecutor, Deadline
from .deadline import guarded as _guarded
from .dedupe import drop_near_duplicates
from .filter_matches import is_wanted
from .kind_limits import with_at_most
from .request import RecallRequest

Hits = Sequence[tuple[Record, float]]
Rerank = Callable[[str, Sequence[str]], Sequence[float]]
# Reads the records of the best so many candidates.
Read = Callable[[int], list[tuple[Record, float]]]

RERANK_RESERVE = 0.02
THREADS = 4


class Presenter:
    """`rerank` asks an external model for the order (Q4), `expander` adds to the hits,
    unless a request brings its own."""

    def __init__(self, rerank: Rerank | None = None, expander: Expander | None = None) -> None:
        self._rerank = rerank
        self._expander = expander
        self._executor = BoundedExecutor("rerank", THREADS)

    def close(self) -> None:
        self._executor.close()

    def present(
        self,
        request: RecallRequest,
        read: Read,
        width: int,
        visible: Sequence[VisiblePartition],
        paths: dict[str, str],
        deadline: Deadline,
    ) -> Hits:
        """The hits; `width` candidates are read for each where a step may drop many."""
        hits = self._distinct(request, read, width, paths, deadline)
        expander = request.expander or self._expander
        if expander is None:
            return hits
        expanded = expander.expand(hits)
        known = {(record.place, record.id) for record, _ in hits}
        return [
            (record, score)
            for record, score in expanded
            if (record.place, record.id) in known or _may_be_shown(record, visible, request.wanted)
        ]

    def _distinct(
        self,
        request: RecallRequest,
        read: Read,
        width: int,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> Hits:
        """Near-duplicates are rare: more is read only if some of the first were dropped."""
        count = request.top_k
        if self._rerank is not None or request.most_events is not None:
            ranked = self._reranked(request, read(count * width), paths, deadline)
            if request.most_events is None:
                return drop_near_duplicates(ranked, count)
            distinct = drop_near_duplicates(ranked, len(ranked))
            return with_at_most(request.most_events, distinct, count)
        first = read(count + 1)
        hits = drop_near_duplicates(first, count)
        if len(hits) < count < len(first):
            hits = drop_near_duplicates(read(count + count // 2 + 5), count)
        return hits

    def _reranked(
        self, request: RecallRequest, hits: Hits, paths: dict[str, str], deadline: Deadline
    ) -> Hits:
        """In the order of the external reranker, if it answers in time (Q4)."""
        if not hits or self._rerank is None:
            return hits
        ask = partial(self._rerank, request.text, [record.text for record, _ in hits])
        until = deadline.before(RERANK_RESERVE)
        with timed(request.times, "rerank"):
            scores = _guarded("rerank", paths, lambda: self._executor.run(ask, until))
        if scores is None:
            return hits
        paths["rerank"] = "ok"
        judged = [(record, score) for (record, _), score in zip(hits, scores, strict=True)]
        return sorted(judged, key=lambda hit: -hit[1])


def _may_be_shown(
    record: Record, visible: Sequence[VisiblePartition], wanted: RecordFilter
) -> bool:
    """Whether a record that an expander added is one that the reader may see and asked for."""
    ended = record.until is not None and record.until <= wanted.now
    if record.state not in wanted.states or (ended and wanted.asked is None):
        return False
    if not is_wanted(record, wanted):
        return False
    return any(
        record.place == partition.place and partition.only_user in (None, record.user)
        for partition in visible
    )
