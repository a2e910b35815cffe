"""After a source is deleted: withdraws what was derived from it, unless other evidence is left.

Nothing here stores. A statement stays if no word of it was said by the deleted source alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any

from ..language.analyzer import has_cjk, terms
from ..types import Edit, Record
from .corrections import CORRECTIONS, corrections_of
from .event_evidence import RETAINED, own_messages, texts_of, without_messages
from .fact_lifecycle import CONFIRMATION, having, ids_in, iso
from .text_identity import normal

LEARNED = ("fact", "short_term", "procedure")
TOLD = ("event", "turn", "summary")
NO_EVENTS = frozenset(("person", "profile"))  # sources that are a person's own hand
LEAST_CONFIDENCE = 0.05
FORGOTTEN = "forgotten"  # what a fact is superseded by whose successor was deleted


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """`edits` carry it out; `gone` are the learned records that go, `back` the facts that hold
    again because what contradicted them is gone."""

    edits: tuple[Edit, ...]
    gone: tuple[Record, ...]
    back: tuple[Record, ...]


def withdraw(deleted: Sequence[Record], there: Iterable[Record], zone: tzinfo = UTC) -> Withdrawn:
    """What the deletion of these events does to the other records of their place."""
    ids = {one.id for one in deleted}
    records = {one.id: one for one in there if one.id not in ids}
    words = {normal(text) for one in deleted for text in texts_of(one)} - {""}
    now = dict(records)
    gone: dict[str, Record] = {}
    for one in records.values():
        if one.kind in LEARNED and not ids.isdisjoint(ids_in(one, "sources")):
            left = _left(one, ids, records, words, zone)
            if left is None:
                gone[one.id] = one
                del now[one.id]
            else:
                now[one.id] = left
        elif one.data.get("perspective_of") in ids:
            gone[one.id] = one
            del now[one.id]
    theirs = Messages(message for one in deleted for message in own_messages(one))
    texts = {normal(one.text) for one in gone.values()}
    texts |= _put_right_in(now.values(), words)
    for one in list(now.values()):
        if one.kind == "fact":
            now[one.id] = unlinked(one, gone, ids)
        elif one.kind in TOLD:
            now[one.id] = _cleaned(one, theirs, texts)
    changed = [one for id, one in now.items() if records[id] != one]
    back = [
        one for one in changed if one.state == "approved" and records[one.id].state == "conflict"
    ]
    removed = [Edit("remove", place=one.place, id=one.id) for one in gone.values()]
    edits = (*removed, *(Edit("put", one) for one in changed))
    return Withdrawn(edits, tuple(gone.values()), tuple(back))


def event_sources(record: Record) -> list[str]:
    """The events that a learned record cites; not a person's own hand."""
    return [one for one in ids_in(record, "sources") if one not in NO_EVENTS]


def _left(
    record: Record,
    ids: Collection[str],
    records: Mapping[str, Record],
    said: Collection[str],
    zone: tzinfo,
) -> Record | None:
    """The record with its remaining evidence; None if that is not enough."""
    sources = ids_in(record, "sources")
    kept = [one for one in sources if one not in ids]
    by_hand = [one for one in kept if one in NO_EVENTS]
    events = [records[one] for one in kept if one in records]
    if not by_hand and not (events and _words(record.text) & _own_words(said, events) == set()):
        return None
    quotes = [one for one in ids_in(record, "quotes") if _is_kept(one, said, events)]
    times = [one.time for one in events if one.time is not None]
    lost = len(sources) - len(kept)
    changes: dict[str, Any] = {"sources": kept, "quotes": quotes}
    if record.kind == "procedure":
        changes["usage_count"] = max(_count(record, "usage_count") - lost, len(kept))
    if record.kind == "fact":
        changes["evidence_count"] = max(_count(record, "evidence_count") - lost, len(kept))
        if times and not by_hand:
            changes["first_observed"] = iso(min(times), zone)
            changes["last_confirmed"] = iso(max(times), zone)
        record = replace(record, confidence=reweighed(record.confidence, lost))
    source = kept[0] if record.source in ids else record.source
    return replace(having(record, **changes), source=source)


