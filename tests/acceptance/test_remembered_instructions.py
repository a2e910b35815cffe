"""What the tool `remember` is told of a person's wishes is a standing instruction (H8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope, tools

ANN = Scope(user="ann")
SECTIONS = ("Standing instructions:", "长期指示：")


def remember(memory: Memory, text: str, scope: Scope = ANN) -> str:
    return tools.dispatch(memory, "remember", {"text": text}, scope)


def told_to_do(memory: Memory, scope: Scope = ANN) -> str:
    """The section of standing instructions for a question that has nothing to do with them."""
    block = memory.context(scope, "what is the weather like?", deadline=5)
    return next((block.partition(one)[2] for one in SECTIONS if one in block), "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Always run the tests before you commit.", "commit"),
        ("Never push to main without asking me", "main"),
        ("Always answer in Chinese.", "Chinese"),
        ("The user wants me to run the linter before pushing.", "linter"),
        ("Ann asked me not to push to main.", "main"),
        ('The user asks: "never deploy on a Friday"', "Friday"),
        ("提交前一定要先跑测试", "测试"),
        ("没问过我不要推到 main", "main"),
        ("用户要求我合并之前先跑测试", "测试"),
        ("以后都用中文回答", "中文"),
    ],
)
def test_H8_it_stands_at_the_head_of_every_block(
    open_memory: Callable[..., Memory], text: str, word: str
) -> None:
    memory = open_memory()
    answer = remember(memory, text)
    assert "standing instruction" in answer or "长期指示" in answer
    assert word in told_to_do(memory)
    listed = tools.dispatch(memory, "list_memories", {}, ANN, names=["list_memories"])
    assert "(standing instruction, id instruction-" in listed


@pytest.mark.parametrize(
    "text",
    [
        "Ann wants to run a marathon.",
        "Ann always runs the tests before she commits.",
        "The team never pushes to main.",
        "The user asked me about the tests.",
        "The deploy runs before every release.",
        "Ann told me to run the tests, and they failed. Never again.",
        "小安想跑马拉松",
        "小安提交前都会跑测试",
        "用户让我看了测试结果",
        "这个项目从不在周五部署",
    ],
)
def test_H8_a_statement_stays_a_fact(open_memory: Callable[..., Memory], text: str) -> None:
    memory = open_memory()
    answer = remember(memory, text)
    assert "standing" not in answer and "长期指示" not in answer
    assert not told_to_do(memory)


def test_H8_it_is_of_whoever_it_was_kept_for(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    remember(memory, "Always run the tests before you commit.", Scope(user="ann", group="g"))
    assert "commit" in told_to_do(memory, Scope(user="ann", group="g"))
    assert "commit" not in told_to_do(memory, Scope(user="bob", group="g"))


def test_H8_it_can_be_corrected_and_forgotten(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    remember(memory, "Always run the tests before you commit.")
    id = memory.facts.list(ANN, ["approved"])[0].id
    changed = {"id": id, "text": "Always run the linter before you commit."}
    tools.dispatch(memory, "correct", changed, ANN, names=["correct"])
    assert "linter" in told_to_do(memory) and "the tests" not in told_to_do(memory)
    id = memory.facts.list(ANN, ["approved"])[0].id
    tools.dispatch(memory, "forget", {"id": id}, ANN, names=["forget"])
    assert "linter" not in told_to_do(memory)
