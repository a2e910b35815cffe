"""Lists every time of day that a phrase can mean: "at 7", half past four, 三点半, noon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .quantities import figures_in
from .stated_dates import mentions_in

_HOURS = re.compile(
    r"\b(?:half past|half) (?P<half>\w{1,9})|\bquarter (?P<quarter>past|to) (?P<of>\w{1,9})"
    r"|\b(?P<minute>five|ten|twenty|twenty-five|\d{1,2}) (?P<way>past|to) (?!half|quarter)"
    r"(?P<hour>\w{1,9})"
    r"|\b(?P<noon>noon|midday|midnight)\b|(?P<zh>中午|正午|午夜|半夜)",
    re.IGNORECASE,
)


def clocks(text: str) -> Iterator[int]:
    """Clock times, and any bare number up to 24 as an hour, in the morning or the evening."""
    base: set[int] = set()
    for said in mentions_in(text):
        base.update(said.minutes)
    for match in _HOURS.finditer(text):
        base.update(_spoken(match))
    for figure in figures_in(text):
        if not re.match(r"\s?[:：%\d]", text[figure.end : figure.end + 2]):
            base.update(int(v) * 60 for v in figure.values if v == int(v) and 0 <= v <= 24)
    for minute in base:
        yield minute % 1440
        if minute <= 720:
            yield (minute + 720) % 1440
    lengths = _clock_lengths(text)
    yield from (
        (one + sign * length) % 1440 for one in base for length in lengths for sign in (1, -1)
    )


def _spoken(match: re.Match[str]) -> Iterator[int]:
    if match["noon"] or match["zh"]:
        word = (match["noon"] or match["zh"]).lower()
        yield 0 if word in ("midnight", "午夜", "半夜") else 720
        return
    hour = next(figures_in(match["half"] or match["of"] or match["hour"] or ""), None)
    past = next(figures_in(match["minute"] or ""), None)
    minutes = (
        30 if match["half"] else 15 if match["quarter"] else int(min(past.values)) if past else 0
    )
    to = "to" in ((match["quarter"] or match["way"] or "").lower(),)
    if hour and min(hour.values) <= 24:
        yield int(min(hour.values)) * 60 + (-minutes if to else minutes)


def _clock_lengths(text: str) -> set[int]:
    found: set[int] = set()
    for figure in figures_in(text):
        unit = re.match(
            r"\s?(?:个?(?P<half>半)?(?P<h>小时|钟头|hours?\b|h\b)|(?P<m>分钟|min))",
            text[figure.end : figure.end + 12],
        )
        if unit:
            factor = 60 if unit["h"] else 1
            found.update(int(v * factor) for v in figure.values if v * factor < 1440)
    return found
