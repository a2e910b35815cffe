"""How messages of working memory and their compressions become rows and come back."""

from __future__ import annotations

import json
from typing import Any

from ..ports import Compression, Overview, StoredMessage
from ..ports.chat_message import ChatMessage, read_body

MESSAGE_COLUMNS = "number, role, text, body, speaker, speaker_id, time, id"
# What a session's summary and the historian are made of; the others are nobody's words.
SPOKEN = ("user", "assistant")


def stored_message(
    number: int,
    role: str,
    text: str,
    body: str,
    speaker: str | None,
    speaker_id: str | None,
    time: float,
    id: str | None,
) -> StoredMessage:
    """The message in a row of MESSAGE_COLUMNS."""
    message = ChatMessage(
        role,
        text,
        speaker=speaker,
        speaker_id=speaker_id,
        time=time,
        id=id or "",
        **read_body(body),
    )
    return StoredMessage(number, message)


def is_summarised(message: ChatMessage) -> bool:
    """Whether there is nothing in it for the session's summary."""
    return message.role not in SPOKEN or not message.text


def compression_body(made: Compression) -> str:
    told = made.overview
    return json.dumps(
        {
            "segment": made.segment,
            "summary": told.summary,
            "decisions": told.decisions,
            "todos": told.todos,
            "agreements": told.agreements,
        },
        ensure_ascii=False,
    )


def compression_of(
    first: int, last: int, count: int, body: str, made_by: Any, time: float
) -> Compression:
    values = json.loads(body)
    overview = Overview(
        values["summary"],
        tuple(values["decisions"]),
        tuple(values["todos"]),
        tuple(values["agreements"]),
    )
    return Compression(first, last, count, values["segment"], overview, made_by, time)
