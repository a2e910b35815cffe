"""Leaves requests to forget what was said out of a block: "forget what Ann said about Berlin".

Such a request is stored like anything that was said. Where a line says that its matter was
withdrawn, its own line would only name it once more. A request that withdrew nothing stays, as does
one whose matter another line still tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..domain.corrections import corrections_of, statements_of
from ..historian.fact_patterns.withdrawn_topics import (
    WORTH_READING,
    WithdrawnTopic,
    requests_in,
)
from ..language.analyzer import terms
from ..language.chat_markup import without_address
from ..language.event_header import without_header
from ..language.lazy_regex import lazy_compile
from ..language.stated_times import without_as_of
from ..types import Hit
from .lines import EVENT_KINDS

_MOST_CHARS = 300
# Whoever is asked: "@Momo …", 小史，……, ……，罗盘.
_NAME = (
    "(?:@\\S{1,20}|[小阿老][\u4e00-\u9fff]{1,2}|[A-Za-z]\\w{0,19}"
    "|(?:(?![我你他她它了的不没是好在去有要])[\u4e00-\u9fff]){2,3})"
)
_CALLED = lazy_compile(f"^\\s*(?:{_NAME}[\\s，,、：:！!]+)+|[\\s，,、]+{_NAME}\\W*$")
_UNMARKED = lazy_compile("^[\u4e00-\u9fff]{2,4}(?=忘掉我)")  # 小史忘掉我说的……
_POLITE = lazy_compile(
    r"(?i)\b(?:please|pls|thanks?(?: you)?|ok(?:ay)?)\b|谢谢|麻烦|拜托|请|你|您|吧|了"
)


def without_forget_requests(hits: Sequence[Hit], bodies: Iterable[str]) -> Sequence[Hit]:
    """The hits without the events that only ask to forget something; `bodies` are the pages."""
    asked = {at: topics for at, hit in enumerate(hits) if (topics := _asked_to_forget(hit))}
    if not asked:
        return hits
    others = [hit for at, hit in enumerate(hits) if at not in asked]
    told = [hit.text for hit in others if not corrections_of(hit.metadata)]
    gone = [hit.text for hit in others if _is_withdrawn(hit)]
    categories = {hit.metadata.get("category") for hit in others}
    done = {
        at
        for at, topics in asked.items()
        if all(_is_about(one, gone, bool(gone)) for one in topics)
        and not any(
            _is_about(one, (*told, *bodies), not one.categories.isdisjoint(categories))
            for one in topics
        )
    }
    return [hit for at, hit in enumerate(hits) if at not in done]


def _is_about(topic: WithdrawnTopic, texts: Iterable[str], is_of_kind: bool) -> bool:
    """Whether one of the texts has the topic's words, or, for a topic such as "my address", one is
    of that kind."""
    words = frozenset(terms(topic.bare))
    return (bool(topic.categories) and is_of_kind) or any(
        words <= frozenset(terms(text)) for text in texts
    )


def _asked_to_forget(hit: Hit) -> tuple[WithdrawnTopic, ...]:
    """What an event asks to forget, if it says nothing else."""
    if hit.kind not in EVENT_KINDS or not WORTH_READING.search(hit.text[:_MOST_CHARS]):
        return ()
    topics: list[WithdrawnTopic] = []
    for part in statements_of(hit.metadata, without_header(hit.text)):
        said = without_address(_in_first_person(part, hit.speaker))
        found = requests_in(_UNMARKED.sub("", said))
        if len(part) > _MOST_CHARS or not found.topics:
            return ()
        if re.search(r"\w", _POLITE.sub(" ", _CALLED.sub(" ", found.rest))):
            return ()
        topics += found.topics
    return tuple(topics)


def _in_first_person(text: str, speaker: str | None) -> str:
    """The request as it was said: the patterns look for "what I told you"."""
    if not speaker:
        return text
    text = re.sub(rf"^{re.escape(speaker)}\s*[:：]\s*", "", without_as_of(text))
    name = re.escape(speaker)
    text = re.sub(rf"\b{name}['’]s\b", "my", text)
    text = re.sub(
        rf"\b{name}(?= (?:said|told|mentioned|wrote|was|gave|given|sent|shared)\b)", "I", text
    )
    text = re.sub(r"\b(I told) (?!you\b)(?:the )?[\w-]{1,40}(?= about\b)", r"\1 you", text)
    return text.replace(speaker, "我") if speaker in text else text


def _is_withdrawn(hit: Hit) -> bool:
    return any(not one["now"] and not one["why"] for one in corrections_of(hit.metadata))
