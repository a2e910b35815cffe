"""The rolling summary of a session, one record that is updated (W8)."""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Partition, Record


def summary_record(
    place: Partition, session: str, text: str, now: float, sources: Sequence[str] = ()
) -> Record:
    """`sources` are the events that it was made of; none given, those of the whole session."""
    return Record(
        id=f"summary:{session}",
        place=place,
        kind="summary",
        text=text,
        time=now,
        session=session,
        data={"session_id": session, **({"sources": list(sources)} if sources else {})},
    )
