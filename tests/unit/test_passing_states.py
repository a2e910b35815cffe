"""What is over in days is told by its event and is no lasting fact; a relative by any word is one
person (F1, F2)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.hostile import job_of

from taishi import Memory, Scope
from taishi.historian.fact_patterns import facts_by_rule
from taishi.historian.fact_patterns.passing_states import is_passing
from taishi.historian.statement_comparison import folded


@pytest.mark.parametrize(
    "text",
    [
        "我住院了",
        "我爸住院了",
        "我朋友住院了",
        "我妈住进医院了",
        "我妈发烧了",
        "我爸在出差",
        "我请假了",
        "我在家隔离",
        "老赵别乱说，我没住院",
        "I'm in hospital",
        "I'm on maternity leave",
        "My dad is in the hospital",
        "My son has a fever",
        "I'm travelling for work this week",
        "Don't listen to Bob, I don't have a fever",
    ],
)
def test_F1_a_state_of_days_is_no_fact(text: str) -> None:
    name = "Ann" if text.isascii() else "阿强"
    job = replace(job_of(text), sender_name=name, recent_messages=())
    assert [fact.content for fact in facts_by_rule(job) if fact.life == "lasting"] == []


@pytest.mark.parametrize(
    "statement",
    [
        "阿强的妈妈在医院工作",
        "阿强的爸爸在住院部工作",
        "阿强经常出差",
        "阿强总是感冒",
        "阿强有高血压",
        "阿强对花生过敏",
        "阿强住在医院路",
        "阿强不喜欢加班",
        "Ann's mother works in a hospital",
        "Ann often travels for work",
        "Ann's sister works on leave policies",
        "Ann gets a cold every winter",
        "Ann has migraines",
        "Ann has a cold storage business",
        "Ann lives in Hospital Road",
    ],
)
def test_F1_what_lasts_is_no_passing_state(statement: str) -> None:
    assert not is_passing(statement)


def test_F1_what_one_dislikes_is_no_passing_state() -> None:
    job = replace(job_of("我很反感加班"), sender_name="阿强", recent_messages=())
    assert [fact.category for fact in facts_by_rule(job)] == ["user_preference"]


def test_F1_a_lasting_fact_of_a_relative_is_learned() -> None:
    job = replace(job_of("我妈在医院工作"), sender_name="阿强", recent_messages=())
    assert [fact.content for fact in facts_by_rule(job)] == ["阿强的妈在医院工作"]


@pytest.mark.parametrize(
    ("before", "now", "ended", "stands"),
    [
        ("我妈住在青岛", "我妈妈住在威海", "阿强的妈住在青岛", "阿强的妈妈住在威海"),
        ("我妈妈是护士", "更正，我妈是医生", "阿强的妈妈是护士", "阿强的妈是医生"),
        ("我爸叫建国", "不对，我爸爸叫建军", "阿强的爸叫建国", "阿强的爸爸叫建军"),
        (
            "My mum lives in Cork",
            "My mother lives in Galway",
            "Ann's mum lives in Cork",
            "Ann's mother lives in Galway",
        ),
        (
            "My mother is called Rose",
            "Sorry, my mum is called Rosa",
            "Ann's mother is called Rose",
            "Ann's mum is called Rosa",
        ),
    ],
)
def test_F2_a_relative_is_one_person_by_any_word(
    tmp_path: Path, before: str, now: str, ended: str, stands: str
) -> None:
    facts = told(tmp_path, before, now)
    assert stands in facts and ended not in facts


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("我妈住在青岛", "我爸住在威海"),
        ("我哥住在青岛", "我姐住在威海"),
        ("我妈住在青岛", "我婆婆住在威海"),
        ("My mother lives in Cork", "My mother-in-law lives in Galway"),
        ("My mum lives in Cork", "My dad lives in Galway"),
        ("My brother lives in Cork", "My brother lives in Galway"),
    ],
)
def test_F2_two_relatives_are_two(tmp_path: Path, before: str, now: str) -> None:
    assert len(told(tmp_path, before, now)) == 2


def told(folder: Path, *lines: str) -> list[str]:
    name = "Ann" if lines[0].isascii() else "阿强"
    scope = Scope(user="ann")
    with Memory.open(folder / "data") as memory:
        for minute, line in enumerate(lines):
            time = f"2026-03-18 15:0{minute}"
            memory.end_turn(scope, new_info=[line], sender_name=name, time=time)
            memory.drain()
        return [fact.text for fact in memory.facts.list(scope, ["approved"])]


def test_F2_words_for_one_relative_are_one_word() -> None:
    assert (
        folded("阿强的妈住在青岛") == folded("阿强的妈妈住在青岛") == folded("阿强的母亲住在青岛")
    )
    assert folded("Ann's mum") == folded("Ann's mother") == folded("Ann's mom")
    assert folded("阿强的姐夫") != folded("阿强的姐姐夫")
