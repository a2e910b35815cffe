"""Working memory in a store: in order, once, durable, and nothing made of what is gone (M1–M3)."""

from __future__ import annotations

import json

import pytest

from support.stores import OpenStore
from taishi.ports import Compression, MadeBy, Overview, Store, WorkingStore
from taishi.ports.chat_message import ChatMessage, with_texts
from taishi.types import Message, Partition

ANN = Partition("default", "private", "ann")
GROUP = Partition("default", "group", "g42")
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
TALK = (
    ChatMessage("system", "be brief", id="m0", time=1.0),
    ChatMessage(
        "user", "hello 你好", name="Ann", speaker="Ann", speaker_id="ann", id="m1", time=2.0
    ),
    ChatMessage("assistant", "", None, (CALL,), id="m2", time=3.0),
    ChatMessage("tool", "found", None, (), "c1", id="m3", time=4.0),
    ChatMessage(
        "user",
        "see",
        ({"type": "text", "text": "see"},),
        id="m4",
        time=5.0,
        original={"type": "message", "content": [{"type": "input_text", "text": "see"}]},
    ),
)


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture
def working(store: Store) -> WorkingStore:
    return store.working


def made(last: int, count: int, by: MadeBy = "rules", text: str = "so") -> Compression:
    return Compression(1, last, count, text, Overview("all", ("d",), ("t",), ("a",)), by, 9.0)


def test_M1_messages_come_back_whole_and_in_order(working: WorkingStore) -> None:
    assert working.append(ANN, "s1", TALK, 5.0) == 5
    assert working.append(ANN, "s1", TALK, 6.0) == 0, "their ids are known"
    found = working.messages(ANN, "s1")
    assert tuple(one.message for one in found) == TALK
    assert [one.number for one in found] == sorted(one.number for one in found)
    assert working.messages(ANN, "s1", found[1].number, 2) == found[2:4]
    assert working.latest(ANN, "s1", 2) == found[-2:]
    assert working.message(ANN, "s1", "m3") == found[3]
    assert working.count(ANN, "s1") == 5
    for place, session in ((ANN, "s2"), (GROUP, "s1")):
        assert working.messages(place, session) == [] and working.count(place, session) == 0
        assert working.message(place, session, "m3") is None


def test_M1_a_message_that_a_turn_brought_gets_its_role(store: Store) -> None:
    store.sessions.add_messages(ANN, "s1", [Message("hello", "Ann", 1.0, "m1")])
    assert store.working.messages(ANN, "s1") == []
    assert store.working.append(ANN, "s1", TALK[1:2], 2.0) == 1
    assert [one.message.role for one in store.working.messages(ANN, "s1")] == ["user"]
    assert len(store.sessions.messages(ANN, "s1")) == 1


def test_W8_only_what_was_said_waits_for_a_summary(store: Store) -> None:
    store.working.append(ANN, "s1", TALK, 5.0)
    waiting = store.sessions.take_messages(ANN, "s1", 10)
    assert [one.message.text for one in waiting] == ["hello 你好", "see"]


def test_M1_sessions_are_listed_newest_first(working: WorkingStore) -> None:
    working.append(ANN, "old", TALK[:2], 2.0)
    working.append(ANN, "new", TALK[:1], 3.0)
    assert [(one.session, one.messages) for one in working.sessions(ANN)] == [
        ("new", 1),
        ("old", 2),
    ]
    assert working.sessions(ANN, 1)[0].session == "new" and working.sessions(GROUP) == []


def test_M2_what_stands_for_messages_is_kept_once(working: WorkingStore) -> None:
    working.append(ANN, "s1", TALK, 5.0)
    numbers = [one.number for one in working.messages(ANN, "s1")]
    first, second = made(numbers[1], 2), made(numbers[3], 4)
    assert working.add_compression(ANN, "s1", first) and working.add_compression(ANN, "s1", second)
    assert working.add_compression(ANN, "s1", made(numbers[3], 4, text="other"))
    assert working.compressions(ANN, "s1", 9) == [first, second], "the rules do not overwrite"
    better = made(numbers[3], 4, "model", "better")
    assert working.add_compression(ANN, "s1", better)
    assert working.add_compression(ANN, "s1", second)
    assert working.compressions(ANN, "s1", 1) == [better]
    assert working.compressions(ANN, "s2", 9) == []


def test_O2_nothing_is_made_of_messages_that_are_gone(store: Store) -> None:
    working = store.working
    working.append(ANN, "s1", TALK, 5.0)
    numbers = [one.number for one in working.messages(ANN, "s1")]
    assert working.add_compression(ANN, "s1", made(numbers[1], 2))
    store.sessions.forget_messages(ANN, "s1", ["m1"], [])
    assert working.compressions(ANN, "s1", 9) == []
    assert not working.add_compression(ANN, "s1", made(numbers[3], 4)), "made before the deletion"
    assert working.add_compression(ANN, "s1", made(numbers[3], 3))


