"""The historian without a model: one turn, told in words that stay true (H2, H4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from ..language.absolute import Rewritten, Setting, names_somebody, rewrite
from ..language.gate import Fault, check
from ..times import to_datetime, to_epoch
from ..types import Job

_NAME_CHARS = 80
_WARNINGS = 20


@dataclass(frozen=True, slots=True)
class Draft:
    """What the historian writes of one turn (H2); facts and procedures are drawn from it later."""

    did_what: str
    new_info: tuple[str, ...]
    canonical_text: str
    is_absolute: bool
    warnings: tuple[str, ...]


def write(job: Job) -> Draft:
    """Tell the turn in absolute words. What was done is told by the bot, what is new by the sender.

    Both are the usual case, not a certainty; what a pronoun cannot be tied to stays marked.
    """
    local, warnings = _local_time(job)
    cast = _Cast.of(job)
    done = rewrite(_clean(job.action_summary), cast.setting(local, told_by_bot=True))
    news = [rewrite(_clean(item), cast.setting(local, told_by_bot=False)) for item in job.new_info]
    told = [part for part in (done, *news) if part.text.strip()]
    canonical = _canonical(job, local, cast, told)
    faults = [fault for part in told for fault in part.faults]
    faults = faults or check(canonical, cast.names)
    return Draft(
        did_what=done.text.strip(),
        new_info=tuple(part.text.strip() for part in news if part.text.strip()),
        canonical_text=canonical,
        is_absolute=not faults,
        warnings=(*warnings, *_unresolved(faults)),
    )


@dataclass(frozen=True, slots=True)
class _Cast:
    """Who is on the stage, by name where there is one and by id where there is none."""

    sender: str | None
    bot: str
    group: str | None
    location: str | None
    others: tuple[str, ...]
    chinese: bool

    @classmethod
    def of(cls, job: Job) -> _Cast:
        chinese = _reads_chinese(job)
        sender_id = job.sender_id or job.user_id
        speakers = (message.get("speaker") for message in job.recent_messages)
        return cls(
            sender=_name(job.sender_name) or _by_id("用户" if chinese else "user ", sender_id),
            bot=_name(job.bot_name) or ("助手" if chinese else "the assistant"),
            group=_name(job.group_name) or _by_id("群" if chinese else "group ", job.group_id),
            location=_name(job.location),
            others=tuple(dict.fromkeys(filter(None, map(_name, speakers)))),
            chinese=chinese,
        )

    @property
    def names(self) -> tuple[str, ...]:
        given = (self.sender, self.bot, self.group, self.location, *self.others)
        return tuple(name for name in given if name)

    def setting(self, local: datetime, *, told_by_bot: bool) -> Setting:
        speaker, addressee = (self.bot, self.sender) if told_by_bot else (self.sender, self.bot)
        return Setting(
            reference=local,
            speaker=speaker,
            addressee=addressee,
            group_name=self.group,
            location=self.location,
            others=self.others,
            addressee_is_bot=not told_by_bot,
        )


def _local_time(job: Job) -> tuple[datetime, tuple[str, ...]]:
    epoch = to_epoch(job.epoch, UTC)
    try:
        return to_datetime(epoch, ZoneInfo(job.timezone)), ()
    except (KeyError, ValueError, OSError):
        advice = "times are in UTC; set memory.timezone to an IANA name such as Asia/Shanghai"
        unknown = f"unknown timezone {_name(job.timezone)!r}: {advice}"
        return to_datetime(epoch, UTC), (unknown,)


def _canonical(job: Job, local: datetime, cast: _Cast, told: list[Rewritten]) -> str:
    """When, where and who once, at the head; then what happened."""
    parts = dict.fromkeys(part.text.strip().rstrip("。．.;；") for part in told)
    zone = local.tzinfo.key if isinstance(local.tzinfo, ZoneInfo) else "UTC"
    if cast.chinese:
        body = "；".join(parts)
        when = f"{local.year}年{local.month}月{local.day}日{local:%H:%M}（{zone}）"
        head = "，".join([when, *_where(job, cast, body)])
        return f"{head}：{body}" if body else head
    body = "; ".join(parts)
    head = ", ".join([f"{local:%Y-%m-%d %H:%M} ({zone})", *_where(job, cast, body)])
    return f"{head}: {body}" if body else head


def _where(job: Job, cast: _Cast, body: str) -> list[str]:
    """The group or the chat; the sender only if the body does not name them."""
    where = []
    is_told = cast.sender is not None and cast.sender in body
    if job.request_type == "group" and cast.group:
        if _name(job.group_name):
            where.append(f"群「{cast.group}」" if cast.chinese else f"group {cast.group}")
        else:
            where.append(cast.group)
    if cast.location and cast.location not in body:
        where.append(cast.location)
    if cast.sender and not is_told:
        where.append(cast.sender)
    return where


def _unresolved(faults: list[Fault]) -> list[str]:
    words = dict.fromkeys(f"{fault.reason} not resolved: {fault.word}" for fault in faults)
    return list(words)[:_WARNINGS]


def _reads_chinese(job: Job) -> bool:
    """The language of the turn; a Latin name in a Chinese sentence does not make it English."""
    text = "".join((job.action_summary[:2000], *(item[:2000] for item in job.new_info[:20])))
    han = len(re.findall("[\u3400-\u9fff]", text))
    return han > 0 and han * 3 >= len(re.findall("[A-Za-z]", text))


def _by_id(label: str, id: str | None) -> str | None:
    return f"{label}{id}" if id else None


def _name(value: object) -> str | None:
    """A name on one line, without characters that would change how the line is read."""
    if not isinstance(value, str):
        return None
    plain = re.sub("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]", "", _clean(value))
    name = " ".join(plain.split())[:_NAME_CHARS].strip()
    return name if names_somebody(name) else None


def _clean(text: str) -> str:
    """Text that every store can hold: no NUL, no half of a surrogate pair."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text.replace("\0", ""))
