"""The part of a turn that its event keeps, so that facts can be extracted again from it.

The words that were told, and the messages that share words with them; of the others only who
spoke. It is never part of a hit: messages of other people are not for everybody who may see the
event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..language.analyzer import terms
from ..types import Edit, Job, Partition, Record
from .text_identity import normal
from .text_terms import TextTerms, hashed_terms

RETAINED = "retained_turn"
WORDS_CHARS = 8000
_MESSAGE_KEYS = ("speaker", "speaker_id", "text", "time", "id")
_SHARED = 0.5


def retained(job: Job) -> dict[str, Any]:
    """The turn as its event keeps it; what is empty is left out."""
    told = " ".join((job.action_summary, *job.new_info))[:WORDS_CHARS]
    words = set(terms(told))
    messages = [_kept(one, words, job.source_message) for one in job.recent_messages]
    there = any(one.get("text") == job.source_message for one in messages)
    kept = {
        "action_summary": job.action_summary,
        "new_info": list(job.new_info),
        "messages": messages,
        "source_message": "" if there else job.source_message,
        "source_at": _position(messages, job.source_message) if there else None,
        "bot_name": job.bot_name,
        "group_name": job.group_name,
        "agent_id": job.agent_id,
        "force": job.force,
        "recalled": _recalled(job, told),
        "actor": job.actor,
    }
    return {key: value for key, value in kept.items() if value not in (None, "", [], False)}


def has_turn(event: Record) -> bool:
    return isinstance(event.data.get(RETAINED), Mapping)


def actor_of(event: Record) -> str | None:
    """Who told the turn, "host" or "model"; None for events that do not keep it yet."""
    return _text(_turn(event).get("actor"))


def job_of(event: Record) -> Job:
    """Rebuilds the job of an event; without a retained turn, from the event's own statements."""
    data, kept = event.data, _turn(event)
    messages = [one for one in _list(kept, "messages") if isinstance(one, Mapping)]
    news = _list(kept if kept else data, "new_info")
    if not kept and data.get("earlier") and not all(str(one) in event.text for one in news):
        news = [event.text]  # a person put it right before the statements followed the text
    return Job(
        request_id=str(data.get("request_id") or event.id.rpartition(":")[0] or event.id),
        end_seq=_number(data.get("end_seq"), event.id),
        action_summary=str((kept.get("action_summary") if kept else data.get("did_what")) or ""),
        new_info=tuple(str(one) for one in news),
        timestamp_utc=str(data.get("timestamp_utc") or ""),
        timestamp_local=str(data.get("timestamp_local") or ""),
        timezone=str(data.get("timezone") or "UTC"),
        epoch=event.time or 0.0,
        workspace=event.place.workspace,
        request_type=event.place.kind,
        user_id=_own(event.place, "private") or _text(data.get("user_id")),
        group_id=_own(event.place, "group"),
        agent_id=_own(event.place, "agent") or _text(kept.get("agent_id")),
        session_id=event.session,
        sender_id=_text(data.get("sender_id")) or event.user,
        sender_name=event.speaker,
        group_name=_text(kept.get("group_name")),
        bot_name=_text(kept.get("bot_name")),
        location=_text(data.get("location_abs")),
        message_ids=tuple(str(one) for one in _list(data, "message_ids")),
        source_message=_source(kept, messages),
        recent_messages=tuple(messages),
        force=kept.get("force") is True,
        recalled=tuple(str(one) for one in _list(kept, "recalled")),
        job_id=event.owner or "",
        redaction=event.redaction,
        actor=actor_of(event) or "host",
    )


def own_messages(event: Record) -> list[Mapping[str, Any]]:
    """The messages that the turn itself is about, not those around it."""
    job = job_of(event)
    news = [words for one in job.new_info if (words := normal(one))]
    found = []
    for message in job.recent_messages:
        text = str(message.get("text") or "")
        said = normal(text)
        if said and (text == job.source_message or any(one in said for one in news)):
            found.append(message)
    if not found and job.source_message and not job.recent_messages:
        found.append({"text": job.source_message})
    return found


