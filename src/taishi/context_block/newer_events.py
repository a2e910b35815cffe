"""Events that were told after a shown fact was last confirmed, by the same person about the same
matter: what the rules could not correct is read beside what was said since (P5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..domain import corrections
from ..domain.fact_lifecycle import INSTRUCTION, epoch_of, ids_in
from ..domain.text_identity import normal
from ..historian.fact_patterns.correction_words import is_marked
from ..historian.same_matter import Matter, is_about
from ..ports import Store
from ..types import Partition, Record

MOST = 2
FACTS_READ = 40
EVENTS_READ = 24
FACTS_COMPARED = 20
JUST_AFTER_SECONDS = 3600.0
_UNMOVED = frozenset(("plan", "goal", "decision", "history", "mood", INSTRUCTION))


def newer_events(
    store: Store, place: Partition, shown: Sequence[str], question: str, known: Collection[str]
) -> list[Record]:
    """At most `MOST` events, the newest first, beside the facts in the `shown` texts that the
    question is about. `known` are the ids of what is shown already."""
    facts = _asked(store.find(place, ("fact",), ("approved",), FACTS_READ), shown, question, known)
    if not facts:
        return []
    earliest = min(fact.since for fact in facts)
    found = [
        event
        for event in store.find(place, ("event",), ("approved",), EVENTS_READ)
        if event.id not in known and event.time is not None and event.time > earliest
    ]
    found.sort(key=lambda event: -(event.time or 0.0))
    newer: list[Record] = []
    for event in found:
        if len(newer) < MOST and _may_change(event, facts):
            newer.append(event)
    return newer


@dataclass(frozen=True, slots=True)
class _Fact:
    """A fact that is shown and asked for, and when it was last confirmed."""

    record: Record
    category: str
    subject: str
    since: float
    matter: Matter


def _asked(
    records: Sequence[Record], shown: Sequence[str], question: str, known: Collection[str]
) -> list[_Fact]:
    body, asked = "\n".join(shown), Matter.of(question)
    page = normal(body)
    facts: list[_Fact] = []
    for record in records:
        category = str(record.data.get("category") or "")
        subject = str(record.data.get("subject") or "")
        since = epoch_of(record.data.get("last_confirmed"))
        if since is None or category in _UNMOVED or len(facts) >= FACTS_COMPARED:
            continue
        if record.text not in body and normal(record.text) not in page:
            continue
        topic = "pet" if "pet" in ids_in(record, "tags") else category
        matter = Matter.of(record.text, subject)
        is_asked = record.id in known or is_about(question, topic) or matter.touches(asked)
        if is_asked:
            facts.append(_Fact(record, category, subject, since, matter))
    return facts


def _may_change(event: Record, facts: Sequence[_Fact]) -> bool:
    told = corrections.parts(event)
    later = [
        fact
        for fact in facts
        if event.user == fact.record.user
        and (event.time or 0.0) > fact.since
        and event.id not in ids_in(fact.record, "sources")
    ]
    if not later:
        return False
    text = " ".join(told)
    matter = Matter.of(text, later[0].subject)
    if any(is_about(text, fact.category) or matter.touches(fact.matter) for fact in later):
        return True
    just_after = any((event.time or 0.0) - fact.since <= JUST_AFTER_SECONDS for fact in later)
    return just_after and any(
        is_marked(part.removeprefix(later[0].subject).lstrip(" ：:,")) for part in told
    )
