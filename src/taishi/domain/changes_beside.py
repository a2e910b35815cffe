"""Records that tell a change away from what a shown fact says: they are read beside it (P5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..language.moved_plans import gives_time_for, retimed
from ..language.told_changes import tells_end_of
from ..types import Record
from . import corrections

MOST = 2


def changes_beside(
    records: Iterable[Record],
    facts: Sequence[tuple[str, float]],
    known: Collection[str],
    told: Sequence[tuple[str, float]] = (),
) -> list[Record]:
    """At most `MOST` of the records, in their order. `facts` are texts that are shown and since
    when, `told` are those of shown events; `known` are the ids of what is shown already."""
    found: list[Record] = []
    for record in records:
        if record.id in known or len(found) >= MOST:
            continue
        said = [record.text] if record.kind == "fact" else corrections.parts(record)
        before = [text for text, since in facts if since <= (record.time or 0.0)]
        agreed = before + [text for text, since in told if since < (record.time or 0.0)]
        off = [what for one in said for what in retimed(one)] if agreed else []
        if tells_end_of(said, before) or any(
            gives_time_for(text, what) for what in off for text in agreed
        ):
            found.append(record)
    return found
