"""Records that are true: whom a clause is about, what a correction puts right and what it leaves.

Without a model, in both languages, from what is said to what is known (H4, P5, W9).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tables.true_records import FACTS, KEPT, NOT_KEPT, RECORDED
from taishi import Memory, Message, Scope

HERE = Scope(user="u")
Open = Callable[..., Memory]


def name_for(*turns: str) -> str:
    return "Ann" if "".join(turns).isascii() else "阿哲"


def told(memory: Memory, *turns: str) -> str:
    """Each turn a minute after the one before; the id of the last."""
    name = name_for(*turns)
    for minute, text in enumerate(turns):
        id = memory.end_turn(
            HERE, new_info=text, messages=[Message(text, speaker=name)], sender_name=name,
            time=f"2026-11-17 10:{minute:02d}",
        )  # fmt: skip
        assert memory.drain(30)
    assert id
    return id


def known(memory: Memory) -> set[str]:
    return {fact.text for fact in memory.facts.list(HERE, ["approved"])}


@pytest.mark.parametrize(("turns", "facts"), FACTS, ids=[" → ".join(row[0]) for row in FACTS])
def test_P5_what_is_known_is_what_was_said(
    open_memory: Open, turns: tuple[str, ...], facts: tuple[str, ...]
) -> None:
    memory = open_memory({"memory.timezone": "Asia/Shanghai"})
    told(memory, *turns)
    assert known(memory) == set(facts)


@pytest.mark.parametrize(("said", "record"), RECORDED, ids=[row[0] for row in RECORDED])
def test_H2_a_record_reads_as_a_statement(open_memory: Open, said: str, record: str) -> None:
    memory = open_memory({"memory.timezone": "Asia/Shanghai"})
    event = memory.get(HERE, told(memory, said))
    assert event
    body = event.text.replace("：", ": ", 1) if "（Asia" in event.text else event.text
    assert body.partition("Shanghai")[2].lstrip("）)").removeprefix(": ") == record


@pytest.mark.parametrize("said", [*KEPT, *NOT_KEPT])
def test_W9_by_rule_events_and_plans_are_kept_and_small_talk_is_not(
    open_memory: Open, said: str
) -> None:
    memory = open_memory({})
    memory.consider(HERE, [Message(said, speaker=name_for(said))], sender_name=name_for(said))
    assert memory.drain(30)
    kept = [hit.text for hit in memory.search_events(HERE, said).hits]
    assert bool(kept) == (said in KEPT)
