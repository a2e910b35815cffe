"""The name that a statement about a name tells, and what only looks like one."""

from __future__ import annotations

import time

import pytest

from taishi.language.told_names import told_name


@pytest.mark.parametrize(
    "text, name",
    [
        ("Ann's name is Margarete", "Margarete"),
        ("Her name is Margarete, not Margaret", "Margarete"),
        ("Her name is Margarete not Margaret", "Margarete"),
        ("Her name is Margarete (not Margaret).", "Margarete"),
        ("Ann's name is actually Margarete rather than Margaret", "Margarete"),
        ("Ann's name is spelled Margarete with an e", "Margarete"),
        ("Ann's name isn't Margaret, it's Margarete", "Margarete"),
        ("Ann's name is not Margaret but Margarete", "Margarete"),
        ("The user is called “Jo Ann”", "Jo Ann"),
        ("The user goes by Max", "Max"),
        ("The user's name: María José", "María José"),
        ("小安的名字是陈静", "陈静"),
        ("小安的名字是陈静，不是陈晶", "陈静"),
        ("小安的名字不是陈晶，是陈静", "陈静"),
        ("用户叫陈静不叫陈晶", "陈静"),
        ("用户不叫陈晶，叫陈静", "陈静"),
        ("用户的名字是陈静而不是陈晶", "陈静"),
    ],
)
def test_the_name_that_is_told(text: str, name: str) -> None:
    assert told_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "Ann's name is not Margaret",
        "Ann's name isn't Margaret",
        "Ann is not called Margaret",
        "Ann's name is a secret",
        "Ann's name is the same as her mother's",
        "Ann has changed her name",
        "Ann lives in Cork, not Dublin",
        "小安的名字不是陈晶",
        "用户不叫陈晶",
        "用户的名字是静心的静",
        "小安改名了",
        "小安住在上海，不是北京",
    ],
)
def test_what_tells_no_name(text: str) -> None:
    assert told_name(text) == ""


@pytest.mark.parametrize(
    "text", ["name is not " * 60, "名字不是" * 200, "不叫，" * 200, "name is a" + " not" * 200]
)
def test_long_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    told_name(text * 50)
    assert time.perf_counter() - started < 0.5
