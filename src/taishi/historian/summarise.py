"""Summarises a session in a paragraph (W8), with a model or by selecting sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from ..errors import ModelError
from ..language.analyzer import terms
from ..language.text import one_line, sentence_pieces, sentence_spans
from ..language.token_count import fit
from ..ports import ChatModel, Tool
from ..types import Message
from .coerce import text_of
from .evidence import Evidence
from .participants import is_chinese
from .prompt_loader import Prompts
from .transcript import format_time, said_sentences, speaker_of, transcript

SUMMARY_CHARS = 1200
_PREVIOUS_TOKENS = 500
_SENTENCE_CHARS = 200
_MAX_SENTENCES = 12

SUMMARISE = Tool(
    "summarise",
    "Keep the summary of the conversation.",
    {
        "type": "object",
        "properties": {"summary": {"type": "string"}},
        "required": ["summary"],
    },
)


def summarise(
    model: ChatModel,
    prompts: Prompts,
    language: str,
    messages: Sequence[Message],
    previous: str = "",
    now: datetime | None = None,
) -> str:
    """One summary of the session so far. ModelError if the model's answer is empty.

    It is checked against the messages, like the text of a turn (H7): a summary that invents
    something is requested once more, and then the invented sentences are removed.
    """
    lines = transcript(messages, now.tzinfo if now else None)
    if not lines:
        return previous[:SUMMARY_CHARS]
    evidence = Evidence.of_messages(messages, previous, now)
    data: dict[str, Any] = {
        "now": format_time(now, now.tzinfo) if now else "",
        "previous": fit(text_of(previous, 8000), _PREVIOUS_TOKENS),
        "messages": lines,
        "faults": [],
    }
    summary = _ask_model(model, prompts, language, data)
    if faults := evidence.invented(summary):
        words = list(dict.fromkeys(fault.word[:60] for fault in faults))[:20]
        summary = _ask_model(model, prompts, language, data | {"faults": words, "last": summary})
    supported = supported_sentences(summary, evidence)
    return (
        truncate_at_sentence(supported, SUMMARY_CHARS)
        if supported
        else summarise_by_rule(messages, previous)
    )


def _ask_model(model: ChatModel, prompts: Prompts, language: str, data: dict[str, Any]) -> str:
    chat = prompts.messages("summarise", language, data=data)
    answer = model.structured("summarise", chat, SUMMARISE)
    summary = text_of(answer.get("summary"), SUMMARY_CHARS * 4)
    if not summary:
        raise ModelError("the model answered with an empty summary; it is asked again later")
    return summary


def supported_sentences(summary: str, evidence: Evidence) -> str:
    """The summary without sentences that the messages do not support."""
    if not evidence.invented(summary):
        return summary
    parts = sentence_pieces(summary, semicolons=False)
    return "".join(part for part in parts if not evidence.invented(part)).strip()


def summarise_by_rule(messages: Sequence[Message], previous: str = "") -> str:
    """The speakers and the most salient sentences, in their original order."""
    spoken = [
        (speaker, sentence[:_SENTENCE_CHARS]) for speaker, sentence in said_sentences(messages)
    ]
    spoken = list(dict.fromkeys(spoken))
    if not spoken:
        return previous[:SUMMARY_CHARS]
    ranked = sorted(range(len(spoken)), key=_scores([text for _, text in spoken]).__getitem__)
    head = _head(messages, is_chinese("".join(text for _, text in spoken)))
    previous_part = truncate_at_sentence(one_line(previous), SUMMARY_CHARS // 2)
    budget = SUMMARY_CHARS - len(head) - len(previous_part) - 2
    chosen: set[int] = set()
    for index in reversed(ranked):
        cost = len(spoken[index][0]) + len(spoken[index][1]) + 3
        if cost <= budget and len(chosen) < _MAX_SENTENCES:
            chosen.add(index)
            budget -= cost
    lines = [
        f"{speaker}: {text}" if speaker else text for speaker, text in _in_order(spoken, chosen)
    ]
    return "\n".join(part for part in (previous_part, head, *lines) if part)


def _in_order(spoken: list[tuple[str, str]], chosen: set[int]) -> list[tuple[str, str]]:
    return [spoken[index] for index in sorted(chosen)]


def _head(messages: Sequence[Message], chinese: bool) -> str:
    people = list(dict.fromkeys(filter(None, map(speaker_of, messages))))[:8]
    if not people:
        return ""
    return f"参与者：{'、'.join(people)}" if chinese else f"People: {', '.join(people)}"


@cache
def _salient_words() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:decided?|agreed?|plan(?:ned|s)?|will|must|need|promised?|deadline|because|prefer|moved"
        r"|remember|todo|confirmed|booked)\b|\d|决定|同意|约定|计划|打算|必须|需要|答应|截止|因为|喜欢|搬|记住|确认|订了",
        re.IGNORECASE,
    )


def _scores(texts: list[str]) -> list[float]:
    """Salience: decisions, times and figures; recurring words; the first sentence."""
    frequency = Counter(term for text in texts for term in set(terms(text)))
    scores = []
    for index, text in enumerate(texts):
        words = set(terms(text))
        theme = sum(frequency[word] - 1 for word in words) / (len(words) + 3)
        cues = len(_salient_words().findall(text))
        is_question = 1.0 if text.endswith(("?", "？")) else 0.0
        length = min(len(words), 12) / 12
        scores.append(
            min(cues, 4) + min(theme, 1.0) + length + (1.0 if index == 0 else 0.0) - is_question
        )
    return scores


def truncate_at_sentence(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    ends = (span.end for span in sentence_spans(text) if span.end <= most)
    end = max(ends, default=0)
    return text[:end].strip() if end > most // 3 else text[: most - 1] + "…"
