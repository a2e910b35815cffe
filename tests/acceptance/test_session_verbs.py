"""A session's messages and summary, and the partitions of a workspace, as anybody may read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from taishi import Memory, Message, Scope
from taishi.errors import InputError, ScopeError

HERE = Scope(user="ann", session="s1")
THERE = Scope(user="bob", session="s1")
KEY = "sk-proj-9hGq2LrX8vTn5KdW3mZp7RbY1cFs6JaU4eHo0TgVxNiQwPlE"


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()


def texts(memory: Memory, scope: Scope = HERE, **options: Any) -> list[str]:
    return [one.message.text for one in memory.sessions.messages(scope, **options)]


def test_W8_messages_come_in_order_before_and_after_the_summary(memory: Memory) -> None:
    said = [f"message {n}" for n in range(6)]
    memory.sessions.add_messages(HERE, [Message(text, "Ann") for text in said[:4]])
    assert texts(memory) == said[:4] and memory.sessions.summary(HERE) == ""
    assert memory.sessions.end(HERE)
    memory.sessions.add_messages(HERE, [Message(text, "Ann") for text in said[4:]])
    assert texts(memory) == said
    state = [one.is_summarised for one in memory.sessions.messages(HERE)]
    assert state == [True] * 4 + [False] * 2
    assert "message 0" in memory.sessions.summary(HERE)


def test_pages_of_messages_join_without_gap_or_overlap(memory: Memory) -> None:
    memory.sessions.add_messages(HERE, [Message(f"message {n}", "Ann") for n in range(5)])
    first = memory.sessions.messages(HERE, limit=2)
    rest = memory.sessions.messages(HERE, after=first[-1].number)
    assert [one.message.text for one in (*first, *rest)] == texts(memory)


def test_S3_a_session_of_the_same_name_is_another_one(memory: Memory) -> None:
    memory.sessions.add_messages(HERE, [Message("for Ann alone", "Ann")])
    memory.sessions.end(HERE)
    assert texts(memory, THERE) == [] and memory.sessions.summary(THERE) == ""


def test_R1_no_secret_is_shown_and_O2_nothing_stays_after_forget(memory: Memory) -> None:
    memory.sessions.add_messages(HERE, [Message(f"my key is {KEY}", "Ann", speaker_id="ann")])
    (shown,) = texts(memory)
    assert KEY not in shown and "my key is" in shown
    memory.sessions.end(HERE)
    memory.forget(HERE)
    assert texts(memory) == [] and memory.sessions.summary(HERE) == ""


@pytest.mark.parametrize("verb", ["messages", "summary"])
def test_without_a_session_the_error_says_what_to_pass(memory: Memory, verb: str) -> None:
    with pytest.raises(InputError, match="session="):
        getattr(memory.sessions, verb)(Scope(user="ann"))
    with pytest.raises(ScopeError):
        getattr(memory.sessions, verb)("ann")


@pytest.mark.parametrize("limit", [0, -1, 10_001, True, "5"])
def test_a_limit_that_cannot_be_used_is_refused(memory: Memory, limit: Any) -> None:
    with pytest.raises(InputError, match="limit"):
        memory.sessions.messages(HERE, limit=limit)


def test_partitions_are_those_of_one_workspace(memory: Memory) -> None:
    memory.remember(HERE, "one")
    memory.remember(Scope(group="club"), "two")
    memory.remember(Scope(user="ann", workspace="other"), "three")
    found = memory.partitions()
    assert [(one.partition.kind, one.partition.id, one.records) for one in found] == [
        ("group", "club", 1),
        ("private", "ann", 1),
    ]
    assert len(memory.partitions("other")) == 1 and memory.partitions("nobody") == []
    with pytest.raises(InputError, match="workspace"):
        memory.partitions("")
