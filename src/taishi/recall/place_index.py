"""What is known of one place, in memory: postings, vectors, and a few columns to filter by.

A projection of the store that follows the place's change count. Rows are appended and never
rebuilt: a changed record gets a new row and its old one is struck out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ..ports import Changes, ShelfRow, Store
from ..types import Sight
from .columns import Codes, Column
from .postings import Floats, Postings
from .vectors import Vectors

Mask = NDArray[np.bool_]
RECALLABLE = "approved"


class PlaceIndex:
    """Reading needs no lock: take `rows` once, and every array is at least that long."""

    def __init__(self, no: int, blocks: Sequence[int]) -> None:
        self.no = no
        self.seq = 0
        self.rows = 0
        self._row_of: dict[int, int] = {}
        self._last_of_session: dict[str, int] = {}
        self._has_vector: set[int] = set()
        self._dead = 0
        self.kinds, self.users, self.speakers = Codes(), Codes(), Codes()
        self._number: Column[np.int64] = Column(np.int64)
        self._revision: Column[np.int64] = Column(np.int64)
        self._alive: Column[np.bool_] = Column(np.bool_)
        self._kind: Column[np.int32] = Column(np.int32)
        self._user: Column[np.int32] = Column(np.int32)
        self._speaker: Column[np.int32] = Column(np.int32)
        self._time: Column[np.float64] = Column(np.float64)
        self._before: Column[np.int32] = Column(np.int32)
        self._after: Column[np.int32] = Column(np.int32)
        self._postings = Postings()
        self._vectors = Vectors(tuple(blocks) or (1,))

    # -- following the store -----------------------------------------------------------------

    @classmethod
    def load(cls, store: Store, no: int, model: str | None, blocks: Sequence[int]) -> PlaceIndex:
        index = cls(no, blocks)
        seq, rows = store.shelf_rows(no, model)
        if rows:
            index._append(rows)
        index.seq = seq
        return index

    @property
    def worn(self) -> bool:
        """More struck-out rows than is sensible to carry along."""
        return self._dead > 1000 + self.rows // 2

    def follow(self, changes: Changes) -> None:
        """Catch up; one thread at a time."""
        for number in changes.gone:
            self._strike(number)
        new = []
        for row in changes.rows:
            at = self._row_of.get(row.number)
            if at is None:
                new.append(row)
            elif self._revision.view(self.rows)[at] != row.revision:
                self._strike(row.number)
                new.append(row)
            elif row.code is not None and at not in self._has_vector:
                self._vectors.extend([at], [row.code])
                self._has_vector.add(at)
        if new:
            self._append(new)
        self.seq = changes.seq

    def _strike(self, number: int) -> None:
        at = self._row_of.pop(number, None)
        if at is not None:
            self._alive.set(at, False)
            self._dead += 1

    def _append(self, rows: Sequence[ShelfRow]) -> None:
        numbers, revisions, kinds, states, times, users, speakers, sessions, terms, codes = zip(
            *rows, strict=True
        )
        first = self.rows
        self._number.extend(numbers)
        self._revision.extend(revisions)
        self._alive.extend([state == RECALLABLE for state in states])
        self._kind.extend([self.kinds[kind] for kind in kinds])
        self._user.extend([self.users[user] for user in users])
        self._speaker.extend([self.speakers[speaker] for speaker in speakers])
        self._time.extend([np.nan if time is None else time for time in times])
        self._link_sessions(sessions, first)
        self._postings.extend(terms)
        with_vector = [i for i, code in enumerate(codes) if code is not None]
        self._vectors.extend([first + i for i in with_vector], [codes[i] for i in with_vector])
        self._has_vector.update(first + i for i in with_vector)
        self._row_of.update(zip(numbers, range(first, first + len(rows)), strict=True))
        self.rows = first + len(rows)  # last: readers see whole rows only

    def _link_sessions(self, sessions: Sequence[str | None], first: int) -> None:
        """Who came before whom in a conversation: its neighbours help to find a message."""
        before = np.full(len(sessions), -1, np.int32)
        after = np.full(len(sessions), -1, np.int32)
        self._after.extend(after)
        for i, session in enumerate(sessions):
            if session is None:
                continue
            earlier = self._last_of_session.get(session, -1)
            before[i] = earlier
            if earlier >= 0:
                self._after.set(earlier, first + i)
            self._last_of_session[session] = first + i
        self._before.extend(before)

    # -- reading -----------------------------------------------------------------------------

    def mask(
        self,
        rows: int,
        sight: Sight,
        kinds: Collection[str] | None = None,
        time_from: float | None = None,
        time_to: float | None = None,
    ) -> Mask:
        """Which rows this reader may see and asked for."""
        allowed = self._alive.view(rows).copy()
        if sight.only_user is not None:
            user = self.users.get(sight.only_user)
            allowed &= self._user.view(rows) == (-2 if user is None else user)
        if kinds is not None:
            wanted = [code for kind in kinds if (code := self.kinds.get(kind)) is not None]
            allowed &= np.isin(self._kind.view(rows), wanted)
        if time_from is not None:
            allowed &= self._time.view(rows) >= time_from
        if time_to is not None:
            allowed &= self._time.view(rows) <= time_to
        return allowed

    def keyword(self, rows: int, terms: Sequence[int]) -> tuple[Floats, float]:
        scores, possible = self._postings.score(terms)
        return scores[:rows], possible

    def dense(self, rows: int, query: Floats) -> Floats:
        return self._vectors.score(query, rows)

    def numbers(self, rows: int) -> NDArray[np.int64]:
        return self._number.view(rows)

    def times(self, rows: int) -> NDArray[np.float64]:
        return self._time.view(rows)

    def speaker_codes(self, rows: int) -> NDArray[np.int32]:
        return self._speaker.view(rows)

    def kind_of(self, row: int) -> str:
        return self.kinds.names[int(self._kind.view(self.rows)[row])]

    def before(self, rows: int) -> NDArray[np.int32]:
        return self._before.view(rows)

    def after(self, rows: int) -> NDArray[np.int32]:
        return self._after.view(rows)

    @property
    def vector_count(self) -> int:
        return self._vectors.count

    @property
    def nbytes(self) -> int:
        per_row = 200  # the dictionaries' share, about
        return self._postings.nbytes + self._vectors.nbytes + self.rows * (45 + per_row)
