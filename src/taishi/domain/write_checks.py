"""Checks records that are stored as given: who may write them, and whether a person rejected
them before (P5)."""

from __future__ import annotations

from ..errors import RefusedError
from ..types import Edit, Partition, Record
from . import corrections
from .authority import Actor, check_overwrite, let_in, signed
from .pending_edits import PendingEdits, Records
from .rejections import HISTORY, rejected_in

KEPT_AS_SAID = (*HISTORY, "chunk", "observation", "profile")


class WriteChecks:
    """Checks for the records of one call: one partition, one writer."""

    def __init__(self, records: Records, place: Partition, actor: Actor) -> None:
        self._records = records
        self._place = place
        self._actor = actor
        self._rejected = rejected_in(records, place)

    def edits(self, record: Record, named: bool) -> list[Edit]:
        """What keeps a record; the first edit has it. `named`: under an id that may be taken."""
        if named and (self._rejected or self._actor == "model"):
            check_overwrite(self._records.get(self._place, record.id), self._actor)
        record = let_in(record, self._actor)
        if record.kind in KEPT_AS_SAID:
            return [Edit("put", self._rejected.with_notes(record))]
        tomb = self._rejected.saying(record.text)
        if tomb is None:
            return [Edit("put", record)]
        if self._actor != "person":
            raise _refused(tomb)
        return corrections.approval(PendingEdits(self._records), signed(tomb, "person"))


def check_not_rejected(records: Records, place: Partition, text: str) -> None:
    """Raises RefusedError if a person rejected this statement."""
    tomb = rejected_in(records, place).saying(text)
    if tomb is not None:
        raise _refused(tomb)


def _refused(tomb: Record) -> RefusedError:
    return RefusedError(
        "a person said that this is not so; to take that back, approve it "
        f"(`taishi facts approve {tomb.id[:80]}`, approve_fact)",
        "rejected",
    )
