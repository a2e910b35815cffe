"""Deleting one event reaches all that was made of it, and no more (O2, P5)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Scope

ANN = Scope(user="ann", session="s1")
TOKEN = "Quorvex7719"


def say(memory: Memory, *news: str, request: str, **details: Any) -> str:
    messages = [
        {"text": one, "speaker": "Ann", "id": f"{request}-{n}"} for n, one in enumerate(news)
    ]
    id = memory.end_turn(ANN, "", list(news), messages, request_id=request, sender_name="Ann",
                         **details)  # fmt: skip
    memory.drain()
    assert id is not None
    return id


def facts(memory: Memory) -> dict[str, str]:
    return {one.text: one.state for one in memory.facts.list(ANN)}


def test_O2_a_fact_goes_with_its_only_source(memory: Memory) -> None:
    id = say(memory, f"I live in {TOKEN}.", request="r1")
    say(memory, "I like olives.", request="r2")
    assert facts(memory)[f"Ann lives in {TOKEN}"] == "approved"
    assert memory.forget(ANN, id) >= 2
    assert list(facts(memory)) == ["Ann likes olives"]
    page = memory.get_profile(ANN, "user", "ann")
    assert page is not None and TOKEN not in f"{page}" and "olives" in page.body
    assert TOKEN not in memory.context(ANN, f"{TOKEN} Ann live")
    assert [one.what for one in memory.deletions.list()] == ["derived", "record"]


def test_O2_a_fact_with_two_sources_stands_on_the_other(memory: Memory) -> None:
    first = say(memory, "I live in Cork.", request="r1")
    (once,) = memory.facts.list(ANN)
    second = say(memory, "I live in Cork.", request="r2")
    (before,) = memory.facts.list(ANN)
    assert (before.data["sources"], before.data["evidence_count"]) == ([first, second], 2)
    assert memory.forget(ANN, first) == 1
    (after,) = memory.facts.list(ANN)
    assert (after.data["sources"], after.data["evidence_count"]) == ([second], 1)
    assert after.source == second
    assert after.confidence == pytest.approx(once.confidence)
    assert after.confidence < before.confidence
    assert "Cork" in memory.context(ANN, "where does Ann live?")


def test_O2_what_the_deleted_source_had_ended_stays_ended(memory: Memory) -> None:
    """It was outdated before the newer one was forgotten; only a person brings it back."""
    say(memory, "I live in Cork.", request="r1")
    moved = say(memory, "I live in Bergen now.", request="r2")
    assert facts(memory) == {"Ann lives in Cork": "superseded", "Ann lives in Bergen": "approved"}
    memory.forget(ANN, moved)
    assert facts(memory) == {"Ann lives in Cork": "superseded"}
    page = memory.get_profile(ANN, "user", "ann")
    assert "Cork" not in f"{page}" and "Bergen" not in f"{page}"


def test_O2_a_chain_of_values_closes_over_the_one_taken_out(memory: Memory) -> None:
    say(memory, "I live in Cork.", request="r1")
    middle = say(memory, "I live in Bergen now.", request="r2")
    say(memory, "I live in Oslo now.", request="r3")
    memory.forget(ANN, middle)
    assert facts(memory) == {"Ann lives in Cork": "superseded", "Ann lives in Oslo": "approved"}


def test_O2_the_session_is_summed_up_again_from_what_is_left(memory: Memory) -> None:
    first = say(memory, f"I live in {TOKEN}.", request="r1")
    say(memory, "I like olives.", request="r2")
    assert memory.sessions.end(ANN)
    assert TOKEN in memory.records.get(ANN, "summary:s1").text  # type: ignore[union-attr]
    memory.forget(ANN, first)
    left = memory.records.get(ANN, "summary:s1")
    assert left is not None and "olives" in left.text and TOKEN not in left.text
    assert TOKEN not in "\n".join(memory.transfer.export())


def test_O2_the_last_event_takes_the_summary_along(memory: Memory) -> None:
    id = say(memory, f"I live in {TOKEN}.", request="r1")
    memory.sessions.end(ANN)
    assert memory.forget(ANN, id) >= 3
    assert memory.records.get(ANN, "summary:s1") is None
    assert TOKEN not in "\n".join(memory.transfer.export())


def test_O2_messages_that_wait_for_a_summary_go_too(memory: Memory) -> None:
    id = say(memory, f"I live in {TOKEN}.", request="r1")
    say(memory, "I like olives.", request="r2")
    memory.forget(ANN, id)
    assert memory.sessions.end(ANN)
    summed = memory.records.get(ANN, "summary:s1")
    assert summed is not None and "olives" in summed.text and TOKEN not in summed.text


def test_O2_a_turn_that_waits_is_not_worked_later(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    id = memory.end_turn(ANN, "", f"I live in {TOKEN}.", wait=5.0, sender_name="Ann")
    assert id is not None and memory.get(ANN, id) is not None
    assert memory.forget(ANN, id) == 1
    memory.drain()
    assert memory.get(ANN, id) is None and not memory.facts.list(ANN)
    assert memory.jobs.list() == []


def test_O2_a_later_turn_forgets_the_message_it_had_in_sight(memory: Memory) -> None:
    first = {"text": f"I live in {TOKEN}.", "speaker": "Ann", "id": "m1"}
    id = memory.end_turn(ANN, "", first["text"], [first], request_id="r1", sender_name="Ann")
    after = [first, {"text": "I live near the harbour.", "speaker": "Ann", "id": "m2"}]
    memory.end_turn(ANN, "", "I live near the harbour.", after, request_id="r2", sender_name="Ann")
    memory.drain()
    assert TOKEN in "\n".join(memory.transfer.export())
    memory.forget(ANN, id)
    assert TOKEN not in "\n".join(memory.transfer.export())
    assert "harbour" in memory.context(ANN, "harbour")


def test_O2_nothing_of_it_is_in_any_byte_of_the_folder(memory: Memory, tmp_path: Path) -> None:
    id = say(memory, f"I live in {TOKEN}.", "My dog is called Bo.", request="r1")
    say(memory, "I like olives.", request="r2")
    memory.context(ANN, f"{TOKEN}")

    def held() -> list[str]:
        files = [one for one in (tmp_path / "data").rglob("*") if one.is_file()]
        return [one.name for one in files if TOKEN.encode() in one.read_bytes()]

    assert held()
    memory.forget(ANN, id)
    assert held() == []


def test_O2_a_persons_own_words_stay_when_a_source_goes(memory: Memory) -> None:
    id = say(memory, "I live in Cork.", request="r1")
    (fact,) = memory.facts.list(ANN)
    memory.facts.correct(ANN, fact.id, "Ann lives in Kinsale")
    memory.forget(ANN, id)
    assert facts(memory) == {"Ann lives in Kinsale": "approved"}


KILLED = """
import sys
from taishi import Memory, Scope, load
settings = load(environ={}, overrides={"models.embedding.kind": "none"})
memory = Memory.open(sys.argv[1], settings)
print("ready", flush=True)
memory.forget(Scope(user="ann"), "r1:1")
print("done", flush=True)
"""


@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.15])
def test_O2_killed_on_the_way_it_is_done_again(
    open_memory: Callable[..., Memory], tmp_path: Path, seconds: float
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    id = say(memory, f"I live in {TOKEN}.", request="r1")
    say(memory, "I like olives.", request="r2")
    memory.sessions.end(ANN)
    memory.close()
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "data")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
    again = open_memory({"query.recall_timeout": 5.0})
    again.forget(ANN, id)
    assert TOKEN not in "".join(again.transfer.export())
    assert TOKEN not in again.context(ANN, f"{TOKEN}")
    assert list(facts(again)) == ["Ann likes olives"]
    whats = [one.what for one in again.deletions.list()]
    assert "record" in whats and "derived" in whats
    assert again.maintenance.check() == "ok"
