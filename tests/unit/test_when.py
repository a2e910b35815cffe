"""Time expressions found in chat text and resolved against a reference instant."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from taishi.language.when import TimeSpan, find_times, finder, render

FRIDAY = datetime(2026, 2, 20, 14, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


def only(text: str, reference: datetime = FRIDAY, prefer: str = "past") -> TimeSpan:
    found = find_times(text, reference, prefer)  # type: ignore[arg-type]
    assert len(found) == 1, [span.text for span in found]
    return found[0]


def dates(text: str, reference: datetime = FRIDAY) -> tuple[str, str]:
    span = only(text, reference)
    return str(span.begin.date()), str(span.until.date())


@pytest.mark.parametrize(
    ("text", "words", "day"),
    [
        ("I saw her today", "today", "2026-02-20"),
        ("It rained yesterday.", "yesterday", "2026-02-19"),
        ("the day before yesterday I slept", "the day before yesterday", "2026-02-18"),
        ("call me tomorrow!", "tomorrow", "2026-02-21"),
        ("we left 3 days ago", "3 days ago", "2026-02-17"),
        ("a couple of days ago", "a couple of days ago", "2026-02-18"),
        ("back in ten days", "in ten days", "2026-03-02"),
        ("last Friday was good", "last Friday", "2026-02-13"),
        ("next Monday works", "next Monday", "2026-02-23"),
        ("this Wednesday", "this Wednesday", "2026-02-18"),
        ("we met on May 5th", "May 5th", "2025-05-05"),
        ("5 May 2023 it was", "5 May 2023", "2023-05-05"),
        ("fourth of july, 1995", "fourth of july, 1995", "1995-07-04"),
        ("paid on 2023-05-05", "2023-05-05", "2023-05-05"),
        ("due 12/24/2026 ok", "12/24/2026", "2026-12-24"),
        ("on the 5th we ate", "the 5th", "2026-02-05"),
        ("Christmas was quiet", "Christmas", "2025-12-25"),
        ("Halloween 2023", "Halloween 2023", "2023-10-31"),
        ("two days after tomorrow", "two days after tomorrow", "2026-02-23"),
        ("first Monday of March 2026", "first Monday of March 2026", "2026-03-02"),
        ("two Sundays ago", "two Sundays ago", "2026-02-08"),
        ("two Fridays from now", "two Fridays from now", "2026-03-06"),
        ("the first day of next year", "the first day of next year", "2027-01-01"),
        ("finish it by Friday", "Friday", "2026-02-20"),
        ("昨天下雨了", "昨天", "2026-02-19"),
        ("大前天的事", "大前天", "2026-02-17"),
        ("大后天见", "大后天", "2026-02-23"),
        ("上周三去了北京", "上周三", "2026-02-11"),
        ("下下周一开会", "下下周一", "2026-03-02"),
        ("三天前说的", "三天前", "2026-02-17"),
        ("5月5号我们见过", "5月5号", "2025-05-05"),
        ("二零二三年五月五日", "二零二三年五月五日", "2023-05-05"),
        ("下个月5号交房租", "下个月5号", "2026-03-05"),
        ("今年国庆节", "今年国庆节", "2026-10-01"),
        ("去年的今天", "去年的今天", "2025-02-20"),
        ("任務是上個週三完成的", "上個週三", "2026-02-11"),
        ("最近很忙", "最近", "2026-02-20"),
    ],
)
def test_a_single_day(text: str, words: str, day: str) -> None:
    span = only(text)
    assert (span.text, span.kind) == (words, "date")
    assert text[span.start : span.end] == words
    assert str(span.begin.date()) == day
    assert span.until - span.begin == timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "begin", "until", "grain"),
    [
        ("last week", "2026-02-09", "2026-02-16", "week"),
        ("this weekend", "2026-02-21", "2026-02-23", "weekend"),
        ("next month", "2026-03-01", "2026-04-01", "month"),
        ("last May", "2025-05-01", "2025-06-01", "month"),
        ("May last year", "2025-05-01", "2025-06-01", "month"),
        ("last summer", "2025-06-01", "2025-09-01", "season"),
        ("next quarter", "2026-04-01", "2026-07-01", "quarter"),
        ("mid-May 2023", "2023-05-10", "2023-05-21", "month"),
        ("in 2021", "2021-01-01", "2022-01-01", "year"),
        ("the 1990s", "1990-01-01", "2000-01-01", "decade"),
        ("the past three days", "2026-02-17", "2026-02-20", "day"),
        ("the next two weeks", "2026-02-21", "2026-03-07", "week"),
        ("first week of March 2026", "2026-03-02", "2026-03-09", "week"),
        ("between May 5 and May 9, 2023", "2023-05-05", "2023-05-09", "day"),
        ("from Nov to Feb 2017", "2016-11-01", "2017-02-01", "month"),
        ("from Monday to Friday", "2026-02-16", "2026-02-20", "day"),
        ("本周", "2026-02-16", "2026-02-23", "week"),
        ("这周末", "2026-02-21", "2026-02-23", "weekend"),
        ("下个月底", "2026-03-16", "2026-04-01", "month"),
        ("去年五月", "2025-05-01", "2025-06-01", "month"),
        ("2023年5月", "2023-05-01", "2023-06-01", "month"),
        ("前年", "2024-01-01", "2025-01-01", "year"),
        ("九十年代", "1990-01-01", "2000-01-01", "decade"),
        ("过去三天", "2026-02-17", "2026-02-20", "day"),
        ("未来两周", "2026-02-21", "2026-03-07", "week"),
        ("今年上半年", "2026-01-01", "2026-07-01", "quarter"),
        ("去年冬天", "2025-12-01", "2026-03-01", "season"),
        ("2016年6月1日-6月30日", "2016-06-01", "2016-06-30", "day"),
        ("8月至2月", "2025-08-01", "2026-02-01", "month"),
    ],
)
def test_a_stretch_of_days(text: str, begin: str, until: str, grain: str) -> None:
    span = only(text)
    assert span.kind == "daterange"
    assert (str(span.begin.date()), str(span.until.date())) == (begin, until)
    assert span.grain == grain


@pytest.mark.parametrize(
    ("text", "kind", "moment"),
    [
        ("on Friday at 3pm", "datetime", "2026-02-13 15:00"),
        ("tomorrow at 7 in the evening", "datetime", "2026-02-21 19:00"),
        ("five-thirty tomorrow evening", "datetime", "2026-02-21 17:30"),
        ("next week on Tuesday 9 am", "datetime", "2026-02-24 09:00"),
        ("two hours ago", "datetime", "2026-02-20 12:30"),
        ("just now", "datetime", "2026-02-20 14:30"),
        ("half past seven", "time", "2026-02-20 07:30"),
        ("at noon", "time", "2026-02-20 12:00"),
        ("2024-05-01T10:30:00Z", "datetime", "2024-05-01 18:30"),
        ("周五下午三点", "datetime", "2026-02-13 15:00"),
        ("明晚八点", "datetime", "2026-02-21 20:00"),
        ("今早8点十五分", "datetime", "2026-02-20 08:15"),
        ("凌晨2点半", "time", "2026-02-20 02:30"),
        ("两个半小时后", "datetime", "2026-02-20 17:00"),
        ("刚才", "datetime", "2026-02-20 14:30"),
    ],
)
def test_an_instant(text: str, kind: str, moment: str) -> None:
    span = only(text)
    assert span.kind == kind
    assert f"{span.begin:%F %H:%M}" == moment
    assert span.until == span.begin


@pytest.mark.parametrize(
    ("text", "kind", "begin", "until"),
    [
        ("last night", "datetimerange", "2026-02-19 18:00", "2026-02-20 00:00"),
        ("tomorrow from 2 to 4pm", "datetimerange", "2026-02-21 14:00", "2026-02-21 16:00"),
        ("Wednesday evening next week", "datetimerange", "2026-02-25 18:00", "2026-02-25 22:00"),
        ("下午5:00到6:00", "timerange", "2026-02-20 17:00", "2026-02-20 18:00"),
        ("今晚", "datetimerange", "2026-02-20 18:00", "2026-02-21 00:00"),
        ("后天下午两点到四点", "datetimerange", "2026-02-22 14:00", "2026-02-22 16:00"),
    ],
)
def test_hours_of_a_day(text: str, kind: str, begin: str, until: str) -> None:
    span = only(text)
    assert (span.kind, f"{span.begin:%F %H:%M}") == (kind, begin)
    assert f"{span.until:%F %H:%M}" == until


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "May I ask why?",
        "you may want to march on",
        "March on Washington",
        "wait a second, the second thing",
        "I fall asleep",
        "she sat down in the sun",
        "they wed; it would mar the fun",
        "the other day",
        "a few days ago",
        "every Monday and for three days",
        "my dog is 3 years old",
        "deliver 2000 pieces to room 2024",
        "call 555-1212 or 192.168.255.255",
        "a 4:3 screen, score 5/5, 24/7, version 2.0.1",
        "$DEC farming",
        "最近邻算法",
        "离我最近的超市",
        "后天性疾病",
        "前天线坏了",
        "今日头条",
        "有一点累，三点建议",
        "他住12号楼，坐5号线",
        "每周三开会，每天跑步",
        "两周年，周围，三个月大",
        "早上好",
        "小米电视4A，王国庆买的",
        "a christmas tree",
        "this 6.5-mile hike in 25-minute steps",
        "",
        "\x00\ud800‮",
    ],
)
def test_H3_words_that_only_look_like_time(text: str) -> None:
    assert find_times(text, FRIDAY) == []


def test_prefer_and_verbs_decide_an_open_weekday() -> None:
    assert only("Monday").begin.day == 16
    assert only("Monday", prefer="future").begin.day == 23
    assert only("I will go on Monday").begin.day == 23
    assert only("we went on Monday", prefer="future").begin.day == 16
    assert only("我要在周六去看电影").begin.day == 21
    assert only("周六看了电影", prefer="future").begin.day == 14


def test_the_nearest_verb_decides() -> None:
    met, fly = find_times("I met Ann on May 3 and we will fly on May 5", FRIDAY)
    assert (met.begin.year, fly.begin.year) == (2025, 2026)


def test_relative_needs_the_reference() -> None:
    relative = {"yesterday", "last May", "周三", "3月5日", "the 90s"}
    absolute = {"2023-05-05", "May 2023", "2023年5月", "the 1990s", "Q3 2024"}
    assert all(only(text).relative for text in relative)
    assert not any(only(text).relative for text in absolute)


def test_several_in_order_without_overlap() -> None:
    text = "Yesterday I met Ann at 3pm; 下周二去巴黎, back by June 2026."
    found = find_times(text, FRIDAY)
    assert [s.text for s in found] == ["Yesterday", "3pm", "下周二", "June 2026"]
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_bare_hour_takes_the_day_just_named() -> None:
    day, clock = find_times("be back tomorrow or 5pm", FRIDAY)
    assert (day.text, clock.text) == ("tomorrow", "5pm")
    assert f"{clock.begin:%F %H}" == "2026-02-21 17"
    bound = only("be back tomorrow before 5pm")
    assert (bound.text, f"{bound.begin:%F %H}") == ("tomorrow before 5pm", "2026-02-21 17")


def test_a_following_word_is_not_a_weekday() -> None:
    assert only("下周一定要回家").text == "下周"
    assert only("今天晚餐吃什么").text == "今天"


def test_before_and_since_keep_the_date() -> None:
    assert dates("before Christmas 2023") == ("2023-12-25", "2023-12-26")
    assert dates("since 2019") == ("2019-01-01", "2020-01-01")
    assert dates("2018年以前") == ("2018-01-01", "2019-01-01")


def test_days_are_wall_days_across_a_clock_change() -> None:
    new_york = ZoneInfo("America/New_York")
    after = datetime(2026, 3, 8, 12, 0, tzinfo=new_york)
    yesterday = only("yesterday", after)
    assert yesterday.begin == datetime(2026, 3, 7, tzinfo=new_york)
    today = only("today", after)
    assert today.until.astimezone(UTC) - today.begin.astimezone(UTC) == timedelta(hours=23)


def test_hours_really_pass_across_a_clock_change() -> None:
    new_york = ZoneInfo("America/New_York")
    span = only("12 hours ago", datetime(2026, 3, 8, 12, 0, tzinfo=new_york))
    assert span.begin.hour == 23
    assert span.begin.day == 7


@pytest.mark.parametrize(
    "edge", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]
)
def test_the_edges_of_the_calendar(edge: datetime) -> None:
    text = (
        "yesterday tomorrow last week next year 20 years ago in 3 hours last Friday May 5 the 5th "
        "next decade the 90s Christmas 昨天 明天 去年 明年 大后天 三天前 100年后 5月5号 周三 "
        "上周末 上世纪80年代"
    )
    for prefer in ("past", "future"):
        for span in find_times(text, edge, prefer):  # type: ignore[arg-type]
            assert span.begin <= span.until


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("today", "2026-02-20", "2026年2月20日"),
        ("this week", "the week of 2026-02-16", "2026年2月16日至22日这一周"),
        ("next week", "the week of 2026-02-23", "2026年2月23日至3月1日这一周"),
        ("this month", "February 2026", "2026年2月"),
        ("now", "2026-02-20 14:30", "2026年2月20日 14:30"),
        ("last year", "2025", "2025年"),
        ("三年前", "2023", "2023年"),
        ("two months ago", "December 2025", "2025年12月"),
        ("昨晚", "the night of 2026-02-19", "2026年2月19日晚上"),
        ("early May 2023", "the first half of May 2023", "2023年5月上半月"),
        ("last summer", "summer 2025", "2025年夏天"),
        ("明年年初", "early 2027", "2027年初"),
        ("Q3 2024", "Q3 2024", "2024年第3季度"),
        ("the 1990s", "the 1990s", "1990年代"),
        ("from 2010 to 2018", "2010 to 2018", "2010年至2018年"),
        ("Sep to Oct 2025", "September 2025 to October 2025", "2025年9月至2025年10月"),
        ("mid-May 2023", "mid-May 2023", "2023年5月中旬"),
        ("5月1日到5月8日", "2025-05-01 to 2025-05-08", "2025年5月1日至2025年5月8日"),
        ("this weekend", "the weekend of 2026-02-21", "2026年2月21日至22日"),
        ("10am-12pm tomorrow", "2026-02-21 10:00 to 12:00", "2026年2月21日 10:00至12:00"),
    ],
)
def test_H4_rendered_as_absolute_words(text: str, english: str, chinese: str) -> None:
    span = only(text)
    assert render(span, "en") == english
    assert render(span, "zh") == chinese


@pytest.mark.parametrize("text", ["2026-02-20", "February 2026", "2026年2月16日", "2025年", "2025"])
def test_H4_what_is_rendered_needs_no_reference(text: str) -> None:
    assert not only(text).relative


def test_any_mixture_of_words_keeps_the_promises() -> None:
    words = (
        "the last next this past two 3 12 31 2024 05 of at to and - / : , in on from between ago "
        "later days weeks months year week Monday May pm first end early mid half past now today "
        "tomorrow Christmas every 今 天 昨 明 后 前 年 月 日 号 点 半 周 三 十 二 个 小时 "
        "到 至 上 下 最近 底 初 季度 之间 的 世纪 年代 国庆 晚上 每 \x00 \ud800"
    ).split(" ")
    chance = random.Random(7)
    edges = [FRIDAY, datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)]
    for _ in range(4000):
        text = chance.choice(["", " "]).join(chance.choices(words, k=chance.randint(1, 9)))
        reference, end = chance.choice(edges), 0
        for span in find_times(text, reference, chance.choice(["past", "future"])):
            assert text[span.start : span.end] == span.text != ""
            assert span.start >= end
            assert span.begin.tzinfo is reference.tzinfo
            assert span.begin <= span.until
            assert render(span, "en") and render(span, "zh")
            end = span.end


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1 ",
        "tomorrow ",
        "明天",
        "may ",
        "1 day ",
        "三天又",
        "12/",
        "the last week of ",
        "二十",
    ],
)
def test_a_huge_text_does_not_hang(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.thread_time()
    find_times(text, FRIDAY)
    assert time.thread_time() - started < 5


def test_every_rule_has_a_pattern_that_compiles() -> None:
    rules = {rule for found in finder._rule_index().rules.values() for rule in found}
    assert len({rule.source for rule in rules}) > 80
    assert all(rule.pattern.flags & re.ASCII for rule in rules)


def test_no_rule_is_compiled_for_a_text_without_times() -> None:
    code = (
        "from datetime import UTC, datetime\n"
        "from taishi.language.when import find_times, rules\n"
        "def count(text):\n"
        "    find_times(text, datetime(2026, 1, 1, tzinfo=UTC))\n"
        "    return rules._compiled.cache_info().currsize\n"
        "print(*map(count, ['Ann likes tea', '她喜欢喝茶', 'on May 5']))\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second, third = map(int, shown.stdout.split())
    assert (first, second) == (0, 0)
    assert 0 < third < 60


@pytest.mark.parametrize(
    "piece", ["2026-", "May ", "今天", "三点半", "下周一到", "next Friday to "]
)
def test_H4_many_times_in_a_row_are_read_without_recursion(piece: str) -> None:
    assert all(span.begin <= span.until for span in find_times(piece * 600, FRIDAY))
