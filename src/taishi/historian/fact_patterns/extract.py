"""Extracts facts from a turn by pattern, with high precision, when no model is configured (H4).

A sentence counts only if it is the speaker's own and meant seriously (`own_words`), absolute,
begins with the name of a person or the group, and matches a pattern. Everything else is left to a
model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ...domain.drafts import FactDraft
from ...language.chat_markup import without_address
from ...language.final_particles import without_final_particles
from ...language.gate import HAN, check
from ...language.laughter import laughs, without_laughter
from ...language.rewriter import RewriteContext, rewrite
from ...language.text import sentences, storable
from ...types import Job
from ..categories import INSTRUCTION, SINGLE_VALUED
from ..participants import Participants, is_chinese, local_time, other_author
from .attribute_corrections import corrected_attribute
from .chinese import chinese_patterns
from .chinese_parts import ACQUAINTANCES, RELATIVES
from .clauses import clauses, standard_spelling, without_leading
from .correction_words import is_marked, without_mark
from .denials import denied
from .english import english_patterns
from .english_introductions import introduces
from .home_moves import moved_facts
from .instructions import CONDITIONAL, FOR_ALL, Instruction, instruction_in
from .laughed_statements import is_meant
from .names import name_in
from .not_but import both_said
from .omitted_subjects import may_omit_subject, speaks_of_another, with_subject
from .other_facts import employer_of_job, favourite_facts, group_facts
from .own_words import (
    READ_CHARS,
    is_a_joke,
    is_not_serious,
    is_not_stated,
    is_of_itself_or_earlier,
    is_question,
    own_words,
    without_earlier_joke,
    without_question_back,
)
from .passing_states import without_passing
from .pattern import FactPattern
from .refutations import refutes
from .relations import of_whom
from .requests import asks_to_remember, is_errand, is_reminder, without_request
from .statement_subject import denial_of_another, subject_first, subject_of
from .trailing_remarks import without_remarks
from .validity import is_ahead, validity

MAX_FACTS = 8
_MAX_ITEMS = 40
_CONTENT_CHARS = 300
_MAX_CLAUSES = 300
_CLAUSE_CHARS = 600  # a longer clause says more than one thing
_QUOTE_CHARS = 400
_OF_OTHERS = frozenset(  # what may be learned about somebody who is only mentioned
    (
        "user_preference",
        "residence",
        "employer",
        "job",
        "health",
        "birthday",
        "possession",
        "language",
    )
)
_OF_RELATIVES = frozenset(("relationship", "partner", "possession"))
_UNDATED = frozenset(("habit", "user_preference", "skill", "language", "timezone"))
_STATES = frozenset(  # what is so at a time, and a plan before it
    (
        "residence",
        "employer",
        "job",
        "partner",
        "age",
        "education",
        "possession",
        "relationship",
        "health",
        "habit",
    )
)
_TIMELESS = frozenset(("birthday", "plan", "goal", "decision", "history"))
_GROUP_WORDS = r"(?i:\b(?:our|this) (?:group|channel|club|server)\b)|(?:我们|咱们|咱|本|这个)群"
_DANGLING = (
    r"(?i)\b(?:to|and|of|with|a|an|the|or|for|in|at|that|my|is|are)$|\b(?:to|of|in|about|like"
    r"|with) that\b"
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The speaker, the local time, the rewrite context and the words of one item."""

    participants: Participants
    local: datetime
    rewrite_context: RewriteContext
    may_omit_subject: bool = False
    said: str = ""

    @property
    def people(self) -> tuple[str, ...]:
        return self.rewrite_context.people_besides_bot


