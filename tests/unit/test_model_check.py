"""The check on a model's text: what is refused and what passes, on tables of answers (H7)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from benchmarks.model_check import TABLES, faults_of, measured, rows

from taishi.language.drift import drift
from taishi.language.polarity import turned_round
from taishi.language.semantic_roles import Utterance, swapped

PATHS = sorted(TABLES.glob("model_answers*.jsonl"))


def test_H7_the_tables_are_large_and_in_both_languages() -> None:
    table = [row for path in PATHS for row in rows(path)]
    for verdict in ("right", "invention"):
        chosen = [row for row in table if row["verdict"] == verdict]
        chinese = [row for row in chosen if any("一" <= c <= "鿿" for c in row["answer"])]
        assert len(chosen) >= 130
        assert 0.4 < len(chinese) / len(chosen) < 0.6


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_H7_inventions_are_caught_and_right_answers_pass(path: Path) -> None:
    figures = measured(path)
    print(path.stem, {key: value for key, value in figures.items() if key != "misses"})
    assert figures["caught_share"] >= 0.90, figures["misses"]
    assert figures["refused_share"] <= 0.02, figures["misses"]


def test_H7_a_fault_says_what_and_why() -> None:
    by_id = {row["id"]: row for row in rows(TABLES / "model_answers.jsonl")}
    assert {"reason": "drift", "word": "Bergen"} in faults_of(by_id["01-i2"])
    assert {"reason": "polarity", "word": "Priya got the job at Siemens"} in faults_of(
        by_id["03-i1"]
    )
    reasons = {id: {fault["reason"] for fault in faults_of(by_id[id])} for id in by_id}
    assert "weekday" in reasons["04-i3"] and "role" in reasons["20-i1"]


@pytest.mark.parametrize(
    ("text", "source", "is_turned"),
    [
        ("安买了相机", "我没买相机", True),
        ("安没有买相机", "我没买相机", False),
        ("Ann likes olives", "I don't like olives", True),
        ("Ann prefers tea, not coffee", "I prefer tea to coffee", False),
        ("Ann no longer smokes", "I used to smoke", False),
        ("Ann can come", "I can't come", True),
        ("安的爸爸住院了", "我妈住院了", True),
        ("Ann bought a car", "I will buy a car", True),
        ("Ann plans to buy a car", "I will buy a car", False),
        ("这部电影不错", "这部电影很好", False),
    ],
)
def test_H7_yes_for_no_is_found(text: str, source: str, is_turned: bool) -> None:
    assert bool(turned_round(text, [source])) is is_turned


def test_H7_what_one_did_is_not_given_to_another() -> None:
    said = [
        Utterance("Emma lent me her bike", "Jack", "Nova"),
        Utterance("帮用户查了天气", "小智", "周明"),
    ]
    people = ["Jack", "Nova", "小智", "周明"]
    assert [fault.reason for fault in swapped("Jack lent Emma a bike", said, people)] == ["role"]
    assert swapped("Emma lent Jack a bike", said, people) == []
    assert swapped("小智帮周明查了天气", said, people) == []
    assert [fault.word for fault in swapped("周明帮小智查了天气", said, people)] == ["周明帮小智"]


@pytest.mark.parametrize(
    "unit",
    [
        "@a.",
        "不",
        "没买",
        "Ann bought ",
        "3月",
        "1月2日至",
        "next Friday and ",
        "一万",
        "a-1.",
        "Q1 ",
        "10:30 ",
        "没买，",
        "not a, ",
    ],
)
def test_H7_hostile_text_takes_linear_time(unit: str) -> None:
    text = unit * ((100_000 if unit == "@a." else 20_000) // len(unit))
    begin = time.thread_time()
    drift(text, text)
    turned_round(text, [text])
    swapped(text, [Utterance(text, "Ann", "Bob")], ["Ann", "Bob"])
    assert time.thread_time() - begin < 15  # about 1 s on a quiet machine; not minutes
