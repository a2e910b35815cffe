"""Why each candidate is among the hits, or is not: asked for by people, never on the reply path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..types import Explained, Record
from . import score_factors
from .candidates import CandidatePool
from .dedupe import twin_of
from .scoring import Scored, ScoringParams

BELOW_FLOOR = "below floor"
DUPLICATE_OF = "near-duplicate of "
LOW_ON_EVERY_PATH = "too low on every path"
BEYOND_TOP_K = "beyond top_k"


def explain(
    pool: CandidatePool,
    weighed: Scored,
    records: Mapping[int, Record],
    kept: Sequence[Record],
    scale: ScoringParams,
) -> Iterator[tuple[Record, Explained]]:
    """The hits as they stand, then what was dropped, the best first."""
    all = weighed.candidates
    hits = {(record.place, record.id) for record in kept}
    numbers = [number for number, _ in pool.revisions(all.rows)]
    scores, relevance = weighed.scores, all.relevance
    ages = score_factors.age_factors(all.times, scale.now, scale.half_life_days)
    trust = pool.trust(all.rows)

    def place(at: int) -> tuple[bool, float, float, int]:
        record = records.get(numbers[at])
        dropped = record is None or (record.place, record.id) not in hits
        return dropped, -scores[at], -relevance[at], -numbers[at]

    for at in sorted(range(len(all)), key=place):
        record = records.get(numbers[at])
        if record is None:  # removed while we looked
            continue
        dropped = None
        if (record.place, record.id) not in hits:
            dropped = _why_dropped(record, kept, relevance[at] < scale.floor, bool(scores[at]))
        yield (
            record,
            Explained(
                id=record.id,
                score=float(scores[at]),
                paths=pool.ranks(int(all.rows[at])),
                cosine=float(all.cosine[at]),
                coverage=float(all.coverage[at]),
                around=float(all.around[at]),
                age_factor=float(ages[at]),
                kind_factor=score_factors.kind_factor(all.kind_names[all.kinds[at]], scale.kinds),
                company=float(weighed.company[at]),
                moment=float(weighed.moment[at]),
                trust_factor=1.0 if trust is None else float(trust[at]),
                dropped=dropped,
            ),
        )


def _why_dropped(record: Record, kept: Sequence[Record], below: bool, scored: bool) -> str:
    if below:
        return BELOW_FLOOR
    twin = twin_of(record, kept)
    if twin is not None:
        return DUPLICATE_OF + twin.id
    return BEYOND_TOP_K if scored else LOW_ON_EVERY_PATH
