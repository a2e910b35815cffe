"""The gate: finds words that lose their meaning outside the conversation (H3).

It finds words that point at the moment, the place or the people of a conversation. What was made
up is found by `drift`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import islice

from .bare_weekdays import DATED_WORD, bare_days
from .gate_chinese import HAN, SURNAMES, chinese_words
from .gate_english import MONTHS, english_words
from .gate_faults import Fault, Reason
from .input_limits import MOST_FAULTS
from .quoted_text import code_ranges

__all__ = ["HAN", "MONTHS", "SURNAMES", "Fault", "Reason", "check", "mask"]


def check(text: str, allow: Collection[str] = ()) -> list[Fault]:
    """Words that lose their meaning out of context, in order. Quotes, code and `allow` are skipped.

    Of each kind the first `MOST_FAULTS`: a text with more of them is no statement.
    """
    masked = mask(text, allow)
    found = [
        Fault(reason, text[start:end], start, end)
        for scan in (chinese_words, english_words)
        for reason, start, end in islice(scan(masked), MOST_FAULTS)
    ]
    days = islice(bare_days(masked), MOST_FAULTS)
    found += [Fault("relative_time", text[a:b], a, b) for a, b in days]
    return list(_without_overlaps(sorted(found, key=lambda fault: (fault.start, -fault.end))))


def _without_overlaps(faults: list[Fault]) -> Iterator[Fault]:
    position = 0
    for fault in faults:
        if fault.start >= position:
            yield fault
            position = fault.end


def mask(text: str, allow: Collection[str] = ()) -> str:
    """The text with code, quotes, addresses and allowed names blanked out; every offset stays."""
    names = sorted({name for name in allow if name.strip()}, key=len, reverse=True)
    if names:
        text = re.sub("|".join(map(_whole, names)), _blank, text)
    parts, position = [], 0
    for start, end in code_ranges(text):
        parts += [text[position:start], _BLANK * (end - start)]
        position = end
    return _quoted().sub(_blank, "".join([*parts, text[position:]]))


_BLANK = "\ufffc"  # neither letter, digit, space nor punctuation


def _blank(match: re.Match[str]) -> str:
    return _BLANK * len(match[0])


def _whole(name: str) -> str:
    """A name, but not inside a longer Latin word."""
    left = r"(?<![A-Za-z0-9_])" if re.match("[A-Za-z0-9_]", name) else ""
    right = r"(?![A-Za-z0-9_])" if re.match("[A-Za-z0-9_]", name[-1]) else ""
    return left + re.escape(name) + right


@cache
def _quoted() -> re.Pattern[str]:
    pairs = ("《》", "〈〉", "「」", "『』", "“”", "‘’", '""', "``")
    quotes = [f"{pair[0]}[^{pair}\n]{{1,200}}{pair[1]}" for pair in pairs]
    quotes.append(r"(?<![A-Za-z0-9’'])'(?! )(?:[^'\n]|(?<=\w)'(?=\w)){1,100}'(?![A-Za-z0-9])")
    quotes.append(DATED_WORD)
    quotes.append(r"(?<![A-Za-z0-9])(?:https?|ftp)://[^\s，。；）》」]+")
    return re.compile("|".join(quotes))
