"""English dates by name and number: the table of rules."""

from __future__ import annotations

import re
from functools import cache

from . import english_dates as b
from .english_dates import MONTH, MONTH_WORDS, MONTHS
from .holidays import english_feasts
from .numbers import (
    NUMBER_WORDS,
    ORDINAL_WORDS,
    WORD_NUMBER,
    WORD_ORDINAL,
    WORD_YEAR,
)
from .rules import DIGIT, Rule, rule

_YEAR = rf"(?:[12]\d\d\d(?![\d:])|['’]\d\d\b|{WORD_YEAR}\b)"
_LEAD = r"(?<![\w$#@£€.:'’])"
_DAY = (
    r"(?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:]|\.\d)"
    rf"|{WORD_ORDINAL}\b|{WORD_NUMBER}\b)"
)
_DASH = r"\s*(?:-|–|—|~|to|till|until|through|thru)\s*(?:the\s+)?"
_FEAST_THINGS = (
    r" (?:trees?|cards?|carols?|gifts?|presents?|part(?:y|ies)|dinner|movies?|songs?|music|lights"
    r"|decorations?|costumes?|cand(?:y|ies)|potluck|eggs?|bunny|events?|markets?|cookies|spirit"
    r"|themed?|season|break|shopping|sales?|deals?|resolutions?)\b"
)
FEASTS = (
    r"(?:christmas|xmas)(?: eve| day)?|new year['’]?s?(?: eve| day)?|nye|halloween|easter"
    r"(?: monday| sunday)?|thanksgiving(?: day)?|juneteenth|good friday|black friday|cyber monday"
    r"|valentine['’]?s?(?: day)?|(?:saint|st\.?) patrick['’]?s?(?: day)?"
    r"|april fools?['’]?s?(?: day)?"
    r"|(?:earth|boxing|groundhog|independence|may|international workers['’]?|veteran['’]?s?['’]?"
    r"|martin luther king|mlk|president['’]?s?['’]?|memorial|mother['’]?s|father['’]?s|labou?r"
    r"|columbus) day|cinco de mayo|(?:guy fawkes|bonfire) night|palm sunday|ash wednesday"
    r"|(?:chinese|lunar) new year|mid-autumn festival|dragon boat festival|qingming"
)
FEAST_WORDS = frozenset(re.split(r"[ .-]", name)[0] for name in english_feasts()) | {
    "valentine",
    "veteran",
    "president",
    "mother",
    "father",
}

DAY_STARTS = NUMBER_WORDS | ORDINAL_WORDS | {DIGIT}
_YEAR_TAIL = rf"(?:(?:\s*(?:,|-|/|,?\s*of|,?\s*in)?\s*)(?P<y>{_YEAR}|(?<= of )\d\d\b))?"
_NOT_IN_WORD = r"(?<![\w$#@£€.:'’/])(?<!\$ )"


@cache
def date_rules() -> tuple[Rule, ...]:
    """Rules for dates with a name or a number of their own."""
    return (*_month_rules(), *_numeric_rules(), *_era_rules())


def _month_rules() -> tuple[Rule, ...]:
    months = MONTH_WORDS
    dashed = rf"(?:from\s+)?(?:the\s+)?(?P<d>{_DAY}){_DASH}(?P<e>{_DAY})"
    joined = rf"\bbetween\s+(?:the\s+)?(?P<d>{_DAY})\s+and\s+(?:the\s+)?(?P<e>{_DAY})"
    of_month = rf"\s+(?:of\s+)?(?P<m>{MONTH})\b\.?{_YEAR_TAIL}"
    return (
        rule(
            rf"{_LEAD}(?P<m>{MONTH})\b\.?[ \t,/-]*(?:the\s+)?(?P<d>{_DAY})"
            rf"(?!\s*(?:am|pm|a\.m|p\.m|%)){_YEAR_TAIL}",
            b.month_day,
            months,
        ),
        rule(
            rf"{_LEAD}(?P<m>{'|'.join(MONTHS)})(?P<d>\d\d?)(?!\d){_YEAR_TAIL}", b.month_day, months
        ),
        rule(
            rf"{_NOT_IN_WORD}(?:the\s+)?(?P<d>{_DAY})(?:\s+day)?(?:\s+of\s+|[\s/-]?)"
            rf"(?P<m>{MONTH})\b\.?{_YEAR_TAIL}",
            b.month_day,
            DAY_STARTS | {"the"},
            months,
        ),
        rule(
            rf"{_LEAD}(?P<y>[12]\d\d\d)[\s/-](?P<m>{MONTH})\b\.?[\s/-](?P<d>\d\d?)(?![\d:])",
            b.month_day,
            (DIGIT,),
            months,
        ),
        rule(
            rf"{_LEAD}(?P<m>{MONTH})\b\.?\s*(?P<d>{_DAY}){_DASH}(?P<e>{_DAY})"
            rf"(?!\s*(?:{MONTH}|am|pm)\b){_YEAR_TAIL}",
            b.month_days,
            months,
        ),
        rule(
            rf"{_NOT_IN_WORD}(?<!-){dashed}{of_month}",
            b.month_days,
            DAY_STARTS | {"the", "from"},
            months,
        ),
        rule(joined + of_month, b.month_days, ("between",), months),
        rule(
            rf"{_LEAD}(?P<m>{MONTH})\b\.?\s*(?:,|-|/|of|,?\s*in)?\s*(?P<y>{_YEAR})",
            b.month_year,
            months,
        ),
        rule(rf"{_LEAD}(?P<m>{MONTH})\b\.?\s+of\s+(?P<y>\d\d)\b", b.month_year, months),
        rule(rf"{_LEAD}(?P<y>[12]\d\d\d)[\s/-](?P<m>{MONTH})\b", b.month_year, (DIGIT,), months),
        rule(rf"{_LEAD}(?P<m>{MONTH})\b", b.bare_month, months),
    )


