"""A prompt block says what is disputed, until a person decides (P5, I2)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from taishi import Memory, Scope

ANN, BEN = Scope(user="ann", group="g"), Scope(user="ben", group="g")
DISPUTED = re.compile(r"\(disputed|（有争议")


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


def test_P5_what_a_person_decided_is_disputed_until_a_person_decides_again(memory: Memory) -> None:
    say(memory, ANN, "I live in Cork.", "2026-03-18 15:00")
    (fact,) = memory.facts.list(ANN, ["approved"])
    decided = memory.facts.correct(ANN, fact.id, "Ann lives in Bergen")
    say(memory, BEN, "Ann lives in Oslo.", "2026-03-19 15:00")
    question = "where does Ann live?"
    lines = disputed_lines(memory, ANN, question)
    assert any("Ann lives in Bergen (disputed" in line for line in lines), lines
    assert any("“Ann lives in Oslo”" in line for line in lines), lines
    (pair,) = memory.facts.conflicts(ANN)
    rival = next(one.id for one in pair if one.id != decided)
    memory.facts.resolve(ANN, decided, rival)
    assert "Ann lives in Bergen" in memory.context(ANN, question)
    assert not disputed_lines(memory, ANN, question)


@pytest.mark.parametrize("form", ["text", "markdown", "xml"])
@pytest.mark.parametrize(
    ("language", "space", "mark"),
    [("en", " ", "(disputed, undecided; also said: "), ("zh", "", "（有争议、未定，另有说法：")],
)
def test_I2_the_mark_is_in_every_form_and_language(
    memory: Memory, form: Any, language: str, space: str, mark: str
) -> None:
    say(memory, BEN, "Ann lives in Oslo.", "2026-03-18 15:00")
    say(memory, Scope(user="cal", group="g"), "Ann lives in Cork.", "2026-03-19 15:00")
    lines = disputed_lines(memory, ANN, "where does Ann live?", form=form, language=language)
    assert any(f"Ann lives in Oslo{space}{mark}“Ann lives in Cork”" in line for line in lines), (
        lines
    )


def test_H6_the_other_side_of_a_dispute_is_no_evidence_when_it_comes_back(memory: Memory) -> None:
    say(memory, BEN, "Ann lives in Oslo.", "2026-03-18 15:00")
    say(memory, Scope(user="cal", group="g"), "Ann lives in Cork.", "2026-03-19 15:00")
    block = memory.context(ANN, "anything new?", filters={"kind": "fact"})
    assert "also said: “Ann lives in Cork”" in block and "Matching events" not in block
    say(memory, ANN, "Ann lives in Cork.", "2026-03-19 16:00")
    (waiting,) = memory.facts.list(ANN, ["conflict"])
    assert waiting.data["evidence_count"] == 1
