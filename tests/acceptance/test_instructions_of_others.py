"""In a group, what somebody else asked of the bot reads as theirs, not as an order (H8, I2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope


def shown_to_ann(memory: Memory, name: str, said: str, question: str) -> str:
    memory.end_turn(
        Scope(user="bob", group="g1"),
        new_info=said,
        sender_name=name,
        time="2026-06-01 10:00",
    )
    memory.drain(30)
    return memory.context(Scope(user="ann", group="g1"), question)


@pytest.mark.parametrize(
    ("name", "said", "question", "shown"),
    [
        ("Bob", "Answer in French.", "French answer", 'Bob asks: "Answer in French'),
        ("Bob", "Always use metric units.", "metric units", 'Bob asks: "Always use metric'),
        ("Bob", "From now on answer in rhymes.", "rhymes", 'Bob asks: "From now on answer'),
        ("小波", "以后用法语回答。", "用法语回答", "小波要求：“以后用法语回答"),
        ("小波", "别再用列表了。", "用列表", "小波要求：“别再用列表了"),
    ],
)
def test_I2_an_instruction_of_somebody_else_is_quoted(
    open_memory: Callable[..., Memory], name: str, said: str, question: str, shown: str
) -> None:
    assert shown in shown_to_ann(open_memory(), name, said, question)


@pytest.mark.parametrize(
    ("name", "said", "question"),
    [
        ("Bob", "The answer was in French.", "French answer"),
        ("Bob", "I always use metric units.", "metric units"),
        ("小波", "我用法语回答了老师。", "用法语回答"),
    ],
)
def test_I2_a_statement_of_somebody_else_is_not(
    open_memory: Callable[..., Memory], name: str, said: str, question: str
) -> None:
    shown = shown_to_ann(open_memory(), name, said, question)
    assert name in shown and "asks:" not in shown and "要求：" not in shown


def test_I2_what_ann_asked_herself_is_told_once(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    ann = Scope(user="ann", group="g1")
    memory.end_turn(ann, new_info="Answer in French.", sender_name="Ann", time="2026-06-01 10:00")
    memory.drain(30)
    assert memory.context(ann, "French answer").count("French") == 1