def facts_by_rule(job: Job) -> tuple[FactDraft, ...]:
    """The facts in a turn's new information, with the original text as evidence."""
    participants = Participants.of(job)
    local, _ = local_time(job)
    facts: dict[tuple[str, str], FactDraft] = {}
    for item in job.new_info[:_MAX_ITEMS]:
        original = storable(item).strip()
        speaker = replace(participants, sender=other_author(original, job) or participants.sender)
        if speaker.sender == participants.bot:
            continue  # the bot's own statements are not evidence
        turn = _Turn(
            speaker,
            local,
            speaker.rewrite_context(local, by_bot=False),
            may_omit_subject(job, original),
            original[:READ_CHARS],
        )
        for fact in _facts(original, turn):
            with_evidence = replace(
                fact, quote=original[:_QUOTE_CHARS], by_self=_is_about_sender(fact, turn)
            )
            facts.setdefault((fact.category, fact.content), with_evidence)
    return tuple(facts.values())[:MAX_FACTS]


def absolute_statement(job: Job, clause: str) -> str:
    """A clause of the sender's as a statement; "" if it cannot be made absolute."""
    local, _ = local_time(job)
    participants = Participants.of(job)
    rewritten = rewrite(clause, participants.rewrite_context(local, by_bot=False))
    text = rewritten.text.strip(" ,，.。!！~")
    is_whole = rewritten.is_absolute and 3 <= len(text) <= _CONTENT_CHARS
    return text if is_whole and not check(text, participants.names) else ""


def _is_about_sender(fact: FactDraft, turn: _Turn) -> bool:
    return bool(fact.subject) and fact.subject == turn.participants.sender


def _facts(original: str, turn: _Turn) -> Iterator[FactDraft]:
    original = without_address(original[:READ_CHARS], turn.participants.bot)
    counts_against = is_of_itself_or_earlier(original)
    original = without_earlier_joke(original)
    if is_a_joke(original):
        return
    is_request = asks_to_remember(original)
    statement = without_request(original) if is_request else original
    clauses_read, contradicts = 0, refutes(original)
    after_another = after_other_words = False
    for sentence in map(
        without_question_back,
        sentences(own_words(statement, turn.participants.sender, turn.people)),
    ):
        with_laugh = laughs(sentence)
        sentence = without_final_particles(without_laughter(sentence))
        if len(sentence) < 2 or is_not_serious(sentence):
            continue
        sentence = both_said(standard_spelling(sentence))
        clauses_read += 1 + len(re.findall("[,，、]", sentence))
        if clauses_read > _MAX_CLAUSES:
            return
        plain = without_mark(sentence)
        is_own = turn.may_omit_subject and not after_other_words
        attribute = corrected_attribute(sentence)
        if attribute is not None and attribute.is_own:
            plain = attribute.statement
        own = with_subject(plain, is_marked(sentence)) if is_own else plain
        if attribute is not None and is_own:
            own = attribute.statement
        facts = [
            replace(
                fact, omits_subject=own != plain, only_against=fact.only_against or counts_against
            )
            for fact in _sentence_facts(own, turn, after_another)
        ]
        if contradicts and not facts:
            facts = list(_contradicting_facts(plain, turn))
        after_other_words = after_other_words or speaks_of_another(sentence)
        after_another = introduces(standard_spelling(sentence))
        if with_laugh:
            facts = [one for one in facts if is_meant(one) and _is_about_sender(one, turn)]
        facts = facts if is_request else without_passing(facts)
        if is_request:
            facts = [replace(fact, life="lasting", confidence=0.9) for fact in facts]
            facts = facts or list(_requested_fact(sentence, turn))
            is_request = False  # the request applies to the adjacent sentence only
        yield from facts


def _sentence_facts(sentence: str, turn: _Turn, after_another: bool) -> Iterator[FactDraft]:
    """An instruction, a reminder, or the facts of its clauses."""
    instruction = instruction_in(sentence)
    if instruction:
        yield from _instruction_facts(instruction, turn)
    elif is_not_stated(sentence, without_leading(sentence)):
        return
    elif is_reminder(sentence):
        yield from _reminder_fact(sentence, turn)
        return
    facts = [] if instruction else list(_clauses_facts(sentence, turn, after_another))
    is_withdrawn = instruction is not None and instruction.is_withdrawn
    name = None if is_withdrawn else name_in(instruction.words if instruction else sentence)
    if name and turn.participants.sender and all(fact.category != "name" for fact in facts):
        yield _fact(
            _name_statement(name, turn.participants), "name", turn.participants.sender, tags=(name,)
        )
    yield from facts


