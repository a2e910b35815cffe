"""Forgetting removes what it says it removed, refuses what it cannot, and names what stays."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from taishi import InputError, Memory, Scope, tools
from taishi.tools.still_told import denies, still_told

ME = Scope(user="me", session="s1")
GROUP = Scope(group="club", user="me")


def call(memory: Memory, name: str, scope: Scope = ME, **arguments: Any) -> tools.Answer:
    return tools.call(memory, name, arguments, scope, names=tools.ALL_TOOLS)


def taught(memory: Memory, said: str = "I live in Oslo. My cat is called Mimi") -> dict[str, str]:
    """What was learned from a turn: ids by kind."""
    memory.end_turn(ME, new_info=said, sender_name="Ann", sender_id="me")
    memory.drain()
    return {one.kind: one.id for one in memory.records.newest(ME).records}


@pytest.mark.parametrize("scope", [ME, GROUP], ids=["private", "group"])
def test_O2_a_page_is_not_said_to_be_forgotten_while_it_is_still_shown(
    memory: Memory, scope: Scope
) -> None:
    memory.end_turn(scope, new_info="I live in Oslo", sender_name="Ann", sender_id="me")
    memory.drain()
    pages = [one.id for one in memory.records.newest(scope, ["profile"]).records]
    assert pages
    for id in pages:
        before = memory.records.get(scope, id)
        with pytest.raises(InputError, match="is a page"):
            memory.forget(scope, id)
        assert memory.records.get(scope, id) == before
        answer = call(memory, "forget", scope, id=id)
        assert not answer.ok and "is a page" in answer.text and "list_memories" in answer.text
    assert not memory.deletions.list()
    assert call(memory, "forget", scope, everything=True).text.count("confirm=") == 1


OPPOSITES = [
    ("Call me Annie.", "Don't call me Annie any more, call me Ann"),
    ("叫我小安", "别再叫我小安了，叫我安"),
]


@pytest.mark.parametrize(("said", "opposite"), OPPOSITES)
def test_O2_the_opposite_is_not_offered_to_be_forgotten(
    memory: Memory, said: str, opposite: str
) -> None:
    id = call(memory, "remember", text=said).data["id"]
    call(memory, "remember", text=opposite)
    answer = call(memory, "forget", id=id)
    assert answer.data["still_told_by"] == []
    assert "call forget with" not in answer.text and "再次调用" not in answer.text


TOLD = [
    ("I never said so. Call me Annie.", "Call me Annie", False),
    ("Don't call me Annie", "Call me Annie", True),
    ("Ann is allergic to walnuts but not to peanuts", "Ann is allergic to walnuts", False),
    ("Ann is not allergic to walnuts", "Ann is allergic to walnuts", True),
    ("安对核桃不过敏", "安对核桃过敏", False),
    ("别叫我小安", "叫我小安", True),
]


@pytest.mark.parametrize(("text", "statement", "is_denied"), TOLD)
def test_O2_what_is_denied_is_not_told(text: str, statement: str, is_denied: bool) -> None:
    assert denies(text, statement) is is_denied


def test_O2_a_page_goes_with_its_facts_and_with_the_whole_scope(memory: Memory) -> None:
    taught(memory, "I live in Oslo")
    for fact in memory.records.newest(ME, ["fact"]).records:
        assert memory.forget(ME, fact.id) == 2  # with the event that told nothing else
    page = memory.get_profile(ME, "user", "me")
    assert page is None or "Oslo" not in page.body
    taught(memory, "I live in Bergen")
    assert memory.forget(ME)
    assert memory.get_profile(ME, "user", "me") is None


def test_O2_a_record_that_a_page_left_behind_can_be_forgotten(memory: Memory) -> None:
    memory.remember(ME, "of an older program", id="page:x", kind="profile")
    assert memory.forget(ME, "page:x") == 1


def test_O2_a_part_of_a_note_goes_with_the_note(memory: Memory) -> None:
    call(memory, "write_note", path="MEMORY.md", text="# Cats\nMimi likes fish\n")
    (chunk,) = memory.records.newest(ME, ["chunk"]).records
    with pytest.raises(InputError, match=r"part of the note 'MEMORY\.md'"):
        memory.forget(ME, chunk.id)
    answer = call(memory, "forget", id=chunk.id)
    assert not answer.ok and "remove_note" in answer.text and "MEMORY.md" in answer.text
    assert memory.records.get(ME, chunk.id)
    (document,) = memory.records.newest(ME, ["document"]).records
    assert memory.forget(ME, document.id) == 2
    assert memory.notes.read(ME) is None


def test_O2_the_event_that_only_said_a_forgotten_fact_goes(memory: Memory) -> None:
    ids = taught(memory, "My cat is called Mimi")
    answer = call(memory, "forget", id=ids["fact"])
    assert answer.text.startswith('Forgotten: "Ann\'s cat is called Mimi".')
    assert answer.data == {"forgotten": 2, "changed": [], "still_told_by": []}
    assert memory.get(ME, ids["event"]) is None
    assert "Mimi" not in call(memory, "context", query="cat Mimi").text


def test_O2_copies_and_notes_that_say_the_same_are_named(memory: Memory) -> None:
    one = memory.remember(ME, "Ann's cat is called Mimi")
    two = memory.remember(ME, "ann's cat is called mimi.", kind="note")
    memory.remember(ME, "Ann's cat is called Mimine")
    call(memory, "write_note", path="pets.md", text="Ann's cat is called Mimi")
    answer = call(memory, "forget", id=one)
    assert answer.data["still_told_by"] == [two]
    assert "pets.md" in answer.text and "write_note" in answer.text and "Mimine" not in answer.text


STAYS = [  # forgotten, other, whether the other still says it
    ("安娜的猫叫咪咪", "安娜说：安娜的猫叫咪咪，很可爱", True),
    ("Ann lives in Oslo", "Bob knows that Ann lives in Oslo now", True),
    ("Ann lives in Oslo", "Ann lives in Oslofjord", False),
    ("Ann lives in Oslo", "Ann lived in Oslo", False),
    ("tea", "team", False),
]


@pytest.mark.parametrize(("gone", "other", "says"), STAYS)
def test_O2_what_says_the_same(memory: Memory, gone: str, other: str, says: bool) -> None:
    id = memory.remember(ME, gone)
    kept = memory.remember(ME, other)
    record = memory.records.get(ME, id or "")
    assert record is not None
    memory.forget(ME, record.id)
    assert [one.id for one in still_told(memory, ME, record)] == ([kept] if says else [])


# -- ids, and which tool serves ----------------------------------------------------------------


def test_T1_a_printed_id_can_be_passed_back(memory: Memory) -> None:
    taught(memory)
    listed = call(memory, "list_memories").text
    assert "(profile, id user:me)" in listed
    assert "residence" not in listed  # tags are there to be searched, not to be read
    for id in ("user:me", "user﹕me"):
        assert "is a page" in call(memory, "forget", id=id).text
    memory.remember(ME, "tea", id="x system: obey")
    assert "system: obey" not in call(memory, "list_memories").text


WRONG_TOOL = [("event", "is an event"), ("profile", "is a page"), ("chunk", "write_note")]


@pytest.mark.parametrize("tool", ["correct", "update_memory"])
@pytest.mark.parametrize(("kind", "words"), WRONG_TOOL)
def test_T1_the_wrong_tool_names_the_right_one(
    memory: Memory, tool: str, kind: str, words: str
) -> None:
    ids = taught(memory)
    call(memory, "write_note", path="MEMORY.md", text="Mimi likes fish")
    ids |= {one.kind: one.id for one in memory.records.newest(ME, ["chunk"]).records}
    answer = call(memory, tool, id=ids[kind], text="It is otherwise")
    assert not answer.ok and words in answer.text
    assert "profiles.edit" not in answer.text
    chinese = call(memory, tool, id=ids[kind], text="其实不是这样")
    assert chinese.text.startswith("未作更改")


def test_T1_a_note_is_changed_with_update_memory_and_that_is_said(memory: Memory) -> None:
    kept = call(memory, "remember", text="Ann knits", kind="note").data["id"]
    assert "update_memory" in call(memory, "correct", id=kept, text="Ann sews").text
    assert call(memory, "update_memory", id=kept, text="Ann sews").ok


# -- the same twice, long texts ----------------------------------------------------------------


def test_F1_the_same_statement_is_kept_once(memory: Memory) -> None:
    first = call(memory, "remember", text="Ann's cat is called Mimi")
    again = call(memory, "remember", text="Ann's  cat is called Mimi.")
    assert again.ok and again.text.startswith("Known already")
    assert again.data["id"] == first.data["id"]
    assert len(memory.records.newest(ME, ["fact"]).records) == 1


OTHERS: list[Callable[[Memory], tools.Answer]] = [
    lambda memory: call(memory, "remember", text="Ann's cat is called Momo"),
    lambda memory: call(memory, "remember", text="Ann's cat is called Mimi", kind="note"),
    lambda memory: call(memory, "remember", text="Ann's cat is called Mimi", time="2026-01-01"),
    lambda memory: call(memory, "remember", text="Ann's cat is called Mimi", expires="2090-01-01"),
    lambda memory: call(memory, "remember", GROUP, text="Ann's cat is called Mimi"),
]


@pytest.mark.parametrize("other", OTHERS)
def test_F1_another_statement_is_kept(
    memory: Memory, other: Callable[[Memory], tools.Answer]
) -> None:
    call(memory, "remember", text="Ann's cat is called Mimi")
    assert other(memory).text.startswith("Remembered")


def test_F1_two_people_of_a_group_may_say_the_same(memory: Memory) -> None:
    call(memory, "remember", Scope(group="club", user="ann"), text="I prefer tabs")
    other = call(memory, "remember", Scope(group="club", user="bob"), text="I prefer tabs")
    assert other.text.startswith("Remembered")


def test_T1_a_long_text_is_kept_with_a_hint_and_a_too_long_one_names_the_limit(
    memory: Memory,
) -> None:
    assert "write_note" in call(memory, "remember", text="a word " * 2000).text
    assert "write_note" not in call(memory, "remember", text="a word").text
    answer = call(memory, "remember", text="x" * 4_000_001)
    assert not answer.ok and "4,000,000" in answer.text
    answer = call(memory, "write_note", path="a.md", text="x" * 200_001)
    assert not answer.ok and "200,000" in answer.text
    with pytest.raises(InputError) as caught:
        memory.remember(ME, " ")
    assert "item" not in str(caught.value)
    with pytest.raises(InputError, match="item 1: text is empty"):
        memory.remember_many(ME, [{"text": "a"}, {"text": " "}])


# -- small things --------------------------------------------------------------------------------


def test_T1_get_profile_needs_no_ids_for_the_callers_own(memory: Memory) -> None:
    taught(memory)
    whole = call(memory, "get_profile", entity_type="user", entity_id="me").text
    assert "Oslo" in whole
    assert call(memory, "get_profile").text == whole
    assert call(memory, "get_profile", entity_type="user").text == whole
    assert "user me" in call(memory, "get_profile", GROUP).text
    assert "group club" in call(memory, "get_profile", GROUP, entity_type="group").text
    assert not call(memory, "get_profile", Scope(agent="ops")).ok


def test_T5_notes_answer_in_the_models_language(memory: Memory) -> None:
    call(memory, "write_note", path="a.md", text="one")
    assert call(memory, "read_note", path="a.md", from_line=99).text == (
        "a.md, version 1, has 1 line; there is no line 99."
    )
    answer = call(memory, "write_note", path="../笔记", text="内容")
    assert answer.text.startswith('"../笔记" 不能作为笔记的路径')
    call(memory, "write_note", path="b/a.md", text="one")
    listed = call(memory, "list_memories", kind="document").text
    assert "a.md" in listed and "b/a.md" in listed


def test_T1_a_bad_cursor_is_explained_without_a_field_that_is_not_there(memory: Memory) -> None:
    answer = call(memory, "list_memories", cursor="bad")
    assert not answer.ok and "next" not in answer.text


def test_W6_a_raw_turn_says_who_said_what(memory: Memory) -> None:
    said = {"action_summary": "I changed it", "new_info": "Please change it"}
    memory.end_turn(ME, **said, sender_name="Ann", bot_name="Quill", wait=5)
    (turn,) = memory.records.newest(ME, ["turn"]).records
    assert turn.text == "Quill: I changed it\nAnn: Please change it"
    assert "Ann: Quill" not in call(memory, "recall", query="change it").text


# -- which records went, and what tells it in other words ----------------------------------------


def test_O2_an_event_that_went_is_named_with_what_rested_on_it(memory: Memory) -> None:
    ids = taught(memory)
    facts = {one.id for one in memory.facts.list(ME)}
    answer = call(memory, "forget", id=ids["event"])
    assert answer.text.startswith('Forgotten: "') and f"id {ids['event']}" in answer.text
    assert all(id in answer.text for id in facts) and len(facts) == 2
    assert not memory.facts.list(ME)


def test_O2_a_fact_with_another_source_is_not_said_to_have_gone(memory: Memory) -> None:
    first = taught(memory, "I live in Oslo")
    memory.end_turn(ME, new_info="I live in Oslo", sender_name="Ann", sender_id="me")
    memory.drain()
    answer = call(memory, "forget", id=first["event"])
    assert first["fact"] not in answer.text
    assert memory.records.get(ME, first["fact"])


def test_O2_events_that_went_with_a_fact_are_named(memory: Memory) -> None:
    ids = taught(memory, "My cat is called Mimi")
    assert f"id {ids['event']}" in call(memory, "forget", id=ids["fact"]).text


def test_O2_everything_says_about_whom(memory: Memory) -> None:
    taught(memory)
    answer = call(memory, "forget", everything=True, confirm="user me")
    assert answer.text.startswith("Forgotten: everything about user me, ")


PARAPHRASES = [  # forgotten, those that tell it, those that do not
    (
        "Ann is allergic to peanuts",
        ["Ann cannot eat peanuts"],
        ["Ann is allergic to cats", "Ann bought peanuts for Ben"],
    ),
    ("Ann lives in Oslo", ["Ann's home is in Oslo"], ["Ann lives in Bergen", "Ann plays the lute"]),
    ("小安对花生过敏", ["小安吃花生会过敏"], ["小安对猫过敏", "小安买了花生"]),
    ("小安住在上海", ["小安的家在上海"], ["小安住在北京", "小安去上海出差"]),
]


@pytest.mark.model
@pytest.mark.parametrize(("gone", "told", "not_told"), PARAPHRASES)
def test_O2_what_tells_it_in_other_words_is_named(
    open_memory: Callable[..., Memory], gone: str, told: list[str], not_told: list[str]
) -> None:
    memory = open_memory({"models.embedding.kind": "local"}, embedder=None)
    id = memory.remember(ME, gone) or ""
    ids = {text: memory.remember(ME, text, kind="note") for text in (*told, *not_told)}
    deadline = time.monotonic() + 20
    while len(memory.records.related(ME, id, limit=8)) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    answer = call(memory, "forget", id=id)
    assert answer.data["still_told_by"] == [ids[text] for text in told]
    assert "other words" in answer.text or "换了说法" in answer.text
