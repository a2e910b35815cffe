"""What a person says of one fact holds for all that state the same (P5)."""

from __future__ import annotations

import pytest

from taishi import Memory, Scope
from taishi.errors import RefusedError

ME = Scope(user="me")
GROUP = Scope(group="g")


def texts(memory: Memory, *states: str, scope: Scope = ME) -> list[str]:
    return sorted(one.text for one in memory.facts.list(scope, states or ("approved",)))


def page(memory: Memory) -> str:
    found = memory.get_profile(ME, "user", "me")
    return found.body if found else ""


def said(memory: Memory, text: str, name: str = "Uma") -> None:
    memory.end_turn(ME, new_info=text, sender_name=name)
    memory.drain(20)


def learned_and_remembered(memory: Memory, text: str, statement: str, name: str) -> tuple[str, str]:
    said(memory, text, name)
    (fact,) = memory.facts.list(ME)
    return fact.id, memory.remember(ME, statement, metadata={"of": "host"}) or ""


PLACES = [
    ("Uma", "I live in Lund.", "Uma lives in Lund", "Uma lives in Malmö", "I moved to Malmö."),
    ("小薇", "我住在隆德。", "小薇住在隆德", "小薇住在马尔默", "我搬到马尔默了。"),
]


def test_P5_a_rejection_reaches_what_was_remembered_twice(memory: Memory) -> None:
    first = memory.remember(ME, "Tess's locker is 114") or ""
    second = memory.remember(ME, "tess’s LOCKER is 114!", source="7", metadata={"n": 2}) or ""
    assert first != second
    memory.facts.reject(ME, first)
    assert texts(memory) == [] and "114" not in memory.context(ME, "What is Tess's locker?")
    with pytest.raises(RefusedError):
        memory.remember(ME, "Tess's locker is 114")
    kept = memory.records.get(ME, second)
    assert kept is not None and kept.source == "7" and kept.data["n"] == 2

    memory.facts.approve(ME, second)
    assert len(texts(memory)) == 2 and texts(memory, "rejected") == []
    assert "114" in memory.context(ME, "What is Tess's locker?")
    assert memory.remember(ME, "Tess's locker is 114")


@pytest.mark.parametrize(("name", "told", "statement", "right", "moved"), PLACES)
@pytest.mark.parametrize("number", [0, 1])
def test_P5_a_correction_reaches_what_was_learned_and_remembered(
    memory: Memory, name: str, told: str, statement: str, right: str, moved: str, number: int
) -> None:
    ids = learned_and_remembered(memory, told, statement, name)
    new = memory.facts.correct(ME, ids[number], right)
    assert texts(memory) == [right] and page(memory).strip().removeprefix("- ") == right
    block = memory.context(ME, f"{name}: {statement}?")
    assert all(right in line for line in block.splitlines() if statement in line)
    memory.forget(ME, new)
    assert texts(memory, "approved", "rejected", "superseded") == []


@pytest.mark.parametrize(("name", "told", "statement", "right", "moved"), PLACES)
def test_P5_a_rejection_takes_the_line_off_the_page_and_an_approval_brings_all_back(
    memory: Memory, name: str, told: str, statement: str, right: str, moved: str
) -> None:
    learned, remembered = learned_and_remembered(memory, told, statement, name)
    memory.facts.reject(ME, learned)
    assert texts(memory) == [] and statement not in page(memory)
    memory.facts.approve(ME, learned)
    assert len(texts(memory)) == 2 and texts(memory, "rejected") == []
    kept = memory.records.get(ME, remembered)
    assert kept is not None and kept.data["of"] == "host"


@pytest.mark.parametrize(("name", "told", "statement", "right", "moved"), PLACES)
def test_P5_a_later_word_ends_both(
    memory: Memory, name: str, told: str, statement: str, right: str, moved: str
) -> None:
    learned_and_remembered(memory, told, statement, name)
    said(memory, moved, name)
    assert texts(memory) == [right] and len(texts(memory, "superseded")) == 2
    assert page(memory).strip() == f"- {right}"


