"""What is known of one place, in memory: postings, vectors, and a few columns to filter by.

A projection of the store that follows the place's change count. Rows are appended and never
rebuilt: a changed record gets a new row and its old one is struck out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from ..ports import Changes, ShelfRow, Store
from ..types import Sight
from .columns import Codes, Column
from .postings import Floats, Postings
from .vectors import Vectors

Mask = NDArray[np.bool_]
APPROVED = "approved"
SUPERSEDED = "superseded"
# Measured: the objects of an empty index, and a row's columns with its share of dictionaries.
EMPTY_BYTES = 12_000
ROW_BYTES = 275


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks for. `asked` is the time that the question itself is about."""

    now: float
    kinds: Collection[str] | None = None
    states: Collection[str] = (APPROVED,)
    time_from: float | None = None
    time_to: float | None = None
    asked: tuple[float, float] | None = None


class PlaceIndex:
    """Reading needs no lock: take `rows` once, and every array is at least that long."""

    def __init__(self, no: int, blocks: Sequence[int]) -> None:
        self.no = no
        self.seq = 0
        self.rows = 0
        self._row_of: dict[int, int] = {}
        self._last_of_session: dict[int, int] = {}
        self._has_vector: set[int] = set()
        self._dead = 0
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
        (numbers, revisions, kinds, states, times, sinces, untils, users, speakers, sessions, terms,
         codes) = zip(*rows, strict=True)  # fmt: skip
        first = self.rows
        self._number.extend(numbers)
        self._revision.extend(revisions)
        self._alive.extend(np.ones(len(rows), np.bool_))
        self._state.extend(self.states.all(states))
        self._kind.extend(self.kinds.all(kinds))
        self._user.extend(self.users.all(users))
        self._speaker.extend(self.speakers.all(speakers))
        self._time.extend(_moments(times, np.nan))
        self._since.extend(_moments(sinces, -np.inf))
        self._until.extend(_moments(untils, np.inf))
        session_codes = self.sessions.all(sessions)
        self._session.extend(session_codes)
        self._link_sessions(session_codes, first)
        self._postings.extend(terms)
        with_vector = [i for i, code in enumerate(codes) if code is not None]
        self._vectors.extend([first + i for i in with_vector], [codes[i] for i in with_vector])
        self._has_vector.update(first + i for i in with_vector)
        self._row_of.update(zip(numbers, range(first, first + len(rows)), strict=True))
        self.rows = first + len(rows)  # last: readers see whole rows only

    def _link_sessions(self, codes: NDArray[np.int32], first: int) -> None:
        """Who came before whom in a conversation: its neighbours help to find a message."""
        before = np.full(len(codes), -1, np.int32)
        order = np.argsort(codes, kind="stable")
        order = order[np.searchsorted(codes[order], 0) :]  # below 0: in no session
        grouped = codes[order]
        starts = np.flatnonzero(np.diff(grouped, prepend=-1))
        before[order[1:]] = first + order[:-1]
        ends = np.append(starts[1:], len(order))
        for start, end in zip(starts, ends, strict=False):
            code = int(grouped[start])
            before[order[start]] = self._last_of_session.get(code, -1)
            self._last_of_session[code] = first + int(order[end - 1])
        self._before.extend(before)
        self._after.extend(np.full(len(codes), -1, np.int32))
        linked = np.flatnonzero(before >= 0)
        self._after.set(before[linked], first + linked)

    # -- reading -----------------------------------------------------------------------------

    def mask(self, rows: int, sight: Sight, wanted: Wanted) -> Mask:
        """Which rows this reader may see and asked for."""
        allowed = self._alive.view(rows) & self._true_then(rows, wanted)
        if sight.only_user is not None:
            user = self.users.get(sight.only_user)
            allowed &= self._user.view(rows) == (-2 if user is None else user)
        if wanted.kinds is not None:
            allowed &= one_of(self._kind.view(rows), self.kinds, wanted.kinds)
        if wanted.time_from is not None:
            allowed &= self._time.view(rows) >= wanted.time_from
        if wanted.time_to is not None:
            allowed &= self._time.view(rows) <= wanted.time_to
        return allowed

    def _true_then(self, rows: int, wanted: Wanted) -> Mask:
        """In the wanted state, and true at the time in question: now, or when it asks about.

        What was superseded since is the right answer to a question about the past.
        """
        if wanted.asked is None:
            there = one_of(self._state.view(rows), self.states, wanted.states)
            return there & (self._until.view(rows) > wanted.now)
        begin, end = wanted.asked
        there = one_of(self._state.view(rows), self.states, (*wanted.states, SUPERSEDED))
        return there & (self._since.view(rows) < end) & (self._until.view(rows) > begin)

    def keyword(self, rows: int, terms: Sequence[int]) -> tuple[Floats, float]:
        scores, possible = self._postings.score(terms)
        return scores[:rows], possible

    def dense(self, rows: int, query: Floats) -> Floats:
        return self._vectors.score(query, rows)

    def numbers(self, rows: int) -> NDArray[np.int64]:
        return self._number.view(rows)

    def times(self, rows: int) -> NDArray[np.float64]:
        return self._time.view(rows)

    def spoken_by(self, rows: int, speakers: Collection[str]) -> Mask:
        return one_of(self._speaker.view(rows), self.speakers, speakers)

    def kind_of(self, row: int) -> str:
        return self.kinds.names[int(self._kind.at(row))]

    def session_of(self, row: int) -> int:
        """The session's code; -1 where a record belongs to none."""
        return int(self._session.at(row))

    def number_of(self, row: int) -> int:
        return int(self._number.at(row))

    def time_of(self, row: int) -> float | None:
        time = float(self._time.at(row))
        return None if isnan(time) else time

    def before(self, rows: int) -> NDArray[np.int32]:
        return self._before.view(rows)

    def after(self, rows: int) -> NDArray[np.int32]:
        return self._after.view(rows)

    @property
    def vector_count(self) -> int:
        return self._vectors.count

    @property
    def nbytes(self) -> int:
        arrays = self._postings.nbytes + self._vectors.nbytes
        return EMPTY_BYTES + arrays + self.rows * ROW_BYTES


def one_of(values: NDArray[np.int32], codes: Codes, names: Collection[str]) -> Mask:
    known = [code for name in names if (code := codes.get(name)) is not None]
    mask: Mask = np.zeros(len(values), np.bool_)
    for code in known:  # a handful; np.isin costs twenty times as much
        mask |= values == code
    return mask


def _moments(times: Sequence[float | None], unknown: float) -> NDArray[np.float64]:
    values = np.array(times, np.float64)  # None becomes NaN
    values[np.isnan(values)] = unknown
    return values