def reweighed(confidence: float, lost: int) -> float:
    """Confidence without the confirmations that were deleted."""
    doubt = (1.0 - confidence) / (1.0 - CONFIRMATION) ** lost
    return min(confidence, max(LEAST_CONFIDENCE, 1.0 - doubt))


def unlinked(fact: Record, gone: Mapping[str, Record], events: Collection[str] = ()) -> Record:
    """A fact without links to deleted facts. What those had ended stays ended: that it was
    outdated is still so, and only a person says otherwise."""
    by = fact.data.get("superseded_by")
    if fact.state == "superseded" and isinstance(by, str) and (by in gone or by in events):
        fact = having(fact, superseded_by=_heir(by, gone) or FORGOTTEN)
    for key in ("related", "supersedes", "conflict_with"):
        known = ids_in(fact, key)
        left = [one for one in known if one not in gone]
        if len(left) < len(known):
            fact = having(fact, **{key: left})
            if key == "conflict_with" and fact.state == "conflict" and not left:
                fact = replace(fact, state="approved")
    return fact


def _heir(id: str, gone: Mapping[str, Record]) -> str | None:
    """The fact that had replaced a deleted one; None if there is none."""
    seen: set[str] = set()
    while id in gone and id not in seen and gone[id].state == "superseded":
        seen.add(id)
        id = str(gone[id].data.get("superseded_by") or "")
    return id if seen and id not in gone else None


class Messages:
    """Messages of a deleted turn: known again by their ids or, without one, by their words."""

    def __init__(self, messages: Iterable[Mapping[str, Any]]) -> None:
        found = list(messages)
        self._ids = {one["id"] for one in found if one.get("id")}
        self._words = {normal(str(one.get("text") or "")) for one in found} - {""}
        self._unnamed = {normal(str(one.get("text") or "")) for one in found if not one.get("id")}

    def __contains__(self, message: Mapping[str, Any]) -> bool:
        id, text = message.get("id"), str(message.get("text") or "")
        if id is None:
            return normal(text) in self._words
        return id in self._ids or bool(self._unnamed and normal(text) in self._unnamed)


def _cleaned(event: Record, theirs: Messages, texts: Collection[str]) -> Record:
    """Another event without notes on what is gone, and without the deleted turn's messages. What
    a deleted fact had replaced is still said to be outdated, without the words that replaced it."""
    notes = corrections_of(event.data)
    left = [
        {**one, "now": "" if normal(one["now"]) in texts else one["now"]}
        for one in notes
        if normal(one["said"]) not in texts
    ]
    if left != notes:
        event = having(event, **{CORRECTIONS: left})
    if RETAINED not in event.data:
        return event
    return without_messages(event, lambda one: one in theirs) or event


def _put_right_in(left: Collection[Record], said: Collection[str]) -> set[str]:
    """What notes on the events that are left say in words of the deleted ones alone."""
    noted = {
        normal(one["now"])
        for event in left
        if event.kind in TOLD
        for one in corrections_of(event.data)
    }
    found = {one for one in noted if one and any(one in text for text in said)}
    if not found:
        return found
    stays = [normal(text) for one in left for text in _texts(one)]
    return {one for one in found if not any(one in text for text in stays)}


def _texts(record: Record) -> Iterable[str]:
    return texts_of(record) if record.kind in TOLD else (record.text,)


def _own_words(said: Iterable[str], events: Iterable[Record]) -> set[str]:
    """The words that only the deleted source said."""
    deleted = {word for text in said for word in _words(text)}
    return deleted - {word for one in events for text in texts_of(one) for word in _words(text)}


def _words(text: str) -> set[str]:
    """Pairs of Chinese characters depend on what stands beside them; the characters do not."""
    return {word for word in terms(text) if len(word) == 1 or not has_cjk(word)}


def _is_kept(quote: str, said: Collection[str], events: Sequence[Record]) -> bool:
    """A quote stays if it is in what is left, or is surely not of what was deleted."""
    words = normal(quote)
    if any(words in normal(text) for one in events for text in texts_of(one)):
        return True
    return not any(words in text for text in said)


def _count(record: Record, key: str) -> int:
    found = record.data.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else 1
