"""Looks up, at every write, whether a person rejected this statement before (P5).

The rejected fact is itself the tombstone. A statement that says the same is not kept beside it:
the tombstone counts that it was said again, for a person to see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..language.analyzer import has_cjk
from ..types import Partition, Record
from .corrections import noted
from .fact_lifecycle import ids_in
from .own_facts import may_be_of, user_meant
from .pending_edits import Records
from .text_identity import normal, statement_key

MOST = 20_000
HISTORY = ("turn", "event", "summary")  # stay as they were said, with what became of it


class RejectedStatements:
    """The rejected statements of one partition."""

    def __init__(self, tombs: Iterable[Record], records: Records) -> None:
        self._records = records
        self._by_words: dict[str, Record] = {}
        for tomb in tombs:
            self._by_words.setdefault(statement_key(tomb.text), tomb)
        self._by_words.pop("", None)

    def __bool__(self) -> bool:
        return bool(self._by_words)

    def saying(self, text: str) -> Record | None:
        """The tombstone of a statement, however it is spelt."""
        return self._by_words.get(statement_key(text)) if self._by_words else None

    def with_notes(self, record: Record) -> Record:
        """The record with a note on what of it was withdrawn since."""
        if not self._by_words:
            return record
        words = _words_of(record)
        for tomb in self._by_words.values():
            quotes = (one for one in ids_in(tomb, "quotes") if _is_telling(normal(one)))
            said = [one for one in (tomb.text, *quotes) if may_be_of(user_meant(tomb, one), record)]
            if any(_contains(words, normal(one)) for one in said):
                record = noted(record, tomb.text, self._instead(tomb))
        return record

    def _instead(self, tomb: Record) -> str:
        """What a person said that holds, if it still does."""
        heir = tomb.data.get("superseded_by")
        found = self._records.get(tomb.place, heir) if isinstance(heir, str) else None
        return found.text if found is not None and found.state == "approved" else ""


def rejected_in(
    records: Records, place: Partition, but: Collection[str] = ()
) -> RejectedStatements:
    """`but`: ids of facts that hold again as of the edits that are about to be stored."""
    tombs = records.find(place, ("fact",), ("rejected",), MOST)
    return RejectedStatements((tomb for tomb in tombs if tomb.id not in but), records)


def _is_telling(words: str) -> bool:
    """Whether a quote is long enough to identify a statement."""
    return len(words.split()) >= 3 or (has_cjk(words) and len(words) >= 5)


def _words_of(record: Record) -> Sequence[str]:
    told = record.data.get("new_info")
    parts = [str(one) for one in told] if isinstance(told, (list, tuple)) else []
    return [normal(text) for text in (record.text, *parts)]


def _contains(texts: Sequence[str], said: str) -> bool:
    return any(f" {said} " in f" {text} " or (has_cjk(said) and said in text) for text in texts)
