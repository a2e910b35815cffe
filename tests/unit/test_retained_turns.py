"""An event keeps the words of its turn: enough to read it again, and no more."""

from __future__ import annotations

from typing import Any

from taishi.domain import events
from taishi.domain.event_evidence import (
    RETAINED,
    citing,
    has_turn,
    job_of,
    own_messages,
    retained,
    without_messages,
)
from taishi.historian import rule_writer
from taishi.types import Edit, Job, Partition, Record


def job(**more: Any) -> Job:
    given: dict[str, Any] = {
        "request_id": "r1", "end_seq": 2, "action_summary": "answered", "epoch": 1_771_569_000.0,
        "new_info": ("I live in Cork.",), "timestamp_utc": "2026-02-20T06:30:00+00:00",
        "timestamp_local": "2026-02-20T14:30:00+08:00", "timezone": "Asia/Shanghai",
        "workspace": "default", "request_type": "private", "user_id": "ann", "sender_id": "ann",
        "sender_name": "Ann", "bot_name": "Bot", "job_id": "j1", "session_id": "s1",
        "source_message": "I live in Cork.",
        "recent_messages": (
            {"speaker": "Bob", "text": "nothing to do with it", "time": 1.0, "id": "m0"},
            {"speaker": "Ann", "text": "I live in Cork.", "time": 2.0, "id": "m1"},
        ),
    }  # fmt: skip
    return Job(**{**given, **more})


def event_of(one: Job) -> Record:
    made = events.put_event(one, "Ann lives in Cork", True, {RETAINED: retained(one)}).record
    assert made is not None
    return made


def test_the_same_facts_are_read_from_the_kept_turn() -> None:
    for one in (
        job(),
        job(new_info=("我住在上海。",), sender_name="小明", source_message="我住在上海。",
            recent_messages=({"speaker": "小明", "text": "我住在上海。"},)),
        job(recent_messages=(), source_message="I live in Cork."),
        job(request_type="group", group_id="g1", group_name="Club"),
    ):  # fmt: skip
        event = event_of(one)
        assert has_turn(event)
        assert rule_writer.write(job_of(event)).facts == rule_writer.write(one).facts
        assert job_of(event).event_id == one.event_id
        assert job_of(event).scope == one.scope


def test_of_a_message_that_has_nothing_to_do_with_it_only_the_speaker_is_kept() -> None:
    kept = retained(job())["messages"]
    assert kept[0] == {"speaker": "Bob", "time": 1.0, "id": "m0"}
    assert kept[1]["text"] == "I live in Cork."
    assert [one["id"] for one in own_messages(event_of(job()))] == ["m1"]


def test_messages_can_be_taken_out_of_it() -> None:
    left = without_messages(event_of(job()), lambda one: one.get("id") == "m1")
    assert left is not None and "Cork" not in str(job_of(left).recent_messages)
    assert job_of(left).source_message == ""
    assert without_messages(event_of(job()), lambda one: False) is None


def test_what_an_event_taught_names_the_id_that_the_event_got() -> None:
    place = Partition("default", "private", "ann")
    fact = Record("f", place, "fact", "x", source="r1:1", data={"sources": ["r0:1", "r1:1"]})
    (edit,) = citing([Edit("put", fact)], "r1:1", "r1:2")
    assert edit.record is not None
    assert (edit.record.source, edit.record.data["sources"]) == ("r1:2", ["r0:1", "r1:2"])


def test_an_event_of_an_older_version_is_read_by_its_own_statements() -> None:
    place = Partition("default", "private", "ann")
    data = {"request_id": "r1", "end_seq": 1, "new_info": ["Ann lives in Cork."]}
    old = Record("r1:1", place, "event", "Ann lives in Cork", 1.0, user="ann", speaker="Ann",
                 data=data)  # fmt: skip
    assert not has_turn(old)
    assert [one.content for one in rule_writer.write(job_of(old)).facts] == ["Ann lives in Cork"]
