"""Why each candidate is among the hits, or is not: asked for by people, never on the reply path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..types import Explained, Record
from . import rank
from .duplicates import twin_of
from .pool import Candidate

BELOW_FLOOR = "below floor"
DUPLICATE_OF = "near-duplicate of "
LOW_ON_EVERY_PATH = "too low on every path"
BEYOND_TOP_K = "beyond top_k"


def explain(
    candidates: Iterable[Candidate],
    records: Mapping[int, Record],
    hits: Sequence[tuple[Record, Candidate]],
    floor: float,
    now: float,
    half_life_days: float,
) -> Iterator[tuple[Record, Explained]]:
    """The hits as they stand, then what was dropped, the best first."""
    chosen = {candidate.number for _, candidate in hits}
    kept = [record for record, _ in hits]

    def place(candidate: Candidate) -> tuple[bool, float, float, int]:
        dropped = candidate.number not in chosen
        return dropped, -candidate.score, -candidate.relevance, -candidate.number

    for candidate in sorted(candidates, key=place):
        record = records.get(candidate.number)
        if record is None:  # removed while we looked
            continue
        stays = candidate.number in chosen
        yield (
            record,
            Explained(
                id=record.id,
                score=candidate.score,
                paths=dict(candidate.ranks),
                cosine=candidate.cosine,
                coverage=candidate.coverage,
                around=candidate.around,
                age_factor=rank.age_factor(candidate.time, now, half_life_days),
                kind_factor=rank.KIND_FACTOR.get(candidate.kind, 1.0),
                company=candidate.company,
                dropped=None if stays else _why_dropped(candidate, record, kept, floor),
            ),
        )


def _why_dropped(candidate: Candidate, record: Record, kept: Sequence[Record], floor: float) -> str:
    if candidate.relevance < floor:
        return BELOW_FLOOR
    twin = twin_of(record, kept)
    if twin is not None:
        return DUPLICATE_OF + twin.id
    return BEYOND_TOP_K if candidate.score else LOW_ON_EVERY_PATH
