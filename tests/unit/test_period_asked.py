"""Questions that name a period and no matter, and those that name one (Q1)."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from taishi.recall.period_questions import period_asked
from taishi.times import to_epoch

NOW = datetime.fromisoformat("2026-03-18T15:00:00+00:00")


def day(text: str) -> float:
    return to_epoch(f"{text}T00:00:00+00:00", UTC)


@pytest.mark.parametrize(
    "text, begin, until",
    [
        ("What did I tell you last week?", "2026-03-09", "2026-03-16"),
        ("what have we talked about yesterday", "2026-03-17", "2026-03-18"),
        ("Anything from March 3?", "2026-03-03", "2026-03-04"),
        ("Show me everything I said yesterday, please.", "2026-03-17", "2026-03-18"),
        ("Summarize our conversations of last month", "2026-02-01", "2026-03-01"),
        ("What happened yesterday?", "2026-03-17", "2026-03-18"),
        ("Do you remember what I told you yesterday?", "2026-03-17", "2026-03-18"),
        ("我上周跟你说了什么？", "2026-03-09", "2026-03-16"),
        ("昨天聊了些什么", "2026-03-17", "2026-03-18"),
        ("我们上个月都谈过哪些事情？", "2026-02-01", "2026-03-01"),
        ("总结一下昨天的内容", "2026-03-17", "2026-03-18"),
        ("你还记得我昨天说的吗", "2026-03-17", "2026-03-18"),
        ("昨天发生了什么", "2026-03-17", "2026-03-18"),
    ],
)
def test_the_period_is_all_that_is_asked(text: str, begin: str, until: str) -> None:
    found = period_asked(text, NOW)
    assert found is not None
    assert (found.begin, found.until) == (day(begin), day(until))


@pytest.mark.parametrize(
    "text",
    [
        "What did I tell you about the boiler last week?",
        "Where was I last week?",
        "Who called me yesterday?",
        "What did I eat yesterday?",
        "I told you everything last week.",
        "What will happen next week?",
        "What did I tell you?",
        "What is a week?",
        "last week",
        "Did we talk about Rome last week?",
        "What did I say between Monday and the trip last year?",
        "我上周去了哪里？",
        "上周谁给我打的电话？",
        "我上周跟你说的锅炉怎么样了？",
        "下周会发生什么？",
        "我说过什么？",
        "上周",
        "我昨天什么都说了。",
        "昨天我吃了什么？",
        "",
    ],
)
def test_a_question_that_names_a_matter_is_searched_for(text: str) -> None:
    assert period_asked(text, NOW) is None


@pytest.mark.parametrize(
    "text", ["", "everything", "What did I tell you?", "我说了什么", "所有内容"]
)
def test_with_limits_the_words_need_no_period(text: str) -> None:
    found = period_asked(text, NOW, 100.0, 200.0)
    assert found is not None
    assert (found.begin, found.until) == (100.0, 200.0)


@pytest.mark.parametrize("text", ["boiler", "锅炉", "where do I live", "我住在哪里"])
def test_with_limits_other_words_are_searched_for(text: str) -> None:
    assert period_asked(text, NOW, 100.0, 200.0) is None


def test_a_long_text_takes_no_time() -> None:
    started = time.perf_counter()
    assert period_asked("what did we say yesterday " * 4000, NOW) is None
    assert time.perf_counter() - started < 0.1
