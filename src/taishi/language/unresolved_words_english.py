"""English words that need context to be understood. All patterns read lower case."""

from __future__ import annotations

import re

from .bare_weekdays import FROM_NOW_ON_EN
from .context_words import ContextWord
from .lazy_regex import lazy_compile
from .yearly_days import NEEDS_NO_YEAR_EN

_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|mar|april|apr|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_HABIT = (
    r"\b(?:every|each) (?:other |second |third |single )?(?:\d{1,3} )?(?:second|minute|hour|day"
    rf"|night|morning|afternoon|evening|week|weekday|month|quarter|year|time|{_SEASON}|{_DAY}"
    rf"|{_MONTH})"
    r"|\b(?:usually|always|often|sometimes|regularly|normally|typically|generally|never|daily|weekly"
    r"|monthly|yearly|annual(?:ly)?|nightly|whenever|as a rule|tends? to|mornings|afternoons"
    rf"|evenings|nights|weekends|weekdays|{_DAY}s|(?:once|twice|times) (?:a|per)|anytime)\b"
)
_ROUTINE = (
    r"\b(?:(?:opens|closes) (?:at|from)|wakes?(?: up)?|gets? up|goes to (?:bed|sleep)"
    r"|works (?:from|until|till))\b"
)
_TASTE = r"\b(?:likes?|loves?|prefers?|hates?|enjoys?|favou?rite|best|celebrates?)\b"
_ANNIVERSARY = rf"\b(?:birthday|anniversary|name day|born)\b|{NEEDS_NO_YEAR_EN}"
_CLOSES = (
    r"(?=\s*(?:[,!?;)]|\.(?!\d)|$)"
    r"|\s(?:and|so|but|or|on|for|with|sharp|then|because|if|though|maybe|please|in the)\b)"
)
_HOUR = r"(?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_NTH = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|fifteenth|twentieth)"
_NO_NOUN_NEXT = (
    r"(?! (?!(?:at|and|or|to|for|with|because|when|if|so|but|in the|by|is|was|will)\b)[a-z])"
)
_MOVED = "|".join(
    f"(?<={verb} )"
    for verb in "moved pushed shifted changed rescheduled bumped postponed delayed".split()
)
_NOT_A_NOUN = (
    r"(?:is|are|was|were|be|been|being|am|has|have|had|do|does|did|will|would|can|could|should|must"
    r"|may|might|an?|the|i|you|he|she|it|we|they|my|your|his|her|our|their|its|there|here|who|which"
    r"|what|when|where|how|why|if|not|no|all|any|some|each|every|much|many|more|most|less|very|so|too"
    r"|as|in|on|at|of|for|to|by|with|from|and|or|but|than|then|said|goes|just|only|again|anyway|btw"
    r"|also|instead|because|after|before|until|while|since|though|out|up|off|well|ever|really)\b"
)
_USED = (  # before "that", these tell of a thing and not of what is so
    r"(?:want|need|like|love|hate|buy|bought|get|got|see|saw|watch|read|finish|fix|use|us|try|tri"
    r"|sold|sell|make|made|mak|do|did|done|take|took|tak|play|eat|ate|cook|drop|delet|remov|clean"
    r"|open|send|sent|put|give|gave|giv|keep|kept|leave|left|leav|lost|lose|miss|skip|visit|cancel"
    r"|chang|join|beat|solv|own|drive|drove|wear|wore|handl|hat|lov|lik)(?:s|e|es|ed|d|ing)?"
)
_BEFORE_THAT = (
    r"(?:^|(?<=[,:(\n])|(?<=[,:;.!?] )|\b(?:and|but|because|if|when|like|in|on|at|for|with|of|from"
    rf"|to|about|by|into|past|than|after|before|over|under|without|through|is|was|{_USED})\s)"
)
_FEAST = (
    r"(?:christmas|xmas|easter|thanksgiving|halloween|new year['’]?s?(?: eve| day)?|hanukkah|diwali"
    r"|valentine['’]?s?(?: day)?|ramadan|passover|spring break)"
)
_OCCASION = (
    r"(?:one|session|meeting|class|lesson|game|match|episode|time|round|call|train|bus|flight|exam"
    r"|test|race|event|release|sprint|appointment|shift|step|chapter|level)"
)


