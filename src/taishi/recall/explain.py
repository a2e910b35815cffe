"""Explains why each candidate is among the hits or is not; never on the path of a reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..ports import Candidates
from ..types import Explained, Record
from . import score_factors
from .dedupe import twin_of
from .scoring import Scored, ScoringParams
from .scoring import relevance as relevance_of

BELOW_FLOOR = "below floor"
DUPLICATE_OF = "near-duplicate of "
LOW_ON_EVERY_PATH = "too low on every path"
BEYOND_TOP_K = "beyond top_k"


def explain(
    scored: Scored,
    records: Mapping[int, Record],
    hits: Sequence[Record],
    params: ScoringParams,
) -> Iterator[tuple[Record, Explained]]:
    """The hits in their order, then what was dropped, the best first."""
    candidates = scored.candidates
    hit_ids = {(record.place, record.id) for record in hits}
    numbers = [number for number, _ in candidates.details.identities(candidates.rows)]
    scores, relevance = scored.scores, relevance_of(candidates, params)
    ages = score_factors.age_factors(candidates.times, params.now, params.half_life_days)
    trust = candidates.details.trust(candidates.rows)

    def position(at: int) -> tuple[bool, float, float, int]:
        record = records.get(numbers[at])
        dropped = record is None or (record.place, record.id) not in hit_ids
        return dropped, -scores[at], -relevance[at], -numbers[at]

    for at in sorted(range(len(candidates)), key=position):
        record = records.get(numbers[at])
        if record is None:  # removed meanwhile
            continue
        dropped = None
        if (record.place, record.id) not in hit_ids:
            dropped = _why_dropped(record, hits, relevance[at] < params.floor, bool(scores[at]))
        kind = candidates.kind_names[candidates.kinds[at]]
        yield (
            record,
            Explained(
                id=record.id,
                score=float(scores[at]),
                paths=_ranks(candidates, int(candidates.rows[at])),
                cosine=float(candidates.cosine[at]),
                coverage=float(candidates.coverage[at]),
                around=float(candidates.around[at]),
                age_factor=float(ages[at]),
                kind_factor=score_factors.kind_factor(kind, params.kinds),
                company=float(scored.company[at]),
                moment=float(scored.moment[at]),
                trust_factor=1.0 if trust is None else float(trust[at]),
                dropped=dropped,
            ),
        )


def _ranks(candidates: Candidates, row: int) -> dict[str, int]:
    """The row's rank, from 1, on each path that found it."""
    return {
        path: int(at[0]) + 1
        for path, ranked in candidates.ranked.items()
        if len(at := np.flatnonzero(ranked == row))
    }


def _why_dropped(record: Record, hits: Sequence[Record], below: bool, scored: bool) -> str:
    if below:
        return BELOW_FLOOR
    twin = twin_of(record, hits)
    if twin is not None:
        return DUPLICATE_OF + twin.id
    return BEYOND_TOP_K if scored else LOW_ON_EVERY_PATH
