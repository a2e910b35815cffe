"""CQ codes and mentions around what somebody says."""

from __future__ import annotations

import pytest

from taishi.historian.fact_patterns import facts_by_rule
from taishi.language.chat_markup import without_address, without_codes
from taishi.types import Job


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("[CQ:at,qq=123456] 我喜欢火锅", "@123456 我喜欢火锅"),
        ("[CQ:at,qq=1,name=阿强]我喜欢火锅", "@阿强 我喜欢火锅"),
        ("[CQ:reply,id=99]我住成都[CQ:face,id=12]", "我住成都"),
        ("[CQ:image,file=abc.jpg,url=https://a/b?c=[1]", ""),
        ("看 `[CQ:face,id=1]` 这段", "看 `[CQ:face,id=1]` 这段"),
        ("[CQ: 不是]", "[CQ: 不是]"),
        ("no codes here", "no codes here"),
    ],
)
def test_W2_codes_are_left_out(text: str, plain: str) -> None:
    assert without_codes(text) == plain


@pytest.mark.parametrize(
    ("text", "bot", "said"),
    [
        ("@小助手 我喜欢火锅", "小助手", "我喜欢火锅"),
        ("@小助手我喜欢火锅", "小助手", "我喜欢火锅"),
        ("小助手，我的猫叫咪咪", "小助手", "我的猫叫咪咪"),
        ("小助手的猫叫咪咪", "小助手", "小助手的猫叫咪咪"),
        ("@bot I like ramen", "bot", "I like ramen"),
        ("bottles are nice", "bot", "bottles are nice"),
        ("bot: I like ramen", "bot", "bot: I like ramen"),
        ("@Ann @Bob I like ramen", None, "I like ramen"),
        ("@小助手", "小助手", "@小助手"),
        ("mail me@home.org", None, "mail me@home.org"),
    ],
)
def test_H4_whom_it_is_said_to_is_no_part_of_it(text: str, bot: str | None, said: str) -> None:
    assert without_address(text, bot) == said


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("@小助手 我喜欢吃火锅", ["小雨喜欢吃火锅"]),
        ("小助手 我的猫叫咪咪", ["小雨的猫叫咪咪"]),
        ("@123456 我住成都", ["小雨住在成都"]),
        ("@小助手 你喜欢吃火锅", []),
        ("小助手 帮我翻译：我住成都", []),
        ("小助手: 我住成都\n小雨: 我也住成都", []),
    ],
)
def test_H4_facts_are_learned_from_what_is_said_to_the_bot(said: str, facts: list[str]) -> None:
    job = Job(
        request_id="r", end_seq=1, action_summary="", new_info=(said,), timestamp_utc="",
        timestamp_local="", timezone="Asia/Shanghai", epoch=1.78e9, workspace="default",
        request_type="group", user_id="k6", group_id="g1", sender_name="小雨", bot_name="小助手",
        source_message=said, recent_messages=({"speaker": "小雨", "text": said},),
    )  # fmt: skip
    assert [fact.content for fact in facts_by_rule(job)] == facts
