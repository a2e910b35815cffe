"""A time that is only a part of a longer expression which was not understood is no time.

"The 4th qtr of 2018" is neither the 4th nor 2018, "31-Oct-74" is not 31 October. Whatever of a
date touches what was read, and was not read itself, shows that there is more.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..lazy_regex import lazy_compile
from .time_parts import TimePart

_TIME_NOUN = (
    r"(?:qtrs?|quarters?|half|halves|weeks?|wks?|months?|days?|weekends?|semesters?|terms?"
    r"|trimesters?|seasons?|fortnights?|decades?|years?|mornings?|afternoons?|evenings?|nights?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
)
_COUNTED = r"(?:\d+(?:st|nd|rd|th)?|first|second|third|fourth|fifth|last|final)"
_BEFORE = lazy_compile(
    rf"\d\s?[-–/]\s?$|\d[.:]$|\d\s+-\s+$"
    rf"|\b{_COUNTED} {_TIME_NOUN} (?:of|in|on) (?:the )?$|\b{_TIME_NOUN} \d+,? (?:of|in) (?:the )?$"
    r"|\d\s?[-–]\s?\d+(?:st|nd|rd|th)? (?:in|of) (?:the )?$|\d(?:st|nd|rd|th),? (?:and|or"
    r"|&) (?:the )?$"
    r"|\b(?:circa|than|the)\s*\d+\s$"
    r"|\bto (?:next|this) $"
    r"|(?<!from )\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) to"
    r" (?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) $"
    r"|\b(?:fiscal|academic|tax|lunar|hijri) (?:year )?$|\bschool year $"
    r"|(?:农历|阴历|旧历|财|学|回历|佛历|民国|公元前)的?$|(?<![每今明去前后当整全一少多过])年的?$|[元廿卅初]$|[日号]起$"
)
_AFTER = lazy_compile(
    r" of \d{4}-|"
    rf"[-/–]\d|\s+[-–]\s+\d|\.\d|(?<=[a-z\d])\d|(?:\s+"
    rf"| of ){_TIME_NOUN}(?!['’]s)\b(?! (?:after|before|ago|later))"
    r"|,? (?:and|or|&) (?:the )?\d+(?:st|nd|rd|th) (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)"
    r"|-time\b| to date\b| (?:no )?(?:later|earlier) than\b| to (?:next|this)\b| of (?:next"
    r"|this|last)\b|\s?[(（]\d{4}|['’]\d\d\b|[初廿卅]|[一二三四五六七八九十]+[日号天]|(?<=月)[一二三四五六七八九十](?!个)"
)
_HOURS_AFTER = lazy_compile(r" between \d|, \d{1,2}/\d{1,2}/\d")
_HOUR_BEFORE = lazy_compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) $"
)
_OF_UNKNOWN = lazy_compile(r"\s+of\s+(?!the\b|course\b|my\b|our\b|his\b|her\b|their\b)[a-z]")
_LINK = lazy_compile(r"\s*,?\s*(?:since|after|before|from)\s+(?:the\s+)?")
_ON = lazy_compile(r"\s+(?:in|on)\s+(?:the\s+)?")
_IN = lazy_compile(r"\s+(?:in|of)\s+(?:the\s+)?")
_TELEPHONE = lazy_compile(r"(?:\+|\btel\b|\bphone\b|\bcall\b|电话|手机)[^a-z一-鿿]{0,14}$")


def whole_ones(text: str, pieces: Sequence[TimePart], loose: Sequence[TimePart]) -> list[TimePart]:
    """The pieces that stand for all that was said; `loose` ones were found and are no times."""
    doubtful = _doubtful(text, pieces, loose)
    return [piece for piece in pieces if piece.start not in doubtful and not _is_torn(text, piece)]


def _is_torn(text: str, piece: TimePart) -> bool:
    start, end = piece.start, piece.end
    if _BEFORE.search(text, max(0, start - 40), start) or _AFTER.match(text, end):
        return True
    if piece.grain == "day" and _HOURS_AFTER.match(text, end):
        return True
    if piece.role == "part" and _HOUR_BEFORE.search(text, max(0, start - 8), start):
        return True
    if _TELEPHONE.search(text, max(0, start - 24), start) and text[start].isdigit():
        return True
    if text[start] in "之以" and text[max(0, start - 1)] in "日号":
        return True  # 3月18日之后的十天 says from when
    if text[start] == "这" and text[max(0, start - 1)] in "日号":
        return True  # 3月2日至8日这一周 is that week
    return piece.role in ("dom", "weekday") and _OF_UNKNOWN.match(text, end) is not None


def _doubtful(text: str, pieces: Sequence[TimePart], loose: Sequence[TimePart]) -> set[int]:
    """Starts of pieces that lean on a neighbour in a way that was not understood."""
    found: set[int] = set()
    for left, right in pairwise(pieces):
        if left.role == "offset" and _LINK.fullmatch(text, left.end, right.start):
            found |= {left.start, right.start}
        if left.role == "offset" and right.floating and _ON.fullmatch(text, left.end, right.start):
            found |= {left.start, right.start}  # "ten years ago in May"
        of_known_day = right.name and right.floating and left.grain == "day" and not left.floating
        if of_known_day and not text[left.end : right.start].strip(" ,是"):
            found.add(right.start)  # 明天元宵节: the day is known already
    ends = {piece.end: piece for piece in loose if piece.role in ("plain", "clock", "dom")}
    for piece in pieces if ends else ():
        for end in range(max(0, piece.start - 9), piece.start):
            if end in ends and _IN.fullmatch(text, end, piece.start):
                found.add(piece.start)
    return found
