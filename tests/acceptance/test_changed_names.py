"""What a user says of himself is about the user's id, whatever the display name is (F1, P5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from taishi import Memory, Scope
from taishi.types import Record

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
Said = tuple[str | None, str]  # the display name, and what is said


def told(memory: Memory, scope: Scope, turns: Sequence[Said], start: int = 0) -> None:
    for day, (name, said) in enumerate(turns, start):
        memory.end_turn(scope, new_info=said, sender_name=name, time=BEGIN + day * DAY)
    memory.drain(60)


def facts(memory: Memory, scope: Scope, state: str = "approved") -> set[str]:
    found = memory.records.newest(scope, kinds=["fact"], states=[state])
    return {one.text for one in found.records}


def page(memory: Memory, scope: Scope) -> str:
    found = memory.get_profile(scope, "user", str(scope.user))
    return found.body if found else ""


CHANGED: list[tuple[list[Said], set[str]]] = [
    ([("Nora", "I live in Lyon"), ("Norrie", "I moved to Turin")], {"Norrie lives in Turin"}),
    ([("Nora", "I live in Lyon"), ("nora", "I live in Turin")], {"nora lives in Turin"}),
    ([("Nora", "I live in Lyon"), (None, "I moved to Turin")], {"user k1 lives in Turin"}),
    ([(None, "I live in Lyon"), ("Nora", "I moved to Turin")], {"Nora lives in Turin"}),
    ([("Nora", "I work at Zeiss"), ("N.", "I now work at Leica")], {"N. works at Leica"}),
    ([("Nora", "I like olives"), ("Norrie", "I don't like olives any more")],
     {"Norrie doesn't like olives any more"}),
    ([("Nora", "I am vegetarian"), ("Norrie", "I'm not vegetarian any more")], set()),
    ([("Nora", "I live in Lyon"), ("Norrie", "Forget what I said about Lyon")], set()),
    ([("Nora", "My dog is called Rex"), ("Norrie", "Sorry, my dog is called Max")],
     {"Norrie's dog is called Max"}),
    ([("Nora", "I live in Lyon"), ("Norrie", "I live in Lyon")], {"Nora lives in Lyon"}),
    ([("Nora", "I live in Lyon"), ("Norrie", "I like olives")],
     {"Nora lives in Lyon", "Norrie likes olives"}),
    ([("Nora", "I live in Lyon"), ("Norrie", "I moved to Turin"), ("Nora", "I moved to Genoa")],
     {"Nora lives in Genoa"}),
    ([("Nora", "Please answer in French"), ("Norrie", "Please answer in Italian")],
     {'Norrie asks: "Please answer in Italian"'}),
    ([("小雨", "我住在无锡"), ("雨儿", "我搬到扬州了")], {"雨儿住在扬州"}),
    ([("小雨", "我住在无锡"), (None, "我搬到扬州了")], {"用户k1住在扬州"}),
    ([(None, "I live in Lyon"), (None, "我搬到扬州了")], {"用户k1住在扬州"}),
    ([("小雨", "我在蔡司工作"), ("雨儿", "我跳槽到徕卡了")], {"雨儿在徕卡工作"}),
    ([("小雨", "我吃素"), ("雨儿", "我不再吃素了")], {"雨儿不再吃素了"}),
    ([("小雨", "我住在无锡"), ("雨儿", "我刚才说的关于无锡的都不对")], set()),
    ([("小雨", "我住在无锡"), ("雨儿", "我住在无锡")], {"小雨住在无锡"}),
    ([("小雨", "我住在无锡"), ("雨儿", "我喜欢橄榄")], {"小雨住在无锡", "雨儿喜欢橄榄"}),
    ([("小雨", "请用英文回答"), ("雨儿", "请用中文回答")], {"雨儿要求：“请用中文回答”"}),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "held"), CHANGED, ids=range(len(CHANGED)))
def test_F1_another_display_name_is_the_same_person(
    open_memory: Callable[..., Memory], turns: list[Said], held: set[str]
) -> None:
    memory, scope = open_memory(), Scope(user="k1")
    told(memory, scope, turns)
    assert facts(memory, scope) == held
    lines = {line.removeprefix("- ") for line in page(memory, scope).splitlines()}
    assert lines == {text for text in held if "asks:" not in text and "要求：" not in text}


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("Nora", "I live in Lyon", "I moved to Turin"), ("小雨", "我住在无锡", "我搬到扬州了")],
)
def test_F1_two_users_of_one_name_stay_apart(
    open_memory: Callable[..., Memory], name: str, first: str, second: str
) -> None:
    memory = open_memory()
    one, other = (Scope(group="g1", user=user) for user in ("k1", "k2"))
    told(memory, one, [(name, first)])
    told(memory, other, [(name, first), (name, second)], start=1)
    held = memory.records.newest(one, kinds=["fact"], states=["approved"]).records
    assert {(record.user, record.text == first_text(held)) for record in held} == {
        ("k1", True),
        ("k2", False),
    }
    assert facts(memory, one, "superseded") == {first_text(held)}
    assert first_text(held) in page(memory, one) and first_text(held) not in page(memory, other)


def first_text(held: Sequence[Record]) -> str:
    return next(record.text for record in held if record.user == "k1")


def test_F1_who_had_a_name_before_is_not_taken_for_who_has_it_now(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    one, other = (Scope(group="g1", user=user) for user in ("k1", "k2"))
    told(memory, one, [("Nora", "I live in Lyon")])
    told(memory, other, [("Nora", "I live in Turin")], start=1)
    told(memory, one, [("Norrie", "I moved to Genoa")], start=2)
    assert facts(memory, one) == {"Nora lives in Turin", "Norrie lives in Genoa"}


def message(name: str, user: str, said: str) -> dict[str, Any]:
    return {"speaker": name, "speaker_id": user, "text": said}


def test_F1_what_another_says_is_not_of_the_user_whose_turn_it_is(
    open_memory: Callable[..., Memory],
) -> None:
    memory, scope = open_memory(), Scope(group="g1", user="k1")
    messages = [message("Bo", "k2", "I live in Turin"), message("Nora", "k1", "Really?")]
    memory.end_turn(scope, new_info="I live in Turin", messages=messages, sender_name="Nora")
    told(memory, scope, [("Nora", "I live in Lyon"), ("Norrie", "I moved to Genoa")])
    assert facts(memory, scope) == {"Bo lives in Turin", "Norrie lives in Genoa"}


def test_F1_the_name_in_a_message_of_the_user_is_no_other_person(
    open_memory: Callable[..., Memory],
) -> None:
    memory, scope = open_memory(), Scope(user="k1")
    for day, (name, said) in enumerate([("Nora", "I live in Lyon"), ("nono", "I moved to Turin")]):
        messages = [message(name, "k1", said)]
        memory.end_turn(
            scope, new_info=said, messages=messages, sender_name="Nora", time=BEGIN + day * DAY
        )
    memory.drain(60)
    assert facts(memory, scope) == {"Nora lives in Turin"}


def test_F1_a_sender_without_a_name_is_called_as_their_own_message_says(
    open_memory: Callable[..., Memory],
) -> None:
    memory, scope = open_memory(), Scope(group="g1", user="k1")
    messages = [message("Nora", "k1", "I live in Lyon"), message("Bo", "k2", "Oh, nice")]
    memory.end_turn(scope, new_info="I live in Lyon", messages=messages)
    memory.drain(60)
    assert facts(memory, scope) == {"Nora lives in Lyon"}


def test_P5_what_others_said_under_an_earlier_name_is_denied_under_the_new_one(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    one, other = (Scope(group="g1", user=user) for user in ("k1", "k2"))
    told(memory, one, [("Nora", "I live in Lyon")])
    told(memory, other, [("Bo", "Nora is allergic to peanuts")], start=1)
    told(memory, one, [("Norrie", "I'm not allergic to peanuts")], start=2)
    assert "Nora is allergic to peanuts" not in facts(memory, one)


def test_P5_what_a_person_rejected_stays_out_under_another_name(
    open_memory: Callable[..., Memory],
) -> None:
    memory, scope = open_memory(), Scope(user="k1")
    told(memory, scope, [("Nora", "I live in Lyon")])
    (record,) = memory.records.newest(scope, kinds=["fact"]).records
    memory.facts.reject(scope, record.id)
    told(memory, scope, [("Norrie", "I live in Lyon")], start=1)
    assert facts(memory, scope) == set()


def test_F1_a_group_keeps_its_own_lines_off_nobody_elses_page(
    open_memory: Callable[..., Memory],
) -> None:
    memory, scope = open_memory(), Scope(group="g1", user="k1")
    told(memory, scope, [("Nora", "I live in Lyon"), ("Norrie", "I live in Lyon")])
    group = memory.get_profile(scope, "group", "g1")
    assert group is None or "Lyon" not in group.body
    assert "Lyon" in page(memory, scope)


def test_F1_facts_of_an_older_folder_are_still_the_users(
    open_memory: Callable[..., Memory],
) -> None:
    from dataclasses import replace

    from taishi.types import Edit

    memory, scope = open_memory(), Scope(user="k1")
    told(memory, scope, [("Nora", "I live in Lyon")])
    store = memory._services.runtime.parts.store
    (record,) = store.find(scope.home, ("fact",), None, 9)
    data = {name: value for name, value in record.data.items() if name != "about_user"}
    store.apply([Edit("put", replace(record, data=data))])
    told(memory, scope, [("Norrie", "I moved to Turin")], start=1)
    assert facts(memory, scope) == {"Norrie lives in Turin"}
