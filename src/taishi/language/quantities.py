"""Reads the numbers in a text by value: 1,200, 一千二 and "twelve hundred" are equal.

A figure may have several values ("45m" is 45 metres or 45 million), and a source says more than it
spells out: 90 minutes are an hour and a half, 一只…一只 are two. `read_figures` holds all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from .when import numbers

_DIGITS = r"\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?|\d{1,300}(?:\.\d{1,20})?"
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "俩": 2,
    "仨": 3,
    "双": 2,
}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000}
_ZH_SCALES = {"万": 10_000, "亿": 100_000_000, "萬": 10_000, "億": 100_000_000}
_ZH_RUN = "[〇零一二两三四五六七八九十百千万亿廿卅俩仨]"
_WORDS = {
    "dozen": 12,
    "once": 1,
    "twice": 2,
    "thrice": 3,
    "couple": 2,
    "pair": 2,
    "both": 2,
    "double": 2,
    "triple": 3,
    "single": 1,
    "half": 0.5,
    "quarter": 0.25,
}
_EN_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_SUFFIXES = {
    "k": (1000,),
    "m": (1, 10**6),
    "bn": (10**9,),
    "万": (10_000,),
    "千": (1000,),
    "百": (100,),
    "亿": (10**8,),
    "百万": (10**6,),
    "千万": (10**7,),
    **{k: (v,) for k, v in _EN_SCALES.items()},
}
# What one of a unit is in others: a reader may change the unit, never the amount.
_FACTORS = {
    "minute": (1 / 60, 60),
    "hour": (60, 1 / 24),
    "day": (24, 1 / 7, 1 / 30),
    "week": (7,),
    "month": (30, 1 / 12),
    "year": (12, 1 / 10),
    "kg": (2, 1000),
    "km": (1000,),
    "gram": (1 / 1000, 1 / 50),
    "jin": (0.5, 500),
    "metre": (100, 1 / 1000),
    "cm": (1 / 100, 10),
    "percent": (0.1, 0.01),
    "tenth off": (10,),
}
_UNITS = (
    ("minute", r"min(?:ute)?s?\b|分钟?"),
    ("hour", r"(?:hours?|hrs?|h)\b|个?半?小时|个?钟头"),
    ("day", r"days?\b|天|日(?!元)|晚"),
    ("week", r"weeks?\b|个?(?:星期|礼拜)|周"),
    ("month", r"months?\b|个?月"),
    ("year", r"years?\b|年|岁"),
    ("kg", r"k(?:gs?|ilos?|ilograms?)\b|公斤|千克"),
    ("km", r"k(?:ms?|ilomet(?:er|re)s?)\b|公里|千米"),
    ("gram", r"g(?:rams?)?\b|克"),
    ("jin", r"斤|里"),
    ("metre", r"m(?:et(?:er|re)s?)?\b|米"),
    ("cm", r"c(?:m|entimet(?:er|re)s?)\b|厘米|公分"),
    ("percent", r"%|per ?cent|％"),
    ("tenth off", r"折|成(?![为功了立本都绩员])"),
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `start`..`end` and what it may be worth."""

    start: int
    end: int
    values: frozenset[float]


@cache
def _pattern() -> re.Pattern[str]:
    word = numbers.WORD_NUMBER
    suffix = (
        r"(?:\s?(?:hundred|thousand|million|billion|dozen)\b|(?:bn|[km])(?![A-Za-z0-9])"
        r"|\s?(?:百万|千万|[百千万亿]))?"
    )
    scaled = r"(?:[ -](?:hundred|thousand|million|billion|dozen)\b(?: and)?)"
    return re.compile(
        rf"(?<![A-Za-z\d])(?P<digits>{_DIGITS})(?P<suffix>{suffix})(?P<half>半)?"
        rf"|(?P<chinese>{_ZH_RUN}{{1,16}})(?P<and_half>个?半)?"
        rf"|\b(?P<words>(?:an?|{word}){scaled}(?:[ -]{word})?|{numbers.WORD_ORDINAL}|{word}"
        rf"|{'|'.join(_WORDS)}|zero)\b",
        re.IGNORECASE,
    )


@cache
def _unit_pattern() -> re.Pattern[str]:
    units = "|".join(f"(?P<u{i}>{words})" for i, (_, words) in enumerate(_UNITS))
    return re.compile(rf"\s?(?:多|来|几|odd )?(?:{units})", re.IGNORECASE)


def figures_in(text: str) -> Iterator[Quantity]:
    """Every number of a text, in order."""
    for match in _pattern().finditer(text):
        values = _values(match)
        if values:
            yield Quantity(*match.span(), values)


