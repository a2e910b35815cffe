"""Compares statements for identity and tells who said them."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ..language.analyzer import has_cjk
from ..language.normalise import canonical
from ..language.text import one_line
from ..types import Job, Partition

BOT_NAMES = frozenset(
    "assistant bot chatbot ai system model tool 助手 机器人 系统 智能助手 ai助手".split()
)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,1000}\"|“[^“”\n]{1,1000}”|「[^「」\n]{1,1000}」|『[^『』\n]{1,1000}』"
)
_BETWEEN = re.compile(r"[\W_]+")
_FORMERLY_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_FAMILY = uuid.UUID("6f1d3c52-6f0a-5c64-9d0e-5a1b8f6a7c11")


def normal(text: str) -> str:
    """Words only, in one spelling (`canonical`): no case, no punctuation, one space between words.

    Negations and small words stay, unlike in index terms: "likes" and "does not like" differ.
    """
    return _BETWEEN.sub(" ", canonical(text)).strip()


def formerly_normal(text: str) -> str:
    """What `normal` gave before look-alike letters were known: hashes that were kept then are of
    this."""
    plain = unicodedata.normalize("NFKC", text).translate(_FORMERLY_UNSEEN).casefold()
    return _BETWEEN.sub(" ", plain).strip()


def statement_key(text: str) -> str:
    """The same for every spelling of a statement: `normal` without its spaces, as one may put some
    between any two characters. What is rejected and what is forgotten is known again by this."""
    return normal(text).replace(" ", "")


def same(one: str, other: str) -> bool:
    return statement_key(one) == statement_key(other)


def has_words(text: str, words: str) -> bool:
    """Whether a text has these words as they stand: whole ones, except in Chinese, which puts
    nothing between them."""
    inner, outer = normal(words), normal(text)
    return f" {inner} " in f" {outer} " or (has_cjk(inner) and inner in outer)


def bullet_key(line: str) -> str:
    """A line of a page without its bullet and its case: by this a merge by rule knows it again."""
    return one_line(line.lstrip("-*• ")).casefold()


def stable_id(prefix: str, place: Partition, event_id: str, text: str) -> str:
    """The same event learning the same statement makes the same id: a retry adds nothing."""
    name = "\x1f".join((str(place), event_id, normal(text)))
    return f"{prefix}-{uuid.uuid5(_FAMILY, name.encode('utf-8', 'replace').decode()).hex}"


def quoted_by_person(quote: str, job: Job) -> bool:
    """Whether a person, not the bot, wrote these words in a message of this job.

    A message that nobody is named for counts as nobody's, unless it is all there is.
    """
    wanted = normal(quote)
    return bool(wanted) and any(wanted in normal(text) for text in by_people(job))


def is_told_by_model(job: Job) -> bool:
    """Whether only a model says what a turn tells, and no message of a person."""
    told = (*job.new_info, job.source_message)
    return job.actor == "model" and not any(quoted_by_person(one, job) for one in told)


def by_people(job: Job) -> list[str]:
    """What people wrote in this job's messages, without what they quote of others."""
    if not job.recent_messages:
        return [job.source_message]
    bot = [normal(text) for text in by_bot(job)]
    texts = []
    for message in job.recent_messages:
        named = bool(normal(str(message.get("speaker") or "")) or message.get("speaker_id"))
        if named and not _is_bot(message, job):
            texts.append(_own_words(str(message.get("text") or ""), bot))
    return texts


def by_bot(job: Job) -> list[str]:
    """What the bot wrote in this job's messages."""
    return [str(m.get("text") or "") for m in job.recent_messages if _is_bot(m, job)]


def _is_bot(message: Mapping[str, Any], job: Job) -> bool:
    speaker, bot = normal(str(message.get("speaker") or "")), normal(job.bot_name or "")
    return speaker in BOT_NAMES or bool(bot and speaker == bot)


def _own_words(text: str, bot: Sequence[str]) -> str:
    """Without lines of a reply's quote, and without words of the bot in quotation marks."""
    if ">" in text:
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    if not bot:
        return text

    def kept(quoted: re.Match[str]) -> str:
        said = normal(quoted[0])
        return " " if said and any(said in text_of_bot for text_of_bot in bot) else quoted[0]

    return _QUOTED.sub(kept, text)
