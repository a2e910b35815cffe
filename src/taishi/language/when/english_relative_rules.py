"""English expressions that lean on the present: the table of rules."""

from __future__ import annotations

from functools import cache

from . import english_relative as b
from . import selectors as s
from .english_date_rules import FEAST_WORDS, FEASTS
from .english_dates import MONTH, MONTH_WORDS
from .english_relative import (
    AHEAD,
    BACK,
    LENGTH,
    MOD,
    UNIT,
    UNIT_WORDS,
    WEEKDAY,
    WEEKDAY_WORDS,
)
from .numbers import NUMBER_WORDS, ORDINAL_WORDS, WORD_NUMBER, WORD_ORDINAL
from .rules import DIGIT, Rule, rule

MODIFIERS = frozenset(
    "this last previous past prior next nxt following coming upcoming current".split()
)
COUNTS = NUMBER_WORDS | {DIGIT, "a", "an", "couple", "half"}
_UNITS_NEEDED = UNIT_WORDS | {"weekend", "century", "workweek"}
_YEARLY = rf"{MONTH}\b|spring\b|summer\b|autumn\b|fall\b|winter\b|(?:{FEASTS})(?!\w)"
_YEARLY_WORDS = (
    MONTH_WORDS | FEAST_WORDS | frozenset("spring summer autumn fall winter year years".split())
)


@cache
def relative_rules() -> tuple[Rule, ...]:
    """Rules that need the reference; where two match equally far, the earlier one wins."""
    return (*_point_rules(), *_length_rules(), *_selector_rules(), *_unit_rules())


def _point_rules() -> tuple[Rule, ...]:
    days = "today tonight tonite yesterday yday tomorrow tomorow tmrw tmr tmw".split()
    spelled = "2moro 2morrow 2nite".split()
    return (
        rule(
            r"\b(?P<w>(?:the )?day (?:before yesterday|after tomorrow)|current date"
            rf"|{'|'.join(days + spelled)})\b",
            b.day_word,
            {"the", "day", "current", DIGIT, *days},
            {"date", "moro", "morrow", "nite", *days},
        ),
        rule(
            r"\b(?:right now|just now|at the (?:present )?(?:moment|time)|at present"
            r"|at this (?:moment|time)|now(?! that| and then| and again))\b",
            b.present,
            ("right", "just", "at", "now"),
            ("now", "moment", "present", "time"),
        ),
        rule(
            rf"\b(?:(?P<e>early|late|later|earlier) )?(?P<m>{MOD})"
            r" (?P<n>night|morning|afternoon|evening)\b",
            b.this_part,
            MODIFIERS | {"early", "late", "later", "earlier"},
            ("night", "morning", "afternoon", "evening"),
        ),
        rule(
            r"\b(?:the )?(?:eo(?P<k>[dwmy])|end of (?P<f>day|week|month|year))\b",
            b.acronym,
            ("the", "eod", "eow", "eom", "eoy", "end"),
            ("eod", "eow", "eom", "eoy", "end"),
        ),
        rule(
            r"\b(?:the )?(?P<u>year|month|week|quarter)[ -]to[ -]date\b",
            b.to_date,
            ("the", "year", "month", "week", "quarter"),
            ("date",),
        ),
    )


def _length_rules() -> tuple[Rule, ...]:
    units = _UNITS_NEEDED
    return (
        rule(
            rf"\b(?P<l>{LENGTH}) (?:ago|back|earlier)(?: today)?\b",
            b.ago,
            COUNTS,
            ("ago", "back", "earlier"),
        ),
        rule(
            rf"\b(?:in )?(?P<l>{LENGTH}) (?:later|from now|hence)\b(?! this| in| today)",
            b.hence,
            COUNTS | {"in"},
            ("later", "now", "hence"),
        ),
        rule(
            rf"\bin (?P<l>{LENGTH})(?:['’]s? time)?\b(?! ago| back| earlier)",
            b.hence,
            ("in",),
            units,
        ),
        rule(rf"(?<![\w.])(?P<l>{LENGTH})", b.bare_length, COUNTS, units),
        rule(
            rf"\b(?P<m>{MOD}) (?P<l>{LENGTH})(?! ago| later| earlier)",
            b.stretch,
            MODIFIERS,
            units,
        ),
        rule(rf"\b(?P<m>{MOD}) (?P<l>couple (?:of )?{UNIT})\b", b.stretch, MODIFIERS, units),
        rule(
            rf"(?<![\w.])(?P<l>(?P<c>\d{{1,4}}|{WORD_NUMBER}) (?P<m>{BACK}|{AHEAD})"
            rf" (?:{UNIT})(?<=s))\b",
            b.inner_stretch,
            COUNTS,
            units,
        ),
        rule(
            rf"\b(?P<n>\d\d?|{WORD_NUMBER}) (?P<w>{WEEKDAY})s? (?P<k>ago|from now)\b",
            b.weekdays_away,
            COUNTS,
            ("ago", "now"),
        ),
        rule(rf"\bwithin (?:the )?(?:next )?(?P<l>{LENGTH})", b.within, ("within",), units),
    )