def test_M1_the_last_message_can_be_taken_back(working: WorkingStore) -> None:
    for session in ("s1", "s2"):
        working.append(ANN, session, TALK, 5.0)
    found = working.messages(ANN, "s1")
    numbers = [one.number for one in found]
    early, late = made(numbers[1], 2), made(numbers[4], 5)
    assert working.add_compression(ANN, "s1", early) and working.add_compression(ANN, "s1", late)
    assert working.pop(ANN, "s1") == found[4]
    assert working.compressions(ANN, "s1", 9) == [early], "nothing stands for what is gone"
    assert [working.pop(ANN, "s1") for _ in range(5)] == [*found[3::-1], None]
    assert working.count(ANN, "s1") == 0 and working.count(ANN, "s2") == 5
    assert working.append(ANN, "s1", TALK[:1], 6.0) == 1, "its id may come again"


def test_M1_clear_removes_all_of_a_session_alone(working: WorkingStore) -> None:
    for session in ("s1", "s2"):
        working.append(ANN, session, TALK, 5.0)
        last = working.messages(ANN, session)[-1].number
        assert working.add_compression(ANN, session, made(last, 5))
        working.put_scratchpad(ANN, session, {"current_goal": "x"}, 5.0)
    assert working.clear(ANN, "s1") == 5
    assert working.clear(ANN, "s1") == 0
    assert working.messages(ANN, "s1") == [] and working.compressions(ANN, "s1", 9) == []
    assert working.scratchpad(ANN, "s1") is None and working.scratchpad(ANN, "s2") is not None
    assert working.count(ANN, "s2") == 5 and len(working.compressions(ANN, "s2", 9)) == 1


def test_W9_what_is_learned_is_marked(working: WorkingStore) -> None:
    working.append(ANN, "s1", TALK, 5.0)
    waiting = working.unlearned(ANN, "s1", 10)
    assert [one.message.id for one in waiting] == ["m1", "m4"], "not calls, results and prompts"
    working.mark_learned(ANN, "s1", waiting[0].number)
    assert [one.message.id for one in working.unlearned(ANN, "s1", 10)] == ["m4"]


def test_M3_a_scratchpad_lives_while_its_session_does(working: WorkingStore) -> None:
    assert working.scratchpad(ANN, "s1") is None
    working.put_scratchpad(ANN, "s1", {"current_goal": "a", "sub_goals": ["b"]}, 100.0)
    assert working.scratchpad(ANN, "s1") == ({"current_goal": "a", "sub_goals": ["b"]}, 100.0)
    working.append(ANN, "s1", TALK[:1], 150.0)
    assert working.drop_scratchpads(140.0) == 0
    assert working.scratchpad(ANN, "s1") == ({"current_goal": "a", "sub_goals": ["b"]}, 150.0)
    assert working.drop_scratchpads(151.0) == 1 and working.scratchpad(ANN, "s1") is None
    working.put_scratchpad(ANN, "s1", {"current_goal": "a"}, 100.0)
    working.put_scratchpad(ANN, "s1", {}, 101.0)
    assert working.scratchpad(ANN, "s1") is None


def test_R1_a_rescan_reads_bodies_and_scratchpads(store: Store) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,zzsecretzz"}}
    store.working.append(ANN, "s1", [*TALK, ChatMessage("user", "", (picture,), id="m5")], 5.0)
    secret = {**CALL, "function": {"name": "f", "arguments": '{"key": "zzsecretzz"}'}}
    store.working.append(ANN, "s1", [ChatMessage("assistant", "", None, (secret,), id="m6")], 5.0)
    store.working.put_scratchpad(ANN, "s1", {"current_goal": "zzsecretzz"}, 5.0)
    last = store.working.messages(ANN, "s1")[-1].number
    store.working.add_compression(ANN, "s1", made(last, 7, text="zzsecretzz"))
    assert store.rescan.other_texts(lambda text: text.replace("zzsecretzz", "gone")) == 3
    found = {one.message.id: one.message for one in store.working.messages(ANN, "s1")}
    assert found["m6"].tool_calls[0]["function"]["arguments"] == '{"key": "gone"}'
    assert found["m5"].parts == (picture,), "a picture is no text"
    assert store.working.scratchpad(ANN, "s1") == ({"current_goal": "gone"}, 5.0)
    assert store.working.compressions(ANN, "s1", 1)[0].segment == "gone"


def test_R1_arguments_stay_json_whatever_is_taken_out() -> None:
    body = '{"tool_calls":[{"function":{"arguments":"{\\"a\\": \\"b\\"}"}}]}'
    changed = json.loads(with_texts(body, lambda text: text.replace('": "', "<gone>")))
    arguments = changed["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"arguments": '{"a<gone>b"}'}