def _compiled(*patterns: str) -> re.Pattern[str]:
    return lazy_compile("|".join(patterns))


def _repeats_noun(match: re.Match[str], before: str) -> bool:
    """Whether the noun stands in the text before: "a car … that car"."""
    noun = match["noun"]
    if noun:
        return re.search(rf"\b{re.escape(noun.rstrip('s'))}", before) is not None
    return re.search(r"\b(?:before|after|besides) $", before) is not None and before.count(" ") > 3


def _is_chosen_day(match: re.Match[str], before: str) -> bool:
    """Any Monday, Black Friday, Monday to Friday."""
    chosen = r"\b(?:any|most|some|an?|one|black|good|cyber|easter|ash|palm|super) $"
    stretch = rf"{_DAY}\s*(?:-|–|to|through|thru|until|till)\s*$"
    return re.search(f"{chosen}|{stretch}", before[-24:]) is not None


def _follows_month(match: re.Match[str], before: str) -> bool:
    return re.search(rf"\b{_MONTH} $", before[-12:]) is not None


def _is_duration(match: re.Match[str], before: str) -> bool:
    """5k in 25:30, 3 in 10, on the cob."""
    if match["open"].startswith("in "):
        return re.search(r"\d $", before[-2:]) is not None
    is_figure = match["open"][0].isdigit() or match["open"] == "cob"
    return is_figure and re.search(r"\b(?:in|time of|on the) $", before[-12:]) is not None


def _is_time_taken(match: re.Match[str], before: str) -> bool:
    """Learned Python in 20 days: how long it took."""
    done = (
        r"\b(?:\w+ed|learnt|won|ran|wrote|read|built|made|got|took|lost|did|ate|sold|drove|can)\b"
    )
    return re.search(done, before[-60:]) is not None


_DATED = _compiled(_YEAR, _HABIT)
_TIMELESS = _compiled(_YEAR, _HABIT, _TASTE, _ANNIVERSARY)

