"""The vector path: cosines of a partition's rows with the question, and boosts on top."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from .bm25 import Floats
from .deadline import Deadline
from .int8_matrix import MISSING
from .partition_view import PartitionView
from .passage_index import PassageIndex, PassageMatches
from .query import Query
from .topk import Mask, Rows, best

# Added to the cosine of a message whose speaker the question names.
SPEAKER_BOOST = np.float32(0.22)
# A standing instruction applies whatever is asked, unless the question is about the past.
INSTRUCTION_BOOST = np.float32(0.24)
# A request for help is served better with the preferences of the person.
PREFERENCE_BOOST = np.float32(0.16)
# A reply is also near by the question that it answers: "Since 2016" means little alone.
ANSWER_SHARE = np.float32(0.2)
# A question of several sentences: half its own cosine, half that of its closest sentence.
PIECES_SHARE = np.float32(0.5)
# The best of many passages is near by chance, so that much is subtracted compared with a text that
# is near as a whole.
PASSAGE_CHANCE = np.float32(0.1)
RESCORED = 20


class CosineSource(Protocol):
    """Where the cosines of a partition's rows come from: its index, or an engine."""

    def scan_cosines(
        self,
        rows: int,
        queries: Sequence[Floats],
        mask: Mask,
        also: Callable[[], Rows],
        deadline: Deadline | None,
    ) -> tuple[Rows | None, list[Floats]]: ...

    def exact_cosines(self, rows: Rows, queries: Sequence[Floats]) -> list[Floats]: ...


@dataclass(frozen=True, slots=True)
class VectorMatches:
    """Cosines; MISSING where a row has no vector or was not scored."""

    rows: Rows | None  # of which rows, in ascending order; None: of all
    near: Floats
    raised: Floats  # the same with boosts
    top: Rows  # the best rows, in ascending order

    def take(self, values: Floats, rows: Rows) -> Floats:
        """Of some rows: `near` or `raised`."""
        if self.rows is None:
            return values[rows]
        if not len(self.rows):
            return np.full(len(rows), MISSING, np.float32)
        at = self.rows.searchsorted(rows)
        there = self.rows.take(at, mode="clip") == rows
        return np.where(there, values.take(at, mode="clip"), np.float32(MISSING))


def search(
    view: PartitionView,
    question: Query,
    queries: Sequence[Floats],
    also: Callable[[], Rows],
    count: int,
    deadline: Deadline,
    source: CosineSource | None = None,
) -> VectorMatches:
    """All cosines from int8, the best of them again from 16 bits. `source` is for vectors that are
    not in the view's own index."""
    index, cosines = view.index, source or view.index
    long = index.pieces.nearest(view.rows, queries, view.mask, with_pieces, deadline)
    if long is not None:
        also = partial(_with_nearest, also, long, count)
    rows, (near, *pieces) = cosines.scan_cosines(view.rows, queries, view.mask, also, deadline)
    near = with_pieces(near, pieces)
    if long is not None:
        _raise_to_passages(rows, near, long)
    mask = view.mask if rows is None else view.mask[rows]
    at = best(_raised(view, question, rows, near), mask, count, MISSING / 2)
    again = at[:RESCORED]
    own = again if rows is None else rows[again]
    whole, *parts = cosines.exact_cosines(own, queries)
    near[again] = with_pieces(whole, parts)
    if long is not None:
        near[again] = np.maximum(near[again], _passages_again(index.pieces, own, queries))
    at.sort()
    raised = _raised(view, question, rows, near)
    return VectorMatches(rows, near, raised, at if rows is None else rows[at])


def _with_nearest(also: Callable[[], Rows], long: PassageMatches, count: int) -> Rows:
    """The rows with the nearest passages are scored in any case."""
    nearest = long.rows[np.argsort(-long.cosines, kind="stable")[:count]]
    return np.concatenate([also(), nearest])


def _raise_to_passages(rows: Rows | None, near: Floats, long: PassageMatches) -> None:
    at, cosines = long.rows, long.cosines - PASSAGE_CHANCE
    if rows is not None:
        at = rows.searchsorted(long.rows)
        there = rows.take(at, mode="clip") == long.rows
        at, cosines = at[there], cosines[there]
    near[at] = np.maximum(near[at], cosines)


def _passages_again(pieces: PassageIndex, rows: Rows, queries: Sequence[Floats]) -> Floats:
    """The best passage of some rows, from 16 bits; MISSING for a row without passages."""
    found = np.full(len(rows), MISSING, np.float32)
    for at, row in enumerate(rows.tolist()):
        own = pieces.of_row(row)
        if len(own):
            whole, *parts = [pieces.exact_scores(own, query) for query in queries]
            found[at] = with_pieces(whole, parts).max() - PASSAGE_CHANCE
    return found


def _raised(view: PartitionView, question: Query, rows: Rows | None, near: Floats) -> Floats:
    raised = near
    for mask, boost in _boosts(view, question, rows):
        raised = raised + mask.astype(np.float32) * boost
    return _with_questions(view, rows, near, raised)


def _with_questions(view: PartitionView, rows: Rows | None, near: Floats, raised: Floats) -> Floats:
    """Add to what a person replied a share of the cosine of the other person's question.

    Not to replies to an assistant, which ends nearly every message with a question.
    """
    index = view.index
    before, _ = index.neighbours(view.rows)
    asked = before if rows is None else before[rows]
    said = index.said(view.rows)
    replied = (asked >= 0) & (said if rows is None else said[rows])
    replies = np.flatnonzero(replied & (index.asks(view.rows) & said)[asked])
    if not len(replies):
        return raised
    questions = asked[replies]
    if rows is not None:  # of those that were scored
        at = rows.searchsorted(questions)
        there = rows.take(at, mode="clip") == questions
        replies, questions = replies[there], at[there]
    raised = raised.copy() if raised is near else raised
    raised[replies] += ANSWER_SHARE * np.maximum(near[questions], np.float32(0))
    return raised


def _boosts(
    view: PartitionView, question: Query, rows: Rows | None
) -> Iterator[tuple[Mask, np.float32]]:
    index, count = view.index, view.rows
    if view.speakers:
        yield index.spoken_by(count, view.speakers, rows), SPEAKER_BOOST
    some: Rows | slice = slice(None) if rows is None else rows
    if index.has_instructions and not question.looks_back:
        yield index.instructs(count)[some], INSTRUCTION_BOOST
    if question.wants_help:
        yield index.prefers(count)[some], PREFERENCE_BOOST


def with_pieces(whole: Floats, pieces: Sequence[Floats]) -> Floats:
    if not pieces:
        return whole
    closest: Floats = np.maximum.reduce(pieces)
    return whole * (1 - PIECES_SHARE) + closest * PIECES_SHARE
