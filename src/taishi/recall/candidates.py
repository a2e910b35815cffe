"""Collects the candidates of one request from every path and every partition that it may read.

The rows of all partitions are numbered through as one array, so that every step is a few numpy
operations however many partitions there are. Only what is shown in the end becomes an object.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ports import Candidates
from ..ports.candidates import RecordsByNumber, RunBlocking
from ..types import Level
from .bm25 import Floats, TermMatches
from .int8_segment import MISSING
from .partition_index import PartitionIndex
from .partition_view import PartitionView
from .query import Query
from .topk import Mask, Rows, best, threshold
from .vector_search import VectorMatches, with_pieces

# A message's own words, and what those of the messages before and after it add: more, if the one
# before asks, as this one may answer.
OWN_SHARE = np.float32(0.75)
BEFORE_SHARE = np.float32(0.225)
ASKED_SHARE = np.float32(0.6)
AFTER_SHARE = np.float32(0.15)
# Below this share of the question's words a message has nothing to give to its neighbours.
WORTH_GIVING = 0.04
# Of a large place, only about four times as many of the best give: what others have is little.
GIVERS = 5000
# What the words of a passage count beside its meaning when it is chosen to be shown.
PASSAGE_WORDS = np.float32(0.65)

Parts = Sequence[tuple[PartitionIndex, Rows, int]]  # rows of one place, and how many it has


Fetch = Callable[["CandidatePool", RunBlocking, Rows], RecordsByNumber]


def _no_records(pool: CandidatePool, run_blocking: RunBlocking, rows: Rows) -> RecordsByNumber:
    return {}


class CandidatePool:
    """Implements ports.CandidateDetails. `fetch` reads the records of some rows."""

    def __init__(self, views: Sequence[PartitionView], fetch: Fetch = _no_records) -> None:
        self.views = views
        self._fetch = fetch
        self._starts = [0, *accumulate(view.rows for view in views)]
        self._mask = _joined([view.mask for view in views])
        self._own: Floats | None = None
        self._around: Floats | None = None
        self._dense: Sequence[VectorMatches] = ()  # by view
        self._sessions: list[Floats] = []  # by view and session
        self._matches: list[TermMatches] = []  # by view
        self._queries: Sequence[Floats] = ()
        self._piece_words: dict[int, Floats] = {}  # by view
        self.found: dict[str, Rows] = {}  # by path, the best first

    def add_keyword(self, question: Query, count: int) -> None:
        """Two paths: a message's own words, and its words with those around it."""
        own, around = [], []
        for view in self.views:
            index = view.index
            found = index.find(question.terms, question.ids)
            scores = index.keyword(view.rows, found)
            parts = [
                index.keyword(view.rows, index.find(part, question.ids)) for part in question.parts
            ]
            scores = with_pieces(scores, parts)
            own.append(scores)
            around.append(_with_neighbours(view, scores))
            self._sessions.append(index.session_coverage(view.rows, found))
            self._matches.append(found)
        self._own, self._around = _joined(own), _joined(around)
        self.found["keyword"] = best(self._own, self._mask, count, 0.0)
        self.found["context"] = best(self._around, self._mask, count, 0.0)

    def add_recent(self, count: int) -> None:
        rows = [
            view.index.newest(view.rows, view.mask, count) + start
            for view, start in zip(self.views, self._starts, strict=False)
        ]
        if len(rows) == 1:
            self.found["recency"] = rows[0]
            return
        newest = np.sort(np.concatenate(rows))
        times = self._take(self._parts(newest), PartitionIndex.times)
        self.found["recency"] = newest[np.argsort(-times, kind="stable")[:count]]

    def add_dense(
        self, found: Sequence[VectorMatches], queries: Sequence[Floats], count: int
    ) -> None:
        self._dense, self._queries = found, queries
        starts = self._starts
        rows = _joined([one.top + start for one, start in zip(found, starts, strict=False)])
        raised = _joined([one.take(one.raised, one.top) for one in found])
        self.found["vector"] = rows[raised.argsort(kind="stable")[::-1][:count]]

    def rows_in(self, view: int) -> Rows:
        """The rows of one view that some path found so far, counted within it."""
        rows = np.concatenate(list(self.found.values()))
        start, end = self._starts[view : view + 2]
        own: Rows = rows[(rows >= start) & (rows < end)] - start
        return own

    def rows(self) -> Rows:
        """Every row that some path found, once, in ascending order."""
        rows = np.concatenate(list(self.found.values()))
        rows.sort()
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows

    def identities(self, rows: Rows) -> list[tuple[int, int]]:
        """The number and the revision of each of these rows."""
        if len(self.views) == 1:
            return self.views[0].index.identities(rows)
        return [view.index.identities([row])[0] for view, row in self.located(rows)]

    def located(self, rows: Rows) -> list[tuple[PartitionView, int]]:
        """Where each of these rows is: in which view, and there in which row."""
        if len(self.views) == 1:
            return [(self.views[0], row) for row in rows.tolist()]
        found = []
        for row in rows.tolist():
            at = bisect_right(self._starts, row) - 1
            found.append((self.views[at], row - self._starts[at]))
        return found

    def vectors(self, rows: Rows) -> NDArray[np.int8]:
        """Their int8 codes, each with a scale of its own: enough to compare directions."""
        if len(self.views) == 1:
            return self.views[0].index.codes(rows)
        order = rows.argsort()
        parts = [index.codes(part) for index, part, _ in self._parts(rows[order])]
        widest = max(part.shape[1] for part in parts)
        codes = np.zeros((len(rows), widest), np.int8)
        start = 0
        for part in parts:
            codes[order[start : start + len(part)], : part.shape[1]] = part
            start += len(part)
        return codes

    def candidates(self, paths: Mapping[str, str]) -> Candidates:
        """The columns of every row that some path found."""
        rows = self.rows()
        level: Level = "hybrid" if paths.get("vector") == "ok" else "keyword"
        parts = self._parts(rows)
        sessions, covered = self._sessions_of(parts)
        session_count = sum([len(view.index.sessions.names) for view in self.views])
        kinds, kind_names = self._kinds_of(parts)
        own, near, raised = _taken(self._own, rows), *self._cosines(parts)
        if self._own is None:
            covered = own
        return Candidates(
            rows=rows,
            ranked=self.found,
            times=self._take(parts, PartitionIndex.times),
            sessions=sessions,
            session_count=session_count,
            kinds=kinds,
            kind_names=kind_names,
            first=self._take(parts, PartitionIndex.first),
            unembedded=near <= MISSING / 2 if self._dense else np.zeros(len(rows), np.bool_),
            cosine=np.maximum(raised, np.float32(0)),
            nearness=np.maximum(near, np.float32(0)),
            coverage=own,
            around=_taken(self._around, rows),
            session_coverage=_with_lone(sessions, session_count, covered, own),
            details=self,
            paths=paths,
            level=level,
        )

    def records(self, rows: Rows, run_blocking: RunBlocking) -> RecordsByNumber:
        return self._fetch(self, run_blocking, rows)

    def _cosines(self, parts: Parts) -> tuple[Floats, Floats]:
        """By meaning; and the same, raised where the question names who spoke."""
        if not self._dense:
            none = np.zeros(sum(len(part) for _, part, _ in parts), np.float32)
            return none, none
        found = list(zip(self._dense, [part for _, part, _ in parts], strict=True))
        near = _joined([dense.take(dense.near, part) for dense, part in found])
        if all(dense.raised is dense.near for dense in self._dense):
            return near, near
        return near, _joined([dense.take(dense.raised, part) for dense, part in found])

    def _sessions_of(self, parts: Parts) -> tuple[NDArray[Any], Floats]:
        """The session of each row, counted over all places, and what of the question is in it."""
        if len(parts) == 1 and self._sessions:
            index, part, count = parts[0]
            own = index.sessions_of(count)[part]
            return own, self._sessions[0][own]
        codes, covered, before = [], [], 0
        for at, (index, part, count) in enumerate(parts):
            own = index.sessions_of(count)[part]
            if self._sessions:
                covered.append(self._sessions[at][own])
            codes.append(np.where(own >= 0, own + before, -1) if before else own)
            before += len(index.sessions.names)
        return _joined(codes), _joined(covered) if covered else np.zeros(0, np.float32)

    def _kinds_of(self, parts: Parts) -> tuple[Rows, list[str]]:
        if len(parts) == 1:
            return self._take(parts, PartitionIndex.kinds_of), parts[0][0].kinds.names
        codes = [index.kinds_of(count)[part] for index, part, count in parts]
        names: list[str] = []
        for at, (index, _, _) in enumerate(parts):
            codes[at] = codes[at] + len(names)
            names += index.kinds.names
        return _joined(codes), names

    def said(self, rows: Rows) -> Mask:
        """Which of these rows some person said, as far as is known."""
        return self._take(self._parts(rows), PartitionIndex.said)

    def trust(self, rows: Rows) -> Floats | None:
        """By what each of these is multiplied for how far to rely on it; None: all by 1."""
        parts = self._parts(rows)
        found = [(index.trust_of(count), part) for index, part, count in parts]
        if all(column is None for column, _ in found):
            return None
        return _joined(
            [
                np.ones(len(part), np.float32) if column is None else column[part]
                for column, part in found
            ]
        )

    def shared(self, rows: Rows) -> Mask:
        """Which of these rows live in the workspace's commons."""
        commons = [view.place.kind == "workspace" for view in self.views]
        return np.array(commons)[np.searchsorted(self._starts, rows, side="right") - 1]

    @property
    def has_passages(self) -> bool:
        return any(view.index.pieces.some_long for view in self.views)

    def passage(self, row: int) -> int | None:
        """Which passage of a long text fits best, by meaning and words; None: it is short."""
        at = bisect_right(self._starts, row) - 1 if len(self.views) > 1 else 0
        index = self.views[at].index
        pieces = index.pieces.of_row(row - self._starts[at])
        if not len(pieces):
            return None
        scores = np.zeros(len(pieces), np.float32)
        if self._matches:
            scores += PASSAGE_WORDS * self._words_of_pieces(at)[pieces]
        if self._queries:
            whole, *parts = [index.pieces.exactly(pieces, query) for query in self._queries]
            scores += with_pieces(whole, parts)
        return int(scores.argmax())

    def _words_of_pieces(self, view: int) -> Floats:
        """What the words of each piece of a view are worth: worked out once, if at all."""
        if view not in self._piece_words:
            index = self.views[view].index
            self._piece_words[view] = index.keyword_of_pieces(self._matches[view])
        return self._piece_words[view]

    def _parts(self, rows: Rows) -> Parts:
        """The same rows place by place, counted within each; and how many rows that one has."""
        if len(self.views) == 1:
            return [(self.views[0].index, rows, self.views[0].rows)]
        ends = rows.searchsorted(self._starts)
        return [
            (view.index, rows[ends[at] : ends[at + 1]] - self._starts[at], view.rows)
            for at, view in enumerate(self.views)
        ]

    @staticmethod
    def _take(parts: Parts, column: Callable[[PartitionIndex, int], NDArray[Any]]) -> NDArray[Any]:
        if len(parts) == 1:
            index, part, count = parts[0]
            return column(index, count)[part]
        return _joined([column(index, count)[part] for index, part, count in parts])


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _taken(scores: Floats | None, rows: Rows) -> Floats:
    """Nothing is below nothing: a row without a vector is merely not near."""
    if scores is None:
        return np.zeros(len(rows), np.float32)
    return np.maximum(scores[rows], np.float32(0))


def _with_lone(sessions: Rows, count: int, covered: Floats, own: Floats) -> Floats:
    """What is in no session is a session of its own."""
    lone = np.minimum(own, np.float32(1))
    return np.where(sessions >= 0, covered, lone) if count else lone


def _with_neighbours(view: PartitionView, scores: Floats) -> Floats:
    """The scores, and what each row gains from its neighbours: few rows have any to give."""
    rows, index = view.rows, view.index
    around = np.zeros(rows + 1, np.float32)  # one more, for what goes to no row
    np.multiply(scores, OWN_SHARE, out=around[:rows])
    scored = (scores > threshold(scores, GIVERS, WORTH_GIVING)).nonzero()[0]
    given = scores[scored]
    asked = given * (BEFORE_SHARE + index.asks(rows)[scored] * ASKED_SHARE)
    for links, gains in ((index.after(rows), asked), (index.before(rows), given * AFTER_SHARE)):
        # None is -1, the last; and so is a row that was appended while we read.
        around[np.minimum(links[scored], rows)] += gains
    return around[:rows]
