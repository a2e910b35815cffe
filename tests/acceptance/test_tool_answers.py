"""What a tool answers is true, and names the tool that does what was meant (T1)."""

from __future__ import annotations

from typing import Any

import pytest

from taishi import Memory, Scope, tools

ME = Scope(user="me", session="s1")
END = "2090-01-01T00:00:00+00:00"


def call(memory: Memory, name: str, scope: Scope = ME, **arguments: Any) -> tools.Answer:
    turn = {"sender_name": "Ann"} if name == "end" else None
    return tools.call(memory, name, arguments, scope, names=tools.ALL_TOOLS, turn=turn)


# -- correcting a fact that ends -----------------------------------------------------------------


@pytest.mark.parametrize("tool", ["correct", "update_memory"])
@pytest.mark.parametrize("end", [END, None])
def test_F2_a_corrected_fact_is_deleted_when_it_was_to_be(
    memory: Memory, tool: str, end: str | None
) -> None:
    given = {"expires": end} if end else {}
    id = call(memory, "remember", text="Ann parks in bay 7", **given).data["id"]
    before = memory.records.get(ME, id)
    new = call(memory, tool, id=id, text="Ann parks in bay 9").data["id"]
    after = memory.records.get(ME, new)
    assert before is not None and after is not None
    assert after.expires == before.expires and (after.expires is None) == (end is None)


def test_F2_so_it_is_when_a_person_corrects(memory: Memory) -> None:
    id = memory.remember(ME, "Ann parks in bay 7", expires=END)
    new = memory.records.get(ME, memory.facts.correct(ME, id or "", "Ann parks in bay 9"))
    assert new is not None and new.expires is not None


@pytest.mark.parametrize(
    "given", [{"expires": END}, {"metadata": {"a": 1}}, {"text": "Ann sews", "expires": "never"}]
)
def test_T1_what_a_fact_has_not_is_said_with_the_tools_that_serve(
    memory: Memory, given: dict[str, Any]
) -> None:
    id = call(memory, "remember", text="Ann knits").data["id"]
    answer = call(memory, "update_memory", id=id, **given)
    assert not answer.ok and id in answer.text
    assert all(word in answer.text for word in ("correct", "forget", "expires", "kind note"))
    kept = memory.records.get(ME, id)
    assert kept is not None and kept.text == "Ann knits"
    note = call(memory, "remember", text="Ann knits", kind="note").data["id"]
    assert call(memory, "update_memory", id=note, **given).ok
