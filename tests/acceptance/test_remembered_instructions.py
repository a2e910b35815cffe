"""What the tool `remember` is told of a person's wishes is a standing instruction (H8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope, tools
from taishi.historian.fact_patterns.instructions import instruction_in

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


ASKED_OF_THE_BOT = [
    "The user wants me to answer in British English.",
    "Ann wants answers in Chinese.",
    "Ann prefers answers in plain English.",
    "Ann wants commit messages in the imperative.",
    "Ann wants her commit messages in the present tense and under 50 characters.",
    "Ann wants code comments in English.",
    "Ann would like me to keep answers under five lines.",
    "Ann would like PR descriptions as bullet points.",
    "Ann wants short answers.",
    "Ann wants no emojis in replies.",
    "I want answers in Chinese.",
    "The user asked me to limit answers to five lines.",
    "The user wants all answers in Dutch.",
    "Ann希望我回答不超过五行。",
    "用户希望提交信息用英文。",
    "用户希望用英文写提交信息。",
    "用户要求代码注释用英文。",
    "用户希望变量名用下划线命名法。",
    "用户喜欢回答简短。",
    "小林希望回答不带表情。",
    "用户希望我用英式英语回答",
]
NOT_ASKED_OF_THE_BOT = [
    "Ann wants answers.",
    "Ann wants answers in the survey by Friday.",
    "Ann wants an answer in Chinese by Monday.",
    "Ann wants the answers in Chinese.",
    "Ann wants books in Chinese.",
    "Ann wants her reports in English.",
    "Ann wants short hair.",
    "Ann likes short answers from her students.",
    "Ann wants me to write a summary of the report in Chinese.",
    "Ann would like me to book a table under the trees.",
    "Ann expects replies from the customers in English.",
    "He wants answers in Chinese.",
    "The boss wants short answers.",
    "用户希望尽快得到答案。",
    "用户喜欢用中文写日记。",
    "用户希望孩子用英文回答老师。",
    "用户要用代码换奖品",
    "用户想让我写一份中文总结",
    "老板希望回答用中文",
]


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [(text, True) for text in ASKED_OF_THE_BOT] + [(text, False) for text in NOT_ASKED_OF_THE_BOT],
)
def test_H8_how_a_bot_is_to_write_is_an_instruction(
    memory: Memory, text: str, is_asked: bool
) -> None:
    id = memory.remember(ANN, text, kind="fact", actor="model")
    assert id.startswith("instruction-") is is_asked


@pytest.mark.parametrize(
    ("said", "of_ann", "of_bob"),
    [
        ("I live in Cork.", "Ann wants answers in Chinese.", "Bob wants answers in Chinese."),
        ("我住在青岛。", "Ann希望回答用中文", "小李希望回答用中文"),
    ],
)
def test_H8_who_wants_it_is_the_user_by_a_name_they_go_by(
    memory: Memory, said: str, of_ann: str, of_bob: str
) -> None:
    memory.end_turn(ANN, new_info=said, sender_name="Ann")
    memory.drain(20)
    kept = [memory.remember(ANN, text, kind="fact", actor="model") for text in (of_ann, of_bob)]
    assert [id.startswith("instruction-") for id in kept] == [True, False]


DISPUTED = [
    ("Always answer in Chinese.", "Always answer in English.", "English"),
    ("Always answer in Chinese.", "The user wants me to answer in English.", "English"),
    ("Ann wants short answers.", "Ann wants long, detailed answers.", "long"),
    ("以后都用中文回答", "用户希望我用英文回答", "英文"),
]


@pytest.mark.parametrize(("first", "second", "word"), DISPUTED)
def test_H8_a_disputed_one_says_so_until_it_is_settled(
    memory: Memory, first: str, second: str, word: str
) -> None:
    old = memory.remember(ANN, first, kind="fact", actor="model")
    answer = tools.call(memory, "remember", {"text": second}, ANN)
    assert answer.data["state"] == "waiting" and answer.data["close_to"] == [old]
    shown = told_to_do(memory)
    assert word in shown and ("disputed, undecided" in shown or "有争议" in shown)
    tools.dispatch(memory, "correct", {"id": old, "text": second}, ANN, names=["correct"])
    assert not memory.facts.conflicts(ANN)
    shown = told_to_do(memory)
    assert word in shown and "disputed" not in shown and "有争议" not in shown


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("以后请用中文回答我。", "The user wants me to answer in English."),
        ("From now on answer in English.", "用户希望我用中文回答"),
    ],
)
def test_H8_what_a_model_keeps_does_not_end_what_was_said(
    memory: Memory, said: str, kept: str
) -> None:
    memory.end_turn(ANN, new_info=said, sender_name="Ann")
    memory.drain(20)
    assert tools.call(memory, "remember", {"text": kept}, ANN).data["state"] == "waiting"
    shown = told_to_do(memory)
    assert "disputed" in shown or "有争议" in shown
    assert len(memory.facts.conflicts(ANN)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Always answer in Chinese.", "Always write code comments in English."),
        ("Ann wants short answers.", "Ann wants detailed commit messages."),
        ("以后都用中文回答。", "以后代码注释都用英文。"),
    ],
)
def test_H8_one_kind_of_text_is_another_matter_than_another(
    memory: Memory, first: str, second: str
) -> None:
    for text in (first, second):
        tools.dispatch(memory, "remember", {"text": text}, ANN)
    assert len(memory.facts.list(ANN, ["approved"])) == 2 and not memory.facts.conflicts(ANN)
    bob = Scope(user="bob")
    for text in (first, second):
        memory.end_turn(bob, new_info=text.replace("Ann wants", "I want"), sender_name="Bob")
        memory.drain(20)
    assert not memory.facts.list(bob, ["superseded"])


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        ("Always write commits in English", ("language of commit messages",)),
        ("以后PR描述都用英文", ("language of pull requests",)),
        ("Switch back to prose please", ("format",)),
        ("Always answer in Chinese, but keep code in English", ("language",)),
    ],
)
def test_H8_the_text_that_is_named_is_that_of_the_topic(words: str, topics: tuple[str]) -> None:
    found = instruction_in(words)
    assert found is not None and found.topics == topics
