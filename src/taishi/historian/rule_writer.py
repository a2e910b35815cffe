"""The historian without a model: one turn, told in words that stay true (H2, H4)."""

from __future__ import annotations

from datetime import UTC, datetime

from ..domain.drafts import Draft
from ..language.gate import check
from ..language.input_limits import READ_CHARS
from ..language.missing_subjects import bot_did, name_user, speaker_said
from ..language.quoted_text import map_own_words
from ..language.reasons import why_left
from ..language.rewriter import Rewritten, rewrite
from ..language.text import one_line, storable
from ..language.unresolved_words import loose_ends
from ..times import to_datetime
from ..types import Job
from .episode import episode_by_rule
from .fact_patterns import facts_by_rule
from .participants import Participants, clean_name, local_time, zone_of

_WARNINGS = 20


def write(job: Job) -> Draft:
    """Tell the turn in absolute words. What was done is told by the bot, what is new by the sender.

    Both are the usual case, not a certainty; what a pronoun cannot be tied to stays marked.
    """
    local, warnings = local_time(job)
    cast = Participants.of(job)
    done = _deeds(storable(job.action_summary), cast, local)
    news = [_news(storable(item), job, cast, local) for item in job.new_info]
    told = [part for part in (done, *news) if part.text.strip()]
    canonical = _canonical(job, local, cast, told)
    left = [warning for part in told for warning in part.warnings]
    left = left or [why_left(fault) for fault in check(canonical, cast.names)]
    left += [warning for part in told for warning in _not_placed(part, cast)]
    new_info = tuple(part.text.strip() for part in news if part.text.strip())
    return Draft(
        did_what=done.text.strip(),
        new_info=new_info,
        canonical_text=canonical,
        is_absolute=not left,
        warnings=(*warnings, *list(dict.fromkeys(left))[:_WARNINGS]),
        facts=facts_by_rule(job),
        episode=episode_by_rule(job, cast),
    )


def _deeds(text: str, cast: Participants, local: datetime) -> Rewritten:
    """What was done: by the bot, for the sender."""
    text = map_own_words(text, lambda own: name_user(own, cast.sender, in_summary=True))
    return rewrite(bot_did(text, cast.bot), cast.setting(local, told_by_bot=True))


def _news(text: str, job: Job, cast: Participants, local: datetime) -> Rewritten:
    """What was said: by the sender, or by whoever wrote the message it was copied from."""
    speaker, moment = _said_by(text, job, local)
    setting = cast.setting(moment, told_by_bot=False, speaker=speaker)
    text = map_own_words(text, lambda own: name_user(own, setting.speaker, in_summary=False))
    return rewrite(speaker_said(text, setting.speaker), setting)


def _not_placed(part: Rewritten, cast: Participants) -> list[str]:
    """What the gate lets pass, but nothing in the text explains."""
    known = {at for fault in part.faults for at in range(fault.start, fault.end)}
    ends = loose_ends(part.text[:READ_CHARS], cast.names)
    return [end.warning for end in ends if known.isdisjoint(range(end.start, end.end))]


def _said_by(text: str, job: Job, local: datetime) -> tuple[str | None, datetime]:
    """Who said it, if not the sender, and when: "tomorrow" counts from its own message."""
    plain = one_line(text)
    messages = [
        message
        for message in job.recent_messages
        if len(plain) > 3 and plain in one_line(str(message.get("text") or ""))
    ]
    if not messages:
        return None, local
    speakers = {clean_name(message.get("speaker")) for message in messages}
    time = messages[-1].get("time")
    zone = local.tzinfo or UTC
    moment = to_datetime(float(time), zone) if isinstance(time, (int, float)) else local
    return (speakers.pop() if len(speakers) == 1 else None), moment


def _canonical(job: Job, local: datetime, cast: Participants, told: list[Rewritten]) -> str:
    """When, where and who once, at the head; then what happened."""
    parts = dict.fromkeys(part.text.strip().rstrip("。．.;；") for part in told)
    zone = zone_of(local)
    if cast.chinese:
        body = "；".join(parts)
        when = f"{local.year}年{local.month}月{local.day}日{local:%H:%M}（{zone}）"
        head = "，".join([when, *_where(job, cast, body)])
        return f"{head}：{body}" if body else head
    body = "; ".join(parts)
    head = ", ".join([f"{local:%Y-%m-%d %H:%M} ({zone})", *_where(job, cast, body)])
    return f"{head}: {body}" if body else head


def _where(job: Job, cast: Participants, body: str) -> list[str]:
    """The group or the chat; the sender only if the body does not name them."""
    where = []
    is_told = cast.sender is not None and cast.sender in body
    if job.request_type == "group" and cast.group:
        if clean_name(job.group_name):
            where.append(f"群「{cast.group}」" if cast.chinese else f"group {cast.group}")
        else:
            where.append(cast.group)
    if cast.location and cast.location not in body:
        where.append(cast.location)
    if cast.sender and not is_told:
        where.append(cast.sender)
    return where
