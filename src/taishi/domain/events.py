"""Builds the records of turns and events (E1). A raw turn and its event share one id."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..language.analyzer import has_cjk
from ..language.bot_commands import commands_bot
from ..language.lazy_regex import lazy_compile
from ..types import Edit, Job, Record
from .event_evidence import RETAINED

NAMES_SPEAKERS = "names_speakers"  # said of a turn whose every line begins with who said it
NAMES_SELF = "names_self"  # the speaker said the own name: that it stands there says not who spoke
_TO_BOT = lazy_compile(r"\W*(?:(?:please )?remember\b|(?:请|你)*记住)", re.IGNORECASE)


def land_turn(job: Job) -> Edit:
    """The raw turn, searchable until the historian is done (W6)."""
    said = [job.action_summary, *job.new_info]
    more: dict[str, Any] = {"is_absolute": False}
    if job.bot_name and job.action_summary:  # two people speak: each line says who
        sender = job.sender_name or job.sender_id
        said = [attributed(job.bot_name, job.action_summary)]
        said += [attributed(sender, one) if sender else one for one in job.new_info if one]
        more[NAMES_SPEAKERS] = True
    elif job.action_summary:  # what the bot did is not the speaker's word: apart, as in an event
        more |= {"did_what": job.action_summary, "new_info": list(job.new_info)}
    if job.task == "consider":  # nothing is summed up yet: what was said last stands for it
        said.append(job.source_message)
    text = "\n".join(part for part in said if part)
    return Edit("land", _record(job, "turn", text, more))


def unland_turn(job: Job) -> Edit:
    """Its raw turn goes, if that is all there is of it."""
    return replace(land_turn(job), op="unland")


def is_undecided(turn: Record) -> bool:
    """Whether a raw turn is of a job that first decides whether anything is to be kept. Any other
    says what the bot did or what is new."""
    told = turn.data.get("has_new_info") or NAMES_SPEAKERS in turn.data or "did_what" in turn.data
    return turn.kind == "turn" and not told


def attributed(speaker: str, text: str) -> str:
    return f"{speaker}{'：' if has_cjk(text) else ': '}{text}"


def says_who(name: str, text: str) -> bool:
    """Whether a text begins by telling who says it: 老周：…, Ann asks: "…"."""
    said = r"(?:要求(?:（[^）]{0,80}）)?|说| asks(?: for [^:]{0,80})?| said)?\s?[:：]"
    return text.startswith(name) and re.match(said, text[len(name) :]) is not None


def names_self(job: Job) -> bool:
    """Whether the sender's own words have the sender's name in them. A host that sums up writes
    "Ann moved", too: what counts is what is quoted from a message, or tells the bot what to say."""
    name = job.sender_name
    items = [item for item in (*job.new_info, job.source_message) if name and name in item]
    if not items:
        return False
    own = [job.source_message, *_messages_by(name, job)]
    return any(
        any(item.strip() in said for said in own) or _TO_BOT.match(item) or commands_bot(item)
        for item in items
    )


def _messages_by(name: str | None, job: Job) -> list[str]:
    return [
        str(message.get("text") or "")
        for message in job.recent_messages
        if message.get("speaker") == name
    ]


def put_event(job: Job, text: str, is_absolute: bool, extra: dict[str, Any]) -> Edit:
    return Edit("put", _record(job, "event", text, {"is_absolute": is_absolute, **extra}))


def put_perspective(event: Record, number: int, whose: str, text: str) -> Edit:
    """The same event as one of the people in it tells it: beside it, under its id and a number.

    The store knows a record by its owner, too, so that a retry writes where it wrote; this one has
    an owner of its own.
    """
    kept = {key: value for key, value in event.data.items() if key != RETAINED}
    data = {**kept, "perspective": whose, "perspective_of": event.id}
    owner = f"{event.owner}:{number}" if event.owner else None
    return Edit("put", replace(event, id=f"{event.id}:{number}", text=text, owner=owner, data=data))


def _record(job: Job, kind: str, text: str, extra: dict[str, Any]) -> Record:
    data = {
        **job.metadata,
        "request_id": job.request_id,
        "end_seq": job.end_seq,
        "timestamp_utc": job.timestamp_utc,
        "timestamp_local": job.timestamp_local,
        "timezone": job.timezone,
        "epoch": job.epoch,
        "location_abs": job.location,
        "request_type": job.request_type,
        "user_id": job.user_id,
        "group_id": job.group_id,
        "sender_id": job.sender_id,
        "message_ids": list(job.message_ids),
        "has_new_info": job.has_new_info,
        "schema_version": job.schema_version,
        **extra,
    }
    if names_self(job):
        data[NAMES_SELF] = True
    return Record(
        id=job.event_id,
        place=job.scope.home,
        kind=kind,
        text=text,
        time=job.epoch,
        user=job.sender_id or job.user_id,
        speaker=job.sender_name,
        session=job.session_id,
        source=job.message_ids[-1] if job.message_ids else None,
        owner=job.job_id or None,
        redaction=job.redaction,
        data=data,
    )
