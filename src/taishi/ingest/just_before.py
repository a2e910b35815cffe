"""Whether what a message puts right, or takes back as a joke, is what the sender said directly
before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..domain import corrections
from ..domain.event_evidence import job_of
from ..domain.fact_lifecycle import ids_in
from ..domain.pending_edits import PendingEdits
from ..domain.text_identity import normal
from ..historian.categories import SINGLE_VALUED
from ..historian.fact_patterns.bare_values import BareValue
from ..historian.fact_patterns.value_corrections import NewValue
from ..types import Edit, Job, Record

MOST_EVENTS = 50
_UNNAMED = ("age", "birthday", "phone", "email")  # values that are no names


def follows_own(records: PendingEdits, job: Job, last: Record | None) -> bool:
    """Whether nobody but the bot spoke between the sender's last statement, which is this event,
    and the message: what another person said may be what it is about."""
    if last is None:
        return False
    before = _message_before(job)
    if before is not None:
        return _is_by_sender(before, job) and _is_of(before, last)
    who = job.sender_id or job.user_id
    return not any(
        event.user != who
        and event.time is not None
        and (last.time or 0.0) <= event.time
        and event.time <= job.epoch
        for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS)
    )


def values_of(fact: Record) -> list[str]:
    """The names that a fact of one value gives its subject."""
    category = str(fact.data.get("category") or "")
    if category not in SINGLE_VALUED or category in _UNNAMED:
        return []
    return [tag for tag in dict.fromkeys(ids_in(fact, "tags")) if tag in fact.text]


def without_facts(
    last: Record, parts: Sequence[str], value: NewValue | BareValue
) -> Iterator[Edit]:
    """What was said taught no fact: the event carries what was meant."""
    meant = [(part, new) for part in parts if (new := value.put_into(part))]
    if len(meant) == 1 and not corrections.speaks_of(last, meant[0][0]):
        yield Edit("put", corrections.noted(last, *meant[0]))


def _message_before(job: Job) -> Mapping[str, Any] | None:
    """The last message of a person before the one that the turn is about."""
    texts = [normal(str(message.get("text") or "")) for message in job.recent_messages]
    source = normal(job.source_message)
    own = {source} if source in texts else set(map(normal, job.new_info))
    message: Mapping[str, Any]
    for message, text in zip(reversed(job.recent_messages), reversed(texts), strict=True):
        if text and text not in own and message.get("speaker") != (job.bot_name or ""):
            return message
    return None


def _is_by_sender(message: Mapping[str, Any], job: Job) -> bool:
    speaker_id, who = message.get("speaker_id"), job.sender_id or job.user_id
    if speaker_id and who:
        return bool(speaker_id == who)
    return message.get("speaker") in (job.sender_name, None)


def _is_of(message: Mapping[str, Any], event: Record) -> bool:
    """Whether the event was learned from this message."""
    said = normal(str(message.get("text") or ""))
    told = job_of(event)
    return any(
        words and (words in said or said in words)
        for words in (normal(one) for one in (*told.new_info, told.source_message))
    )
