"""Requests to forget something are told from what only has such words in it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

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
        ("Removed the cached rows from memory usage statistics.", "="),
        ("I forgot to add the test.", "="),
        ("修好了测试，删掉了旧文件。", "="),
    ],
)
def test_what_a_bot_says_that_it_forgot_is_left_out(said: str, kept: str) -> None:
    assert without_forget_requests(said, by_bot=True)[0] == (said if kept == "=" else kept)


@pytest.mark.parametrize(
    "text",
    [
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
