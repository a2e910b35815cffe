"""A model that remembers a statement and also ends the turn that told it: the page, the block and
the instructions are as if the turn had told it alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope, tools

ANN = Scope(user="me")
Call = tuple[str, str]


def play(memory: Memory, *calls: Call) -> None:
    for tool, text in calls:
        given = {"text": text} if tool == "remember" else {"new_info": [text]}
        tools.dispatch(memory, tool, given, ANN, turn={"sender_name": "Ann"})
        memory.drain(60)


@pytest.mark.parametrize(
    ("remembered", "told", "line"),
    [
        ("Ann is allergic to walnuts.", "I'm allergic to walnuts", "allergic to walnuts"),
        ("Ann is vegetarian.", "I'm vegetarian", "is vegetarian"),
        ("Ann lives in Cork.", "I live in Cork", "lives in Cork"),
        ("Ann对核桃过敏。", "我对核桃过敏", "对核桃过敏"),
    ],
)
def test_P5_what_a_turn_also_tells_is_on_the_page(
    open_memory: Callable[..., Memory], remembered: str, told: str, line: str
) -> None:
    memory = open_memory()
    play(memory, ("remember", remembered), ("end", told))
    page = memory.get_profile(ANN, "user", "me")
    assert page is not None and page.body.count(line) == 1
    assert len(memory.facts.list(ANN)) == 1


def test_P5_it_ends_with_the_next_turn(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    play(
        memory,
        ("remember", "Ann lives in Cork."),
        ("end", "I live in Cork"),
        ("end", "I moved to Limerick"),
    )
    page = memory.get_profile(ANN, "user", "me")
    assert page is not None and page.body.strip() == "- Ann lives in Limerick"


@pytest.mark.parametrize(
    ("instruction", "lifted", "stays"),
    [
        ("Always answer briefly.", "You don't have to answer briefly any more", ""),
        ("Call me Annie.", "Don't call me Annie any more, call me Ann", "call me Ann"),
        ("以后都用英文回答。", "不用再用英文回答了", ""),
    ],
)
def test_H8_a_remembered_instruction_is_lifted(
    open_memory: Callable[..., Memory], instruction: str, lifted: str, stays: str
) -> None:
    memory = open_memory()
    play(memory, ("remember", instruction))
    assert instruction in memory.context(ANN, "hello")
    play(memory, ("end", lifted))
    block = memory.context(ANN, "hello")
    assert f"- {instruction}" not in block
    assert stays in block


def test_H8_an_instruction_that_is_remembered_and_told_is_there_once(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    play(memory, ("remember", "Always answer briefly."), ("end", "Always answer briefly"))
    assert memory.context(ANN, "hello").count("nswer briefly") == 1


@pytest.mark.parametrize("question", ["What do you know about me?", "你还记得我什么？"])
def test_T4_a_question_about_everything_is_answered_with_what_is_newest(
    open_memory: Callable[..., Memory], question: str
) -> None:
    memory = open_memory()
    play(memory, ("remember", "Ann is vegetarian."), ("remember", "Ann plays the oboe."))
    block = memory.context(ANN, question)
    assert "vegetarian" in block and "oboe" in block
    assert memory.context(Scope(user="ben"), question) == ""
