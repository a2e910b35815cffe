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
from .header_words import less_for_headers
from .int8_matrix import MISSING
from .partition_index import PartitionIndex
from .partition_view import PartitionView
from .query import Query
from .topk import Mask, Rows, best, threshold
from .vector_search import VectorMatches, with_pieces

# Weight of a message's own words, and of those of the messages before and after it: more, if the
# one before is a question, as this one may answer it.
OWN_SHARE = np.float32(0.75)
BEFORE_SHARE = np.float32(0.225)
ASKED_SHARE = np.float32(0.6)
AFTER_SHARE = np.float32(0.15)
# Below this share of the question's words a message adds nothing to its neighbours.
WORTH_GIVING = 0.04
# In a large partition, only about four times as many of the best add to their neighbours.
GIVERS = 5000
# Weight of a passage's words beside its cosine when the best passage is chosen.
PASSAGE_WORDS = np.float32(0.65)

Parts = Sequence[tuple[PartitionIndex, Rows, int]]  # rows of one partition, and how many it has


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
        self._coverage: Floats | None = None
        self._around: Floats | None = None
        self._vector_matches: Sequence[VectorMatches] = ()  # by view
        self._sessions: list[Floats] = []  # by view and session
        self._matches: list[TermMatches] = []  # by view
        self._queries: Sequence[Floats] = ()
        self._piece_words: dict[int, Floats] = {}  # by view
        self.ranked: dict[str, Rows] = {}  # by path, the best first

    def add_keyword(self, question: Query, count: int) -> None:
        """Two paths: a message's own words, and its words with those of its neighbours."""
        own, around = [], []
        for view in self.views:
            index = view.index
            matches = _found(view, question.terms, question)
            scores = index.keyword(view.rows, matches)
            parts = [
                index.keyword(view.rows, _found(view, part, question)) for part in question.parts
            ]
            scores = with_pieces(scores, parts)
            own.append(scores)
            around.append(_with_neighbours(view, scores))
            self._sessions.append(index.session_coverage(view.rows, matches))
            self._matches.append(matches)
        self._coverage, self._around = _joined(own), _joined(around)
        self.ranked["keyword"] = best(self._coverage, self._mask, count, 0.0)
        self.ranked["context"] = best(self._around, self._mask, count, 0.0)

    def add_recent(self, count: int) -> None:
        rows = [
            view.index.newest(view.rows, view.mask, count) + start
            for view, start in zip(self.views, self._starts, strict=False)
        ]
        if len(rows) == 1:
            self.ranked["recency"] = rows[0]
            return
        newest = np.sort(np.concatenate(rows))
        times = self._take(self._parts(newest), PartitionIndex.times)
        self.ranked["recency"] = newest[np.argsort(-times, kind="stable")[:count]]

    def add_vectors(
        self, matches: Sequence[VectorMatches], queries: Sequence[Floats], count: int
    ) -> None:
        self._vector_matches, self._queries = matches, queries
        starts = self._starts
        rows = _joined([own.top + start for own, start in zip(matches, starts, strict=False)])
        boosted = _joined([own.take(own.raised, own.top) for own in matches])
        self.ranked["vector"] = rows[boosted.argsort(kind="stable")[::-1][:count]]

    def rows_in(self, view: int) -> Rows:
        """The rows of one view that some path found so far, counted within it."""
        rows = np.concatenate(list(self.ranked.values()))
        start, end = self._starts[view : view + 2]
        own: Rows = rows[(rows >= start) & (rows < end)] - start
        return own

    def rows(self) -> Rows:
        """The rows that any path found, once, in ascending order."""
        rows = np.concatenate(list(self.ranked.values()))
        rows.sort()
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows

    def identities(self, rows: Rows) -> list[tuple[int, int]]:
        """The number and the revision of each of these rows."""
        if len(self.views) == 1:
            return self.views[0].index.identities(rows)
        return [view.index.identities([row])[0] for view, row in self.located(rows)]

    def located(self, rows: Rows) -> list[tuple[PartitionView, int]]:
        """The view of each row, and its number within that view."""
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
            return self.views[0].index.int8_codes(rows)
        order = rows.argsort()
        parts = [index.int8_codes(part) for index, part, _ in self._parts(rows[order])]
        ordered = np.concatenate(parts)
        codes = np.empty_like(ordered)
        codes[order] = ordered
        return codes

    def candidates(self, paths: Mapping[str, str]) -> Candidates:
        """The columns of every row that some path found."""
        rows = self.rows()
        level: Level = "hybrid" if paths.get("vector") == "ok" else "keyword"
        parts = self._parts(rows)
        sessions, covered = self._sessions_of(parts)
        session_count = sum([len(view.index.sessions.names) for view in self.views])
        kinds, kind_names = self._kinds_of(parts)
        own, near, raised = _taken(self._coverage, rows), *self._cosines(parts)
        if self._coverage is None:
            covered = own
        return Candidates(
            rows=rows,
            ranked=self.ranked,
            times=self._take(parts, PartitionIndex.times),
            sessions=sessions,
            session_count=session_count,
            kinds=kinds,
            kind_names=kind_names,
            first=self._take(parts, PartitionIndex.first),
            unembedded=near <= MISSING / 2
            if self._vector_matches
            else np.zeros(len(rows), np.bool_),
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
        """Cosines without and with boosts."""
        if not self._vector_matches:
            none = np.zeros(sum(len(part) for _, part, _ in parts), np.float32)
            return none, none
        found = list(zip(self._vector_matches, [part for _, part, _ in parts], strict=True))
        near = _joined([dense.take(dense.near, part) for dense, part in found])
        if all(dense.raised is dense.near for dense in self._vector_matches):
            return near, near
        return near, _joined([dense.take(dense.raised, part) for dense, part in found])

    def _sessions_of(self, parts: Parts) -> tuple[NDArray[Any], Floats]:
        """The session of each row, numbered over all partitions, and its coverage."""
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
        """Which of these rows were said by a person, as far as is known."""
        return self._take(self._parts(rows), PartitionIndex.said)

    def trust(self, rows: Rows) -> Floats | None:
        """The factor of each row for how reliable it is; None: 1 for all."""
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
        """Which of these rows live in the partition that the workspace shares."""
        commons = [view.place.kind == "workspace" for view in self.views]
        return np.array(commons)[np.searchsorted(self._starts, rows, side="right") - 1]

    @property
    def has_passages(self) -> bool:
        return any(view.index.pieces.some_long for view in self.views)

    def passage(self, row: int) -> int | None:
        """Which passage of a long text matches best, by cosine and words; None: it is short."""
        at = bisect_right(self._starts, row) - 1 if len(self.views) > 1 else 0
        index = self.views[at].index
        pieces = index.pieces.of_row(row - self._starts[at])
        if not len(pieces):
            return None
        scores = np.zeros(len(pieces), np.float32)
        if self._matches:
            scores += PASSAGE_WORDS * self._words_of_pieces(at)[pieces]
        if self._queries:
            whole, *parts = [index.pieces.exact_scores(pieces, query) for query in self._queries]
            scores += with_pieces(whole, parts)
        return int(scores.argmax())

    def _words_of_pieces(self, view: int) -> Floats:
        """The keyword scores of a view's pieces, computed once, if at all."""
        if view not in self._piece_words:
            index = self.views[view].index
            self._piece_words[view] = index.keyword_of_pieces(self._matches[view])
        return self._piece_words[view]

    def _parts(self, rows: Rows) -> Parts:
        """The same rows by partition, numbered within each, and how many rows that has."""
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
    """Clamp at 0, so that a missing vector does not count as negative similarity."""
    if scores is None:
        return np.zeros(len(rows), np.float32)
    return np.maximum(scores[rows], np.float32(0))


def _with_lone(sessions: Rows, count: int, covered: Floats, own: Floats) -> Floats:
    """A row without a session is a session of its own."""
    lone = np.minimum(own, np.float32(1))
    return np.where(sessions >= 0, covered, lone) if count else lone


def _found(view: PartitionView, terms: Sequence[int], question: Query) -> TermMatches:
    found = view.index.find(terms, question.ids)
    if (
        view.place.kind != "group" or view.is_linked
    ):  # from elsewhere, the group's name may be asked
        return found
    return less_for_headers(found, view.index, view.rows)


def _with_neighbours(view: PartitionView, scores: Floats) -> Floats:
    """Each row's score plus a share of its neighbours' scores, of which few are above 0."""
    rows, index = view.rows, view.index
    around = np.zeros(rows + 1, np.float32)  # one more, for what goes to no row
    np.multiply(scores, OWN_SHARE, out=around[:rows])
    scored = (scores > threshold(scores, GIVERS, WORTH_GIVING)).nonzero()[0]
    given = scores[scored]
    asked = given * (BEFORE_SHARE + index.asks(rows)[scored] * ASKED_SHARE)
    before, after = index.neighbours(rows)
    for links, gains in ((after, asked), (before, given * AFTER_SHARE)):
        # None is -1, the last; and so is a row that was appended while we read.
        around[np.minimum(links[scored], rows)] += gains
    return around[:rows]
