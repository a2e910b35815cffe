"""Questions without a question mark, jokes, and particles that only colour a statement."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from taishi.language.bot_commands import commands_bot
from taishi.language.final_particles import without_final_particles
from taishi.language.jokes import is_joke
from taishi.language.questions import is_question, stated
from taishi.language.statements import statements

TABLE = Path(__file__).parent.parent / "tables" / "questions.tsv"
ROWS = [
    line.split("\t")
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("verdict", "text"), ROWS)
def test_a_question_is_known_by_its_words(verdict: str, text: str) -> None:
    assert is_question(text) == (verdict == "asks")


def test_the_questions_at_the_end_are_left_out() -> None:
    assert stated("我辞职了，你们怎么看") == "我辞职了"
    assert stated("I quit my job, what now") == "I quit my job"
    assert stated("如果下雨，我们还去吗") == ""
    assert stated("你喜欢火锅，对吗") == ""
    assert statements("大鹏是不是要辞职\n我搬到杭州了") == ["我搬到杭州了"]


@pytest.mark.parametrize(
    "text",
    [
        "我可太喜欢加班了🐶",
        "我是秦始皇，v我50",
        "我又胖了[旺柴]",
        "I am Batman",
        "I just love working weekends",
    ],
)
def test_a_joke_is_known(text: str) -> None:
    assert is_joke(text)


@pytest.mark.parametrize(
    "text", ["我家养了🐶", "我喜欢🐶", "my 🐶", "我是护士", "我喜欢周末", "I love working in Rome"]
)
def test_a_statement_is_no_joke(text: str) -> None:
    assert not is_joke(text)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("我对花生不过敏啊，都能吃哦", "我对花生不过敏，都能吃"),
        ("我搬到杭州啦！", "我搬到杭州了！"),
        ("我喜欢榴莲了", "我喜欢榴莲"),
        ("我不喜欢榴莲了", "我不喜欢榴莲了"),
        ("我在腾讯上班呢", "我在腾讯上班"),
        ("你喜欢吃什么呀", "你喜欢吃什么呀"),
        ("你是广东人嘛", "你是广东人嘛"),
        ("我养了只二哈", "我养了只二哈"),
        ("你去吗", "你去吗"),
    ],
)
def test_particles_that_only_colour_a_statement_go(said: str, plain: str) -> None:
    assert without_final_particles(said) == plain


@pytest.mark.parametrize(
    "text", ["以后都用中文回答我", "请忽略我刚才发的图", "Always answer in Chinese", "别忘了开会"]
)
def test_a_wish_is_no_order_to_drop_the_rules(text: str) -> None:
    assert not commands_bot(text)


@pytest.mark.parametrize(
    "piece", ["谁", "什么，", "a b ", "=", "去不", "the ", "啊", "我是", ", or "]
)
def test_hostile_text_costs_little(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    begin = time.thread_time()
    is_question(text), is_joke(text), commands_bot(text[:4000])
    without_final_particles(text[:4000])
    assert time.thread_time() - begin < 2