def _clauses_facts(sentence: str, turn: _Turn, after_another: bool) -> Iterator[FactDraft]:
    for clause in clauses(sentence, is_chinese(sentence), after_another):
        if len(clause) <= _CLAUSE_CHARS:
            yield from _clause_facts(clause, turn)


def _fact(content: str, category: str, subject: str, **more: Any) -> FactDraft:
    fact = FactDraft(content, category, subject, confidence=0.8)
    return replace(fact, **more)


def _name_statement(name: str, participants: Participants) -> str:
    return (
        f"{participants.sender}的名字是{name}"
        if participants.chinese
        else f"{participants.sender}'s name is {name}"
    )


def _instruction_facts(instruction: Instruction, turn: _Turn) -> Iterator[FactDraft]:
    """The instruction with its author; for everybody only if it says so in a group."""
    participants = turn.participants
    if not participants.sender:
        return
    chinese = is_chinese(instruction.words)
    for_all = instruction.is_for_all and participants.group is not None
    asks = f"{participants.sender}要求" if chinese else f"{participants.sender} asks"
    if for_all:
        asks += f"（{participants.group}）" if chinese else f" for {participants.group}"
    # Quoted: in an instruction "after 10 pm" is not a date, and "me" is its author.
    words = re.sub('["“”]', "'", instruction.words)
    content = f"{asks}：“{words}”" if chinese else f'{asks}: "{words}"'
    tag_flags = ((CONDITIONAL, instruction.is_conditional), (FOR_ALL, for_all))
    tags = (*instruction.topics, *(mark for mark, holds in tag_flags if holds))
    subject = participants.group if for_all and participants.group else participants.sender
    if len(content) <= _CONTENT_CHARS:
        fact = _fact(content, INSTRUCTION, subject, tags=tags, value=instruction.name)
        yield replace(
            fact, retracts=instruction.is_withdrawn, only_against=instruction.only_against
        )


