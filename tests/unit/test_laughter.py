"""Laughter and faces after a statement are punctuation in a chat: the statement counts without
them, where it is not one that people exaggerate (W9, H4)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.hostile import job_of

from taishi.historian.fact_patterns import facts_by_rule
from taishi.historian.salience import decide_by_rule
from taishi.language.laughter import laughs, without_laughter
from taishi.types import Message


def learned(text: str) -> list[str]:
    name = "Ann" if text.isascii() or "I" in text else "阿强"
    job = replace(job_of(text), sender_name=name, recent_messages=())
    return [fact.content for fact in facts_by_rule(job)]


def kept(text: str) -> tuple[str, ...]:
    return decide_by_rule([Message(text, "阿强")]).new_info


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我不喝咖啡哈哈", "阿强不喝咖啡"),
        ("我不喝咖啡，集合别再请我喝星巴克了哈哈", "阿强不喝咖啡"),
        ("我不喝酒哈哈哈", "阿强不喝酒"),
        ("我对花生过敏哈哈", "阿强对花生过敏"),
        ("我对花生过敏hhh", "阿强对花生过敏"),
        ("我不吃香菜😂", "阿强不吃香菜"),
        ("我不吃香菜哈哈哈😂😂", "阿强不吃香菜"),
        ("我不吃辣嘿嘿", "阿强不吃辣"),
        ("我不吃辣[笑哭]", "阿强不吃辣"),
        ("我不能喝牛奶，一喝就拉肚子哈哈", "阿强不能喝牛奶"),
        ("我不喝酒了，哈哈，戒了", "阿强不喝酒了"),
        ("我不吃辣的哈", "阿强不吃辣的"),
        ("我对芒果过敏哈，别点", "阿强对芒果过敏"),
        ("我对花生过敏😭", "阿强对花生过敏"),
        ("I don't drink coffee haha", "Ann doesn't drink coffee"),
        ("I'm allergic to peanuts lol", "Ann is allergic to peanuts"),
        ("I'm allergic to peanuts, lol", "Ann is allergic to peanuts"),
        ("I don't eat cilantro 😂", "Ann doesn't eat cilantro"),
        ("I don't eat meat lol, so no burgers for me", "Ann doesn't eat meat"),
        ("I'm vegetarian hahaha", "Ann is vegetarian"),
        ("I'm allergic to peanuts 😭", "Ann is allergic to peanuts"),
    ],
)
def test_H4_a_laugh_after_a_statement_costs_no_fact_and_is_not_in_it(text: str, fact: str) -> None:
    assert learned(text) == [fact]
    assert kept(text) == (text,)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我喜欢喝娃哈哈", "阿强喜欢喝娃哈哈"),
        ("我的狗叫哈哈", "阿强的狗叫哈哈"),
        ("我养了只二哈", "阿强养了只二哈"),
        ("My dog is called Lol", "Ann's dog is called Lol"),
    ],
)
def test_H4_a_name_may_sound_like_a_laugh(text: str, fact: str) -> None:
    assert learned(text) == [fact]
    assert not laughs(text)


@pytest.mark.parametrize(
    "text",
    [
        "我今年18岁哈哈",
        "我老公是彭于晏哈哈哈",
        "我喜欢加班哈哈",
        "我从来不喝酒哈哈",
        "我对上班过敏哈哈",
        "老丁对花生过敏哈哈",
        "我住在公司哈哈",
        "叫我女王哈哈",
        "I'm 21 lol",
        "I live in the kitchen lol",
        "I love Mondays haha",
        "I never drink lol",
        "I'm allergic to Mondays haha",
        "Bob is allergic to nuts lol",
    ],
)
def test_H4_what_people_exaggerate_with_a_laugh_is_not_learned(text: str) -> None:
    assert learned(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "我不吃辣哈哈，开玩笑的",
        "我喜欢加班🐶哈哈",
        "我住在月球，骗你们的哈哈",
        "我不吃鱼🙃",
        "哈哈我对花生过敏",
        "我在字节上班呵呵",
        "I live on Mars. Just kidding haha",
        "I'm a vegan, just kidding lol",
        "lol I don't drink coffee",
        "I don't eat pork 🙃",
    ],
)
def test_H4_a_marked_joke_teaches_nothing(text: str) -> None:
    assert learned(text) == []


@pytest.mark.parametrize(
    "text",
    ["我明天下午三点开评审会哈哈", "我上周把工作辞了哈哈", "我今年18岁哈哈", "I quit my job lol"],
)
def test_W9_what_happens_is_kept_with_its_laugh(text: str) -> None:
    assert kept(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "哈哈哈",
        "好的哈哈哈",
        "那个哈哈",
        "我死了哈哈哈",
        "你吃辣吗哈哈",
        "我住在月球，骗你们的哈哈",
        "lol",
        "haha same",
        "that changed my life lol",
        "I live on Mars. Just kidding haha",
    ],
)
def test_W9_laughter_alone_and_marked_jokes_are_not_kept(text: str) -> None:
    assert kept(text) == ()


def test_a_laugh_is_taken_off_the_end_of_a_statement_only() -> None:
    assert without_laughter("哈哈我不喝酒哈哈，真的") == "哈哈我不喝酒，真的"
    assert without_laughter("哈哈哈") == "哈哈哈"
    assert without_laughter("lol") == "lol"
    assert not laughs("我对花生过敏😭")
