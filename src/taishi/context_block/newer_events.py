"""Events that were told after a shown fact was last confirmed, by the same person about the same
matter: what the rules could not correct is read beside what was said since (P5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..domain import corrections
from ..domain.fact_lifecycle import INSTRUCTION, epoch_of, ids_in
from ..domain.text_identity import normal
from ..historian.fact_patterns.correction_words import is_marked
from ..historian.same_matter import is_about, may_concern
from ..ports import Store
from ..types import Partition, Record

MOST = 2
FACTS_READ = 60
EVENTS_READ = 40
JUST_AFTER_SECONDS = 3600.0
_UNMOVED = frozenset(("plan", "goal", "decision", "history", "mood", INSTRUCTION))


def newer_events(
    store: Store, place: Partition, shown: Sequence[str], question: str, known: Collection[str]
) -> list[Record]:
    """At most `MOST` events, the newest first, beside the facts in the `shown` texts that the
    question is about. `known` are the ids of what is shown already."""
    page = normal("\n".join(shown))
    facts = [
        fact
        for fact in store.find(place, ("fact",), ("approved",), FACTS_READ)
        if normal(fact.text) in page and (fact.id in known or _is_asked(fact, question))
    ]
    if not facts:
        return []
    found: dict[str, Record] = {}
    for event in store.find(place, ("event",), ("approved",), EVENTS_READ):
        if event.id not in known and any(_may_change(event, fact) for fact in facts):
            found[event.id] = event
    return sorted(found.values(), key=lambda event: -(event.time or 0.0))[:MOST]


def _is_asked(fact: Record, question: str) -> bool:
    category = str(fact.data.get("category") or "")
    if category in _UNMOVED:
        return False
    if is_about(question, "pet" if "pet" in ids_in(fact, "tags") else category):
        return True
    subject = str(fact.data.get("subject") or "")
    return may_concern(question, fact.text.replace(subject, " "), "", subject)


def _may_change(event: Record, fact: Record) -> bool:
    since = epoch_of(fact.data.get("last_confirmed"))
    if since is None or event.time is None or event.time <= since:
        return False
    if event.user != fact.user or event.id in ids_in(fact, "sources"):
        return False
    subject = str(fact.data.get("subject") or "")
    category = str(fact.data.get("category") or "")
    about = fact.text.replace(subject, " ")
    told = [part.replace(subject, " ") for part in corrections.parts(event)]
    if any(may_concern(part, about, category, subject) for part in told):
        return True
    is_just_after = event.time - since <= JUST_AFTER_SECONDS
    return is_just_after and any(is_marked(part.lstrip(" ：:,")) for part in told)
