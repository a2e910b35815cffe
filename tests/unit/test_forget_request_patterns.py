"""Requests to forget something are told from what only has such words in it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from taishi import asks_to_forget
from taishi.language.forget_requests import without_forget_requests

TABLE = Path(__file__).resolve().parents[1] / "tables" / "forget_requests.tsv"
ROWS = [
    line.split("\t")
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("said", "kept"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_requests_to_forget_are_left_out(said: str, kept: str) -> None:
    left, gone = without_forget_requests(said)
    assert left == (said if kept == "=" else kept)
    assert bool(gone) == (kept != "=")


def test_half_of_the_table_are_no_requests() -> None:
    kept = [said for said, left in ROWS if left == "="]
    assert len(kept) >= len(ROWS) / 2
    for rows in ([said for said, _ in ROWS], kept):
        chinese = sum(any(char >= "\u3400" for char in said) for said in rows)
        assert 0.35 <= chinese / len(rows) <= 0.65


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I removed Ann's address from memory.", ""),
        ("Forgot that Ann's landlord is Pat Byrne. Fixed the test.", "Fixed the test."),
        ("已从记忆中删除安娜的住址。", ""),
        ("已忘记用户的工资。", ""),
        ("Okay, forgotten.", ""),
        ("好的，忘掉了。", ""),
        ("Okay, I forgot the umbrella.", "="),
        ("好的，他忘了带伞。", "="),
        ("Removed the cached rows from memory usage statistics.", "="),
        ("I forgot to add the test.", "="),
        ("修好了测试，删掉了旧文件。", "="),
    ],
)
def test_what_a_bot_says_that_it_forgot_is_left_out(said: str, kept: str) -> None:
    assert without_forget_requests(said, by_bot=True)[0] == (said if kept == "=" else kept)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("小史忘掉我的住址", ""),
        ("小史把我的住址忘了吧", ""),
        ("小史，我住哪你忘了吧", ""),
        ("@小史 忘掉里斯本", ""),
        ("我离婚了，这事别记啊小史", ""),
        ("Momo, forget the offsite, it was secret.", ""),
        ("小史把我的生日忘了", "="),
        ("小史，别忘了带伞", "="),
        ("Momo, don't forget the milk", "="),
        ("Momo forget the pizza, let's cook", "="),
        ("@Tom forget the tickets, I have them", "="),
    ],
)
def test_what_is_said_to_the_bot_by_its_name_asks_it(said: str, kept: str) -> None:
    bot = "Momo" if "Momo" in said or "Tom" in said else "小史"
    assert without_forget_requests(said, bot=bot)[0] == (said if kept == "=" else kept)


@pytest.mark.parametrize(
    "said",
    [
        "Please forget the offsite.",
        "Forget what I said about Berlin.",
        "Please delete what I told you about Lisbon.",
        "Momo, forget the address I gave you",
        "这事你别记",
        "小史，忘掉我说的住址",
        "小史忘掉我说的住址",
        "把我刚才说的住址删掉",
        "把我昨天说的住址删了吧",
        "把我刚才说的住址删除",
    ],
)
def test_a_bot_is_told_of_a_request(said: str) -> None:
    assert asks_to_forget(said, "Momo" if said.isascii() else "小史")


@pytest.mark.parametrize(
    "said",
    [
        "I forgot my keys.",
        "Don't forget what I said about Berlin.",
        "Delete what I wrote about caching.",
        "Forget about dinner, let's go out.",
        "我忘了他叫什么",
        "别忘了带伞",
        "老板忘了我说的住址",
        "他把我说的住址删了",
        "",
    ],
)
def test_and_not_of_what_is_none(said: str) -> None:
    assert not asks_to_forget(said) and not asks_to_forget(said, "Momo")


@pytest.mark.parametrize(
    "text",
    [
        "forget the thing about a, " * 4000,
        "never mind the a b forget " * 3000,
        "这事你" * 9000 + "记",
        "把你的事" * 9000 + "忘",
        "please, " * 3000 + "forget",
        "delete my x " * 2000 + "memor",
        "把我" * 4000 + "记忆",
        "a, " * 9000 + "memory",
        "user asked to delete " * 1000,
        "x" * 1_000_000 + "forget",
    ],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    begun = time.process_time()
    without_forget_requests(text, by_bot=True)
    assert time.process_time() - begun < 2
