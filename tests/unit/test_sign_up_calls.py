"""A call to sign up beside a plan takes nothing from the plan (W9)."""

from __future__ import annotations

import time

import pytest

from taishi.historian.salience import decide_by_rule
from taishi.language.sign_up_calls import without_calls
from taishi.types import Message


def kept(text: str) -> tuple[str, ...]:
    return decide_by_rule([Message(text, "陈屿")]).new_info


@pytest.mark.parametrize(
    "text",
    [
        "这周五晚上七点半夜骑去滨江，老地方集合，能来的吱一声",
        "明天上午九点开评审会，能来的吱一声",
        "周六下午三点羽毛球，来的扣1",
        "周六下午三点羽毛球，能来的举手",
        "周六下午三点羽毛球，想打的+1",
        "周六下午三点羽毛球，能来的说一声",
        "周六下午三点羽毛球，能来的报名",
        "周六下午三点羽毛球，要来的接龙",
        "周六下午三点羽毛球 来的扣1",
        "周六下午三点羽毛球，能来的吱一声，带球拍",
        "能来的吱一声，周六下午三点羽毛球",
        "周六下午三点羽毛球，一起来吧",
        "今晚七点火锅，要去的找我报名",
        "明晚八点开黑，缺一个，想来的滴滴我",
        "这周五晚上夜骑，能来的吱一声哈",
        "Badminton on Saturday afternoon, shout if you're in",
        "Night ride on Friday, +1 if you can make it",
        "We're doing a barbecue this Saturday, let me know if you want to come",
        "Quiz on Thursday evening - anyone who wants to come, ping me",
    ],
)
def test_W9_a_plan_with_a_call_to_sign_up_is_kept(text: str) -> None:
    assert kept(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "能来的吱一声",
        "要来的接龙",
        "明天来的扣1",
        "周六谁去的说一声",
        "昨天没来的说一声",
        "明天一起吃饭吧",
        "明天要是不下雨就去爬山，能来的吱一声",
        "Shout if you want pizza tomorrow",
        "Let me know if Saturday works",
        "If it doesn't rain, badminton on Saturday, shout if you're in",
    ],
)
def test_W9_a_call_without_a_plan_is_not_kept(text: str) -> None:
    assert kept(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "我周六去报名",
        "我周三收到回复",
        "周五下午三点回来的车",
        "明天能来的人不多",
        "Reply by Friday noon",
    ],
)
def test_what_only_resembles_a_call_stays(text: str) -> None:
    assert without_calls(text) == text


@pytest.mark.parametrize(
    "piece", ["来的", "能来的请都就", "，来", "吱一声哈", "- so ", ", anyone who a"]
)
def test_calls_are_found_in_linear_time(piece: str) -> None:
    start = time.perf_counter()
    without_calls(piece * 20_000)
    assert time.perf_counter() - start < 5