def texts_of(event: Record) -> Iterator[str]:
    """All that an event says, in its own words and in those of the turn."""
    yield event.text
    job = job_of(event)
    yield from (job.action_summary, *job.new_info, job.source_message)
    yield from (str(one.get("text") or "") for one in job.recent_messages)
    yield from (str(one) for one in _list(event.data, "new_info"))


def messages_of(event: Record) -> list[Mapping[str, Any]]:
    """The messages of the turn, as far as the event keeps them."""
    return [one for one in _list(_turn(event), "messages") if isinstance(one, Mapping)]


def without_messages(
    event: Record, is_gone: Callable[[Mapping[str, Any]], bool], *, silent: bool = False
) -> Record | None:
    """The event without these messages in its turn; None if it has none of them. `silent`: also
    without those of which only the speaker is kept."""
    kept, messages = _turn(event), messages_of(event)
    source = _source(kept, messages)
    left = [one for one in messages if not ((silent or one.get("text")) and is_gone(one))]
    lost = bool(kept.get("source_message")) and is_gone({"text": source})
    if len(left) == len(messages) and not lost:
        return None
    turn = {k: v for k, v in kept.items() if k not in ("messages", "source_message", "source_at")}
    if left:
        turn["messages"] = left
    if (at := _position(left, source)) is not None:
        turn["source_at"] = at
    elif not lost and kept.get("source_message"):
        turn["source_message"] = source
    # Hashes of what recall handed out may be of the same words.
    turn.pop("recalled", None)
    return replace(event, data={**event.data, RETAINED: turn})


def citing(edits: Iterable[Edit], old: str, new: str) -> list[Edit]:
    """Renames the source of learned records after their event got another id."""
    return [Edit(one.op, _citing(one.record, old, new), one.place, one.id) for one in edits]


def _citing(record: Record | None, old: str, new: str) -> Record | None:
    if record is None:
        return None
    data = dict(record.data)
    if old in (sources := _list(data, "sources")):
        data["sources"] = [new if one == old else one for one in sources]
    data |= {key: new for key in ("superseded_by", "rejected_by") if data.get(key) == old}
    return replace(record, source=new if record.source == old else record.source, data=data)


def _kept(message: Mapping[str, Any], words: set[str], source: str) -> dict[str, Any]:
    text = str(message.get("text") or "")
    near = text == source or not words.isdisjoint(terms(text[:WORDS_CHARS]))
    values = {key: message.get(key) for key in _MESSAGE_KEYS} | {"text": text if near else ""}
    return {key: value for key, value in values.items() if value not in (None, "")}


def _recalled(job: Job, told: str) -> list[str]:
    """Of what recall had handed out, what the turn may repeat: the rest is of no use later."""
    if not job.recalled:
        return []
    said = hashed_terms(told)
    kept = []
    for one in job.recalled:
        words = TextTerms.read(one).terms
        if words and len(words & said) >= _SHARED * min(len(words), len(said) or 1):
            kept.append(one)
    return kept


def _turn(event: Record) -> Mapping[str, Any]:
    found = event.data.get(RETAINED)
    return found if isinstance(found, Mapping) else {}


def _source(kept: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> str:
    at = kept.get("source_at")
    if isinstance(at, int) and 0 <= at < len(messages):
        return str(messages[at].get("text") or "")
    return str(kept.get("source_message") or "")


def _position(messages: Sequence[Mapping[str, Any]], text: str) -> int | None:
    places = [n for n, one in enumerate(messages) if text and one.get("text") == text]
    return places[-1] if places else None


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    found = data.get(key)
    return found if isinstance(found, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object, id: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    last = id.rpartition(":")[2]
    return int(last) if last.isdecimal() and len(last) < 10 else 1


def _own(place: Partition, kind: str) -> str | None:
    return place.id if place.kind == kind else None
