"""Shows records as they will be once pending edits are applied; nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..types import Edit, Partition, Record
from .text_identity import normal


class Records(Protocol):
    """The part of the store that is used here."""

    def get(self, place: Partition, id: str) -> Record | None: ...

    def find(
        self,
        place: Partition,
        kinds: Sequence[str],
        states: Sequence[str] | None = None,
        limit: int = 1000,
    ) -> list[Record]: ...


class PendingEdits:
    """Each question is put to the store once, so that a page of many changed lines costs no more
    than one; and a later line sees what an earlier one did."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._changed: dict[tuple[Partition, str], Record | None] = {}
        self._found: dict[tuple[Partition, Sequence[str], int], list[Record]] = {}
        self._words: dict[str, str] = {}
        self.edits: list[Edit] = []

    def take(self, edits: Iterable[Edit]) -> None:
        for edit in edits:
            self.edits.append(edit)
            if edit.record is not None:
                self._changed[edit.record.place, edit.record.id] = edit.record
            elif edit.place is not None and edit.id is not None:
                self._changed[edit.place, edit.id] = None

    def get(self, place: Partition, id: str) -> Record | None:
        key = (place, id)
        return self._changed[key] if key in self._changed else self._records.get(place, id)

    def find(self, place: Partition, kinds: Sequence[str], limit: int) -> list[Record]:
        """Stored records as they are after the edits; new records are not included."""
        key = (place, tuple(kinds), limit)
        if key not in self._found:
            self._found[key] = self._records.find(place, kinds, None, limit)
        now = (self._changed.get((place, one.id), one) for one in self._found[key])
        return [one for one in now if one is not None]

    def words(self, text: str) -> str:
        """`normal`, computed once for each text."""
        if text not in self._words:
            self._words[text] = normal(text)
        return self._words[text]
