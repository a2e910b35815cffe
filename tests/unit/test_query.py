"""What a question asks for, read by rule."""

from __future__ import annotations

import time

import pytest

from taishi.language.analyzer import number_of
from taishi.recall.query import MAX_ADVICE_CHARS, asks_advice, in_first_person, read

ADVICE = [
    "Can you recommend a café near the station?",
    "could you please suggest something for the wedding",
    "My bike squeaks when it rains. Any ideas?",
    "I have a free evening, any good podcast recommendations?",
    "Do you have any tips for my interview?",
    "What should I wear tomorrow?",
    "Should we repaint the hall?",
    "I might sell the car. What do you think?",
    "Which one would you suggest?",
    "ANY TIPS?",
    "周末想去爬山，有什么推荐？",
    "给我推荐几首歌吧",
    "我该不该换手机",
    "能推荐一本书吗",
    "你有什么好的建议吗？",
    "你觉得我穿哪件好",
    "我们要不要养只猫",
]
OTHERS = [
    "What did you recommend for the leaking tap?",
    "Can you remind me which podcast you suggested?",
    "What advice did Ann give Bo?",
    "Did the doctor have any advice?",
    "Which tips does the waiter keep?",
    "Who should water the plants?",
    "Where did I park?",
    "something someone said",
    "你上次推荐的餐厅叫什么？",
    "小明有什么建议？",
    "我妈妈推荐了哪本书",
    "老师给的建议是什么",
    "",
]


@pytest.mark.parametrize("text", ADVICE)
def test_advice_is_wanted(text: str) -> None:
    assert asks_advice(text)


@pytest.mark.parametrize("text", OTHERS)
def test_advice_that_was_given_is_like_anything_that_was_told(text: str) -> None:
    assert not asks_advice(text)


def test_what_is_asked_comes_last_and_long_texts_cost_nothing() -> None:
    assert asks_advice("la " * 20_000 + ". Any tips?")
    assert not asks_advice("Any tips? " + "la " * MAX_ADVICE_CHARS)
    start = time.perf_counter()
    read("any " * 200_000)
    assert time.perf_counter() - start < 2.0


@pytest.mark.parametrize(
    ("text", "expected"), [("Where do I live?", True), ("我住在哪", True), ("Where is Ivy?", False)]
)
def test_somebody_asks_of_himself(text: str, expected: bool) -> None:
    assert in_first_person(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Whose number is 13800138000?", ["13800138000"]),
        ("电话是13800138000的人是谁", ["13800138000"]),
        ("What became of order AB-12345?", ["12345", "ab-12345"]),
        ("mail from ann2024@example.org", ["ann2024", "ann2024@example.org"]),
        ("ticket ABC123", ["abc123"]),
        ("in 2024 and at 12:30, room 101", []),
        ("v1.2.3 of the 2nd draft", []),
        ("where does Ann live", []),
    ],
)
def test_ids_are_told_from_other_words(text: str, expected: list[str]) -> None:
    assert read(text).ids == {number_of(word) for word in expected}


@pytest.mark.parametrize(
    "text",
    [
        "How should I list my sources?",
        "Can you help me plan next week?",
        "I am off to Oslo. What would you suggest?",
        "Where should I eat tonight?",
        "帮我安排一下下周",
        "这个月该怎么规划预算？",
        "我要不要换个手机？",
    ],
)
def test_who_wants_help_now_is_told_by_the_form_of_the_question(text: str) -> None:
    asked = read(text)
    assert (asked.wants_help, asked.looks_back) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend for Oslo?",
        "Have I ever been to Cork?",
        "Can you summarize how my project went?",
        "Could you remind me what she said?",
        "Can you list what I brought up in our conversations?",
        "我之前说过喜欢什么茶？",
        "上次你推荐的餐厅叫什么",
    ],
)
def test_who_asks_of_what_was_said_looks_back(text: str) -> None:
    asked = read(text)
    assert (asked.wants_help, asked.looks_back) == (False, True)


@pytest.mark.parametrize("text", ["When is the final submission due?", "小明的生日是几号"])
def test_a_plain_question_does_neither(text: str) -> None:
    asked = read(text)
    assert (asked.wants_help, asked.looks_back) == (False, False)
