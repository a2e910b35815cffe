"""Finds the passage of a long text that matched, which is what is shown of it (Q9)."""

from __future__ import annotations

from collections.abc import Mapping

from ..language.passages import cut
from ..ports import CandidateDetails
from ..types import Partition, Passage, Record
from .topk import Rows

# By place and id; short texts are not among them.
Passages = dict[tuple[Partition, str], Passage]


def note_passages(
    details: CandidateDetails, rows: Rows, records: Mapping[int, Record], passages: Passages
) -> None:
    if not details.has_passages:
        return
    for row, (number, _) in zip(rows.tolist(), details.identities(rows), strict=True):
        record, at = records.get(number), details.passage(row)
        if record is not None and at is not None:
            cuts = cut(record.text)
            if at < len(cuts):
                passages[record.place, record.id] = cuts[at]
