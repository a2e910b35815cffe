"""Two values of one thing are told from one thing in two wordings."""

from __future__ import annotations

import time

import pytest

from taishi.language.other_values import names_other_value

OTHER = [
    ("Ann lives in Oslo", "Ann lives in Bergen"),
    ("Ann is allergic to peanuts", "Ann is allergic to cats."),
    ("Ann's cat is called Mimi", "Ann's cat is called Mimine"),
    ("小安住在上海", "小安住在北京"),
    ("小安对花生过敏", "小安对猫过敏"),
    ("我姐姐住在上海", "我姐姐住在北京。"),
]
SAME = [
    ("Ann is allergic to peanuts", "Ann cannot eat peanuts"),
    ("Ann is allergic to peanuts", "Peanuts make Ann ill"),
    ("Ann lives in Oslo", "Ann's home is in Oslo"),
    ("Ann lives in Oslo", "Ann lives in the city of Oslo"),
    ("Ann lives in Oslo", "Ann lives in Oslo."),
    ("小安对花生过敏", "小安吃花生会过敏"),
    ("小安对花生过敏", "小安不能吃花生"),
    ("小安住在上海", "小安的家在上海"),
    ("小安住在上海", "小安搬到上海了"),
    ("", "Ann lives in Oslo"),
]


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_value(one: str, other: str) -> None:
    assert names_other_value(one, other) and names_other_value(other, one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_wording(one: str, other: str) -> None:
    assert not names_other_value(one, other) and not names_other_value(other, one)


def test_a_long_text_takes_no_longer() -> None:
    begun = time.monotonic()
    names_other_value("安" * 1_000_000, "安" * 999_999 + "a")
    assert time.monotonic() - begun < 1
