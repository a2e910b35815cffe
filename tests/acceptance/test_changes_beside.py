"""A change that was told is seen with what it changes (P5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Scope, tools
from taishi.tools.definitions import CATALOGUE

ANN = Scope(user="ann")
ROWS = [
    (
        "The shop uses Kafka.",
        "The queue was moved from Kafka to NATS.",
        "Which broker is in the shop",
    ),
    ("商店的消息用 Kafka。", "消息队列从 Kafka 迁移到了 NATS。", "商店的消息用什么"),
]


def call(memory: Memory, name: str, **given: object) -> str:
    return tools.dispatch(memory, name, given, ANN, names=list(CATALOGUE))


@pytest.mark.parametrize(("before", "now", "query"), ROWS)
def test_P5_remember_names_what_the_change_ends(
    open_memory: Callable[..., Memory], before: str, now: str, query: str
) -> None:
    memory = open_memory(embedder=None)
    call(memory, "remember", text=before)
    answer = call(memory, "remember", text=now)
    assert before.strip(".。") in answer


@pytest.mark.parametrize("by_turn", [False, True], ids=["remembered", "told"])
@pytest.mark.parametrize(("before", "now", "query"), ROWS)
def test_P5_recall_and_the_block_show_both(
    open_memory: Callable[..., Memory], before: str, now: str, query: str, by_turn: bool
) -> None:
    memory = open_memory(embedder=None)
    call(memory, "remember", text=before)
    if by_turn:
        memory.end_turn(ANN, new_info=now, sender_name="Ann")
        memory.drain(20)
    else:
        call(memory, "remember", text=now)
    told = call(memory, "recall", query=query, top_k=1)
    assert "Kafka" in told and "NATS" in told
    assert "NATS" in memory.context(ANN, query, deadline=5)


def test_P5_what_has_nothing_to_do_with_it_is_not_shown(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder=None)
    call(memory, "remember", text="The shop uses Redis.")
    answer = call(memory, "remember", text="The queue was moved from Kafka to NATS.")
    assert "Close to it" not in answer
    assert "NATS" not in call(memory, "recall", query="Does the shop use Redis?", top_k=1)
