"""Splits a sentence into clauses that each have a subject, without words that only mark the moment.

"I just left Acme and now work at Globex" becomes "I left Acme" and "I work at Globex".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .chinese_clauses import chinese_clauses
from .english_introductions import own_part, with_names

_INFORMAL = (
    (r"\bI['’]ve got\b", "I have"),
    (r"\b[Ii]m\b", "I'm"),
    (r"\b[Ii]ve\b", "I've"),
    (r"\bdont\b", "don't"),
    (r"\bdoesnt\b", "doesn't"),
    (r"\bcant\b", "can't"),
    (r"\bisnt\b", "isn't"),
    (r"\bdidnt\b", "didn't"),
    (r"\bi\b(?!\.)", "I"),
    (r"\bu\b", "you"),
    (r"\bur\b", "your"),
    (r"\bmy name ?s\b", "my name is"),
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (r"\bfave?\b", "favourite"),
    (r"\bI got(?= (?:a|an|two|three) )", "I have"),
)
_LEADING = (
    r"(?i)^(?:(?:hi|hello|hey|well|so|ok|okay|oh|yes|yeah|yep|no|nope|btw|by the way|fyi"
    r"|actually|honestly|also|and|but"
    r"|anyway|just so you know|for the record|to be honest|tbh|in fact|thanks|sorry|hmm|you know"
    r"|as you know|please"
    r" note(?: that)?|note(?: that)?|about me|by profession|personally|in general|in my (?:free"
    r"|spare) time|there"
    r"|everyone|all|guys|good (?:morning|evening|afternoon)|nowadays|currently|right now|these"
    r" days|as of now)\b[\s,:!—-]*)+"
    rf"|^(?:对了|其实|那个|嗯|哦|啊|哎|唉|是的|没错|好的|另外"
    rf"|还有(?![一两二三四五六七八九十几个位名只条])|说实话|老实说|话说|顺便说一下"
    rf"|顺便|补充一下|而且|但是|不过|因为|所以|你好|大家好|您好|嗨|哈喽"
    rf"|自我介绍一下|介绍一下)+[，,。！!：:\s]*(?=[{HAN}A-Za-z])"
)
_MOMENT = (
    r"(?i)\b(?:just|recently|now|currently|right now|at the moment|these days|nowadays|lately|at"
    r" present|presently|finally|actually)\b,? ?"
)
_SUBJECT_EN = (
    r"(?:I\b|I['’]|[Mm]y\b|[A-Z][a-z]+ (?:is|has|likes|lives|works|prefers|hates|loves|speaks)\b)"
)
_BREAK_EN = lazy_compile(
    rf"\s*[,—]+\s*(?:and |but |so |because |which is why )?(?={_SUBJECT_EN})"
    rf"|\s+(?:and|but|so|because|though|although)\s+(?={_SUBJECT_EN})"
)
_CHANGED_EN = r"^I(?: have|['’]ve)? (?:left|quit|moved|sold|resigned)\b"
_GOES_ON_EN = r"\s+and (?=(?:work|live|joined|moved|started|am|have|sold)\b)"
_ELIDED_EN = (
    (r"^(?=(?:moved|relocated) to |joined [A-Z]|quit |adopted |bought )", "I "),
    (r"^(?=(?:living|working|based|studying|learning) |allergic to )", "I'm "),
)


def standard_spelling(text: str) -> str:
    """Informal spelling → standard spelling, so that one pattern covers both."""
    for pattern, plain in _INFORMAL:
        text = re.sub(pattern, plain, text)
    return text


def clauses(sentence: str, chinese: bool, after_another: bool = False) -> Iterator[str]:
    """`after_another`: the sentence before introduced somebody, so that "living in Cork" may be
    about that one."""
    text = sentence.strip(" ,，.。!！~;；…")
    text = _without_leading(text)
    if chinese:
        yield from chinese_clauses(text, _without_leading)
    else:
        yield from _english(standard_spelling(text), after_another)


def _english(sentence: str, after_another: bool) -> Iterator[str]:
    text = with_names(re.sub(_MOMENT, "", sentence).strip())
    for pattern, subject in () if after_another else _ELIDED_EN:
        if re.match(pattern, text, re.I):
            text = f"{subject}{text[:1].lower()}{text[1:]}"
    for part in map(own_part, _BREAK_EN.split(text)):
        if re.match(_CHANGED_EN, part):
            first, *rest = re.split(_GOES_ON_EN, part, maxsplit=1)
            yield first
            yield from (f"I {clause}" for clause in rest)
        else:
            yield part


def _without_leading(text: str) -> str:
    return re.sub(_LEADING, "", text)
