"""What a correction without a statement puts right: "Not Rome. Milan.", 不是罗马，是米兰 (P5, H4).

It is about what was said last with that word, by whomever; of that it is resolved only if exactly
one fact of the sender can be meant. Otherwise the words stay, and the record is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..domain import corrections
from ..domain.drafts import Draft
from ..domain.fact_lifecycle import epoch_of, ids_in
from ..domain.pending_edits import PendingEdits
from ..domain.text_identity import normal
from ..historian.fact_patterns.bare_values import meant_value
from ..historian.fact_patterns.lost_pets import kind_of, name_of
from ..historian.fact_patterns.retraction import Retraction, retractions
from ..historian.fact_patterns.short_corrections import contrast, with_value
from ..historian.fact_patterns.value_frames import is_same_value, of_statement
from ..historian.participants import Participants
from ..historian.statement_comparison import core, terms
from ..language.reasons import why_open_correction
from ..types import Edit, Job, Record

JUST_SAID_SECONDS = 3600.0
MOST_EVENTS = 200


def meant(records: PendingEdits, job: Job, one: Retraction, own: Iterable[Record]) -> Record | None:
    """The one fact that gives the wrong value; None if there is none, or more than one."""
    if one.kind:
        return _only(fact for fact in own if fact.state == "approved" and _is_of_kind(fact, one))
    named = [fact for fact in own if fact.state == "approved" and _gives(fact, one.words)]
    if one.topic:
        return _only(fact for fact in named if one.topic & _words(fact))
    said = next(_said_before(records, job, one.words), None)
    if said is None:
        return _only(fact for fact in named if _is_just_said(fact, job))
    return _only(fact for fact in named if said.is_about(fact))


def marked(job: Job, draft: Draft, learned: Sequence[Edit]) -> Draft:
    """The draft, marked if it still says "not Rome, Milan" or "no wait, three" and that has put
    nothing right."""
    is_settled = any(
        edit.record is not None
        and (edit.record.kind == "event" or edit.record.state in ("rejected", "superseded"))
        for edit in learned
    )
    found = retractions(job)
    values = [
        one.new_value.text if one.new_value else one.words
        for one in found
        if one.value or one.new_value
    ]
    sender = Participants.of(job).sender
    said = [one.replace(sender, "I") if sender else one for one in draft.new_info]
    is_kept = any(contrast(one) or meant_value(one) for one in (*draft.new_info, *said))
    if is_settled or not values or not is_kept:
        return draft
    warnings = map(why_open_correction, values)
    return replace(draft, is_absolute=False, warnings=(*draft.warnings, *warnings))


@dataclass(frozen=True, slots=True)
class _Said:
    """Something said before, by anybody; `event` is its id if it was a turn of its own."""

    text: str
    event: str = ""

    def is_about(self, fact: Record) -> bool:
        """Whether it taught this fact, or says all of it: "you live in Rome, don't you"."""
        if self.event and self.event in (fact.source, *ids_in(fact, "sources")):
            return True
        if any(normal(quote) and normal(quote) in normal(self.text) for quote in _quotes(fact)):
            return True
        words = _words(fact)
        return bool(words) and words <= set(terms(self.text))


def _said_before(records: PendingEdits, job: Job, value: str) -> Iterator[_Said]:
    """What was said with this value within the hour, the latest first."""
    own = {normal(text) for text in (*job.new_info, job.source_message)}
    for message in reversed(job.recent_messages):
        text = str(message.get("text") or "")
        if normal(text) not in own and _has(text, value) and _is_recent(message, job):
            yield _Said(text)
    said = [
        event
        for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS)
        if event.time is not None and 0 <= job.epoch - event.time <= JUST_SAID_SECONDS
    ]
    for event in sorted(said, key=lambda event: event.time or 0.0, reverse=True):
        if _has(event.text, value):
            yield _Said(event.text, event.id)


def _is_recent(message: Mapping[str, Any], job: Job) -> bool:
    time = message.get("time")
    return not isinstance(time, (int, float)) or job.epoch - time <= JUST_SAID_SECONDS


def _is_of_kind(fact: Record, one: Retraction) -> bool:
    """Whether it gives the wrong value in this predicate; any but the right one if the words do
    not say which is wrong."""
    if (kind := kind_of(fact.text)) and kind == one.kind:
        return name_of(fact.text) == one.words
    found = of_statement(fact.text, str(fact.data.get("subject") or ""))
    if found is None or found.kind != one.kind:
        return False
    if one.words:
        return is_same_value(found.value, one.words)
    return not is_same_value(found.value, one.value)


def _gives(fact: Record, value: str) -> bool:
    """Whether the value is in it; a single character has to be all that it gives."""
    if len(value) > 1:
        return _has(fact.text, value)
    found = of_statement(fact.text, str(fact.data.get("subject") or ""))
    return found is not None and found.value == value


def put_right(fact: Record, one: Retraction) -> str:
    """What the fact should have said."""
    found = of_statement(fact.text, str(fact.data.get("subject") or ""))
    if found is not None and (one.kind or is_same_value(found.value, one.words)):
        return f"{fact.text[: found.start]}{one.value}{fact.text[found.end :]}"
    return with_value(fact.text, one.words, one.value)


def _is_just_said(fact: Record, job: Job) -> bool:
    said = epoch_of(fact.data.get("last_confirmed"))
    return said is not None and 0 <= job.epoch - said <= JUST_SAID_SECONDS


def _has(text: str, value: str) -> bool:
    return with_value(text, value, "") != text


def _words(fact: Record) -> frozenset[str]:
    """What a fact says of its subject."""
    subject = str(fact.data.get("subject") or "")
    return core(fact.text.replace(subject, " ", 1) if subject else fact.text)


def _quotes(fact: Record) -> list[str]:
    return ids_in(fact, "quotes")


def _only(found: Iterable[Record]) -> Record | None:
    facts = list(found)
    return facts[0] if len(facts) == 1 else None
