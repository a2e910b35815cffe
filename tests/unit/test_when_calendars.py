"""Holidays by country, the lunar calendar, the small hours, and parts of something larger."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from taishi.language.rewriter import RewriteContext, rewrite
from taishi.language.when import find_times
from taishi.language.when.countries import country_of
from taishi.language.when.lunar import lunar_day, lunar_year_of, solar_term


def told(text: str, zone: str = "Asia/Shanghai", said: str = "2026-03-18 14:30") -> str:
    moment = datetime.fromisoformat(said).replace(tzinfo=ZoneInfo(zone))
    return rewrite(text, RewriteContext(moment, None)).text


@pytest.mark.parametrize(
    ("lunar", "day"),
    [
        ((2024, 1, 1), "2024-02-10"),
        ((2025, 8, 15), "2025-10-06"),
        ((2026, 5, 5), "2026-06-19"),
        ((2025, 12, -1), "2026-02-16"),
        ((1978, 8, 15), "1978-09-17"),
        ((2089, 8, 1), "2089-09-04"),
    ],
)
def test_lunar_days(lunar: tuple[int, int, int], day: str) -> None:
    found = lunar_day(*lunar)
    assert found is not None and str(found.begin.date()) == day


def test_a_lunar_day_that_does_not_exist_has_no_date() -> None:
    assert lunar_day(2017, 1, 30) is None
    assert lunar_day(1850, 1, 1) is None
    assert lunar_day(2101, 1, 1) is None


def test_a_lunar_year_ends_in_the_next_spring() -> None:
    assert lunar_year_of(datetime(2026, 2, 16)) == 2025
    assert lunar_year_of(datetime(2026, 2, 17)) == 2026


def test_solar_terms() -> None:
    days = [
        solar_term(name)(year) for name, year in (("清明", 2025), ("清明", 2026), ("冬至", 2026))
    ]
    assert [str(day.begin.date()) for day in days if day] == [
        "2025-04-04",
        "2026-04-05",
        "2026-12-22",
    ]
    assert solar_term("清明")(1800) is None


def test_the_country_of_a_timezone() -> None:
    zones = ["America/New_York", "Europe/London", "Asia/Shanghai", "US/Pacific"]
    assert [country_of(ZoneInfo(zone)) for zone in zones] == ["US", "GB", "CN", "US"]
    assert country_of(ZoneInfo("Etc/UTC")) is None
    assert country_of(UTC) is country_of(timezone(timedelta(hours=8))) is country_of(None) is None


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("Ann will rest on Labor Day", "America/New_York", "Labor Day 2026 (2026-09-07)"),
        ("Ann will rest on Labour Day", "Pacific/Auckland", "Labour Day 2026 (2026-10-26)"),
        ("Ann will rest on Labour Day", "Asia/Shanghai", "Labour Day 2026 (2026-05-01)"),
        ("Ann will rest on Labour Day", "Europe/London", "Labour Day"),
        ("Ann will rest on Labour Day", "UTC", "Labour Day"),
        ("Ann called on Mother's Day", "Europe/London", "Mother's Day 2026 (2026-03-15)"),
        ("Ann called on Mother's Day", "America/New_York", "Mother's Day 2025 (2025-05-11)"),
        ("Ann called on Mother's Day", "Europe/Paris", "Mother's Day"),
        ("Ann called on Father's Day", "Australia/Sydney", "Father's Day 2025 (2025-09-07)"),
        ("Ann called on Thanksgiving", "Europe/Berlin", "Thanksgiving"),
        ("Ann called on Christmas Day", "UTC", "Christmas Day 2025"),
    ],
)
def test_H4_a_holiday_is_that_of_the_country_or_stays(text: str, zone: str, expected: str) -> None:
    before = text[: text.index(" on ") + 4]
    assert told(text, zone) == before + expected


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("Ann went home yesterday", "2026-03-18 00:20", "Ann went home on 2026-03-17"),
        ("Ann was at work today", "2026-03-18 00:20", "Ann was at work today"),
        ("Ann will go out tonight", "2026-03-18 00:20", "Ann will go out tonight"),
        ("Ann will call tomorrow", "2026-03-18 03:59", "Ann will call tomorrow"),
        ("Ann will call tomorrow", "2026-03-18 04:00", "Ann will call on 2026-03-19"),
        ("Ann was at work today", "2026-03-18 00:00", "Ann was at work on 2026-03-18"),
        ("今天凌晨下雨了", "2026-03-18 02:10", "2026年3月18日凌晨下雨了"),
        ("昨天吵架了", "2026-03-18 00:25", "2026年3月17日吵架了"),
        ("今天加班了", "2026-03-18 00:25", "今天加班了"),
    ],
)
def test_H4_just_after_midnight(text: str, said: str, expected: str) -> None:
    assert told(text, said=said) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the 4th qtr of 2018",
        "the 4th quarter of fiscal 2018",
        "31-Oct-74",
        "week 27 of last year",
        "the second semester of last year",
        "from 4-23 in next month",
        "133-03-03-2020",
        "Tel: +86 138-2010-2015",
        "康熙三年五月",
        "民国三年五月",
        "September-2020-23",
        "the 3rd and 5th of May",
        "八月十五日前",
        "腊月里",
    ],
)
def test_H3_no_part_is_read_out_of_what_is_larger(text: str) -> None:
    found = [span.text for span in find_times(text, datetime(2026, 3, 18, tzinfo=UTC))]
    assert found in ([], ["八月十五日"])


def test_calendars_are_loaded_only_for_days_that_need_them() -> None:
    code = (
        "import sys, taishi\n"
        "from datetime import UTC, datetime\n"
        "from taishi.language.when import find_times\n"
        "now = datetime(2026, 3, 18, tzinfo=UTC)\n"
        "find_times('tomorrow at 3pm, last Christmas, 明天下午三点, 国庆', now)\n"
        "print(sorted({'holidays', 'lunar_python'} & sys.modules.keys()))\n"
        "find_times('春节', now)\n"
        "print(sorted({'holidays', 'lunar_python'} & sys.modules.keys()))\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == ["[]", "['lunar_python']"]


@pytest.mark.parametrize(
    "unit", ["now (as of ", "last Monday and ", "大年初一", "in about an hour "]
)
def test_a_long_text_is_rewritten_in_time(unit: str) -> None:
    started = time.thread_time()
    rewrite(unit * (100_000 // len(unit)), RewriteContext(datetime(2026, 3, 18, tzinfo=UTC), None))
    assert time.thread_time() - started < 10