ENGLISH: tuple[ContextWord, ...] = (
    ContextWord(
        lazy_compile(
            r"\b(?P<open>(?:like )?this(?!['’\w-])(?! (?:and|or) that)"
            rf"(?: (?!{_NOT_A_NOUN})(?P<noun>[a-z]{{2,20}}))?)"
        ),
        "what is meant was not said",
        None,
        _repeats_noun,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?P<open>(?:these|those)\b(?! (?:who|of|that|which|whose|with|in)\b)"
            rf"(?: (?!{_NOT_A_NOUN})(?P<noun>[a-z]{{2,20}}))?)"
        ),
        "what is meant was not said",
        None,
        _repeats_noun,
    ),
    ContextWord(
        lazy_compile(rf"{_BEFORE_THAT}(?P<open>that (?!{_NOT_A_NOUN})(?P<noun>[a-z]{{2,20}}))"),
        "which one was not said",
        None,
        _repeats_noun,
    ),
    ContextWord(
        lazy_compile(
            r"(?<!and )(?<!or )\b(?P<open>that)(?P<noun>)"
            r"(?=\s*(?:[,!?;)]|\.(?!\w)|$)|\s(?:again|too|instead|anyway|btw|yet|either)\b)"
        ),
        "what is meant was not said",
        None,
        _repeats_noun,
    ),
    ContextWord(
        lazy_compile(
            rf"(?P<open>(?<![\d:.-])\d{{1,2}}(?::\d\d)?(?:\s?(?:-|–|to|till|until)\s?\d{{1,2}}(?::\d\d)?)?"
            r"\s?[ap]\.?m\b|(?<![\d:-])[0-2]?\d:[0-5]\d(?![\d:])"
            r"|\b(?:half|quarter) (?:past|to) [a-z\d]{1,8}"
            rf"|\b(?:from|between) {_HOUR} ?(?:to|till|until|and|-) ?"
            rf"(?:{_HOUR}{_CLOSES}|noon\b|midnight\b)"
            r"|\b(?:at|till|until|since|by|before|after|around) (?:noon|midnight)\b"
            rf"|\b(?:at|till|until|by|before|after|around) {_HOUR}{_CLOSES}"
            rf"|(?:{_MOVED})to {_HOUR}{_CLOSES})"
        ),
        "of which day was not said",
        _compiled(_YEAR, _HABIT, _ROUTINE),
        _is_duration,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?P<open>in (?:an?|a few|a couple(?: of)?|one|two|three|four|five|six|seven|eight"
            r"|nine|ten|twelve|\d{1,3}) (?:more )?(?:minute|hour|day|week|month|year)s?)\b"
        ),
        "it counts from the day it was said",
        _compiled(_YEAR, _HABIT),
        _is_time_taken,
    ),
    ContextWord(
        lazy_compile(rf"\b(?P<open>in \d{{1,3}}){_CLOSES}"),
        "the unit and the moment were not said",
        _compiled(_YEAR, _HABIT),
        _is_duration,
    ),
    ContextWord(
        lazy_compile(
            rf"\b(?P<open>{_DAY}|(?<=(?:on|by) )(?:mon|tue|wed|thu|fri|sat|sun))\b"
            rf"(?!\s*(?:-|–|to|through|thru|until|till)\s*{_DAY})"
        ),
        "of which week was not said",
        _compiled(_YEAR, _HABIT, FROM_NOW_ON_EN),
        _is_chosen_day,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?:(?P<lead>(?:on|by|until|till|from|since|before) )(?=the [a-z]))?"
            rf"(?P<open>the (?:\d{{1,2}}(?:st|nd|rd|th)|(?(lead){_NTH}|\d))){_NO_NOUN_NEXT}\b"
        ),
        "of which month was not said",
        _DATED,
        _follows_month,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?:on|by|until|till|expires?|due|before|since|from|after|for) "
            r"(?P<open>[0-3]?\d/[0-3]?\d)(?![/\d])"
        ),
        "which is the day, which the month, and of which year was not said",
        _DATED,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?P<open>(?:in|by|since|until|till|from|before|after|during|for|around|through"
            r"|end of) "
            rf"(?:early |late |mid[- ]?|the (?:end|start|middle) of )?{_MONTH}"
            rf"|{_MONTH} (?:the )?[0-3]?\d(?:st|nd|rd|th)?(?![\d:])"
            rf"|[0-3]?\d(?:st|nd|rd|th)? (?:of )?{_MONTH}|(?:early|late|mid)[- ]{_MONTH})\b"
        ),
        "of which year was not said",
        _compiled(_YEAR, _HABIT, _ANNIVERSARY),
    ),
    ContextWord(
        lazy_compile(
            r"\b(?P<open>(?:in|over|during|until|till|by|since|before|after|for|end of) the "
            rf"(?:early |late )?{_SEASON}|(?:by|until|till|since|before|after) {_SEASON})\b"
        ),
        "of which year was not said",
        _TIMELESS,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?:on|for|by|at|after|before|until|till|since|over|around|during|this) "
            rf"(?P<open>{_FEAST})(?![\w'’])"
            r"(?! (?:trees?|cakes?|songs?|cards?|presents?|movies?|dinner))"
        ),
        "of which year was not said",
        _TIMELESS,
    ),
    ContextWord(
        lazy_compile(
            rf"\b(?P<open>the (?:next|previous|upcoming|coming|latest|following|last|other) "
            rf"{_OCCASION}|the same (?:thing|one|way)(?! as)"
            r"|the (?:next|following|previous) (?:day|morning|evening|night|week|month|year))\b"
        ),
        "which one was not said",
        _DATED,
    ),
    ContextWord(
        lazy_compile(r"\b(?P<open>eo[dwmy]|cob|close of business)\b"),
        "of which day was not said",
        _DATED,
        _is_duration,
    ),
    ContextWord(
        lazy_compile(
            r"\b(?:will|gonna|going to|has to|had to|is [a-z]{2,12}ing)\b[^,]{0,60}"
            r"\b(?P<open>in the (?:morning|afternoon|evening))\b"
        ),
        "of which day was not said",
        _DATED,
    ),
    ContextWord(
        lazy_compile(r"\b(?P<open>as above|the above(?! [a-z])|see (?:above|below)|ditto)\b"),
        "it points at another message",
    ),
)
