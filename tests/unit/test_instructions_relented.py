"""What is a standing instruction, what is said of one day, and what allows it again (H8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope
from taishi.historian.fact_patterns.instructions import instruction_in

ANN = Scope(user="ann")


@pytest.mark.parametrize(
    "said",
    ["别再提大鹏了", "以后别提加班", "之后都用中文回答", "接下来请用英文", "Stop mentioning Tom"],
)
def test_H8_an_instruction(said: str) -> None:
    found = instruction_in(said)
    assert found is not None and not found.is_withdrawn


@pytest.mark.parametrize(
    "said",
    [
        "之后明天再说", "之后我们去吃饭", "接下来讲一下PPT", "以后给你带奶茶", "别再提了",
        "还是算了吧",
        "还是去吃饭吧", "还是你说得对", "别再提前下班了", "之后给你发红包", "I'll tell you later",
        "after that tell him", "okay do it",
    ],
)  # fmt: skip
def test_H8_no_instruction(said: str) -> None:
    assert instruction_in(said) is None


def told(memory: Memory, *said: str) -> str:
    for day, text in enumerate(said):
        memory.end_turn(ANN, new_info=text, sender_name="Ann", time=f"2026-06-0{day + 1} 10:00")
    memory.drain(30)
    return memory.context(ANN, said[0])


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("以后都别给我推荐奶茶了", "算了，还是给我推荐奶茶吧"),
        ("Don't recommend bubble tea anymore", "Never mind, do recommend bubble tea again"),
    ],
)
def test_H8_what_was_forbidden_is_allowed_again(
    open_memory: Callable[..., Memory], first: str, then: str
) -> None:
    memory = open_memory()
    told(memory, first, then)
    assert [fact.state for fact in memory.facts.list(ANN)] == ["superseded"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("以后都别给我推荐奶茶了", "算了，还是给我推荐书吧"),
        ("以后都用中文回答", "还是用中文回答吧"),
        ("Don't recommend bubble tea anymore", "Never mind, do recommend a book"),
    ],
)
def test_H8_something_else_allows_nothing(
    open_memory: Callable[..., Memory], first: str, then: str
) -> None:
    memory = open_memory()
    told(memory, first, then)
    assert [fact.state for fact in memory.facts.list(ANN)] == ["approved"]


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("以后叫我阿宁", "算了，还是叫我小宁吧", "小宁"),
        ("以后叫我阿宁", "我改名了，以后叫我大宁", "大宁"),
        ("叫我阿宁", "不对，叫我小宁就好", "小宁"),
        ("Call me Annie", "actually, just call me Ann", "Ann"),
        ("Call me Annie", "I changed my mind, please call me Nan", "Nan"),
        ("以后叫我阿宁", "老板叫我去开会", "阿宁"),
        ("以后叫我阿宁", "算了，还是叫我妈来吧", "阿宁"),
        ("Call me Annie", "actually, my mum will call me later", "Annie"),
        ("Call me Annie", "Actually, call me tomorrow", "Annie"),
    ],
)
def test_H8_the_last_form_of_address_holds(
    open_memory: Callable[..., Memory], first: str, then: str, now: str
) -> None:
    memory = open_memory()
    told(memory, first, then)
    asked = [
        fact.text
        for fact in memory.facts.list(ANN)
        if fact.state == "approved" and fact.data.get("category") == "instruction"
    ]
    assert len(asked) == 1 and asked[0].rstrip('"”').endswith(now)


@pytest.mark.parametrize(
    ("first", "then", "ends"),
    [
        ("别发表情包", "可以发表情包了", True),
        ("以后别提加班", "现在可以提加班了", True),
        ("Don't use emojis", "you can use emojis again", True),
        ("Stop mentioning Tom", "You can mention Tom again", True),
        ("别发表情包", "可以吃饭了", False),
        ("别发表情包", "可以发提醒了", False),
        ("以后别提加班", "可以提前下班了", False),
        ("Stop mentioning Tom", "You can mention Ben again", False),
    ],
)
def test_H8_what_may_be_done_again(
    open_memory: Callable[..., Memory], first: str, then: str, ends: bool
) -> None:
    memory = open_memory()
    told(memory, first, then)
    facts = [fact for fact in memory.facts.list(ANN) if first in fact.text]
    assert [fact.state for fact in facts] == ["superseded" if ends else "approved"]


@pytest.mark.parametrize("said", ["以后都别给我推荐奶茶了", "Don't recommend bubble tea anymore"])
def test_I2_an_instruction_stands_once_in_the_block(
    open_memory: Callable[..., Memory], said: str
) -> None:
    block = told(open_memory(), said)
    assert block.count(said[-8:]) == 1


@pytest.mark.parametrize(
    ("said", "never", "recorded"),
    [
        ("大家好，我是阿杰", "阿杰是阿杰", "“大家好，我是阿杰”"),
        ("大家好，我是阿杰，住在成都", "阿杰是阿杰", "阿杰住在成都"),
    ],
)
def test_H4_a_name_is_not_said_of_itself(
    open_memory: Callable[..., Memory], said: str, never: str, recorded: str
) -> None:
    memory = open_memory()
    memory.end_turn(ANN, new_info=said, sender_name="阿杰", time="2026-06-01 10:00")
    memory.drain(30)
    (event,) = memory.search_events(ANN, said).hits
    assert never not in event.text and recorded in event.text
