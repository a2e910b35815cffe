"""Writes a turn by rules, without a model, in absolute words (H2, H4)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..domain.drafts import Draft, FactDraft
from ..domain.events import attributed, names_self, says_who
from ..language.chat_markup import without_address
from ..language.clause_subjects import subject_of
from ..language.gate import check
from ..language.input_limits import READ_CHARS
from ..language.jokes import is_joke
from ..language.missing_subjects import bot_did, name_user, speaker_said
from ..language.quoted_text import map_own_words, quoted_stretches
from ..language.reasons import why_left
from ..language.rewriter import Rewritten, rewrite
from ..language.text import one_line, sentences, storable
from ..language.unresolved_words import loose_ends
from ..times import to_datetime
from ..types import Job
from .bot_deeds import as_label, is_name, names_bot, without_role
from .episode import episode_by_rule
from .fact_patterns import facts_by_rule
from .fact_patterns.instructions import instruction_in
from .fact_patterns.requests import asks_to_remember, statement_of_request, without_request
from .participants import (
    Participants,
    clean_name,
    is_chinese,
    local_time,
    other_author,
    zone_of,
)

_MAX_WARNINGS = 20
_ASKED_CHARS = 200


def write(job: Job) -> Draft:
    """Rewrite the turn in absolute words: actions as the bot's, new information as the sender's.

    Both are the usual case, not a certainty; unresolved pronouns stay marked.
    """
    local, warnings = local_time(job)
    participants = Participants.of(job)
    actions = _actions(storable(job.action_summary), participants, local)
    news = [_new_information(storable(item), job, participants, local) for item in job.new_info]
    parts = [part for part in (actions, *news) if part.text.strip()]
    action, told = _attributed(actions.text.strip(), news, participants)
    canonical = _canonical(job, local, participants, told)
    unresolved = [warning for part in parts for warning in part.warnings]
    unresolved = unresolved or [why_left(fault) for fault in check(canonical, participants.names)]
    unresolved += [warning for part in parts for warning in _loose_end_warnings(part, participants)]
    new_info = tuple(part.text.strip() for part in news if part.text.strip())
    return Draft(
        did_what=action,
        new_info=new_info,
        canonical_text=_without_own_day(canonical, local),
        is_absolute=not unresolved,
        warnings=(*warnings, *list(dict.fromkeys(unresolved))[:_MAX_WARNINGS]),
        facts=tuple(fact for fact in facts_by_rule(job) if not _is_claim(fact, participants)),
        episode=episode_by_rule(job, participants),
    )


def _actions(text: str, participants: Participants, local: datetime) -> Rewritten:
    """The action summary: what the bot did for the sender."""
    text = map_own_words(text, lambda own: name_user(own, participants.sender, in_summary=True))
    text = without_role(text)
    return rewrite(
        bot_did(text, participants.bot), participants.rewrite_context(local, by_bot=True)
    )


def _new_information(text: str, job: Job, participants: Participants, local: datetime) -> Rewritten:
    """New information: by the sender, or by the author of the message it was copied from."""
    speaker, moment = _speaker_and_time(text, job, local)
    rewrite_context = participants.rewrite_context(moment, by_bot=False, speaker=speaker)
    who, others = rewrite_context.speaker, rewrite_context.people_besides_bot
    stretches = quoted_stretches(text[:READ_CHARS], who, others)
    if stretches and not text[: stretches[0][0]].strip():
        return rewrite(text, rewrite_context)  # it begins with somebody else's words
    text = _without_introduction(text, who)
    asked = without_address(text, clean_name(job.bot_name))
    quoted = _asked(asked, who, job.request_type == "group") or _as_said(text, who)
    if quoted:
        return Rewritten(quoted, True, (), ())
    text = statement_of_request(text)
    text = map_own_words(text, lambda own: name_user(own, who, in_summary=False), who, others)
    return rewrite(speaker_said(text, who), rewrite_context)


def _attributed(
    action: str, news: list[Rewritten], participants: Participants
) -> tuple[str, list[str]]:
    """The action, and all that is told in its order. Where a deed of the bot stands alone or beside
    what the sender said, and nothing names its speaker, each is said to be whose it is: the header
    would put both into the sender's mouth."""
    said = [part.text.strip() for part in news if part.text.strip()]
    sender, bot = participants.sender, participants.bot
    if not action:
        return action, said
    if sender and not any(sender in text for text in (action, *said)):
        said[:1] = [attributed(sender, one) for one in said[:1]]
        # Alone, "Ann sold the boat" may be what a host has summed up.
        may_be_bots = said or is_name(bot) or not subject_of(action, participants.names)
        if bot and may_be_bots and not names_bot(action, bot):
            action = attributed(as_label(bot), action)
    return action, [action, *said]


def _asked(text: str, speaker: str | None, in_group: bool) -> str:
    """How somebody wants to be called, in their own words: with names for 我 it says nothing. In a
    group any instruction: others read it, and "Bob: answer in French" would be an order."""
    instruction = instruction_in(text) if speaker and len(text) <= _ASKED_CHARS else None
    if instruction is None or len(list(sentences(text))) > 1:
        return ""
    if "name" not in instruction.topics and (not in_group or instruction.is_withdrawn):
        return ""
    words = re.sub('["“”]', "'", instruction.words)
    return f"{speaker}要求：“{words}”" if is_chinese(words) else f'{speaker} asks: "{words}"'


