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
