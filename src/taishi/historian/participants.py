"""Who took part in a turn, its local time and its language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..domain.own_facts import Teller
from ..language.id_labels import GROUP_LABELS, USER_LABELS, id_label
from ..language.pronouns import called_by_name
from ..language.rewriter import RewriteContext, names_somebody
from ..language.text import clean, one_line
from ..times import to_datetime, to_epoch
from ..types import Job

_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class Participants:
    """The participants of a turn, by name if known and by id otherwise."""

    sender: str | None
    bot: str
    group: str | None
    location: str | None
    others: tuple[str, ...]
    chinese: bool
    is_group: bool = False
    bot_is_called: bool = False  # the message that the turn answers addresses the bot by name

    @classmethod
    def of(cls, job: Job) -> Participants:
        chinese = _is_chinese_turn(job)
        language = "zh" if chinese else "en"
        sender_id = job.sender_id or job.user_id
        speakers = (message.get("speaker") for message in job.recent_messages)
        bot = clean_name(job.bot_name)
        return cls(
            sender=clean_name(job.sender_name) or id_label(USER_LABELS, language, sender_id),
            bot=bot or ("助手" if chinese else "the assistant"),
            group=clean_name(job.group_name) or id_label(GROUP_LABELS, language, job.group_id),
            location=clean_name(job.location),
            others=tuple(dict.fromkeys(filter(None, map(clean_name, speakers)))),
            chinese=chinese,
            is_group=job.request_type == "group",
            bot_is_called=bot is not None and bool(called_by_name(job.source_message, [bot])),
        )

    @property
    def names(self) -> tuple[str, ...]:
        candidates = (self.sender, self.bot, self.group, self.location, *self.others)
        return tuple(name for name in candidates if name)

    @property
    def people(self) -> tuple[str, ...]:
        """People who can be the subject of a fact."""
        return tuple(dict.fromkeys(name for name in (self.sender, *self.others) if name))

    @property
    def language(self) -> str:
        return "zh" if self.chinese else "en"

    def rewrite_context(
        self, local: datetime, *, by_bot: bool, speaker: str | None = None
    ) -> RewriteContext:
        """The context for rewriting a text of the bot, or of `speaker` (default: the sender).

        In a group "you" may be anybody, unless the bot was called by its name.
        """
        speaker, addressee = (
            (self.bot, self.sender) if by_bot else (speaker or self.sender, self.bot)
        )
        return RewriteContext(
            reference=local,
            speaker=speaker,
            addressee=addressee,
            group_name=self.group,
            location=self.location,
            others=self.others,
            addressee_is_bot=not by_bot,
            bot=self.bot,
            addressed=by_bot or not self.is_group or self.bot_is_called,
        )


class Author(NamedTuple):
    """Who wrote the message that a text was copied from, as far as that is sure."""

    name: str | None = None
    id: str | None = None


def author_of(item: str, job: Job) -> Author:
    """The author of the message that this was copied from, if it is unique."""
    plain = one_line(item)
    authors = {
        (clean_name(message.get("speaker")), message.get("speaker_id"))
        for message in job.recent_messages
        if len(plain) > 3 and plain in one_line(str(message.get("text") or ""))
    }
    names, ids = ({author[part] for author in authors} for part in (0, 1))
    return Author(names.pop() if len(names) == 1 else None, ids.pop() if len(ids) == 1 else None)


def other_author(item: str, job: Job) -> str | None:
    """The name of the author, if it is not the sender's own message; that one has one name in a
    turn."""
    author, user = author_of(item, job), job.sender_id or job.user_id
    is_sender = author.id is not None and author.id == user and clean_name(job.sender_name)
    return None if is_sender else author.name


def teller_of(job: Job) -> Teller:
    return Teller(job.sender_id or job.user_id, Participants.of(job).sender)


def local_time(job: Job) -> tuple[datetime, tuple[str, ...]]:
    """The turn's end in its timezone; and a warning if the timezone is unknown."""
    epoch = to_epoch(job.epoch, UTC)
    try:
        return to_datetime(epoch, ZoneInfo(job.timezone)), ()
    except (KeyError, ValueError, OSError):
        advice = "times are in UTC; set memory.timezone to an IANA name such as Asia/Shanghai"
        unknown = f"unknown timezone {clean_name(job.timezone)!r}: {advice}"
        return to_datetime(epoch, UTC), (unknown,)


def zone_of(local: datetime) -> str:
    return local.tzinfo.key if isinstance(local.tzinfo, ZoneInfo) else "UTC"


def clean_name(value: object) -> str | None:
    """A name on one line, without characters that would change how the line is read."""
    if not isinstance(value, str):
        return None
    name = one_line(clean(value), _NAME_CHARS)
    return name if names_somebody(name) else None


def is_chinese(text: str) -> bool:
    """The language of a text; a Latin name in a Chinese sentence does not make it English."""
    han = len(re.findall("[\u3400-\u9fff]", text))
    return han > 0 and han * 3 >= len(re.findall("[A-Za-z]", text))


def _is_chinese_turn(job: Job) -> bool:
    return is_chinese(
        "".join((job.action_summary[:2000], *(item[:2000] for item in job.new_info[:20])))
    )
