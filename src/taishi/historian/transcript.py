"""A conversation as a bounded transcript for prompts, and as sentences for the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from ..errors import TaishiError
from ..language.quoted_text import quoted_stretches
from ..language.text import one_line, sentences
from ..language.token_count import fit
from ..times import to_datetime, to_epoch
from ..types import Message
from .coerce import line_of, text_of

_MAX_MESSAGES = 40
_MESSAGE_TOKENS = 200
_ALL_CHARS = 9000


def transcript(messages: Sequence[Message], zone: tzinfo | None = None) -> list[dict[str, Any]]:
    """The latest messages that fit the budget, oldest first, with local times."""
    selected: list[dict[str, Any]] = []
    budget = _ALL_CHARS
    for message in reversed(messages[-_MAX_MESSAGES:]):
        text = fit(text_of(message.text, 8 * _MESSAGE_TOKENS), _MESSAGE_TOKENS)[: max(0, budget)]
        if not text:
            continue
        budget -= len(text)
        selected.append(
            {"speaker": speaker_of(message), "time": format_time(message.time, zone), "text": text}
        )
    return selected[::-1]


def speaker_of(message: Message) -> str:
    return line_of(message.speaker, 80) or line_of(message.speaker_id, 80)


def said_sentences(messages: Sequence[Message], chars: int = 2000) -> Iterator[tuple[str, str]]:
    """(speaker, sentence) of the latest messages, in order; a line of a pasted chat is one, too."""
    for message in messages[-_MAX_MESSAGES:]:
        for plain in _sentences(text_of(message.text, chars)):
            yield speaker_of(message), plain


def own_and_quoted(
    messages: Sequence[Message], chars: int = 2000
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(speaker, text, sentences) of the latest messages: of a sentence of the speaker's own that
    one alone, of what others are quoted with the whole stretch and the sentences in it."""
    latest = messages[-_MAX_MESSAGES:]
    speakers = {speaker_of(message) for message in latest} - {""}
    for message in latest:
        text, speaker = text_of(message.text, chars), speaker_of(message)
        position = 0
        for start, end in quoted_stretches(text, speaker, speakers):
            for plain in _sentences(text[position:start]):
                yield speaker, plain, (plain,)
            if quoted := text[start:end].strip():
                yield speaker, quoted, tuple(_sentences(quoted))
            position = end
        for plain in _sentences(text[position:]):
            yield speaker, plain, (plain,)


def _sentences(text: str) -> Iterator[str]:
    return (plain for plain in map(one_line, sentences(text)) if len(plain) > 1)


def format_time(time: datetime | str | float | None, zone: tzinfo | None) -> str:
    """A time as 2026-02-20 14:30 Friday."""
    moment = to_local_time(time, zone or UTC)
    return f"{moment:%Y-%m-%d %H:%M %A}" if moment else line_of(time, 40)


def to_local_time(time: object, zone: tzinfo | None) -> datetime | None:
    """A time in a timezone; None if the value is not a time."""
    if isinstance(time, bool) or not isinstance(time, (int, float, str, datetime)):
        return None
    try:
        return to_datetime(to_epoch(time, zone or UTC), zone or UTC)
    except (ValueError, OSError, OverflowError, TaishiError):
        return None
