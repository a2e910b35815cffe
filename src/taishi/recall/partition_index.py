"""The in-memory index of one partition: an inverted index, vectors, and columns to filter by.

A projection of the store that follows the partition's change counter. It is append-only: a changed
record gets a new row, and its old row is marked as deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..language import analyzer, instruction_wording
from ..ports import Changes, IndexRow, Store
from ..types import VisiblePartition
from .bm25 import COMMON_FROM, Bm25Index, Floats, TermMatches, rarity
from .column_batch import ColumnBatch, rows_with
from .columns import Codes, Column
from .deadline import Deadline
from .int8_matrix import Int8Matrix
from .partition_records import PartitionRecords
from .passage_index import PassageIndex
from .record_filter import FilterColumns, RecordFilter, RecordMasks, one_of
from .score_factors import trust_factors
from .topk import Mask, Rows, best

# Measured: the objects of an empty index, and a row's columns with its share of dictionaries.
EMPTY_BYTES = 12_000
ROW_BYTES = 200
# The newest rows are cached, as every request asks for a few of them.
NEWEST = 256
NEWEST_FIRST = 16
# Names under which hosts store what the bot said.
ASSISTANTS = ("assistant", "Assistant", "bot", "Bot", "AI", "助手", "机器人")
ASKING = analyzer.number_of(analyzer.ASKING)
INSTRUCTS, PREFERS = map(
    analyzer.number_of, (instruction_wording.INSTRUCTS, instruction_wording.PREFERS)
)
# Added to the number of sessions: in the first few no word is common yet.
PRIOR_SESSIONS = 20
# A term in so many rows is in nearly every session.
EVERYWHERE_SHARE = 0.05
MAX_CELLS = 4_000_000
# Deleted rows per live row from which on the index is compacted, in the background.
COMPACT_SHARE = 0.2
COMPACT_FROM = 16


class PartitionIndex:
    """Reading needs no lock: take `rows` once, and every array is at least that long."""

    holds_all = True  # rows of the partition

    def __init__(self, no: int, dimensions: int) -> None:
        self.no = no
        self.seq = 0
        self.rows = 0
        self._row_of: dict[int, int] = {}
        self._last_of_session: dict[int, int] = {}
        self._deleted = 0
        self._deleted_pieces = 0
        self._some_end = False  # is any record true for a time only?
        self._trusts_differ = False  # is any trust factor other than 1?
        self.has_instructions = False  # does any record lay down how to serve?
        self._version = 0  # incremented when a change is complete
        self._newest: Rows = np.zeros(0, np.int64)
        self.kinds, self.states, self.users = Codes(), Codes(), Codes()
        self.speakers, self.sessions = Codes(), Codes()
        self._number: Column[np.int64] = Column(np.int64)
        self._revision: Column[np.int64] = Column(np.int64)
        self._alive: Column[np.bool_] = Column(np.bool_)
        self._kind: Column[np.int32] = Column(np.int32)
        self._user: Column[np.int32] = Column(np.int32)
        self._speaker: Column[np.int32] = Column(np.int32)
        self._state: Column[np.int32] = Column(np.int32)
        self._session: Column[np.int32] = Column(np.int32)
        self._time: Column[np.float64] = Column(np.float64)
        self._since: Column[np.float64] = Column(np.float64)
        self._until: Column[np.float64] = Column(np.float64)
        self._trust: Column[np.float32] = Column(np.float32)
        self._before: Column[np.int32] = Column(np.int32)
        self._after: Column[np.int32] = Column(np.int32)
        self._asks: Column[np.bool_] = Column(np.bool_)
        self._instructs: Column[np.bool_] = Column(np.bool_)
        self._prefers: Column[np.bool_] = Column(np.bool_)
        self._said: Column[np.bool_] = Column(np.bool_)
        self._first: Column[np.bool_] = Column(np.bool_)
        self._masks = RecordMasks(
            FilterColumns(
                alive=self._alive,
                state=self._state,
                kind=self._kind,
                user=self._user,
                time=self._time,
                since=self._since,
                until=self._until,
                states=self.states,
                kinds=self.kinds,
                users=self.users,
            )
        )
        self.records_cache = PartitionRecords()
        self._postings = Bm25Index()  # by piece
        self.pieces = PassageIndex(dimensions)
        self._vectors = Int8Matrix(dimensions)
        self.outdated_packs: list[int] = []  # chunks whose pack could not be used

    @classmethod
    def load(cls, store: Store, no: int, model: str | None, dimensions: int) -> PartitionIndex:
        index = cls(no, dimensions)
        contents = store.snapshot(no, model)
        runs: dict[int, ColumnBatch] = {}
        for chunk, pack in contents.packs:
            batch = ColumnBatch.unpacked(pack, dimensions)
            if batch is None:
                index.outdated_packs.append(chunk)
                batch = index._batch(store.chunk_rows(chunk, model))
            runs[chunk] = batch
        runs |= {chunk: index._batch(rows) for chunk, rows in contents.rows.items()}
        index._append([runs[chunk] for chunk in sorted(runs)])
        index.seq = contents.seq
        return index

    def _batch(self, rows: Sequence[IndexRow]) -> ColumnBatch:
        return ColumnBatch.of(rows, self._vectors.dimensions)

    @property
    def needs_compaction(self) -> bool:
        """Whether enough rows, or passages of long texts, are deleted."""
        return _is_much(self._deleted, self.rows) or _is_much(
            self._deleted_pieces, self.pieces.next
        )

    @property
    def must_reload(self) -> bool:
        """Whether so many are deleted that the index should not be used any longer."""
        return self._deleted > 1000 + self.rows // 2

    def apply(self, changes: Changes) -> None:
        """Apply changes from the store; one thread at a time."""
        for number in changes.gone:
            self._delete(number)
        new = []
        late, codes = [], []  # vectors of rows that are there
        for row in changes.rows:
            at = self._row_of.get(row.number)
            if at is None:
                new.append(row)
            elif self._revision.view(self.rows)[at] != row.revision:
                self._delete(row.number)
                new.append(row)
            elif row.code is not None and not self._vectors.has(at):
                late.append(at)
                codes.append(row.code)
                if row.passages and not self.pieces.has_vectors(at):
                    self.pieces.add(at, row.passages)
        if late:
            self._vectors.add(late, codes)
        if new:
            self._append([self._batch(new)])
        self._version += 1
        self.seq = changes.seq

    def _delete(self, number: int) -> None:
        at = self._row_of.pop(number, None)
        if at is not None:
            self._alive.set(at, False)
            self._deleted += 1
            self._deleted_pieces += self.pieces.count_of(at)

    def _append(self, batches: Sequence[ColumnBatch]) -> None:
        if not batches:
            return
        first = self.rows

        def joined(column: Callable[[ColumnBatch], NDArray[Any]]) -> NDArray[Any]:
            return np.concatenate([column(batch) for batch in batches])

        numbers = joined(lambda s: s.numbers)
        self._number.extend(numbers)
        self._revision.extend(joined(lambda s: s.revisions))
        self._alive.extend(np.ones(len(numbers), np.bool_))
        self._state.extend(joined(lambda s: s.states.into(self.states)))
        self._kind.extend(joined(lambda s: s.kinds.into(self.kinds)))
        self._user.extend(joined(lambda s: s.users.into(self.users)))
        speakers = joined(lambda s: s.speakers.into(self.speakers))
        self._speaker.extend(speakers)
        theirs = ~one_of(speakers, self.speakers, ASSISTANTS)
        self._said.extend((speakers >= 0) & theirs)
        self._time.extend(joined(lambda s: s.times))
        self._since.extend(joined(lambda s: s.sinces))
        untils = joined(lambda s: s.untils)
        self._until.extend(untils)
        self._some_end = self._some_end or bool(np.isfinite(untils).any())
        trusts = trust_factors(joined(lambda s: s.trusts), joined(lambda s: s.uses))
        self._trust.extend(trusts)
        self._trusts_differ = self._trusts_differ or bool((trusts != 1).any())
        session_codes = joined(lambda s: s.sessions.into(self.sessions))
        self._session.extend(session_codes)
        self._link_sessions(session_codes, first)
        self._append_vectors(batches)
        self._append_pieces(batches, theirs)
        self._row_of.update(zip(numbers.tolist(), range(first, first + len(numbers)), strict=True))
        self._note_newest(first, len(numbers))
        self.rows = first + len(numbers)  # last: readers see whole rows only

    def _append_vectors(self, batches: Sequence[ColumnBatch]) -> None:
        starts = np.cumsum([self.rows, *(len(batch) for batch in batches[:-1])])
        self._vectors.extend([batch.vectors for batch in batches], starts)

    def _append_pieces(self, batches: Sequence[ColumnBatch], theirs: Mask) -> None:
        terms = b"".join([batch.terms for batch in batches])
        counts = np.concatenate([batch.term_counts for batch in batches])
        pieces = np.concatenate([batch.pieces for batch in batches])
        starts = np.cumsum([self.pieces.next, *(len(batch.term_counts) for batch in batches[:-1])])
        self.pieces.extend(pieces)
        self.pieces.extend_vectors([batch.passages for batch in batches], starts)
        by_row = np.add.reduceat(counts, np.cumsum(pieces) - pieces)
        self._asks.extend(rows_with(ASKING, terms, by_row))
        instructs = rows_with(INSTRUCTS, terms, by_row) & theirs
        self._instructs.extend(instructs)
        self.has_instructions = self.has_instructions or bool(instructs.any())
        self._prefers.extend(rows_with(PREFERS, terms, by_row) & theirs)
        self._postings.extend(terms, counts)

    def _note_newest(self, first: int, count: int) -> None:
        rows = np.concatenate([self._newest, np.arange(first, first + count)])
        times = self._time.view(first + count)[rows]
        self._newest = rows[best(times, np.ones(len(rows), np.bool_), NEWEST, -np.inf)]

    def _link_sessions(self, codes: NDArray[np.int32], first: int) -> None:
        """Link each row to the previous and the next of its session."""
        last = self._last_of_session
        links = []
        for row, code in enumerate(codes.tolist(), start=first):
            links.append(last.get(code, -1))
            if code >= 0:  # below 0: in no session
                last[code] = row
        before = np.array(links, np.int32)
        self._before.extend(before)
        self._first.extend((before < 0) & (codes >= 0))
        self._after.extend([-1] * len(codes))
        linked = (before >= 0).nonzero()[0]
        if len(linked):
            self._after.set(before[linked], first + linked)

    def mask(self, rows: int, visible: VisiblePartition, wanted: RecordFilter) -> Mask:
        """Which rows this reader may see and asked for. Not to be written to."""
        return self._masks.mask(self._version, rows, visible, wanted, self._some_end)

    def find(self, terms: Sequence[int], ids: Collection[int] = ()) -> TermMatches:
        return self._postings.find(terms, ids)

    def keyword(self, rows: int, found: TermMatches) -> Floats:
        """The share of the terms that each row holds, weighted by rarity (BM25)."""
        best_pieces = self.pieces.best_of_rows(self.keyword_of_pieces(found), rows)
        return self.pieces.less_for_chance(best_pieces)

    def keyword_of_pieces(self, found: TermMatches) -> Floats:
        """The same for each passage of a long text."""
        if not self.pieces.some_long:
            return self._postings.score(found)
        worth = found.worth(self.rows, self.pieces.row_frequencies(found))
        return self._postings.score(found, worth)

    def session_coverage(self, rows: int, found: TermMatches) -> Floats:
        """By session: the share of the terms that are anywhere in it, weighted by rarity.

        One more at the end, 0, for rows in no session. In a large partition only for terms that
        are not in nearly every session, and not for too many.
        """
        count = len(self.sessions.names)
        covered = np.zeros(count + 1, np.float32)
        if rows > COMMON_FROM:
            rare = found.frequencies.searchsorted(rows * EVERYWHERE_SHARE, side="right")
            found = found.rarest(min(int(rare), MAX_CELLS // (count + 1) + 1))
        found = found.before(self.pieces.end_of(rows))
        if not count or not len(found.rows):
            return covered
        terms = len(found.frequencies)
        # Rows in no session have the code -1: they fall into a column of their own, the last.
        there = np.zeros((terms, count + 1), np.bool_)
        there[found.terms, self._session.view(rows)[self.pieces.rows_of(found.rows)]] = True
        there = there[:, :count]
        worth = rarity(there.sum(axis=1), count, PRIOR_SESSIONS)
        covered[:count] = worth @ there / max(float(worth.sum()), 1e-9)
        return covered

    def cosines(self, rows: int, query: Floats, deadline: Deadline | None = None) -> Floats:
        return self._vectors.score(query, rows, deadline)

    def scan_cosines(
        self,
        rows: int,
        queries: Sequence[Floats],
        mask: Mask,
        also: Callable[[], Rows],
        deadline: Deadline | None,
    ) -> tuple[Rows | None, list[Floats]]:
        """The same for several questions at once; see Int8Matrix.scores."""
        return self._vectors.scores(queries, rows, mask, also, deadline)

    def exact_cosines(self, rows: Rows, queries: Sequence[Floats]) -> list[Floats]:
        """For a few rows that have a vector, from full precision."""
        return [self._vectors.exact_scores(query, rows) for query in queries]

    def int8_codes(self, rows: Rows) -> NDArray[np.int8]:
        """The int8 codes of some rows: enough to compare their directions."""
        return self._vectors.upper(rows)

    def numbers(self, rows: int) -> NDArray[np.int64]:
        return self._number.view(rows)

    def identities(self, rows: Rows | Sequence[int]) -> list[tuple[int, int]]:
        """The number and the revision of some rows."""
        count = self.rows
        numbers, revisions = self._number.view(count)[rows], self._revision.view(count)[rows]
        return list(zip(numbers.tolist(), revisions.tolist(), strict=True))

    def alive(self, rows: int) -> Rows:
        """The rows that are not deleted."""
        return self._alive.view(rows).nonzero()[0]

    def times(self, rows: int) -> NDArray[np.float64]:
        return self._time.view(rows)

    def spoken_by(self, rows: int, speakers: Collection[str], some: Rows | None) -> Mask:
        """Which of the rows, or of some of them, were said by one of these speakers."""
        codes = self._speaker.view(rows)
        return one_of(codes if some is None else codes[some], self.speakers, speakers)

    def sessions_of(self, rows: int) -> NDArray[np.int32]:
        """The session's code; below 0 where a record belongs to none."""
        return self._session.view(rows)

    def kinds_of(self, rows: int) -> NDArray[np.int32]:
        """The kind's code: its place in `kinds.names`."""
        return self._kind.view(rows)

    def trust_of(self, rows: int) -> Floats | None:
        """The factor of each row for how reliable and useful it is; None: 1 for all."""
        return self._trust.view(rows) if self._trusts_differ else None

    def newest(self, rows: int, mask: Mask, count: int) -> Rows:
        """The newest rows within the mask, the newest first."""
        recent = self._newest
        first = recent[:NEWEST_FIRST]  # usually enough
        for some in (first, recent):
            seen = some[some < rows]
            seen = seen[mask[seen]][:count]
            if len(seen) == count:
                return seen
        if len(recent) < NEWEST:
            return seen
        return best(self._time.view(rows), mask, count, -np.inf)

    def first(self, rows: int) -> Mask:
        """Which rows open their session."""
        return self._first.view(rows)

    def neighbours(self, rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The rows before and after each in its session; -1 where there is none."""
        return self._before.view(rows), self._after.view(rows)

    def said(self, rows: int) -> Mask:
        """Which rows some person said, as far as is known: not the assistant."""
        return self._said.view(rows)

    def instructs(self, rows: int) -> Mask:
        """Which rows lay down how somebody wants to be served."""
        return self._instructs.view(rows)

    def prefers(self, rows: int) -> Mask:
        """Which rows tell what somebody likes or chose."""
        return self._prefers.view(rows)

    def asks(self, rows: int) -> Mask:
        """Which rows end by asking something: what comes next may be the answer."""
        return self._asks.view(rows)

    @property
    def vector_count(self) -> int:
        return self._vectors.count

    @property
    def nbytes(self) -> int:
        parts = (self._postings, self._vectors, self.records_cache, self.pieces)
        return EMPTY_BYTES + sum(part.nbytes for part in parts) + self.rows * ROW_BYTES


def _is_much(dead: int, all: int) -> bool:
    return dead > COMPACT_FROM + COMPACT_SHARE * (all - dead)