def test_P5_what_is_taken_back_in_the_chat_goes_twice_and_may_be_said_again(
    memory: Memory,
) -> None:
    learned_and_remembered(memory, "I have a sister.", "Uma has a sister", "Uma")
    said(memory, "I misspoke, I do not have a sister.")
    assert "Uma has a sister" not in texts(memory)
    said(memory, "I have a sister.")
    assert "Uma has a sister" in texts(memory) and "Uma has a sister" not in texts(
        memory, "rejected"
    )
    assert memory.remember(ME, "Uma has a sister")


def test_P5_taking_a_line_off_the_page_reaches_both(memory: Memory) -> None:
    learned_and_remembered(memory, "I live in Lund.", "Uma lives in Lund", "Uma")
    memory.profiles.edit(ME, "- Uma likes tea\n", memory.profiles.source(ME))
    assert texts(memory) == ["Uma likes tea"]
    memory.profiles.edit(ME, "- Uma lives in Lund\n", memory.profiles.source(ME))
    assert "Uma lives in Lund" in texts(memory)
    assert "Uma lives in Lund" not in texts(memory, "rejected")


def test_P5_a_decided_conflict_reaches_the_twins_of_both_sides(memory: Memory) -> None:
    kept = memory.remember(ME, "Ann lives in Cork", actor="model") or ""
    dropped = memory.remember(ME, "Ann lives in Galway", actor="model") or ""
    memory.remember(ME, "Ann lives in Galway", actor="model")
    memory.facts.resolve(ME, kept, dropped)
    assert texts(memory) == ["Ann lives in Cork"] and not memory.facts.conflicts(ME)

    other = memory.remember(ME, "Bob lives in Cork", actor="model") or ""
    first = memory.remember(ME, "Bob lives in Galway", actor="model") or ""
    memory.remember(ME, "Bob lives in Galway", actor="model")
    memory.facts.resolve(ME, first, other)
    assert texts(memory) == ["Ann lives in Cork", "Bob lives in Galway", "Bob lives in Galway"]
    assert not memory.facts.conflicts(ME)


def test_P5_a_model_ends_no_twin_that_a_person_decided(memory: Memory) -> None:
    models = memory.remember(ME, "Ann drinks tea", actor="model") or ""
    memory.remember(ME, "Ann drinks tea", actor="person")
    memory.remember(ME, "Ann drinks tea")
    memory.facts.reject(ME, models, actor="model")
    (left,) = memory.facts.list(ME, ["approved"])
    assert left.data["recorded_by"] == "person"
    models = memory.remember(ME, "Ann drinks milk", actor="model") or ""
    memory.remember(ME, "Ann drinks milk")
    memory.facts.correct(ME, models, "Ann drinks oat milk", actor="model")
    assert "Ann drinks milk" not in texts(memory)


def test_P5_the_same_words_of_two_people_are_two_statements(memory: Memory) -> None:
    of = {
        user: memory.remember(Scope(user=user, group="g"), "likes kiwi") or ""
        for user in ("ann", "bob")
    }
    memory.facts.reject(GROUP, of["ann"])
    assert [one.id for one in memory.facts.list(GROUP, ["approved"])] == [of["bob"]]


def test_P5_notes_and_other_words_stay(memory: Memory) -> None:
    fact = memory.remember(ME, "Ann has two cats") or ""
    memory.remember(ME, "Ann has two cats", kind="note")
    memory.remember(ME, "Ann has two black cats")
    memory.facts.reject(ME, fact)
    assert texts(memory) == ["Ann has two black cats"]
    assert [one.text for one in memory.records.newest(ME, ["note"]).records] == ["Ann has two cats"]


def test_P5_a_rebuild_keeps_both_ended(memory: Memory) -> None:
    learned_and_remembered(memory, "I live in Lund.", "Uma lives in Lund", "Uma")
    said(memory, "I moved to Malmö.")
    memory.maintenance.rebuild(ME)
    assert texts(memory) == ["Uma lives in Malmö"]
