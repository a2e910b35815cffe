"""Names of relatives: what is said right after them, and another name for the same one (F1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from taishi import Memory, Scope
from taishi.historian.fact_patterns import facts_by_rule
from taishi.types import Job

SCOPE = Scope(user="k1")


def learned(said: str) -> set[str]:
    chinese = "我" in said
    job = Job(
        request_id="r1", end_seq=1, action_summary="", new_info=(said,), timestamp_utc="",
        timestamp_local="", timezone="UTC", epoch=1_770_000_000.0, workspace="default",
        request_type="private", user_id="k1", sender_id="k1",
        sender_name="小诺" if chinese else "Nora",
    )  # fmt: skip
    return {fact.content for fact in facts_by_rule(job)}


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("My sister's name is Eve, she lives in Turin",
         {"Nora's sister's name is Eve", "Nora's sister Eve lives in Turin"}),
        ("My sister is called Eve and she lives in Turin",
         {"Nora's sister is called Eve", "Nora's sister Eve lives in Turin"}),
        ("My brother's name is Max, he's allergic to nuts",
         {"Nora's brother's name is Max", "Nora's brother Max is allergic to nuts"}),
        ("My wife's name is Eve, she works at Leica",
         {"Nora's wife's name is Eve", "Nora's wife Eve works at Leica"}),
        ("My sister is French, she lives in Turin",
         {"Nora's sister is French", "Nora's sister lives in Turin"}),
        ("My sister's name is Eve, it's a nice name", {"Nora's sister's name is Eve"}),
        ("My other sister's name is Eve", {"Nora's other sister's name is Eve"}),
        ("我妹妹叫小雪，她住在扬州", {"小诺的妹妹叫小雪", "小诺的妹妹小雪住在扬州"}),
        ("我妹妹叫小雪，住在扬州", {"小诺的妹妹叫小雪", "小诺的妹妹住在扬州"}),
        ("我弟弟的名字是小刚，他在徕卡工作",
         {"小诺的弟弟的名字是小刚", "小诺的弟弟小刚在徕卡工作"}),
        ("我老婆叫豆豆，她在徕卡工作", {"小诺的老婆叫豆豆", "小诺的老婆在徕卡工作"}),
        ("我妹妹小雪住在扬州", {"小诺的妹妹小雪住在扬州"}),
    ],
)  # fmt: skip
def test_F1_what_follows_the_name_of_a_relative_is_learned(said: str, facts: set[str]) -> None:
    assert learned(said) == facts


@pytest.mark.parametrize(
    ("said", "never"),
    [
        ("My brother's name is Max, she lives in Turin", "brother Max lives"),
        ("My sister told me about Eve, she lives in Turin", "sister"),
        ("My sister's name is Eve, I live in Turin", "sister Eve lives"),
        ("My sister's name is Eve, they live in Turin", "sister Eve"),
        ("I have a sister, she lives in Turin", "lives"),
        ("Is my sister's name Eve, and does she live in Turin?", "sister"),
        ("His sister's name is Eve, she lives in Turin", "Nora's sister"),
        ("我妹妹叫小雪，他住在扬州", "妹妹小雪住"),
        ("我弟弟叫小刚，她住在扬州", "弟弟小刚住"),
        ("我有个妹妹，她住在扬州", "住在"),
        ("我妹妹叫我，她住在扬州", "住在"),
        ("我妹妹叫小雪，我住在扬州", "妹妹小雪住"),
        ("他妹妹叫小雪，她住在扬州，我知道", "小诺的妹妹"),
        ("我妹妹叫小雪，她说她住在扬州", "妹妹小雪住"),
    ],
)
def test_F1_a_pronoun_that_may_be_somebody_else_teaches_nothing(said: str, never: str) -> None:
    assert not [text for text in learned(said) if never in text]


def told(memory: Memory, said: Sequence[str]) -> dict[str, str]:
    """The facts and their states."""
    name = "小诺" if "我" in said[0] else "Nora"
    for day, text in enumerate(said, 1):
        memory.end_turn(SCOPE, new_info=text, sender_name=name, time=f"2026-03-{day:02} 10:00")
    memory.drain(60)
    return {one.text: one.state for one in memory.records.newest(SCOPE, kinds=["fact"]).records}


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (("My sister Eve lives in Turin", "my sister's name is Ida"), "conflict"),
        (("My sister's name is Eve", "My sister is called Ida"), "conflict"),
        (("我妹妹叫小雪", "我妹妹叫小霜"), "conflict"),
        (("我妹妹小雪住在扬州", "我妹妹叫小霜"), "conflict"),
        (("My mother's name is Eve", "My mother's name is Ida"), "approved"),
        (("我妈妈叫王雪", "我妈妈叫王霜"), "approved"),
        (("My sister's name is Eve", "Sorry, my sister's name is Ida"), "approved"),
        (("I have two sisters", "My sister's name is Eve", "My sister's name is Ida"), "approved"),
        (("我有两个妹妹", "我妹妹叫小雪", "我妹妹叫小霜"), "approved"),
        (("My sister's name is Eve", "My other sister's name is Ida"), "approved"),
        (("My older sister's name is Eve", "My younger sister's name is Ida"), "approved"),
        (("My sister's name is Eve", "My brother's name is Ida"), "approved"),
        (("My sister's name is Ida", "My sister's name is Ida"), "approved"),
        (("My sister's name is Eve", "My sister isn't called Eve, she's called Ida"), "approved"),
        (("我妹妹叫小雪", "我妹妹不叫小雪，叫小霜"), "approved"),
        (("My sister is French", "My sister's name is Ida"), "approved"),
        (("My sister is a nurse", "My sister's name is Ida"), "approved"),
        (("My friend's name is Eve", "My friend's name is Ida"), "approved"),
        (("我妹妹是护士", "我妹妹叫小霜"), "approved"),
        (("我姐姐叫小雪", "我妹妹叫小霜"), "approved"),
        (("我朋友叫小雪", "我朋友叫小霜"), "approved"),
    ],
)
def test_F1_another_name_of_a_relative(
    open_memory: Callable[..., Memory], said: tuple[str, ...], state: str
) -> None:
    states = told(open_memory(), said)
    assert [one for text, one in states.items() if "Ida" in text or "霜" in text] == [state]


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (("My sister's name is Eve", "My sister's name is Ida"), "What is my sister's name?"),
        (("我妹妹叫小雪", "我妹妹叫小霜"), "我妹妹叫什么？"),
    ],
)
def test_I1_both_names_are_told_as_disputed(
    open_memory: Callable[..., Memory], said: tuple[str, ...], question: str
) -> None:
    memory = open_memory()
    told(memory, said)
    block = memory.context(SCOPE, question)
    marked = [line for line in block.splitlines() if "disputed" in line or "有争议" in line]
    assert marked, block
