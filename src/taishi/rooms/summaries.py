"""What was said in a session, as one record that is brought up to date (W8)."""

from __future__ import annotations

from ..types import Edit, Place, Record


def put_summary(place: Place, session: str, text: str, now: float) -> Edit:
    record = Record(
        id=f"summary:{session}",
        place=place,
        kind="summary",
        text=text,
        time=now,
        session=session,
        data={"session_id": session},
    )
    return Edit("put", record)
