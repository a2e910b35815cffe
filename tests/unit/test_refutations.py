"""What somebody says of himself against what another told of him is his own word (P5, W9)."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from benchmarks.hostile import job_of

from taishi.historian.fact_patterns import facts_by_rule
from taishi.historian.fact_patterns.refutations import refutes, without_refutations
from taishi.historian.salience import decide_by_rule
from taishi.types import Job, Message


def of(text: str) -> Job:
    name = "Ann" if text.isascii() else "阿强"
    return replace(job_of(text), sender_name=name, recent_messages=())


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我吃香菜啊，老赵别乱说", "阿强吃香菜"),
        ("老赵别听她瞎说，我没辞职", "阿强没辞职"),
        ("别听老赵的，我喝酒", "阿强喝酒"),
        ("别信他的，我没搬家", "阿强没搬家"),
        ("老赵胡说八道，我没结婚", "阿强没结婚"),
        ("老赵说错了，我养了一只猫", "阿强养了一只猫"),
        ("我住在厦门，老赵别乱说", "阿强住在厦门"),
        ("Don't listen to Bob, I do eat fish", "Ann does eat fish"),
        ("Bob is wrong, I drink coffee", "Ann drinks coffee"),
        ("Bob made that up, I don't smoke", "Ann doesn't smoke"),
        ("Bob got that wrong: I don't smoke", "Ann doesn't smoke"),
        ("I live in Lima, don't believe him", "Ann lives in Lima"),
    ],
)
def test_P5_what_is_said_against_hearsay_is_learned_and_kept(text: str, fact: str) -> None:
    found = facts_by_rule(of(text))
    assert [one.content for one in found] == [fact] and found[0].by_self
    assert decide_by_rule([Message(text, of(text).sender_name)]).new_info == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "老赵别乱说",
        "老赵别乱说，我没有",
        "老赵别乱说，我刚睡醒",
        "老赵别乱说，你才辞职了",
        "别听歌了，我睡了",
        "别想太多，我没事",
        "Don't listen to Bob",
        "Don't listen to Bob, he smokes",
        "Bob is wrong, I guess",
        "Don't worry, I do eat",
    ],
)
def test_P5_what_says_nothing_of_the_speaker_teaches_nothing(text: str) -> None:
    assert facts_by_rule(of(text)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "我不相信银行",
        "别说了，我们走吧",
        "你记错了，我住厦门",
        "我记错了，是周三",
        "刚才说错了，我住厦门",
        "上面是乱说的，我住厦门",
        "我说错了，我住厦门",
        "别乱花钱",
        "I don't listen to music",
        "I don't trust banks",
        "Don't believe everything",
        "I was wrong, I live in Lima",
        "My boss made up the numbers",
        "The bill is wrong",
    ],
)
def test_P5_other_orders_and_corrections_are_left_alone(text: str) -> None:
    assert not refutes(text)


@pytest.mark.parametrize("unit", ["别听", "老赵别", "don't listen to ", "乱说", "，", "说的不对"])
def test_a_long_text_is_read_in_a_moment(unit: str) -> None:
    begin = time.thread_time()
    without_refutations(unit * (100_000 // len(unit)))
    assert time.thread_time() - begin < 1
