"""`metadata` of `end_turn` and `consider`: a caller's own values on the event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from taishi import Memory, Message, Scope
from taishi.errors import InputError

ANN = Scope(user="ann")
SECRET = "sk-proj-9hGq2LrX8vTn5KdW3mZp7RbY1cFs6JaU4eHo0TgVxNiQwPlE"
GIVEN = {"project": "apollo", "tags of": ["a", {"b": 1}]}


@pytest.mark.parametrize("verb", ["end_turn", "consider"])
def test_the_raw_turn_and_its_event_have_the_metadata(memory: Memory, verb: str) -> None:
    said = Message("I live in Cork.", speaker="Ann")
    if verb == "end_turn":
        id = memory.end_turn(ANN, new_info=said.text, sender_name="Ann", wait=5, metadata=GIVEN)
    else:
        id = memory.consider(ANN, [said], sender_name="Ann", metadata=GIVEN)
    assert id is not None
    found = []
    if verb == "end_turn":
        found.append(memory.records.get(ANN, id))
    memory.drain()
    found.append(memory.records.get(ANN, id))
    assert [one.kind for one in found if one][-1] == "event"
    for record in found:
        assert record is not None
        assert {name: record.data[name] for name in GIVEN} == GIVEN
    (hit,) = memory.search_events(ANN, "Cork", deadline=5).hits
    assert hit.metadata["project"] == "apollo"
    only = {"kind": "event", "metadata.project": "apollo"}
    assert [one.id for one in memory.records.newest(ANN, filters=only).records] == [id]
    assert not any("project" in fact.data for fact in memory.records.newest(ANN, ("fact",)).records)


def test_what_an_event_has_itself_stays_and_reserved_names_are_refused(memory: Memory) -> None:
    given = {"user_id": "ben", "new_info": ["x"], "project": "p"}
    id = memory.end_turn(ANN, new_info="I live in Cork.", metadata=given)
    memory.drain()
    event = memory.records.get(ANN, id or "")
    assert event is not None and event.data["project"] == "p"
    assert event.data["user_id"] == "ann" and event.data["new_info"] != ["x"]
    for name in ("corrections", "recorded_by", "retained_turn", "earlier", "decided_by"):
        with pytest.raises(InputError, match=f"'{name}': name it otherwise"):
            memory.end_turn(ANN, new_info="I live in Cork.", metadata={name: "person"})
    with pytest.raises(InputError, match="metadata must be a dict"):
        memory.end_turn(ANN, new_info="I live in Cork.", metadata=["a"])  # type: ignore[arg-type]


def test_secrets_in_metadata_are_not_stored(memory: Memory) -> None:
    memory.end_turn(ANN, new_info="I live in Cork.", metadata={"key": f"it is {SECRET}"})
    memory.drain()
    assert SECRET not in "\n".join(memory.transfer.export())


def test_a_rebuild_and_an_export_keep_it(open_memory: Callable[..., Any]) -> None:
    memory = open_memory()
    id = memory.end_turn(ANN, new_info="I live in Cork.", metadata=GIVEN)
    exported = list(memory.transfer.export())
    assert any('"job"' in line and "apollo" in line for line in exported), "while it waits"
    memory.drain()
    memory.maintenance.rebuild()
    event = memory.records.get(ANN, id)
    assert event is not None and event.data["project"] == "apollo"
    memory.forget(ANN)
    assert "apollo" not in "\n".join(memory.transfer.export())
