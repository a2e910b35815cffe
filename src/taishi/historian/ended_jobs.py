"""Which known facts end with a job: the employment, the occupation at that employer, or both.

Who was let go by Rowe no longer "works as a plumber at Rowe"; who says "I quit" works as nothing
for now, but may still be a nurse by training. Who is no plumber any more is none at Rowe, either,
and may have another post there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from ..domain.drafts import FactDraft
from ..language.gate import HAN
from ..language.lazy_regex import lazy_compile
from . import statement_comparison
from .known_facts import KnownFact

EMPLOYER, JOB = "employer", "job"
_ROLE = lazy_compile(
    r"(?P<verb>is|has been|became|has become|works? as|is working as|has worked as"
    r"|has been working as)(?: (?:also|currently|still|now))?(?: (?:an?|the))?"
    r" (?P<role>(?:[\w-]+ ){0,3}?[\w-]+)"
    r"(?: (?:at|for|with|in|near|since|from|on|of)\b(?!.*\b(?:and (?:an?|the|also)|who)\b).*)?"
)
_PAST_ROLE = lazy_compile(
    r"used to (?:be|work as) (?:an? |the )?(?P<role>(?:[\w-]+ ){0,3}?[\w-]+)"
    r"(?: (?:at|for|with) (?!.*\band\b).*)?"
)
_WORKS = lazy_compile(r"(?:works?|is working) (?:in|freelance|part|full)\b(?!.*\band\b)")
_AT = lazy_compile(r"\b(?:at|for|with|by) (?:the )?(?=\S)")
_NAMES_FIRM = lazy_compile(
    rf"\b(?:at|for|with|by) (?:the )?[A-Z]|在[^，。]{{1,20}}?[做当任干]|是[{HAN}\w]{{2,}}的"
)
_IS_EMPLOYED = lazy_compile(
    r"(?:works?|is working|has worked|has been working)\b|(?:在|一直)*[当做干]"
)
_IS_OVER = lazy_compile(
    r"\b(?:quits?|resigned|stepped down|left|gave up|given up|lost|fired|sacked|let go|laid off"
    r"|dismissed|redundant)\b|辞"
)


class _Job(NamedTuple):
    role: str
    firm: str  # from the preposition on, with whatever follows
    is_employed: bool  # said as what somebody does, not as what he is


def ended_by_leaving(draft: FactDraft, of_subject: Iterable[KnownFact]) -> tuple[str, ...]:
    """The ids of what a retraction of an employment or an occupation ends."""
    facts = list(of_subject)
    if draft.category == JOB:
        return _ended_by_role(draft, facts)
    firms = [one for one in facts if one.category == EMPLOYER]
    jobs = [one for one in facts if one.category == JOB and _is_only_job(one, draft.subject)]
    if draft.value:
        ended = [one for one in (*firms, *jobs) if _is_at(one, draft.value, draft.subject)]
    else:
        ended = [*firms, *(one for one in jobs if _is_employment(one, draft.subject))]
    return tuple(one.id for one in ended)


def ended_by_past_role(draft: FactDraft, of_subject: Iterable[KnownFact]) -> tuple[str, ...]:
    """ "Used to be a plumber" ends "is a plumber at Rowe"."""
    past = _PAST_ROLE.fullmatch(_said(draft.content, draft.subject))
    if past is None:
        return ()
    role = replace(draft, category=JOB, value=past["role"])
    return tuple(one.id for one in of_subject if one.category == JOB and _is_role(one, role))


def ended_with_employer(
    employers: Iterable[KnownFact], of_subject: Iterable[KnownFact], subject: str
) -> tuple[str, ...]:
    """The occupations at employers whose place another one has taken."""
    facts = [one for one in of_subject if one.category == JOB and _is_only_job(one, subject)]
    names = [_firm_named(one.content, subject) for one in employers if one.category == EMPLOYER]
    return tuple(
        one.id for one in facts if any(name and _is_at(one, name, subject) for name in names)
    )


def _ended_by_role(draft: FactDraft, facts: list[KnownFact]) -> tuple[str, ...]:
    jobs = [one for one in facts if one.category in (EMPLOYER, JOB) and _is_role(one, draft)]
    ended = [one.id for one in jobs]
    if _IS_OVER.search(draft.content):
        firms = [one for one in facts if one.category == EMPLOYER]
        ended += [
            one.id
            for one in firms
            if (name := _firm_named(one.content, draft.subject))
            and any(_is_at(job, name, draft.subject) for job in jobs)
        ]
    return tuple(dict.fromkeys(ended))


def _is_role(fact: KnownFact, draft: FactDraft) -> bool:
    """Whether the fact says this occupation, at the named employer if one is named."""
    said = _said(fact.content, draft.subject)
    if re.search(f"[{HAN}]", draft.value):
        return re.search(rf"{re.escape(draft.value)}(?:的|了|工作)*$", said) is not None
    job = _job(fact.content, draft.subject)
    role, denied = _words(job.role if job else ""), _words(draft.value)
    if not role or not denied or role[-1] != denied[-1] or not set(denied) <= set(role):
        return False
    at = _firm_named(draft.content, draft.subject)
    return not at or not (job and job.firm) or _is_at(fact, at, draft.subject)


def _is_only_job(fact: KnownFact, subject: str) -> bool:
    """Whether the fact says nothing else: "is a teacher at Leeds High and a poet" does."""
    is_chinese = re.search(f"[{HAN}]", _said(fact.content, subject)) is not None
    return (
        is_chinese
        or _job(fact.content, subject) is not None
        or _WORKS.match(_said(fact.content, subject)) is not None
    )


def _is_employment(fact: KnownFact, subject: str) -> bool:
    said = _said(fact.content, subject)
    return bool(_IS_EMPLOYED.match(said) or _NAMES_FIRM.search(said))


def _is_at(fact: KnownFact, firm: str, subject: str) -> bool:
    """Whether the fact is about work at this firm: its name follows the preposition, whole or as
    the beginning of a longer one."""
    said = _said(fact.content, subject)
    if re.search(f"[{HAN}]", firm + said):
        return set(statement_comparison.terms(firm)) <= set(statement_comparison.terms(said))
    wanted = _words(firm)
    return bool(wanted) and any(
        _words(said[found.end() :])[: len(wanted)] == wanted for found in _AT.finditer(said)
    )


def _firm_named(content: str, subject: str) -> str:
    """What follows the first preposition, to the end of the name."""
    said = _said(content, subject)
    if re.search(f"[{HAN}]", said):
        found = re.search("在(.{1,20}?)(?:上班|工作|任职|就职|供职|打工|实习|做|当|担任)", said)
        return found[1] if found else ""
    after = _AT.search(said)
    name = after and re.match(
        r"[A-Z][\w.&'’+-]*(?: (?:(?:of|for) the|of|and|for|the|&) [A-Z][\w.'’-]*| [A-Z][\w.'’-]*)*",
        said[after.end() :],
    )
    return name[0] if name else ""


def _job(content: str, subject: str) -> _Job | None:
    said = _said(content, subject)
    found = _ROLE.fullmatch(said)
    if found is None:
        return None
    return _Job(found["role"], _firm_named(content, subject), found["verb"] not in ("is",))


def _said(content: str, subject: str) -> str:
    return content.removeprefix(subject).strip(" .。")


def _words(text: str) -> list[str]:
    words = re.findall(r"[\w&+]+(?:['’]\w+)?", statement_comparison.folded(text))
    return words[1:] if words[:1] == ["the"] else words
