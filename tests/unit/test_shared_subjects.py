"""Two statements with one subject are two facts; what only looks like it is left alone (F1)."""

from __future__ import annotations

import pytest

from taishi.historian.fact_patterns import facts_by_rule
from taishi.types import Job


def learned(said: str, sender: str) -> set[tuple[str, str]]:
    job = Job(
        request_id="r1", end_seq=1, action_summary="", new_info=(said,), timestamp_utc="",
        timestamp_local="", timezone="UTC", epoch=1_770_000_000.0, workspace="default",
        request_type="private", user_id="k1", sender_id="k1", sender_name=sender,
    )  # fmt: skip
    return {(fact.category, fact.content) for fact in facts_by_rule(job)}


CORK, ACME = ("residence", "Nora lives in Cork"), ("employer", "Nora works at Acme")
QINGDAO, HAIER = ("residence", "小诺住在青岛"), ("employer", "小诺在海尔工作")


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("I live in Cork and work at Acme", {CORK, ACME}),
        ("I work at Acme and live in Cork.", {CORK, ACME}),
        ("I live in Cork, work at Acme and have two cats",
         {CORK, ACME, ("possession", "Nora has two cats")}),
        ("I live in Cork and am allergic to nuts", {CORK, ("health", "Nora is allergic to nuts")}),
        ("I'm a nurse and live in Cork", {("job", "Nora is a nurse"), CORK}),
        ("I am from Wales and work at Acme", {("origin", "Nora is from Wales"), ACME}),
        ("I live and work in Cork", {CORK}),
        ("我住在青岛并在海尔工作", {QINGDAO, HAIER}),
        ("我住在青岛，并且在海尔工作", {QINGDAO, HAIER}),
        ("我住在青岛，也在海尔工作", {QINGDAO, HAIER}),
        ("我住在青岛，在海尔工作", {QINGDAO, HAIER}),
        ("我在海尔工作并住在青岛", {QINGDAO, HAIER}),
    ],
)  # fmt: skip
def test_F1_each_statement_of_one_subject_is_learned(
    said: str, facts: set[tuple[str, str]]
) -> None:
    assert learned(said, "小诺" if "我" in said else "Nora") == facts


@pytest.mark.parametrize(
    ("said", "never"),
    [
        ("I want to live in Cork and work at Acme", ("lives in", "works at")),
        ("I used to live in Cork and work at Acme", ("Nora lives", "Nora works")),
        ("I live in Cork with a friend who plays chess and works at Acme", ("Nora works",)),
        ("I live in Cork because my parents live and work at Acme", ("Nora works",)),
        ("I work at Acme to pay the rent and live in Cork", ("Nora pay",)),
        ("I live in Cork and love it", ("loves it",)),
        ("I would live in Cork and work at Acme", ("Nora lives", "Nora works")),
        ("If I live in Cork and work at Acme I will be happy", ("Nora lives", "Nora works")),
        ("Do I live in Cork and work at Acme?", ("Nora lives", "Nora works")),
        ("I like to eat pizza and play cards", ("Nora plays",)),
        ("My sister lives in Cork and works at Acme", ("Nora works", "Nora lives")),
        ("I don't live in Cork and work at Acme", ("Nora lives",)),
        ("我想住在青岛并在海尔工作", ("小诺住在", "小诺在海尔")),
        ("我打算住在青岛并在海尔工作", ("小诺住在", "小诺在海尔")),
        ("我妹妹住在青岛并在海尔工作", ("小诺住在", "小诺在海尔")),
        ("我住在颐和园附近", ("小诺住在颐。",)),
        ("我住在青岛并打算在海尔工作", ("小诺在海尔",)),
        ("我以前住在青岛并在海尔工作", ("小诺住在", "小诺在海尔")),
        ("如果我住在青岛并在海尔工作就好了", ("小诺住在", "小诺在海尔")),
        ("他说我住在青岛并在海尔工作", ("小诺住在", "小诺在海尔")),
    ],
)
def test_F1_what_is_no_statement_of_the_same_subject_is_not_split(
    said: str, never: tuple[str, ...]
) -> None:
    facts = learned(said, "小诺" if "我" in said else "Nora")
    assert not [text for _, text in facts if any(words in text for words in never)]


@pytest.mark.parametrize(
    "said",
    [
        "I quit Acme.",
        "I left Acme",
        "I resigned from Acme",
        "I was let go by Acme",
        "I got laid off from Acme",
        "I no longer work for Acme",
        "我从海尔离职了",
        "我从海尔辞职了",
        "我不在海尔干了",
        "我不在海尔上班了",
        "我辞掉了海尔的工作",
        "我辞去了海尔的职务",
        "我离开海尔了",
        "我离开了海尔",
    ],
)
def test_F1_the_end_of_a_job_names_the_employer(said: str) -> None:
    chinese = "我" in said
    job = Job(
        request_id="r1", end_seq=1, action_summary="", new_info=(said,), timestamp_utc="",
        timestamp_local="", timezone="UTC", epoch=1_770_000_000.0, workspace="default",
        request_type="private", user_id="k1", sender_id="k1",
        sender_name="小诺" if chinese else "Nora",
    )  # fmt: skip
    (fact,) = facts_by_rule(job)
    assert (fact.category, fact.value, fact.retracts) == (
        "employer", "海尔" if chinese else "Acme", True
    )  # fmt: skip


@pytest.mark.parametrize(
    "said",
    ["我离开公司了", "我离开家了", "我刚离开会议室了", "我离开这里了", "我想离开海尔了",
     "我没离开海尔", "I left the office", "I left my keys at Acme", "I was let go early today",
     "I may quit Acme"],
)  # fmt: skip
def test_F1_to_leave_for_the_day_ends_no_job(said: str) -> None:
    chinese = "我" in said
    assert not [
        text
        for category, text in learned(said, "小诺" if chinese else "Nora")
        if category == "employer"
    ]