def _selector_rules() -> tuple[Rule, ...]:
    edges = "early earlier mid late later".split()
    stretches = "beginning start middle end rest remainder remaining".split()
    return (
        rule(
            rf"\b(?:the )?(?P<n>\d\d?(?:st|nd|rd|th)|{WORD_ORDINAL}|last(?= \w+ of ))"
            rf" (?:(?P<u>week|month|quarter|half|day)|(?P<w>{WEEKDAY}))\b"
            r"(?= (?:of|in|on|this|next|last) | \d)",
            b.nth,
            ORDINAL_WORDS | {DIGIT, "the", "last"},
            _UNITS_NEEDED | WEEKDAY_WORDS | {"half"},
        ),
        rule(
            rf"(?<=\d\d\d\d )(?P<n>\d(?:st|nd|rd|th)|{WORD_ORDINAL}) (?P<u>quarter|half)\b(?P<w>)",
            b.nth,
            ORDINAL_WORDS | {DIGIT},
            ("quarter", "half"),
        ),
        rule(
            rf"\b(?:the )?(?P<n>first|last) (?P<c>\d\d?|{WORD_NUMBER})"
            r" (?P<u>days|weeks|months)\b(?= (?:of|in) )",
            b.first_few,
            ("the", "first", "last"),
            _UNITS_NEEDED,
        ),
        rule(
            rf"\b(?:the )?(?P<e>{'|'.join(edges)})\b(?! than| on)(?: in\b)?(?=[ -]\w)",
            b.edge,
            {"the", *edges},
            edges,
        ),
        rule(
            rf"\b(?:the )?(?P<e>{'|'.join(stretches)}) of\b",
            b.edge,
            {"the", *stretches},
            stretches,
        ),
        rule(
            r"\b(?:the )?week (?:of|beginning|starting|commencing)(?: on)?\b|\bw/c\b",
            lambda m, o: s.week_around(),
            ("the", "week", "w"),
            ("week", "c"),
        ),
        rule(
            r"\b(?:the )?weekend of\b",
            lambda m, o: s.weekend_around(),
            ("the", "weekend"),
            ("weekend",),
        ),
    )


def _unit_rules() -> tuple[Rule, ...]:
    units = _UNITS_NEEDED
    bare = "week month year weekend quarter day".split()
    return (
        rule(
            rf"\b(?P<m>{MOD}) (?P<u>week|month|(?:calendar )?year|weekend|quarter|decade|century"
            r"|fortnight|hour|minute|work(?:ing)? ?week)\b(?!['’]?s? (?:old|ago))",
            b.this_unit,
            MODIFIERS,
            units,
        ),
        rule(
            rf"\b(?:the )?(?P<u>{'|'.join(bare)})\b"
            r"(?! (?:after|before|that|when|i|we|you|he|she|they)\b)",
            b.the_unit,
            {"the", *bare},
            bare,
        ),
        rule(
            rf"\b(?:every|each)(?: other| single| \d+)? (?:{WEEKDAY}s?(?:,? (?:and|or)"
            rf" {WEEKDAY}s?)?|{UNIT}|morning|afternoon|evening|weekend|{MONTH})\b",
            b.repeated,
            ("every", "each"),
        ),
        rule(rf"\b(?P<m>{MOD}) (?P<w>{WEEKDAY})\b", b.this_weekday, MODIFIERS, WEEKDAY_WORDS),
        rule(
            rf"\b(?P<m>{MOD}) (?P<w>(?!(?<=this )may\b){_YEARLY})",
            b.this_yearly,
            MODIFIERS,
            _YEARLY_WORDS,
        ),
        rule(
            r"\b(?P<m>this) (?P<w>may)(?= \d| to\b|[.,;!?]|$)", b.this_yearly, ("this",), ("may",)
        ),
        rule(
            r"\b(?:the )?(?P<u>week|weekend|month|year) (?P<k>after next|before last)\b",
            b.after_next,
            ("the", "week", "weekend", "month", "year"),
            ("next", "last"),
        ),
        rule(
            rf"\b(?:the )?(?P<w>{WEEKDAY}) (?P<k>after next|before last)\b",
            b.weekday_after_next,
            WEEKDAY_WORDS | {"the"},
            ("next", "last"),
        ),
        rule(
            rf"\b(?P<w>{WEEKDAY}) (?P<d>\d\d?)"
            r"(?=\s*(?:$|[!?,;)]|\.(?!\d)|(?:at|between|from)\b))",
            b.weekday_day,
            WEEKDAY_WORDS,
        ),
        rule(rf"(?<![\w$#@])(?P<w>{WEEKDAY})\b(?!['’]s name)", b.weekday, WEEKDAY_WORDS),
    )
