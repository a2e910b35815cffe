"""Whether to remember (W9), and what a session was about (W8), with a model and without."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from taishi.errors import ModelError
from taishi.historian.prompt_loader import Prompts
from taishi.historian.salience import decide, decide_by_rule
from taishi.historian.summarise import SUMMARY_CHARS, summarise, summarise_by_rule
from taishi.language.token_count import estimate_tokens
from taishi.ports import Tool
from taishi.types import Message

PROMPTS = Prompts.load()
TALK = [
    Message("Good morning!", "Ann"),
    Message("I moved to Oslo and I like the trams.", "Ann", "2026-02-20T14:30:00+08:00"),
    Message("How nice.", "Mochi"),
]
HOSTILE = [
    [],
    [Message("")],
    [Message("\0\ud800\u202e", "\0"), Message("？" * 5000)],
    [Message("a" * 1_000_000, "x" * 1_000_000, float("nan"))],
    [Message("I like tea. 我喜欢茶。" * 50_000)] * 3,
]


class Stub:
    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.answer = answer
        self.asked: list[Sequence[Mapping[str, str]]] = []

    def structured(
        self, task: str, messages: Sequence[Mapping[str, str]], tool: Tool
    ) -> dict[str, Any]:
        self.asked.append(messages)
        return dict(self.answer)

    def close(self) -> None: ...


def test_W9_one_request_decides_and_says_what_to_keep() -> None:
    model = Stub(
        {"should_remember": True, "reason": "a move", "new_info": ["Ann moved to Oslo"] * 2}
    )
    found = decide(model, PROMPTS, "en", TALK)
    assert (found.should_remember, found.reason) == (True, "a move")
    assert found.new_info == ("Ann moved to Oslo",)
    assert len(model.asked) == 1
    assert '"speaker": "Mochi"' in model.asked[0][-1]["content"]


@pytest.mark.parametrize("no", [False, "false", None, 0, [], "no"])
def test_W9_no_means_no(no: Any) -> None:
    answer = {"should_remember": no, "reason": "small talk", "new_info": ["Ann moved to Oslo"]}
    found = decide(Stub(answer), PROMPTS, "en", TALK)
    assert (found.should_remember, found.new_info) == (False, ())


def test_W9_what_nobody_said_is_left_out() -> None:
    answer = {"should_remember": "true", "new_info": ["Ann moved to Paris", "Ann likes the trams"]}
    assert decide(Stub(answer), PROMPTS, "en", TALK).new_info == ("Ann likes the trams",)
    invented = {"should_remember": True, "new_info": ["Ann moved to Paris"]}
    found = decide(Stub(invented), PROMPTS, "en", TALK)
    assert found.new_info == ("I moved to Oslo and I like the trams.",)
    nothing = decide(Stub(invented), PROMPTS, "en", [Message("Good morning!", "Ann")])
    assert not nothing.should_remember


def test_W9_nothing_said_asks_no_model() -> None:
    model = Stub({"should_remember": True})
    assert not decide(model, PROMPTS, "en", [Message(" ")]).should_remember
    assert model.asked == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer trains to planes.", "preference"),
        ("我最爱吃辣。", "preference"),
        ("My name is Ann.", "fact"),
        ("我住在上海。", "fact"),
        ("I have an appointment at the dentist.", "appointment"),
        ("我们约好三点见面。", "appointment"),
        ("We are going to Bergen.", "plan"),
        ("我打算学挪威语。", "plan"),
        ("My sister is a nurse there.", "relationship"),
        ("我老婆是医生。", "relationship"),
    ],
)
def test_W9_by_rule(text: str, kind: str) -> None:
    found = decide_by_rule([Message("Hello!"), Message(text, "Ann"), Message("ok")])
    assert found.should_remember and kind in found.reason
    assert found.new_info == (text,)


@pytest.mark.parametrize(
    "text", ["Hello!", "哈哈哈哈", "What do you like?", "你喜欢什么？", "The sky is blue.", "好的"]
)
def test_W9_by_rule_small_talk_is_not_kept(text: str) -> None:
    assert not decide_by_rule([Message(text, "Ann")]).should_remember


@pytest.mark.parametrize("messages", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_talk_is_bounded(messages: list[Message]) -> None:
    begin = time.thread_time()
    found = decide_by_rule(messages)
    assert len(found.new_info) <= 8 and all(len(item) <= 400 for item in found.new_info)
    short = summarise_by_rule(messages, "before " * 5000)
    assert len(short) <= SUMMARY_CHARS
    short.encode()
    model = Stub({"summary": "Ann spoke.", "should_remember": False})
    summarise(model, PROMPTS, "zh", messages, "before " * 500_000)
    decide(model, PROMPTS, "zh", messages)
    for asked in model.asked:
        assert sum(estimate_tokens(message["content"]) for message in asked) < 12_000
    assert time.thread_time() - begin < 10


def test_W8_a_summary_by_a_model() -> None:
    model = Stub({"summary": " Ann moved to Oslo. "})
    assert summarise(model, PROMPTS, "en", TALK, "Ann greeted.") == "Ann moved to Oslo."
    assert '"previous": "Ann greeted."' in model.asked[0][-1]["content"]
    assert summarise(model, PROMPTS, "en", [], "Ann greeted.") == "Ann greeted."
    assert len(model.asked) == 1


def test_W8_an_empty_summary_is_an_error_and_a_long_one_is_cut() -> None:
    with pytest.raises(ModelError, match="empty summary"):
        summarise(Stub({"summary": ["?"]}), PROMPTS, "en", TALK)
    long = summarise(Stub({"summary": "Ann spoke. " * 500}), PROMPTS, "en", TALK)
    assert len(long) <= SUMMARY_CHARS and long.endswith("Ann spoke.")


def test_W8_by_rule_keeps_people_decisions_and_times() -> None:
    chat = [Message(f"Small talk number {word}", "Bob") for word in "abcdefghijklmnopqrst"]
    chat.insert(9, Message("We decided to meet at 18:30 on 2026-03-01.", "Ann"))
    short = summarise_by_rule(chat, "Before that, Ann arrived.")
    assert short.startswith("Before that, Ann arrived.\nPeople: Bob, Ann")
    assert "Ann: We decided to meet at 18:30 on 2026-03-01." in short
    assert len(short) <= SUMMARY_CHARS
    assert summarise_by_rule([Message("我们决定周五出发。", "安")]) == (
        "参与者：安\n安: 我们决定周五出发。"
    )


def test_W8_the_prompt_has_local_dates_with_their_weekday_and_now() -> None:
    talk = [Message("I leave tomorrow", "Ann", 1771569000.0)]
    model = Stub({"summary": "Ann leaves on 2026-02-21."})
    now = datetime(2026, 2, 23, 9, 5, tzinfo=ZoneInfo("Asia/Shanghai"))
    assert summarise(model, PROMPTS, "en", talk, "", now) == "Ann leaves on 2026-02-21."
    told = model.asked[0][-1]["content"]
    assert '"time": "2026-02-20 14:30 Friday"' in told
    assert '"now": "2026-02-23 09:05 Monday"' in told
    assert len(model.asked) == 1


def test_W8_a_summary_is_held_to_what_was_said() -> None:
    made_up = {"summary": "Ann moved to Oslo. Ann married Carl in Bergen."}
    model = Stub(made_up)
    assert summarise(model, PROMPTS, "en", TALK) == "Ann moved to Oslo."
    assert len(model.asked) == 2 and '"Bergen"' in model.asked[1][-1]["content"]
    nothing = Stub({"summary": "Carl married Dora in Bergen."})
    assert summarise(nothing, PROMPTS, "en", TALK) == summarise_by_rule(TALK)


@pytest.mark.parametrize("said", ["Always answer in Chinese.", "以后都用中文回答我"])
def test_H8_a_standing_instruction_is_worth_keeping(said: str) -> None:
    decided = decide_by_rule([Message(said, "Ann")])
    assert decided.should_remember and decided.new_info == (said,)
