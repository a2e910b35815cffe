"""What a turn gives evidence for: its words, its names, and the dates its words can mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ..language.when import TimeSpan, find_times, render
from ..times import to_datetime
from ..types import Job
from .cast import Cast, zone_of
from .draft import Draft

# More than a model is shown of one text, so that nothing it may use is missing.
_READ_CHARS = 16_000
_DATED_CHARS = 5_000
_MOST_TEXTS = 60
_WEEKDAYS_ZH = "一二三四五六日"
_DIRECTIONS: tuple[Literal["past", "future"], ...] = ("past", "future")


@dataclass(frozen=True, slots=True)
class Evidence:
    """`source` is what names, numbers and dates are checked against, `words` what is quoted."""

    source: str
    words: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, job: Job, ruled: Draft, cast: Cast, local: datetime) -> Evidence:
        said = [(job.action_summary, local), *((item, local) for item in job.new_info)]
        said.append((job.source_message, local))
        for message in job.recent_messages:
            text = message.get("text")
            if isinstance(text, str):
                said.append((text, cls.moment(message, job) or local))
        said = [(text[:_READ_CHARS], moment) for text, moment in said[:_MOST_TEXTS]]
        dates = (day for text, moment in said for day in _dates(text[:_DATED_CHARS], moment))
        ids = (job.user_id, job.sender_id, job.group_id, job.agent_id, job.session_id)
        given = (
            *(text for text, _ in said),
            *(text[:_READ_CHARS] for text in (ruled.canonical_text, *ruled.new_info[:_MOST_TEXTS])),
            *dict.fromkeys((*_forms(local), f"{local:%H:%M}", *dates)),
            zone_of(local),
            *(id for id in ids if id),
        )
        return cls("\n".join(given), _plain("\n".join(text for text, _ in said)), cast.names)

    @staticmethod
    def moment(message: Mapping[str, Any], job: Job) -> datetime | None:
        """When a message was said, on the clock of the job."""
        epoch = message.get("time")
        if isinstance(epoch, bool) or not isinstance(epoch, (int, float)):
            return None
        try:
            return to_datetime(float(epoch), ZoneInfo(job.timezone))
        except (KeyError, ValueError, OSError, OverflowError):
            return to_datetime(float(epoch), UTC) if epoch == epoch else None

    def quotes(self, quote: str) -> bool:
        """Whether these words were said, whatever the spaces, the width and the case."""
        plain = _plain(quote)
        return len(plain) >= 2 and plain in self.words


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub("[\\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\0]+", "", folded)


def _dates(text: str, moment: datetime) -> Iterator[str]:
    """Every date that the words can mean, looking back and ahead, as people write dates."""
    for direction in _DIRECTIONS:
        for span in find_times(text, moment, direction):
            yield from _span_forms(span)


def _span_forms(span: TimeSpan) -> Iterator[str]:
    yield render(span, "en")
    yield render(span, "zh")
    yield from _forms(span.begin)
    if span.until > span.begin:
        last = span.until - timedelta(days=1) if span.kind != "datetimerange" else span.until
        yield from _forms(last)
        yield from _forms(span.until)
    if span.kind in ("datetime", "time", "datetimerange", "timerange"):
        for edge in (span.begin, span.until):
            yield f"{edge:%H:%M} {edge.hour} {edge.hour % 12 or 12}:{edge:%M} AM PM"


def _forms(day: datetime) -> Iterator[str]:
    yield f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
    yield f"{day:%B} {day.day}, {day.year} {day:%b} {day:%A} {day:%a}"
    yield f"{day.year}年{day.month}月{day.day}日 星期{_WEEKDAYS_ZH[day.weekday()]}"
