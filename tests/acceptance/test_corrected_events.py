"""What was told and made no fact is put right on the event that told it (P5, H4)."""

from __future__ import annotations

import pytest

from taishi import Memory, Scope
from taishi.historian.fact_patterns.short_corrections import contrast

ANN = Scope(user="ann")


def told(memory: Memory, *said: str) -> list[list[tuple[str, str]]]:
    """The notes on each event, in the order in which they were told."""
    for text in said:
        memory.end_turn(ANN, new_info=text, sender_name="Ann")
        memory.drain(20)
    events = memory.records.newest(ANN, ["event"]).records[::-1]
    return [
        [(one["said"], one["now"]) for one in event.data.get("corrections", [])] for event in events
    ]


PUT_RIGHT = [
    (
        "Joana joined from Zalando as a designer.",
        "Actually, I was wrong: Joana came from Booking, not Zalando.",
        "Joana came from Booking, not Zalando",
    ),
    (
        "Joana uses Figma for the drafts.",
        "Sorry, Joana uses Sketch, not Figma.",
        "Joana uses Sketch, not Figma",
    ),
    (
        "小乔从美团来我们这做设计",
        "说错了，小乔是从字节来的，不是美团。",
        "小乔是从字节来的，不是美团",
    ),
]


@pytest.mark.parametrize(("wrong", "right", "now"), PUT_RIGHT)
def test_P5_the_one_event_that_can_be_meant_is_noted(
    memory: Memory, wrong: str, right: str, now: str
) -> None:
    first, second = told(memory, wrong, right)
    assert [one for _, one in first] == [now] and not second
    block = memory.context(ANN, f"{wrong} {right}", deadline=5)
    assert f"since corrected: {now}" in block or f"后更正：{now}" in block
    newest = memory.records.newest(ANN, ["event"]).records[0]
    assert newest.data["is_absolute"] is not False


@pytest.mark.parametrize(("wrong", "right", "now"), PUT_RIGHT)
def test_O2_the_note_goes_with_the_words_that_it_repeats(
    memory: Memory, wrong: str, right: str, now: str
) -> None:
    told(memory, wrong, right)
    memory.forget(ANN, memory.records.newest(ANN, ["event"]).records[0].id)
    ((note,),) = told(memory)
    assert note[1] == ""


OPEN = [
    ["Joana joined from Zalando.", "Joana moved here from Zalando.", "{}"],
    ["Joana likes the boxes of Zalando.", "{}"],
    ["Peter joined from Zalando.", "{}"],
    ["Joana did not come from Zalando.", "{}"],
    ["Joana joined from Zalando.", "Joana came from Booking, not Zalando."],
    ["小乔买了美团的股票", "说错了，小乔是从字节来的，不是美团。"],
    ["小乔不是从美团来的", "说错了，小乔是从字节来的，不是美团。"],
    ["小李从美团来", "说错了，小乔是从字节来的，不是美团。"],
]


@pytest.mark.parametrize("said", OPEN)
def test_H4_what_may_not_be_meant_stays_as_it_is(memory: Memory, said: list[str]) -> None:
    right = "Actually, I was wrong: Joana came from Booking, not Zalando."
    assert not any(told(memory, *(text.format(right) for text in said)))


def test_H4_a_whole_statement_is_no_value(memory: Memory) -> None:
    """ "Joana likes Joana came from Booking shoes" is nothing that anybody said."""
    told(memory, "Joana likes Zalando shoes.", "Sorry, Joana came from Booking, not Zalando.")
    assert [one.text for one in memory.facts.list(ANN)] == ["Joana likes Zalando shoes"]
    assert contrast("It's New York, not Boston") is not None
    assert contrast("Sorry, Joana came from Booking, not Zalando") is None