def _numeric_rules() -> tuple[Rule, ...]:
    day, full = r"[0-3]?\d", r"[12]\d\d\d"
    patterns = (
        (
            r"(?<![\w.:/-])\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
            r"(?:z|[+-]\d\d:\d\d)?(?![\w:])",
            b.stamp,
        ),
        (
            rf"(?<![\d.:/])(?P<y>{full})(?P<s>[-/. ])(?P<a>[01]?\d)(?P=s)(?P<b>{day})"
            r"(?!\d|(?P=s)\d)",
            b.iso_day,
        ),
        (r"(?<![\w.])(?P<y>(?:19|20)\d\d)(?P<a>[01]\d)(?P<b>[0-3]\d)(?!\w)", b.iso_day),
        (rf"(?<![\d.:/$])(?P<a>{day})(?P<s>/)(?P<b>{day})/(?P<y>{full})(?![\d/])", b.numeric),
        (
            rf"(?<![\d.:/$-])(?P<a>{day})(?P<s>[-.])(?P<b>{day})(?P=s)(?P<y>{full})"
            r"(?!\d|(?P=s)\d)",
            b.numeric,
        ),
        (
            rf"(?<![\d.:/$])(?P<a>{day})(?P<s>/)(?P<b>{day})/(?P<y>\d\d)(?![\d/]|[.]\d)",
            b.numeric,
        ),
        (
            rf"(?<![\w.:/$])(?P<a>{day})(?P<s>/)(?P<b>{day})(?![\w/%]|[.:]\d|\s*(?:am|pm|scale|cup|inch)\b)",
            b.slashed,
        ),
        (
            rf"(?<![\w.:/$-])(?P<a>{day})(?P<s>[-.])(?P<b>{day})"
            r"(?![\w/%]|[.:-]\d|-[a-z]|\s*(?:am|pm)\b)",
            b.slashed,
        ),
        (rf"(?<![\w./-])(?P<y>{full})[-/](?P<b>[01]?\d)(?![\w/]|[.-]\d)", b.numeric_month),
        (rf"(?<![\w./-])(?P<b>[01]?\d)[-/](?P<y>{full})(?![\w/]|[.-]\d)", b.numeric_month),
    )
    return tuple(rule(pattern, build, (DIGIT,)) for pattern, build in patterns)


def _era_rules() -> tuple[Rule, ...]:
    """Years, decades, centuries, quarters, seasons, feasts and days of the month."""
    decades = [f"{tens}ties" for tens in "twen thir for fif six seven eigh nine".split()]
    seasons = "spring summer autumn fall winter".split()
    not_counted = "time|place|floor|grade|person|one|street|century|quarter|week|month|year|half"
    return (
        rule(
            rf"(?<![\w$#@£€./'’+])(?P<w>(?:the\s+)?(?:calendar\s+)?(?:year|cy)(?:\s+of)?\s*)?"
            rf"(?P<y>(?:1[5-9]|20|21)\d\d|{WORD_YEAR})(?![\w%°/]|[.,:]\d)",
            b.bare_year,
            {DIGIT, "the", "calendar", "year", "cy", "two", "twenty"}
            | {"sixteen", "seventeen", "eighteen", "nineteen"},
        ),
        rule(
            r"(?<![\w$.])(?:the\s+)?(?:['’]?(?P<n>(?:[12]\d)?\d0)\s?['’]?s\b"
            rf"|(?P<w>{'|'.join(decades)})\b)",
            b.decade,
            {DIGIT, "the", *decades},
        ),
        rule(
            rf"\b(?:the\s+)?(?P<n>\d\d?(?:st|nd|rd|th)|{WORD_ORDINAL})\s+century\b",
            b.century,
            ORDINAL_WORDS | {DIGIT, "the"},
            ("century",),
        ),
        rule(
            r"\b(?:(?P<y>[12]\d\d\d)[\s-]?)?(?P<k>[qh])(?P<n>[1-4])\b"
            r"(?:(?:\s+of)?[\s-]?(?P<z>[12]\d\d\d)\b)?",
            b.quarter,
            {DIGIT, "q", "h"},
            ("q", "h"),
        ),
        rule(rf"\b(?P<s>{'|'.join(seasons)})\b", b.season, seasons),
        rule(rf"(?<!\w)(?P<f>{FEASTS})(?!\w|{_FEAST_THINGS})", b.feast, FEAST_WORDS),
        rule(
            rf"(?<![\w.-])(?:the\s+)?(?P<d>\d\d?(?:st|nd|rd|th)|{WORD_ORDINAL})\b(?:\s+day)?"
            rf"(?!\s+(?:{not_counted}|round|birthday|anniversary))",
            b.ordinal_day,
            ORDINAL_WORDS | {DIGIT, "the"},
        ),
    )
