"""Finds the records of a partition that say something similar to one of them, by stored vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..language.text import one_line
from ..ports import CandidateRequest, Candidates, CandidateSource, RecordFilter
from ..types import Record, VisiblePartition
from .deadline import Deadline
from .vector_codec import Floats

SECONDS = 2.0
CANDIDATES = 50
TEXT_CHARS = 2000
# Not pages, tool runs and manifests of documents.
KINDS = ("fact", "event", "turn", "procedure", "short_term", "summary", "note", "chunk")
STATES = ("approved", "candidate", "conflict", "rejected", "superseded")
SHOWN_STATES = STATES[:3]


class RelatedRecords:
    """Any source will do: what it finds for the record's own text is compared with the record by
    the vectors that both have. Records without a vector are related to nothing."""

    def __init__(self, source: CandidateSource, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock

    def near(
        self, record: Record, text: str, count: int, least: float
    ) -> list[tuple[Record, float]]:
        """The records of its own partition that are most like it, with their cosines."""
        request = CandidateRequest(
            text=one_line(text)[:TEXT_CHARS],
            visible=lambda: (VisiblePartition(record.place),),
            filter=RecordFilter(self._clock(), KINDS, STATES),
            count=CANDIDATES,
        )
        deadline = Deadline(SECONDS)
        snapshot = self._source.snapshot(request, deadline)
        found = self._source.candidates(request, snapshot, deadline)
        if found is None or found.level != "hybrid":
            return []
        records = found.details.records(found.rows, lambda read: read())
        pairs = [
            (records[number], float(cosine))
            for (number, _), cosine in zip(
                found.details.identities(found.rows), _cosines(found, record, records), strict=True
            )
            if number in records
        ]
        near = [
            (one, cosine)
            for one, cosine in pairs
            if one.id != record.id
            and one.place == record.place
            and one.state in SHOWN_STATES
            and cosine >= least
        ]
        return sorted(near, key=lambda pair: -pair[1])[:count]


def _cosines(found: Candidates, record: Record, records: dict[int, Record]) -> Floats:
    """With the record's own vector; if that is not among them, with its text as a question."""
    numbers = [number for number, _ in found.details.identities(found.rows)]
    own = [at for at, n in enumerate(numbers) if n in records and records[n].id == record.id]
    vectors = found.details.vectors(found.rows).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1)
    if not own or not lengths[own[0]]:
        return found.nearness
    there = np.where(lengths > 0, lengths, 1.0)
    cosines: Floats = vectors @ vectors[own[0]] / (there * lengths[own[0]])
    return cosines
