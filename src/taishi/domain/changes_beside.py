"""Records that tell a change away from what a shown fact says: they are read beside it (P5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..language.told_changes import tells_end_of
from ..types import Record
from . import corrections

MOST = 2


def changes_beside(
    records: Iterable[Record], facts: Sequence[tuple[str, float]], known: Collection[str]
) -> list[Record]:
    """At most `MOST` of the records, in their order. `facts` are texts that are shown and since
    when; `known` are the ids of what is shown already."""
    found: list[Record] = []
    for record in records:
        if record.id in known or len(found) >= MOST:
            continue
        told = [record.text] if record.kind == "fact" else corrections.parts(record)
        before = [text for text, since in facts if since <= (record.time or 0.0)]
        if tells_end_of(told, before):
            found.append(record)
    return found
