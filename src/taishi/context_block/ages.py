"""When something was, as a line of a block shows it: the time, and how long ago."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Literal

Language = Literal["en", "zh"]
DAY = 86400
_DAYS = ((365, "year", "年"), (30, "month", "个月"), (1, "day", "天"))
_SECONDS = ((3600, "hour", "小时"), (60, "minute", "分钟"))


def format_timestamp(time: datetime, zone: tzinfo | None) -> str:
    offset = time.strftime("%z")
    sign, hours, minutes = offset[:1], int(offset[1:3] or 0), offset[3:5]
    shift = (
        ""
        if not offset or offset == "+0000"
        else f"{sign}{hours}" + (f":{minutes}" if minutes != "00" else "")
    )
    return f"{time.year:04d}-{time:%m-%d %H:%M} UTC{shift}"


def age(time: datetime, now: datetime, language: Language) -> str:
    """ "2 days ago", computed at read time, so that it is never stale.

    From a day on, the dates are counted, in the zone of `now`: 47 hours may lie between a morning
    and the one after next, and a reader takes "1 day ago" for yesterday.
    """
    seconds = (now - time).total_seconds()
    count, english, chinese = _amount(time, now, int(abs(seconds)))
    if not count:
        return "刚刚" if language == "zh" else "just now"
    if language == "zh":
        return f"{count}{chinese}{'前' if seconds >= 0 else '后'}"
    words = f"{count} {english}{'s' if count > 1 else ''}"
    return f"{words} ago" if seconds >= 0 else f"in {words}"


def _amount(time: datetime, now: datetime, seconds: int) -> tuple[int, str, str]:
    days = _days_between(time, now, seconds) if seconds >= DAY else 0
    for units, length in ((_DAYS, days), (_SECONDS, seconds)):
        for size, english, chinese in units:
            if length >= size:
                return length // size, english, chinese
    return 0, "", ""


def _days_between(time: datetime, now: datetime, seconds: int) -> int:
    try:
        day = time.astimezone(now.tzinfo).date()
    except (OverflowError, ValueError):  # the first and the last day that there are
        return seconds // DAY
    return abs((now.date() - day).days)
