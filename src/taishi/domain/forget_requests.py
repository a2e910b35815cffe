"""Leaves out of a turn what asks to forget something, and what only repeats it (O2).

Kept as an event, "please forget that I live in Cork" would be recalled for good. The rest of the
turn stays. A later request to remember is new, and is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..historian.fact_patterns.withdrawn_topics import requests_in
from ..language.chat_markup import without_address
from ..language.forget_requests import RequestedWords, without_forget_requests
from ..types import Job, Message


def asks_to_forget(text: str, bot_name: str | None = None) -> bool:
    """Whether a message asks to forget or not to keep something, or takes it back: "please forget
    the offsite", "forget what I said about Berlin", 这事你别记. Memory forgets nothing by that.
    `bot_name` is what the bot is called in the chat.

    By patterns, as for the words that `end_turn` and `consider` leave out."""
    if without_forget_requests(text, bot=bot_name)[1]:
        return True
    return bool(requests_in(without_address(text, bot_name)).topics)


def without_requests(job: Job) -> Job | None:
    """The job without them; None if nothing else is left to keep."""
    found: list[str] = []

    def cut(text: str, by_bot: bool = False) -> str:
        kept, gone = without_forget_requests(text, by_bot, job.bot_name)
        found.extend(gone)
        return kept

    action = cut(job.action_summary, by_bot=True)
    news = [cut(one) for one in job.new_info]
    messages = [{**one, "text": cut(_text(one), _is_bots(one, job))} for one in job.recent_messages]
    source = cut(job.source_message)
    if not found:
        return job
    requests = RequestedWords.of(found)
    action = requests.without_repeats(action, by_bot=True)
    news = [left for one in news if (left := requests.without_repeats(one))]
    messages = _said(messages, requests, job)
    source = requests.without_repeats(source)
    if not action and not news and not (job.task == "consider" and messages):
        return None
    return replace(
        job,
        action_summary=action,
        new_info=tuple(news),
        recent_messages=tuple(messages),
        source_message=source,
    )


def messages_without_requests(messages: Sequence[Message]) -> list[Message]:
    """The messages of a session that are summed up. Whoever has no id may be the bot."""
    found: list[str] = []
    kept = []
    for one in messages:
        text, gone = without_forget_requests(one.text, by_bot=one.speaker_id is None)
        found.extend(gone)
        kept.append(replace(one, text=text))
    requests = RequestedWords.of(found)
    left = [
        replace(one, text=requests.without_repeats(one.text, by_bot=one.speaker_id is None))
        for one in kept
    ]
    return [new for new, old in zip(left, messages, strict=True) if new.text or not old.text]


def _said(
    messages: Sequence[Mapping[str, Any]], requests: RequestedWords, job: Job
) -> list[dict[str, Any]]:
    """Those of the turn's messages that still say something, as they are kept."""
    left = [
        {**one, "text": requests.without_repeats(_text(one), _is_bots(one, job))}
        for one in messages
    ]
    return [
        one
        for one, before in zip(left, job.recent_messages, strict=True)
        if one["text"] or not _text(before)
    ]


def _text(message: Mapping[str, Any]) -> str:
    return str(message.get("text") or "")


def _is_bots(message: Mapping[str, Any], job: Job) -> bool:
    return job.bot_name is not None and message.get("speaker") == job.bot_name
