"""The tables of contradictions: what the prompt block says after people contradict each other, or
themselves, by rule and without a chat model (P5, H4, I2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.contradiction_tables import DISPUTED, LANGUAGES, play, rows
from taishi import Memory, Scope

ANN, BEN = Scope(user="ann", group="g"), Scope(user="ben", group="g")


@pytest.mark.parametrize("language", LANGUAGES)
def test_P5_the_block_says_what_holds_and_what_is_disputed(
    open_memory: Callable[..., Memory], language: str
) -> None:
    table = list(rows(language))
    played = play(open_memory(), language, table)
    faults = {row["id"]: played[row["id"]].faults(row) for row in table}
    wrong = [
        f"{row['id']} {row['turns']}: {faults[row['id']]}\n{played[row['id']].block}"
        for row in table
        if faults[row["id"]] and not row.get("limit")
    ]
    assert not wrong, "\n".join(wrong)
    mended = [row["id"] for row in table if row.get("limit") and not faults[row["id"]]]
    assert not mended, f"no limits any more, remove their `limit`: {mended}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_P5_the_tables_tempt_as_often_as_they_correct(language: str) -> None:
    table = list(rows(language))
    assert len({row["id"] for row in table}) == len(table)
    for fresh in (False, True):
        part = [row for row in table if bool(row.get("fresh")) is fresh]
        assert len(part) >= (20 if fresh else 50)
    tuned = [row for row in table if not row.get("fresh")]
    assert sum(row["kind"] == "unchanged" for row in tuned) * 2 >= len(tuned)


def say(memory: Memory, scope: Scope, said: str, time: str, name: str = "", **more: Any) -> None:
    name = name or str(scope.user).title()
    memory.end_turn(scope, new_info=said, sender_name=name, time=time, **more)
    memory.drain(20)


def disputed_lines(memory: Memory, scope: Scope, question: str, **options: Any) -> list[str]:
    return [
        line
        for line in memory.context(scope, question, **options).splitlines()
        if DISPUTED.search(line)
    ]


def test_P5_who_repeats_what_somebody_denied_disputes_the_denial(memory: Memory) -> None:
    say(memory, BEN, "Ann is vegetarian.", "2026-03-18 15:00")
    say(memory, ANN, "I'm not vegetarian.", "2026-03-19 15:00")
    say(memory, BEN, "Ann is vegetarian.", "2026-03-20 15:00")
    held = [fact.text for fact in memory.facts.list(ANN, ["approved"])]
    assert held == ["Ann is not vegetarian"]
    assert disputed_lines(memory, ANN, "is Ann vegetarian?")
    said = "I'm vegetarian now."
    own = {"text": said, "speaker": "Ann", "speaker_id": "ann"}
    say(memory, ANN, said, "2026-03-21 15:00", messages=[own])
    held = [fact.text for fact in memory.facts.list(ANN, ["approved"])]
    assert held == ["Ann is vegetarian"]
    assert not disputed_lines(memory, ANN, "is Ann vegetarian?")


def test_P5_a_denial_is_not_about_another_of_the_same_name(memory: Memory) -> None:
    say(memory, Scope(user="ann-2", group="g"), "I'm vegetarian.", "2026-03-18 15:00", name="Ann")
    say(memory, ANN, "I'm not vegetarian.", "2026-03-19 15:00")
    assert [fact.text for fact in memory.facts.list(ANN, ["approved"])] == ["Ann is vegetarian"]
    assert "denied" not in memory.context(ANN, "who is vegetarian?")
