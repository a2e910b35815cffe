"""A request to forget what was said is stored, and not shown beside what it withdrew (I2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope

ANN = Scope(user="ann")


def told(memory: Memory, *said: str) -> str:
    for number, text in enumerate(said):
        time = f"2026-06-0{number + 1} 10:00"
        memory.end_turn(ANN, new_info=text, sender_name="Ann", bot_name="Momo", time=time)
    memory.drain(60)
    return memory.context(ANN, said[-1])


@pytest.mark.parametrize(
    ("said", "request_", "matter"),
    [
        ("I live in Berlin.", "Forget what I said about Berlin.", "Ann lives in Berlin"),
        ("I live in Berlin.", "Please forget what I told you about my address, thanks.", "Berlin"),
        ("我对花生过敏。", "忘掉我说的花生过敏的事。", "Ann对花生过敏"),
        ("我住在柳荫街。", "把我说的住址忘掉吧，谢谢。", "柳荫街"),
        ("我住在柳荫街。", "Momo，忘掉我说的住址", "柳荫街"),
        ("我住在柳荫街。", "@Momo 忘掉我说的住址吧", "柳荫街"),
        ("我住在柳荫街。", "把我刚才说的住址忘掉", "柳荫街"),
        ("我住在柳荫街。", "小史，能不能忘掉我刚才说的住址", "柳荫街"),
        ("I live in Berlin.", "Please forget what I told you about Berlin, Momo.", "Berlin"),
    ],
)
def test_I2_a_request_to_forget_is_not_shown_beside_what_it_withdrew(
    open_memory: Callable[..., Memory], said: str, request_: str, matter: str
) -> None:
    memory = open_memory()
    shown = told(memory, said, request_)
    lines = [line for line in shown.splitlines() if matter in line]
    assert lines and all("后撤回" in line or "since withdrawn" in line for line in lines)
    assert not any(word in shown.lower() for word in ("forget", "忘掉"))
    stored = memory.records.newest(ANN, kinds=["event"]).records
    assert any("orget" in one.text or "忘掉" in one.text for one in stored)


def test_I2_nor_if_the_bot_has_no_name(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    said = ["I am going to the Lisbon offsite.", "Please delete what I told you about Lisbon."]
    for number, text in enumerate(said, start=1):
        memory.end_turn(ANN, new_info=text, sender_name="Ann", time=f"2026-06-0{number} 10:00")
    memory.drain(60)
    shown = memory.context(ANN, "Lisbon offsite")
    assert "since withdrawn" in shown and "delete" not in shown


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (["I live in Berlin.", "Forget what I said about Berlin, I live in Lisbon."], "Lisbon"),
        (["I live in Berlin.", "Forget what I said about Oslo."], "Forget"),
        (["我住在柏林。", "忘掉我说的猫的事。"], "忘掉"),
        (["我住在柏林。", "忘掉我说的柏林的事，我现在住巴黎。"], "巴黎"),
        (["我住在柏林。", "老板忘了我说的柏林的事。"], "老板"),
        (["我住在柏林。", "我离婚了，忘掉我说的柏林的事。"], "离婚"),
    ],
)
def test_I2_one_that_withdrew_nothing_or_says_more_is_shown(
    open_memory: Callable[..., Memory], said: list[str], word: str
) -> None:
    assert word in told(open_memory(), *said)
