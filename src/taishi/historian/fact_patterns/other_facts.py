"""Facts that are not read off a person's clause as such: "sushi is Ann's favourite food", what a
group does or is, and the employer that a job names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...domain.drafts import FactDraft
from .english_parts import END, FIRM

_CONFIDENCE = 0.8


def favourite_facts(text: str, sender: str) -> Iterator[FactDraft]:
    """ "Sushi is Ann's favourite food", 火锅是安的最爱."""
    name = re.escape(sender)
    tongue = rf"(?:[A-Z]\w+) is {name}['’]s (?:native|first|second|mother) (?:language|tongue)"
    if sender and re.match(tongue, text):
        yield FactDraft(text, "language", sender, confidence=_CONFIDENCE)
        return
    favourite = (
        rf"(?!It\b|That\b|This\b)\S.{{0,40}} (?:is|are) {name}['’]s (?:all-time"
        rf" )?fav(?:ou?rite)s?\b|[^，。这那它]{{1,12}}是{name}的?最(?:爱|喜欢)"
    )
    if sender and re.match(favourite, text):
        yield FactDraft(text, "user_preference", sender, confidence=_CONFIDENCE)


def group_facts(text: str, group: str) -> Iterator[FactDraft]:
    """What a group does or is; the subject is the group, so that it goes to the group's profile."""
    rest = text[len(group) :].lstrip()
    often = r"\b(?:every|each|on \w+days|weekly|daily|monthly|always)\b|每|都|一律|固定|定期"
    if re.search(often, rest) and not re.match("(?i)is (?:so|too|very)|太|真|好|很", rest):
        yield FactDraft(text, "habit", group, confidence=_CONFIDENCE)
    elif re.match(
        r"is (?:an?|for|about) \S|(?:meets|rules?) \S|的?(?:群规|规定|规则|宗旨|主题|名字"
        r"|暗号)(?:是|为)|是\S{0,16}群$|主要(?:聊|讨论|用来)|用来|成立于|禁止|不允许|不许",
        rest,
    ):
        yield FactDraft(text, "other", group, confidence=_CONFIDENCE)


def employer_of_job(fact: FactDraft, rest: str) -> Iterator[FactDraft]:
    """ "An electrician at Bord Gais" gives both job and employer."""
    match = re.search(rf" (?:at|for) {FIRM}{END}", rest)
    if match and fact.category == "job" and not fact.retracts:
        firm = match["value"]
        content = f"{fact.subject} works at {firm}"
        yield replace(fact, content=content, category="employer", tags=(firm,), value=firm)
