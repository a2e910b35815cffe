"""What was said in a session, as one record that is brought up to date (W8)."""

from __future__ import annotations

from ..types import Place, Record


def summary_record(place: Place, session: str, text: str, now: float) -> Record:
    return Record(
        id=f"summary:{session}",
        place=place,
        kind="summary",
        text=text,
        time=now,
        session=session,
        data={"session_id": session},
    )