def _reminder_fact(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    """ "Remember to …", 记得……: an errand, recorded for the sender."""
    rewritten = rewrite(sentence.strip(" ,，.。!！"), turn.rewrite_context)
    if rewritten.is_absolute and is_errand(rewritten.text):
        sender = turn.participants.sender or ""
        yield _fact(rewritten.text, "plan", sender, confidence=0.7, life="follow_up")


def _requested_fact(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    """An explicit request to remember needs no pattern, only an absolute statement."""
    rewritten = rewrite(sentence.strip(" ,，.。!！"), turn.rewrite_context)
    if (
        rewritten.is_absolute
        and 3 <= len(rewritten.text) <= _CONTENT_CHARS
        and not is_question(sentence)
    ):
        subject = subject_of(rewritten.text, turn.participants) or ""
        yield _fact(rewritten.text, "other", subject, confidence=0.9)


def _contradicting_facts(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    """What the speaker says against what somebody told of him: 我没离职, "I do eat meat"."""
    for clause in dict.fromkeys(one.said for one in denied(sentence, contradicts=True)):
        rewritten = rewrite(clause, turn.rewrite_context)
        text = rewritten.text.strip(" ,，.。!！~")
        whose = subject_of(text, turn.participants)
        if not whose or re.fullmatch("[没不]?[有是会能事]?[的啊呀了]?", text[len(whose) :]):
            continue  # 我没有: what was told is not repeated
        if rewritten.is_absolute and whose == turn.participants.sender:
            yield _fact(text, "other", whose)


def _clause_facts(clause: str, turn: _Turn) -> Iterator[FactDraft]:
    participants = turn.participants
    if group := participants.group:
        clause = re.sub(_GROUP_WORDS, lambda _: group, clause)
    rewritten = rewrite(subject_first(clause), turn.rewrite_context)
    text = without_remarks(rewritten.text.lstrip(" ,，.。!！").rstrip(" ,，.。!！~"))
    if (
        not rewritten.is_absolute
        or not 3 <= len(text) <= _CONTENT_CHARS
        or check(text, participants.names)
    ):
        return
    if "…" in text or (participants.bot in text and participants.bot not in clause):
        return
    if told := of_whom(text, participants.sender):
        facts = _pattern_facts(told, participants.sender or "", turn, is_dated=False)
        yield from (replace(fact, content=text) for fact in facts)
        return
    subject = subject_of(text, participants)
    if whose := denial_of_another(text, subject, participants):
        yield _fact(text, "other", whose, only_against=True)
    if subject is None:
        yield from favourite_facts(text, participants.sender or "")
    elif subject == participants.group:
        yield from group_facts(text, subject)
    else:
        yield from _pattern_facts(text, subject, turn, is_dated=_became_dated(clause, text))


def _became_dated(clause: str, text: str) -> bool:
    """Whether a weekday or an hour became a date: then it is about one day, not a habit."""
    date = r"\d{4}-\d\d|\d{4}年\d+月"
    return re.search(date, text) is not None and re.search(date, clause) is None


def _is_of_another_year(text: str, local: datetime) -> bool:
    return any(int(year) != local.year for year in re.findall(r"\d{4}(?=年)", text))


def _pattern_facts(text: str, subject: str, turn: _Turn, is_dated: bool) -> Iterator[FactDraft]:
    participants, rest = turn.participants, text[len(subject) :].lstrip()
    patterns = chinese_patterns() if re.search(f"[{HAN}]", rest) else english_patterns()
    for pattern in patterns:
        match = pattern.pattern.match(rest)
        if match is None:
            continue
        about_other = subject != participants.sender
        if about_other and (pattern.retracts or pattern.category not in _OF_OTHERS):
            return
        if is_dated and pattern.category in _UNDATED and pattern.life == "lasting":
            return
        if pattern.category == "age" and _is_of_another_year(text, turn.local):
            return
        if (pattern.retracts or pattern.category in _STATES) and is_ahead(
            text, turn.local, is_absolute=True
        ):
            if not about_other:
                yield _fact(text, "plan", subject)
            return
        fact = _build_fact(pattern, match, text, subject, turn.local)
        vague = (
            rf"(?i)\b(?:this|these|those)\b|[这那](?!不勒斯)|(?:喜欢|爱|讨厌)的$|{_DANGLING[4:]}"
        )
        if (
            re.match(f"的?(?:{RELATIVES}|{ACQUAINTANCES})", rest)
            and fact.category not in _OF_RELATIVES
        ):
            fact = replace(fact, category="relationship")
        if fact.retracts or not re.search(vague, fact.content):  # the words of an end are not kept
            yield from moved_facts(fact, text, turn.said) if pattern.of_move else (fact,)
            yield from employer_of_job(fact, rest)
        return


def _build_fact(
    pattern: FactPattern, match: re.Match[str], text: str, subject: str, local: datetime
) -> FactDraft:
    groups = {key: (value or "").strip() for key, value in match.groupdict().items()}
    value = groups.get("value", "")
    content = pattern.template.format(who=subject, **groups) if pattern.template else text
    since, until = ("", "") if pattern.category in _TIMELESS else validity(text, local)
    if pattern.category not in SINGLE_VALUED and since > f"{local:%Y-%m-%d}":
        since = ""  # what is so now is not dated by what is to come
    has_change = re.search(r"\b(?:moved|joined|started|hired)\b|搬|迁|移居|跳槽|入职", text)
    if pattern.category in ("residence", "employer") and not since and has_change:
        since = f"{local:%Y-%m-%d}"
    is_named = value and pattern.category in SINGLE_VALUED
    tags = (*pattern.tags, *((value,) if is_named else ()))
    return _fact(
        content,
        pattern.category,
        subject,
        valid_from=since,
        valid_to=until,
        life=pattern.life,
        tags=tags,
        retracts=pattern.retracts,
        value=value,
        leaves=groups.get("leaves", ""),
    )
