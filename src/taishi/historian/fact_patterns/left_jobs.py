"""Patterns for the end of a job: of the employment, of the occupation, or of both.

"I was let go by Rowe", "I quit my job as a nurse", "I'm not a plumber anymore", 我不当护士了. What
is known and ends with it is found in `ended_jobs`.
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile
from .chinese_parts import DAY, JOB
from .chinese_parts import END as END_ZH
from .english_parts import END, FIRM
from .english_words import PROFESSIONS, alternation
from .pattern import FactPattern, fact_pattern

_MORE = r"(?:any ?more|any longer)"
_AFTER = r"(?=\s*(?:[,!]|$| (?:on|in|at|today|because|after|last|and)\b))"
_LET_GO = r"(?:let go|made redundant|laid off|fired|sacked|dismissed)"
_THEIR_JOB = r"[\w'’]+['’]s (?:old )?(?:job|position|post|role|work)"
_AT_FIRM = rf"(?: (?:at|for|with) {FIRM.replace('value', 'firm')})?"
_ROLE = r"(?:an? |the )?(?P<value>(?:[a-z][\w-]* ){0,3}?[A-Za-z][\w-]*)"
_PROFESSION = rf"(?P<value>(?:[a-z][\w-]* ){{0,3}}(?:{alternation(PROFESSIONS)}))"
_QUIT = (
    r"(?:has )?(?:quits?|resigned|stepped down|left|gave up|given up|lost"
    rf"|(?:was|got|has been) {_LET_GO})"
)
_BY_THE_FIRM = lazy_compile(
    rf"(?:^|(?<=[,;:] )){FIRM} (?:has |have |just |recently )*"
    r"(?:let me go|laid me off|fired me|sacked me|dismissed me|made me redundant)\b"
)


def of_the_dismissed_en(sentence: str) -> str:
    """ "Rowe let me go" → "I was let go by Rowe"."""
    return _BY_THE_FIRM.sub(r"I was let go by \g<value>", sentence)


def left_jobs_en() -> tuple[FactPattern, ...]:
    not_working = r"(?:(?:doesn['’]t|does not|don['’]t) work|(?:isn['’]t|is not) working)"
    return (
        fact_pattern(
            rf"{_QUIT}(?: from)?(?: {_THEIR_JOB})? as {_ROLE}{_AT_FIRM}{END}", "job", retracts=True
        ),
        fact_pattern(
            rf"(?:{not_working}|no longer works?|(?:has )?stopped working|quits? working)"
            rf" as {_ROLE}{_AT_FIRM}(?: {_MORE}$|{END})",
            "job",
            retracts=True,
        ),
        fact_pattern(
            rf"(?:is no longer|is not|isn['’]t) (?:an?|the) {_PROFESSION}{_AT_FIRM}(?: {_MORE})?$",
            "job",
            retracts=True,
        ),
        fact_pattern(
            rf"{not_working} (?:at|for) {FIRM}(?:.* ?{_MORE}|$)", "employer", retracts=True
        ),
        fact_pattern(rf"no longer works? (?:at|for) {FIRM}{END}", "employer", retracts=True),
        fact_pattern(
            r"(?:has )?(?:quit|quits|resigned|got fired|was fired|got laid off|was laid off|got"
            r" sacked|was sacked)"
            rf"(?: from)?(?: {_THEIR_JOB})?(?: at| from| by| with)?(?: {FIRM})?{_AFTER}",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"(?:has )?(?:left|lost) {_THEIR_JOB}"
            rf"(?: (?:at|with) {FIRM}{END}|\b(?! (?:at|with)\b))",
            "employer",
            retracts=True,
        ),
        fact_pattern(
            rf"(?:was|got|has been) {_LET_GO} (?:by|from|at) {FIRM}{END}", "employer", retracts=True
        ),
        fact_pattern(
            rf"(?:has )?left (?!(?:The|My)\b){FIRM}(?= (?:after|to join|because)|$|,)",
            "employer",
            retracts=True,
        ),
    )


def left_jobs_zh() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(
            rf"{DAY}(?:已经?|早就?|现在|以后|再也)*不再?(?:当|做|干|是)(?P<value>[^，。；]{{0,8}}?{JOB})"
            rf"了?{END_ZH}",
            "job",
            retracts=True,
        ),
    )
