"""What a model remembers is compared with what is known (F1)."""

from __future__ import annotations

from typing import Any

import pytest

from taishi import Memory, Scope, tools
from taishi.mcp_server.handlers import INSTRUCTIONS

ME = Scope(user="me")


def call(memory: Memory, name: str, **arguments: Any) -> tools.Answer:
    return tools.call(memory, name, arguments, ME, names=tools.ALL_TOOLS)


def texts(memory: Memory, state: str = "approved") -> list[str]:
    return sorted(one.text for one in memory.facts.list(ME, [state]))


def test_F1_a_contradiction_is_named_and_waits(memory: Memory) -> None:
    old = call(memory, "remember", text="Ann lives in Cork.").data["id"]
    answer = call(memory, "remember", text="Ann lives in Galway.")
    assert answer.ok and answer.data["close_to"] == [old]
    assert f'"Ann lives in Cork." (fact, id {old})' in answer.text and "correct" in answer.text
    ((first, second),) = memory.facts.conflicts(ME)
    assert (first.id, second.id) == (old, answer.data["id"])
    shown = call(memory, "context", query="Where does Ann live?").text
    assert "Cork" in shown and "Galway" not in shown


def test_F1_correcting_the_old_one_settles_it(memory: Memory) -> None:
    old = call(memory, "remember", text="Ann lives in Cork.").data["id"]
    call(memory, "remember", text="Ann lives in Galway.")
    assert call(memory, "correct", id=old, text="Ann lives in Galway").ok
    assert texts(memory) == ["Ann lives in Galway"]
    assert not memory.facts.conflicts(ME) and not texts(memory, "conflict")


def test_F1_a_contradiction_with_what_was_learned_is_named(memory: Memory) -> None:
    memory.end_turn(ME, new_info="I live in Cork.", sender_name="Ann")
    memory.drain()
    (known,) = memory.facts.list(ME)
    answer = call(memory, "remember", text="Ann lives in Galway")
    assert answer.data["close_to"] == [known.id] and len(memory.facts.conflicts(ME)) == 1


def test_F1_what_is_close_is_named_and_both_are_kept(memory: Memory) -> None:
    cat = call(memory, "remember", text="Ann's cat is called Mimi").data["id"]
    answer = call(memory, "remember", text="Ann's cat is called Momo")
    assert answer.text.startswith("Remembered") and answer.data["close_to"] == [cat]
    assert "correct" in answer.text and len(texts(memory)) == 2
    chinese = (
        call(memory, "remember", text="安的猫叫咪咪"),
        call(memory, "remember", text="安的猫叫小黑"),
    )
    assert chinese[1].data["close_to"] == [chinese[0].data["id"]] and "correct" in chinese[1].text


def test_F1_other_things_are_remembered_without_a_word(memory: Memory) -> None:
    for text in ("Ann lives in Cork", "Ann likes tea", "Ann likes coffee", "Bob lives in Galway"):
        answer = call(memory, "remember", text=text)
        assert (
            answer.text == f"Remembered (id {answer.data['id']})." and not answer.data["close_to"]
        )
    assert len(texts(memory)) == 4


def test_F1_the_host_and_a_person_keep_what_they_say(memory: Memory) -> None:
    for actor in ("host", "person"):
        for town in ("Cork", "Galway"):
            memory.remember(ME, f"Ann lives in {town}", actor=actor)
    assert not memory.facts.conflicts(ME)


def test_T2_correct_is_named_for_changes() -> None:
    assert all("`correct`" in one for one in INSTRUCTIONS)
    assert all("correct" in one for one in tools.CATALOGUE["remember"].description)


# Two statements of a model, in the scope of the user "ann".
CONTRADICTIONS = [
    ("The user lives in Rome.", "The user lives in Milan."),
    ("ann lives in Rome.", "Ann lives in Milan."),
    ("I live in Oslo.", "I live in Bergen."),
    ("The user lives in Rome.", "I live in Milan."),
    ("用户住在成都。", "用户住在北京。"),
    ("安娜住在成都", "安娜住在北京"),
    ("我住在成都", "用户住在北京"),
]
CLOSE = [
    ("User prefers tabs.", "User prefers spaces."),
    ("I prefer tabs.", "The user prefers spaces."),
    ("The database of the shop is MySQL 8.", "The database of the shop is MariaDB 11."),
    ("The deploy day is Friday.", "The deploy day is Monday."),
    ("The staging server runs on heron.", "The staging server runs on osprey."),
    ("商店的数据库是MySQL", "商店的数据库是MariaDB"),
    ("部署日是周五", "部署日是周一"),
    ("用户更喜欢制表符", "用户更喜欢空格"),
]
NEITHER = [
    ("The user likes tea.", "The user likes coffee."),
    ("User's hobby is chess.", "User's hobby is running."),
    ("The user has a dog.", "The user has a cat."),
    ("The user is allergic to nuts.", "The user is allergic to fish."),
    ("Ann lives in Rome.", "Bob lives in Milan."),
    ("The deploy day is Friday.", "The review day is Monday."),
    ("The shop is closed on Sunday.", "The shop is in Cork."),
    ("User speaks French.", "User speaks Welsh."),
    ("用户喜欢喝茶", "用户喜欢喝咖啡"),
    ("用户的爱好是下棋", "用户的爱好是跑步"),
    ("用户养了一只狗", "用户养了一只猫"),
    ("安娜住在成都", "王芳住在北京"),
    ("安娜会说法语", "安娜会说德语"),
    ("部署日是周五", "发布地点是北京"),
]


def _both(memory: Memory, first: str, second: str) -> tuple[str, tools.Answer]:
    ann = Scope(user="ann")
    answers = [
        tools.call(memory, "remember", {"text": text}, ann, names=tools.ALL_TOOLS)
        for text in (first, second)
    ]
    return answers[0].data["id"], answers[1]


@pytest.mark.parametrize(("first", "second"), CONTRADICTIONS)
def test_F1_the_same_person_in_other_words_is_the_same(
    memory: Memory, first: str, second: str
) -> None:
    old, answer = _both(memory, first, second)
    assert answer.data["close_to"] == [old]
    assert len(memory.facts.conflicts(Scope(user="ann"))) == 1


@pytest.mark.parametrize(("first", "second"), CLOSE)
def test_F1_another_value_of_the_same_thing_is_close(
    memory: Memory, first: str, second: str
) -> None:
    old, answer = _both(memory, first, second)
    assert answer.data["close_to"] == [old]
    assert not memory.facts.conflicts(Scope(user="ann"))


@pytest.mark.parametrize(("first", "second"), NEITHER)
def test_F1_what_may_both_be_true_is_kept_without_a_word(
    memory: Memory, first: str, second: str
) -> None:
    _, answer = _both(memory, first, second)
    assert answer.data["close_to"] == []
    assert not memory.facts.conflicts(Scope(user="ann"))
