"""前 and 后 may belong to what stands before them, not to 天, 晚 or 年 (H4: precision first)."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from taishi.language.rewriter import RewriteContext, rewrite

SUNDAY = datetime(2026, 6, 7, 15, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
TUESDAY = datetime(2026, 6, 2, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


def rewritten(text: str, reference: datetime = SUNDAY) -> tuple[str, bool]:
    result = rewrite(text, RewriteContext(reference, "阿杰"))
    return result.text, result.is_absolute


@pytest.mark.parametrize(
    "text",
    [
        "以后晚上十一点以后别发消息",
        "以后晚上不加班了",
        "以后晚饭不吃了",
        "以前晚上不睡觉",
        "三点以前晚到了",
        "雨后天晴了",
        "饭后天天散步",
    ],
)
def test_H4_afterwards_is_no_evening(text: str) -> None:
    assert rewritten(text) == (text, True)


@pytest.mark.parametrize(
    "text",
    [
        "下班后晚上带娃",
        "睡觉前晚上喝杯牛奶",
        "春节前天天加班",
        "国庆后天天健身",
        "婚后天天做饭",
        "下班后天都黑了",
        "会前天气不好",
        "离职前年终奖没发",
        "毕业前年年拿奖学金",
        "开完会后天快亮了",
        "放假前天天盼着",
        "考试前晚上睡不着",
        "上海后天气温下降",
    ],
)
def test_H4_after_an_event_the_words_stay_and_are_marked(text: str) -> None:
    assert rewritten(text) == (text, False)


def test_H4_a_month_before_does_not_make_a_year() -> None:
    assert rewritten("我上个月前年假用完了") == ("阿杰2026年5月前年假用完了", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我前天买了车", "阿杰2026年6月5日买了车"),
        ("我前天天气不好没出门", "阿杰2026年6月5日天气不好没出门"),
        ("小雨后天去北京", "小雨2026年6月9日去北京"),
        ("小雨前年去了日本", "小雨2024年去了日本"),
        ("我后天晚上有空", "阿杰2026年6月9日晚上有空"),
        ("老板说后天开会", "老板说2026年6月9日开会"),
        ("后年我大学毕业", "2028年阿杰大学毕业"),
        ("明天后天都行", "2026年6月8日、2026年6月9日都行"),
        ("我昨天和前天都没吃", "阿杰2026年6月6日和2026年6月5日都没吃"),
    ],
)
def test_H4_where_nothing_stands_before_it_is_a_day(text: str, expected: str) -> None:
    assert rewritten(text) == (expected, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我昨晚上没睡好", "阿杰2026年6月6日晚上没睡好"),
        ("我前晚上没睡", "阿杰2026年6月5日晚上没睡"),
        ("我明早上去跑步", "阿杰2026年6月8日上午去跑步"),
        ("我今晚上班", "阿杰2026年6月7日晚上上班"),
        ("我昨晚上网到三点", "阿杰2026年6月6日晚上上网到三点"),
        ("今早上班迟到了", "2026年6月7日上午上班迟到了"),
    ],
)
def test_H4_the_evening_ends_where_its_word_ends(text: str, expected: str) -> None:
    assert rewritten(text)[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "周六改成周日了",
        "聚会从周五改到周六了",
        "例会从周三调到周四了",
        "周二的面试推迟到周四了",
        "Saturday's rehearsal was moved to Sunday",
    ],
)
def test_H4_a_day_that_was_moved_is_not_one_that_is_over(text: str) -> None:
    assert rewritten(text, TUESDAY) == (text, False)


def test_H4_where_it_was_moved_to_is_read() -> None:
    assert rewritten("约会改到周五", TUESDAY) == ("约会改到2026年6月5日", True)
