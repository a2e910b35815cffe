"""Requests to forget all about a matter, and what only looks like one (O2)."""

from __future__ import annotations

import time

import pytest

from taishi.language.forget_requests import without_forget_requests


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything about Petra.",
        "forget everything about the merger",
        "Please delete everything about Petra",
        "Delete everything you know about the merger.",
        "Could you erase what you have stored about my sister?",
        "Remove all memories of Petra, please.",
        "Forget about Petra.",
        "Forget Petra Moss completely.",
        "Drop everything there is about Project Heron.",
        "The user asked to delete everything about Petra.",
        "忘掉关于小佩的所有事",
        "请彻底忘记关于小佩的一切。",
        "忘掉小佩的一切",
        "把关于小佩的都删掉",
        "把你知道的关于小佩的信息全部忘掉吧",
        "请删除关于小佩的所有记忆",
        "不要再记关于小佩的事",
    ],
)
def test_a_request_is_left_out(text: str) -> None:
    assert without_forget_requests(text)[0] == ""


@pytest.mark.parametrize(
    "text",
    [
        "Delete everything about the cache in utils.py.",
        "Delete everything about the old parser.",
        "Remove all the code about logging.",
        "Remove everything about Redis from the config.",
        "Drop everything about Petra from the docs.",
        "Forget about Redis, let's use Postgres.",
        "Forget about it, that's fine.",
        "I forgot everything about Petra.",
        "Don't forget everything about Petra.",
        "If I say forget everything about Petra, do it.",
        'He said: "forget everything about Petra".',
        "We deleted everything about the old plan.",
        "Tell me everything about Petra.",
        "删除关于旧解析器的代码",
        "把关于登录的测试都删掉",
        "请删掉关于缓存的所有配置信息",
        "我忘记关于报销的规定了",
        "我把关于小佩的照片洗出来了",
        "告诉我关于小佩的一切",
        "别忘了关于报销的事",
    ],
)
def test_other_sentences_stay(text: str) -> None:
    assert without_forget_requests(text) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "I deleted everything I had stored about Petra.",
        "Forgot everything about Petra.",
        "Three records removed, everything about Petra is gone.",
        "Deleted 3 memories about Petra.",
        "关于小佩的内容已经全部忘掉了。",
    ],
)
def test_what_a_bot_says_it_forgot_is_left_out(text: str) -> None:
    assert without_forget_requests(text, by_bot=True)[0] == ""


@pytest.mark.parametrize(
    "text",
    [
        "I deleted everything about the cache in utils.py.",
        "Removed the three functions about logging.",
        "Everything about the build is green.",
        "已删除关于旧缓存的代码。",
        "关于登录的测试已经全部删掉。",
    ],
)
def test_what_a_bot_did_to_files_stays(text: str) -> None:
    assert without_forget_requests(text, by_bot=True) == (text, ())


@pytest.mark.parametrize(
    "text",
    ["forget everything about ", "delete everything about A ", "关于", "删除关于", "把关于小佩的"],
)
def test_long_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    without_forget_requests(text * 5000, by_bot=True)
    assert time.perf_counter() - started < 2