def _values_of(text: str, figures: Iterable[Quantity]) -> frozenset[float]:
    """What the numbers of a source are worth: as said, in other units, and added up by unit."""
    found: set[float] = set()
    by_unit: dict[str, list[float]] = {}
    for figure in figures:
        found |= figure.values
        unit = _unit(text, figure.end)
        for value in figure.values:
            found.update(_round(value * factor) for factor in _FACTORS.get(unit, ()))
        if unit or (after := text[figure.end : figure.end + 1]):
            by_unit.setdefault(unit or after, []).append(min(figure.values))
    found.update(_round(sum(counts)) for counts in by_unit.values() if 1 < len(counts) < 9)
    if "半" in text:
        found |= {0.5, 30.0, 6.0}  # 半小时, 半年
    if "half" in text.lower():
        found |= {30.0, 50.0, 6.0}
    return frozenset(found)


def read_figures(
    text: str,
) -> tuple[frozenset[float], dict[str, set[float]], frozenset[float]]:
    """What the numbers of a source are worth; those of each thing that is counted; and all that
    are said and follow from no other."""
    units: dict[str, set[float]] = {}
    said: set[float] = set()
    figures = list(figures_in(text))
    values = _values_of(text, figures)
    derived = set(values)
    for figure in figures:
        said |= figure.values
        derived -= figure.values
        if unit := unit_after(text, figure.end):
            units.setdefault(unit, set()).update(figure.values)
    return values, units, frozenset(said - derived)


def unit_after(text: str, at: int) -> str:
    """What a number counts: a unit, or the word behind it; "" where none follows."""
    if unit := _unit(text, at):
        return unit
    word = re.compile(r"\s([a-z]{3,20}?)s?\b|([\u3400-\u9fff])").match(text, at)
    return (word[1] or word[2]) if word else ""


def chinese_value(run: str) -> float:
    """三百二十, 一万二 (12,000), 六千五 (6,500), 二零二六, 廿九."""
    run = run.replace("廿", "二十").replace("卅", "三十")
    if not any(c in _ZH_UNITS or c in _ZH_SCALES for c in run):
        return float(int("".join(str(_ZH_DIGITS[c]) for c in run)))
    total = section = 0
    digit: int | None = None
    last = 1
    for char in run:
        if char in _ZH_SCALES:
            total = (total + section + (digit or 0) or 1) * _ZH_SCALES[char]
            section, digit, last = 0, None, _ZH_SCALES[char]
        elif char in _ZH_UNITS:
            last = _ZH_UNITS[char]
            section += (1 if digit is None else digit) * last
            digit = None
        else:
            digit = None if char in "零〇" else _ZH_DIGITS.get(char)
    if digit is not None:
        before = run[-2:-1]
        is_short = before in _ZH_SCALES or (before in _ZH_UNITS and before != "十")
        section += digit * (last // 10 if is_short else 1)
    return float(total + section)


def _values(match: re.Match[str]) -> frozenset[float]:
    if match["digits"]:
        return _digit_values(match)
    if match["chinese"]:
        half = 0.5 if match["and_half"] else 0.0
        return frozenset({_round(chinese_value(match["chinese"]) + half)})
    return _word_values(match["words"].lower())


def _digit_values(match: re.Match[str]) -> frozenset[float]:
    try:
        value = float(match["digits"].replace(",", ""))
    except (ValueError, OverflowError):
        return frozenset()
    factors = _SUFFIXES.get((match["suffix"] or "").strip().lower(), (1,))
    half = 0.5 if match["half"] else 0.0
    return frozenset(_round((value + half) * factor) for factor in factors)


def _word_values(words: str) -> frozenset[float]:
    if words in _WORDS:
        return frozenset({float(_WORDS[words])})
    if words == "zero":
        return frozenset({0.0})
    total, pending = 0.0, 0.0
    for word in re.split("[ -]", words):
        if word in _EN_SCALES:
            total, pending = total + (pending or 1) * _EN_SCALES[word], 0.0
        elif word in ("a", "an"):
            pending = 1.0
        elif word != "and":
            pending += numbers.english_number(word) or 0
    return frozenset({_round(total + pending)})


def _unit(text: str, at: int) -> str:
    match = _unit_pattern().match(text, at)
    return _UNITS[int(match.lastgroup[1:])][0] if match and match.lastgroup else ""


def _round(value: float) -> float:
    return round(value, 4) if abs(value) < 1e15 else value