def _is_claim(fact: FactDraft, participants: Participants) -> bool:
    """If 老周 says 记住：老周是群主, that is his claim, for others to read as agreed: no fact."""
    sender = participants.sender
    if not sender or fact.category != "other" or not asks_to_remember(fact.quote):
        return False
    return without_request(fact.quote).startswith(sender)


def _as_said(text: str, speaker: str | None) -> str:
    """What is plainly not meant, or only gives the speaker's name, as said: as a statement about
    the speaker it would be false, or 阿杰是阿杰."""
    if not speaker or len(text) > _ASKED_CHARS:
        return ""
    if not is_joke(text) and _introduction(text, speaker) is None:
        return ""
    words = one_line(re.sub('["“”]', "'", text))
    return f"{speaker}说：“{words}”" if is_chinese(words) else f'{speaker} said: "{words}"'


def _introduction(text: str, speaker: str) -> re.Match[str] | None:
    """ "I'm Ann", 我是阿杰, by the one whose name that is."""
    name = re.escape(speaker)
    return re.search(
        rf"我是{name}(?=[\s，,。！!~～]|$)|(?i:\b(?:i['’]m|i am)) {name}(?=[\s,.!]|$)",
        text,
    )


def _without_introduction(text: str, speaker: str | None) -> str:
    """大家好，我是阿杰，住在成都 → 大家好，我住在成都: the name is that of the speaker already."""
    found = _introduction(text, speaker) if speaker and len(text) <= _ASKED_CHARS else None
    if found is None:
        return text
    rest = re.sub(r"^[\s，,。！!~～.]*(?:and\b\s*)?", "", text[found.end() :])
    if len(re.findall(r"\w", rest)) < 3:
        return text
    subject = "" if re.match(r"我|(?:I|my|My)\b|[^\u3400-\u9fff]", rest) else "我"
    return f"{text[: found.start()]}{subject}{rest}"


def _loose_end_warnings(part: Rewritten, participants: Participants) -> list[str]:
    """Words that pass the gate but that nothing in the text explains."""
    covered = {position for fault in part.faults for position in range(fault.start, fault.end)}
    ends = loose_ends(part.text[:READ_CHARS], participants.names, participants.sender)
    return [end.warning for end in ends if covered.isdisjoint(range(end.start, end.end))]


def _speaker_and_time(text: str, job: Job, local: datetime) -> tuple[str | None, datetime]:
    """The speaker, if not the sender, and the time: "tomorrow" is relative to its own message."""
    normalised = one_line(text)
    messages = [
        message
        for message in job.recent_messages
        if len(normalised) > 3 and normalised in one_line(str(message.get("text") or ""))
    ]
    if not messages:
        return None, local
    time = messages[-1].get("time")
    zone = local.tzinfo or UTC
    moment = to_datetime(float(time), zone) if isinstance(time, (int, float)) else local
    return other_author(text, job), moment


def _canonical(job: Job, local: datetime, participants: Participants, told: list[str]) -> str:
    """The canonical text: time, place and sender first, then what happened."""
    parts = dict.fromkeys(part.rstrip("。．.;；") for part in told)
    zone = zone_of(local)
    if participants.chinese:
        body = "；".join(parts)
        when = f"{local.year}年{local.month}月{local.day}日{local:%H:%M}（{zone}）"
        head = "，".join([when, *_where(job, participants, body)])
        return f"{head}：{body}" if body else head
    body = "; ".join(parts)
    head = ", ".join([f"{local:%Y-%m-%d %H:%M} ({zone})", *_where(job, participants, body)])
    return f"{head}: {body}" if body else head


def _without_own_day(text: str, local: datetime) -> str:
    """刚（截至2026年3月18日）到家 → 刚到家: the record begins with that very day."""
    text = re.sub(rf"(?<=[刚才])（截至{local.year}年{local.month}月{local.day}日）", "", text)
    return re.sub(rf"(?i)(?<=\bjust) \(as of {local:%Y-%m-%d}\)", "", text)


def _where(job: Job, participants: Participants, body: str) -> list[str]:
    """The group and location; the sender only if the body does not name them, nor begins with what
    the bot said. Who says their own name is not thereby named as the one who speaks."""
    places = []
    sender = participants.sender
    names_sender = sender is not None and (
        says_who(sender, body)
        or (sender in body and not names_self(job))
        or says_who(as_label(participants.bot), body)
    )
    if job.request_type == "group" and participants.group:
        if clean_name(job.group_name):
            places.append(
                f"群「{participants.group}」"
                if participants.chinese
                else f"group {participants.group}"
            )
        else:
            places.append(participants.group)
    if participants.location and participants.location not in body:
        places.append(participants.location)
    if participants.sender and not names_sender:
        places.append(participants.sender)
    return places
