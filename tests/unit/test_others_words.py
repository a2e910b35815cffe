"""Words of others that a message hands on are not the sender's: chats, forwards, what was told."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from benchmarks.hostile import job_of

from taishi.historian import rule_writer
from taishi.historian.fact_patterns import facts_by_rule
from taishi.historian.salience import decide_by_rule
from taishi.language.others_words import others_words
from taishi.language.speaker_labels import names_person
from taishi.types import Job, Message

OTHERS = [  # nothing of it is the sender's own
    "王芳 2026/3/18 20:15:07\n我住在厦门，对虾过敏",
    "王芳(23456789) 2026-03-18 20:15:07\n我住在厦门",
    "2026-03-18 20:15:07 王芳\n我住在厦门",
    "王芳:\n我住在厦门\n赵工:\n我住在泉州",
    "[王芳]: 我住在厦门",
    "[2026/3/18 20:15:07] 老赵: 我住在厦门",
    "陈总：我住在厦门\n赵工：我住在泉州",
    "老赵：我搬到厦门了\n哈哈\n小陈：我也想搬",
    "老赵：我搬到厦门了",
    "//@老赵：我搬到厦门了",
    "转发：我搬到厦门了",
    "转发 老赵：我搬到厦门了",
    "[聊天记录]\n夜航船：我搬到厦门了",
    "群聊的聊天记录\n夜航船：我搬到厦门了",
    "帮我总结下面的聊天\n夜航船：我搬到厦门了",
    "总结一下以下对话：夜航船：我搬到厦门了",
    "Bob: I moved to Lima\nEve: I work at Acme",
    "Bob: I moved to Lima",
    "Dr Reed: I live in Lima",
    "[20:15] Bob: I moved to Lima",
    "18/03/2026, 20:15 - Bob: I moved to Lima",
    "<Bob> I live in Lima",
    "Bob, [18 Mar 2026 20:15]:\nI live in Lima",
    "Bob — Today at 8:15 PM\nI live in Lima",
    "Fwd: I live in Lima",
    "Forwarded from Nightboat\nI live in Lima",
    "RT @nightboat: I live in Lima",
    "Summarize this chat:\nnightboat: I live in Lima",
    "> I live in Lima",
]
TOLD = [  # the words behind the colon are not
    ("老赵跟我说：我下个月要结婚了", "我下个月要结婚了"),
    ("老赵昨天跟我说：我要结婚了", "我要结婚了"),
    ("老赵原话：我对虾过敏", "我对虾过敏"),
    ("老赵原话是我对虾过敏", "我对虾过敏"),
    ("老赵说：我对虾过敏", "我对虾过敏"),
    ("医生告诉我：我这边约满了", "我这边约满了"),
    ("我妈跟我说：我想搬到厦门", "我想搬到厦门"),
    ("夜航船告诉我：我住在厦门", "我住在厦门"),
    ("Bob told me: I am vegetarian", "I am vegetarian"),
    ("Yesterday my boss wrote: I live in Lima", "I live in Lima"),
    ("Bob said: I live in Lima", "I live in Lima"),
    ("She texted me: I moved to Lima", "I moved to Lima"),
    ("Bob's exact words: I live in Lima", "I live in Lima"),
    ("Message from Bob: I live in Lima", "I live in Lima"),
]
OWN = [
    "提醒：我明天去厦门",
    "更正：我住在厦门",
    "地址：我住在厦门",
    "备注：我对虾过敏",
    "我的爱好：爬山",
    "方案：我先去厦门",
    "周末：我去厦门",
    "小结：我住在厦门",
    "高中：我在厦门读的",
    "我：我住在厦门",
    "我跟老赵说：我要搬到厦门",
    "我妈那边我说：我要搬到厦门",
    "昨天我告诉王芳：我要搬到厦门",
    "总的来说：我住在厦门",
    "我想说：我住在厦门",
    "说：我住在厦门",
    "聊天记录我删了\n我住在厦门",
    "我转发给你了，我住在厦门",
    "周会 2026/3/18 10:00\n我要参加",
    "例会 10:30\n我来不了",
    "今晚8:30我到厦门",
    "见 https://example.org/a：我住在厦门",
    "阿强：我住在厦门",
    "PS: I live in Lima",
    "Update: I moved to Lima",
    "Address: I live in Lima",
    "Name: Ann\nAge: 30",
    "Home: I live in Lima\nWork: I am a teacher",
    "My name: Ann",
    "I told Bob: I am moving to Lima",
    "That said: I am vegan",
    "Truth be told: I am vegan",
    "As I said: I live in Lima",
    "Flight 2026-03-18 10:00\nI am flying to Lima",
    "Lunch is at 12:30, I am late",
    "Let me tell you: I am vegan",
    "I have read the chat, I live in Lima",
    "Ann: I live in Lima",
]


def of(text: str) -> Job:
    chinese = not text.isascii()
    return replace(job_of(text), sender_name="阿强" if chinese else "Ann", recent_messages=())


def speaker_of(text: str) -> str:
    return of(text).sender_name or ""


@pytest.mark.parametrize("text", OTHERS)
def test_H4_what_others_wrote_stays_as_it_is_and_is_marked(text: str) -> None:
    job = of(text)
    draft = rule_writer.write(job)
    assert text in draft.canonical_text and not draft.is_absolute
    assert f"{speaker_of(text)}" in draft.canonical_text.partition(text)[0]
    assert draft.facts == ()


@pytest.mark.parametrize("text", OTHERS)
def test_W9_of_what_others_wrote_the_whole_is_kept_or_nothing(text: str) -> None:
    decided = decide_by_rule([Message(text, speaker_of(text))])
    assert decided.new_info in ((), (text,))


@pytest.mark.parametrize(("text", "said"), TOLD)
def test_H4_what_the_sender_was_told_is_not_said_of_the_sender(text: str, said: str) -> None:
    draft = rule_writer.write(of(text))
    assert said in draft.canonical_text and not draft.is_absolute and draft.facts == ()
    assert speaker_of(text) in draft.canonical_text
    assert decide_by_rule([Message(text, speaker_of(text))]).new_info in ((), (text,))


@pytest.mark.parametrize("text", OWN)
def test_H4_what_only_looks_like_a_quote_is_the_senders(text: str) -> None:
    assert others_words(text, speaker_of(text)) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("老赵：我搬到厦门了\n\n我住在泉州", "阿强住在泉州"),
        ("更正：我住在泉州", "阿强住在泉州"),
        ("我住在泉州//@老赵：我住在厦门", "阿强住在泉州"),
        ("Bob: I live in Lima\n\nI live in Quito", "Ann lives in Quito"),
        ("I live in Quito.\n> I live in Lima", "Ann lives in Quito"),
        ("Update: I live in Quito", "Ann lives in Quito"),
    ],
)
def test_H4_what_the_sender_says_beside_it_is_learned(text: str, fact: str) -> None:
    assert [one.content for one in facts_by_rule(of(text))] == [fact]


def test_H4_people_of_the_chat_are_known_by_any_name() -> None:
    assert others_words("夜航船：我住在厦门", "阿强") == []
    assert others_words("夜航船：我住在厦门", "阿强", ["夜航船"]) != []
    job = replace(of("夜航船：我住在厦门"), recent_messages=({"speaker": "夜航船", "text": "早"},))
    assert "夜航船：我住在厦门" in rule_writer.write(job).canonical_text


def test_W9_own_sentences_beside_a_quote_are_kept_alone() -> None:
    said = "我住在泉州。\n老赵：我搬到厦门了"
    decided = decide_by_rule([Message(said, "阿强")])
    assert decided.new_info == ("我住在泉州。", "老赵：我搬到厦门了")


@pytest.mark.parametrize(
    "label", "老赵 陈总 赵工 王芳 王小明 小陈 阿强 我妈 房东 @夜航船 Bob bob_92".split()
)
def test_a_label_that_names_somebody(label: str) -> None:
    assert names_person(label)


@pytest.mark.parametrize(
    "label",
    "提醒 更正 方案 周末 高中 地址 备注 小结 老家 小时候 Update PS Note Day_3 Monday 3".split(),
)
def test_a_label_that_may_be_a_topic(label: str) -> None:
    assert not names_person(label)


@pytest.mark.parametrize(
    "unit", ["老赵：", "a: ", "老赵：我\n", "Bob said: ", "12:30 ", "[", "转发", "这段", "昨天昨晚"]
)
def test_a_long_text_is_read_in_a_moment(unit: str) -> None:
    begin = time.thread_time()
    others_words(unit * (100_000 // len(unit)))
    assert time.thread_time() - begin < 2
