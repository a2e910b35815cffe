"""A name that was put right is the page's name, at every door (P5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope, tools
from taishi.types import Profile

ANN = Scope(user="ann7")


def told(memory: Memory, text: str) -> None:
    memory.end_turn(ANN, new_info=text, sender_name="ann7")
    memory.drain(20)


def page_of(memory: Memory) -> Profile:
    page = memory.get_profile(ANN, "user", "ann7")
    assert page is not None
    return page


def known_name(memory: Memory) -> str:
    return next(
        one.id for one in memory.facts.list(ANN, ["approved"]) if one.data["category"] == "name"
    )


@pytest.mark.parametrize(
    "before, right, name, old",
    [
        ("My name is Margaret.", "The user's name is Margarete.", "Margarete", "Margaret"),
        ("My name is Margaret.", "Their name is Margarete, not Margaret.", "Margarete", "Margaret"),
        ("My name is Margaret.", "The name isn't Margaret, it's Margarete.", "Margarete",
         "Margaret"),
        ("我叫陈晶。", "用户的名字是陈静", "陈静", "陈晶"),
        ("我叫陈晶。", "用户叫陈静，不叫陈晶", "陈静", "陈晶"),
        ("我叫陈晶。", "用户的名字不是陈晶，是陈静", "陈静", "陈晶"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("by_tool", [False, True], ids=["person", "tool"])
def test_P5_the_page_goes_by_the_corrected_name(
    open_memory: Callable[..., Memory], before: str, right: str, name: str, old: str, by_tool: bool
) -> None:
    memory = open_memory()
    told(memory, before)
    assert page_of(memory).name == old
    if by_tool:
        arguments = {"id": known_name(memory), "text": right}
        tools.dispatch(memory, "correct", arguments, ANN, names=["correct"])
    else:
        memory.facts.correct(ANN, known_name(memory), right)
    page = page_of(memory)
    assert page.name == name
    assert name in page.tags
    assert old not in page.tags
    fact = memory.records.get(ANN, known_name(memory))
    assert fact is not None
    assert fact.data["tags"] == [name]
    block = memory.context(ANN, "who am I?")
    assert f"(ann7, {name})" in block or f"（ann7，{name}）" in block


@pytest.mark.parametrize(
    "before, other, right, name",
    [
        ("My name is Margaret.", "I live in Cork.", "The user lives in Dublin.", "Margaret"),
        ("我叫陈晶。", "我住在上海。", "用户住在杭州", "陈晶"),
    ],
)
def test_P5_another_correction_leaves_the_name(
    open_memory: Callable[..., Memory], before: str, other: str, right: str, name: str
) -> None:
    memory = open_memory()
    told(memory, before)
    told(memory, other)
    home = next(
        one for one in memory.facts.list(ANN, ["approved"]) if one.data["category"] == "residence"
    )
    memory.facts.correct(ANN, home.id, right)
    assert page_of(memory).name == name


def test_P5_a_name_that_somebody_gave_the_page_stays(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory, "My name is Margaret.")
    memory.profiles.set(ANN, "- ann7's name is Margaret", name="Dr. Moss")
    memory.facts.correct(ANN, known_name(memory), "The user's name is Margarete.")
    assert page_of(memory).name == "Dr. Moss"


@pytest.mark.parametrize("text", ["My name is Margaret.", "我叫陈晶。"])
def test_P5_a_withdrawn_name_is_no_longer_the_pages(
    open_memory: Callable[..., Memory], text: str
) -> None:
    memory = open_memory()
    told(memory, text)
    memory.facts.reject(ANN, known_name(memory))
    page = memory.get_profile(ANN, "user", "ann7")
    assert page is None or page.name in ("", "ann7")


def test_an_id_is_no_former_name(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory, "I live in Cork.")
    told(memory, "My name is Margaret.")
    page = page_of(memory)
    assert page.name == "Margaret"
    assert not [tag for tag in page.tags if tag.startswith("formerly:")]


HERE = Scope(user="ann7", group="shop")


@pytest.mark.parametrize("scope", [ANN, HERE], ids=["private", "group"])
@pytest.mark.parametrize(
    "before, right, name",
    [
        ("My name is Margaret.", "My name is Margarete, not Margaret.", "Margarete"),
        ("My name is Catherine.", "My name is Katrin, not Catherine.", "Katrin"),
        ("My name is Jon.", "My name is spelled Jonn, with two n's.", "Jonn"),
        ("我叫陈晶。", "我叫陈静，不是陈晶。", "陈静"),
        ("我叫陈静。", "我的名字是陈静怡，不是陈静。", "陈静怡"),
    ],
)
def test_P5_a_name_that_is_told_anew_is_the_pages(
    open_memory: Callable[..., Memory], scope: Scope, before: str, right: str, name: str
) -> None:
    memory = open_memory()
    for said in (before, right):
        memory.end_turn(scope, new_info=said, sender_id="ann7", sender_name="ann7")
        memory.drain(20)
    page = memory.get_profile(scope, "user", "ann7")
    assert page is not None
    assert page.name == name
    block = memory.context(scope, "who am I?", deadline=5)
    assert f"(ann7, {name})" in block or f"（ann7，{name}）" in block


@pytest.mark.parametrize(
    "before, more",
    [
        ("My name is Ann.", "My name is Ann Moss."),
        ("My name is Ann Moss.", "My name is Ann."),
        ("我叫陈静。", "我的名字是陈静。"),
    ],
)
def test_P5_more_of_the_same_name_is_no_other_name(
    open_memory: Callable[..., Memory], before: str, more: str
) -> None:
    memory = open_memory()
    told(memory, before)
    told(memory, more)
    states = [one.state for one in memory.facts.list(ANN) if one.data["category"] == "name"]
    assert states == ["approved"]


def test_P5_a_name_told_in_a_group_does_not_replace_one_that_was_told_in_private(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    told(memory, "My name is Margaret.")
    memory.end_turn(HERE, new_info="My name is Mo.", sender_id="ann7", sender_name="ann7")
    memory.drain(20)
    assert page_of(memory).name == "Margaret"


def test_P5_the_pages_tags_follow_a_fact_that_was_put_right(memory: Memory) -> None:
    told(memory, "I work at Harlow")
    assert "Harlow" in page_of(memory).tags
    (job,) = memory.facts.list(ANN, ["approved"])
    memory.facts.correct(ANN, job.id, "ann7 keeps the books at Harlow & Pike", actor="model")
    tags = page_of(memory).tags
    assert "Harlow & Pike" in tags and "Harlow" not in tags
