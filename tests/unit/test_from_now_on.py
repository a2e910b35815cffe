"""A day that holds from now on is no date: 以后改成周六, "from now on we meet on Friday" (H4)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.hostile import job_of

from taishi.historian import rule_writer
from taishi.historian.salience import decide_by_rule
from taishi.types import Job, Message


def of(text: str) -> Job:
    name = "Ann" if text.isascii() else "阿强"
    return replace(job_of(text), sender_name=name, recent_messages=())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("以后改成周日钓鱼", "以后改成周日钓鱼"),
        ("改了，以后改成周日钓鱼", "以后改成周日钓鱼"),
        ("改了，以后每周日钓", "以后每周日钓"),
        ("以后周日去钓鱼", "以后周日去钓鱼"),
        ("我以后周日去钓鱼", "阿强以后周日去钓鱼"),
        ("以后都周日钓鱼", "以后都周日钓鱼"),
        ("以后钓鱼改到周日", "以后钓鱼改到周日"),
        ("从下周起改成周日钓鱼", "改成周日钓鱼"),
        ("以后改成晚上八点开会", "以后改成晚上八点开会"),
        ("From now on, the club meets on Friday", "the club meets on Friday"),
        ("from now on I swim on Sunday", "swims on Sunday"),
        ("I'll swim on Sunday from now on", "will swim on Sunday"),
        ("In future the club meets on Friday", "the club meets on Friday"),
    ],
)
def test_H4_what_holds_from_now_on_stays_a_habit(text: str, said: str) -> None:
    draft = rule_writer.write(of(text))
    assert said in draft.canonical_text and draft.is_absolute
    assert not any(fact.category == "instruction" for fact in draft.facts)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("改成周日钓鱼", "2026年3月22日"),
        ("钓鱼改到周日", "2026年3月22日"),
        ("下班以后周日见", "2026年3月22日"),
        ("毕业以后，周日我来", "2026年3月22日"),
        ("We moved the match to Sunday", "2026-03-22"),
        ("from now on until Sunday I am busy", "2026-03-22"),
    ],
)
def test_H4_one_day_is_a_date(text: str, day: str) -> None:
    assert day in rule_writer.write(of(text)).canonical_text


def test_H4_from_now_on_says_from_which_day() -> None:
    draft = rule_writer.write(of("From now on I swim on Sundays"))
    assert "From 2026-03-18 on Ann swims on Sundays" in draft.canonical_text and draft.is_absolute


@pytest.mark.parametrize(
    "text", ["以后改成周日钓鱼", "改了，以后每周日钓", "From now on we meet on Fridays instead"]
)
def test_W9_a_new_habit_is_kept(text: str) -> None:
    assert decide_by_rule([Message(text, of(text).sender_name)]).new_info == (text,)


@pytest.mark.parametrize("text", ["以后提醒改成每周日发", "以后都用中文回答"])
def test_H4_an_instruction_stays_one(text: str) -> None:
    assert [fact.category for fact in rule_writer.write(of(text)).facts] == ["instruction"]
