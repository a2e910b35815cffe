"""The tables of corrections: after two or three plain statements, the page says what holds (P5).

Without a chat model, through `end_turn` and through the tool `end`, minutes and days apart.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from support.correction_tables import SPEAKERS, play, rows
from taishi import Memory, Scope, tools
from taishi.context_block.readings import readings_of

GAPS = {"minutes": timedelta(minutes=10), "days": timedelta(days=3)}
ANN = Scope(user="ann")


@pytest.mark.parametrize("by_tool", [False, True], ids=["end_turn", "tool"])
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("language", SPEAKERS)
def test_P5_the_page_says_what_was_said_last(
    open_memory: Callable[..., Memory], language: str, gap: str, by_tool: bool
) -> None:
    table = [row for row in rows(language) if not row.get("soon") or gap == "minutes"]
    played = play(open_memory(), language, GAPS[gap], table, by_tool)
    faults = [
        f"{row['id']} {row['said']}: {fault}; the page: {played[row['id']].page!r}"
        for row in table
        for fault in played[row["id"]].faults(row)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("language", SPEAKERS)
def test_P5_the_tables_hold_enough_of_both_sorts(language: str) -> None:
    table = list(rows(language))
    assert len({row["id"] for row in table}) == len(table)
    assert sum(row["kind"] != "unchanged" for row in table) >= 40
    assert sum(row["kind"] == "unchanged" for row in table) >= 25


@pytest.mark.parametrize(
    ("before", "after", "query"),
    [
        ("I am allergic to peanuts", "I am not allergic to peanuts", "is Ann allergic to peanuts?"),
        ("安娜吃辣", "安娜不吃辣", "安娜吃辣吗？"),
        ("The deploy on Friday was approved by Tom", "The deploy on Friday was not approved by Tom",
         "was the deploy on Friday approved by Tom?"),
    ],
)  # fmt: skip
def test_P5_a_denial_is_found_beside_what_it_denies(
    open_memory: Callable[..., Memory], before: str, after: str, query: str
) -> None:
    memory = open_memory()
    for minute, said in enumerate((before, after)):
        memory.end_turn(ANN, new_info=said, sender_name="Ann", time=f"2026-03-18 15:0{minute}")
    memory.drain(20)
    denial = "not" if after.isascii() else "不"
    for texts in (
        [hit.text for hit in memory.search_events(ANN, query).hits],
        [hit.text for hit in memory.recall(ANN, query).hits],
        memory.context(ANN, query).splitlines(),
    ):
        assert any(denial in text for text in texts), texts


@pytest.mark.parametrize(
    ("said", "recorded"),
    [
        ("My name is Ann and I live in Cork", "ann's name is Ann and ann lives in Cork"),
        ("I no longer like coffee", "ann no longer likes coffee"),
        ("My brother Tom and I live in Cork", "ann's brother Tom and ann live in Cork"),
    ],
)
def test_H2_the_verb_follows_the_name(
    open_memory: Callable[..., Memory], said: str, recorded: str
) -> None:
    memory = open_memory()
    memory.end_turn(ANN, new_info=said, sender_name="ann", time="2026-03-18 15:00")
    memory.drain(20)
    (event,) = memory.search_events(ANN, said).hits
    assert event.text.endswith(recorded)


def test_I2_a_reported_denial_is_not_what_it_denies() -> None:
    said = readings_of("Ann said that Ann likes tea", ())
    never_said = readings_of("Ann never said that Ann likes tea", ())
    assert said.said == readings_of("Ann likes tea", ()).said
    assert never_said.said != said.said


def test_P5_a_model_takes_back_what_it_told_and_nothing_that_a_person_said(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    memory.end_turn(ANN, new_info="I live in Cork", sender_name="Ann", time="2026-03-18 15:00")
    turn = {"sender_name": "Ann", "time": "2026-03-19 15:00"}
    tools.dispatch(memory, "end", {"new_info": ["I don't live in Cork"]}, ANN, turn=turn)
    memory.drain(20)
    assert [(fact.text, fact.state) for fact in memory.facts.list(ANN)] == [
        ("Ann lives in Cork", "approved")
    ]
