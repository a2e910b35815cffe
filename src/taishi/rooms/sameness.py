"""When two statements say the same in the same words, and who said them."""

from __future__ import annotations

import unicodedata
import uuid

from ..types import Job, Place

BOT_NAMES = frozenset(
    "assistant bot chatbot ai system model tool 助手 机器人 系统 智能助手 ai助手".split()
)
# Characters that nobody sees: a statement pasted from elsewhere may carry them inside a word.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_FAMILY = uuid.UUID("6f1d3c52-6f0a-5c64-9d0e-5a1b8f6a7c11")


def normal(text: str) -> str:
    """Words only: no case, no punctuation, no width, one space between words.

    Negations and small words stay, unlike in index terms: "likes" and "does not like" differ.
    """
    plain = unicodedata.normalize("NFKC", text).translate(_UNSEEN).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())


def same(one: str, other: str) -> bool:
    return normal(one) == normal(other)


def stable_id(prefix: str, place: Place, event_id: str, text: str) -> str:
    """The same event learning the same statement makes the same id: a retry adds nothing."""
    name = "\x1f".join((str(place), event_id, normal(text)))
    return f"{prefix}-{uuid.uuid5(_FAMILY, name.encode('utf-8', 'replace').decode()).hex}"


def quoted_by_person(quote: str, job: Job) -> bool:
    """Whether a person, not the bot, wrote these words in a message of this job.

    A message that nobody is named for counts as nobody's, unless it is all there is.
    """
    wanted = normal(quote)
    return bool(wanted) and any(wanted in normal(text) for text in _by_people(job))


def _by_people(job: Job) -> list[str]:
    if not job.recent_messages:
        return [job.source_message]
    bot = normal(job.bot_name or "")
    found = []
    for message in job.recent_messages:
        speaker = normal(str(message.get("speaker") or ""))
        named = bool(speaker or message.get("speaker_id"))
        if named and speaker not in BOT_NAMES and not (bot and speaker == bot):
            found.append(str(message.get("text") or ""))
    return found


def whole(text: str, most: int) -> str:
    """Text that can be stored: no NUL, no half characters, not longer than it should be."""
    cut = text.strip()[:most]
    mended = cut.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return mended.replace("\x00", "\ufffd").strip()
