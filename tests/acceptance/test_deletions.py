"""Every deletion is recorded without its content, and an old export does not undo it (O2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from taishi import Memory, Scope, TimeError

ANN, GROUP = Scope(user="u-ann-7788"), Scope(group="g-boat", user="u-ann-7788")
BOB = Scope(group="g-boat", user="u-bob")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.end_turn(ANN, new_info="I live in Cork.", sender_name="Ann")
    memory.end_turn(GROUP, new_info="I like olives.", sender_name="Ann", group_name="Boat")
    memory.end_turn(BOB, new_info="I like mango.", sender_name="Bob", group_name="Boat")
    memory.remember(ANN, "the spare key is under the mat")
    memory.drain()
    return memory


def _texts(memory: Memory) -> str:
    return "\n".join(memory.transfer.export())


def test_O2_a_deletion_is_recorded_without_its_content(filled: Memory) -> None:
    id = filled.remember(BOB, "the anchor is rusty")
    assert filled.forget(BOB, id, actor="person", door="cli") == 1
    removed = filled.forget(ANN, actor="key-1", door="rest")
    newest, before = filled.deletions.list()
    assert (newest.actor, newest.door, newest.what) == ("key-1", "rest", "scope")
    assert (newest.kind, newest.removed) == ("private", removed)
    assert (before.actor, before.door, before.what, before.removed) == (
        "person",
        "cli",
        "record",
        1,
    )
    assert "ann" not in newest.scope and "anchor" not in repr(before)


def test_O2_the_proof_holds_beside_the_record(filled: Memory) -> None:
    words = filled.deletions.traces(ANN)
    filled.forget(ANN)
    proof = filled.deletions.prove(ANN, words)
    assert not proof.found


def test_O2_nothing_deleted_nothing_recorded(filled: Memory) -> None:
    assert filled.forget(ANN, "no-such-record") == 0
    assert filled.deletions.list() == []


def test_O2_an_export_taken_before_does_not_bring_a_person_back(filled: Memory) -> None:
    lines = list(filled.transfer.export())
    filled.forget(ANN)
    done = filled.transfer.import_records(lines)
    assert sum(done.forgotten.values()) >= 4
    assert "Cork" not in _texts(filled) and "olives" not in _texts(filled)
    assert "mango" in _texts(filled)
    assert not filled.recall(ANN, "Cork olives key mat", floor=0.0).hits


def test_O2_nor_one_record_under_another_id(filled: Memory) -> None:
    id = filled.remember(ANN, "the code is on the fridge")
    lines = list(filled.transfer.export())
    filled.forget(ANN, id)
    renamed = [line.replace(id, "another-id") for line in lines]
    assert filled.transfer.import_records(renamed).forgotten == {"record": 1}
    assert "fridge" not in _texts(filled)


def test_O2_what_is_said_again_later_is_kept(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    now = [1_000_000.0]
    memory = open_memory(clock=lambda: now[0])
    memory.remember(ANN, "tea at noon", id="a")
    memory.forget(ANN)
    now[0] += 60
    memory.remember(ANN, "tea at noon", id="a")
    lines = list(memory.transfer.export())
    done = memory.transfer.import_records(lines)
    assert done.forgotten == {} and done.same["record"] == 1
    other = open_memory(folder=tmp_path / "other")
    assert other.transfer.import_records(lines).added["record"] == 1


def test_O2_even_forgotten_takes_it_in_and_is_recorded(filled: Memory) -> None:
    lines = list(filled.transfer.export())
    filled.forget(ANN)
    done = filled.transfer.import_records(lines, even_forgotten=True)
    assert done.forgotten == {} and "Cork" in _texts(filled)
    assert filled.deletions.list()[0].what == "import" and filled.deletions.list()[0].removed < 0


def test_O2_a_dry_run_records_nothing(filled: Memory) -> None:
    lines = list(filled.transfer.export())
    filled.forget(ANN)
    filled.transfer.import_records(lines, even_forgotten=True, dry_run=True)
    assert [one.what for one in filled.deletions.list()] == ["scope"]


def test_O2_after_a_restart_too(open_memory: Callable[..., Memory]) -> None:
    first = open_memory()
    first.remember(ANN, "the spare key is under the mat")
    lines = list(first.transfer.export())
    first.forget(ANN)
    first.close()
    second = open_memory()
    assert sum(second.transfer.import_records(lines).forgotten.values()) == 1
    assert len(second.deletions.list()) == 1


def test_O2_a_host_can_ask_which_ids_were_deleted(filled: Memory) -> None:
    """For one that offers the same records again: by id, wherever and whenever they were."""
    for scope in (ANN, BOB):
        filled.remember_many(scope, [{"text": f"line {n}", "id": f"m{n}"} for n in range(3)])
    filled.forget(ANN, "m1")
    offered = {"m0": 1.0, "m1": "2099-01-01", "m2": None}
    assert filled.deletions.forgotten(ANN, offered) == {"m1"}
    assert filled.deletions.forgotten(BOB, offered) == frozenset()
    assert filled.deletions.forgotten(ANN, {}) == frozenset()


def test_O2_with_a_whole_scope_all_that_is_older_was_deleted(filled: Memory) -> None:
    filled.forget(ANN)
    offered = {"old": "2026-01-01", "undated": None, "later": "2099-01-01"}
    assert filled.deletions.forgotten(ANN, offered) == {"old", "undated"}
    assert filled.deletions.forgotten(BOB, offered) == frozenset()
    with pytest.raises(TimeError):
        filled.deletions.forgotten(ANN, {"odd": "soon"})


def test_a_turn_from_before_a_forget_is_said_not_to_be_kept(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    told = {"new_info": "The crane comes at 7.", "time": "2026-03-22 11:48", "sender_id": "u-nora"}
    harbour = Scope(group="harbour", user="u-nora")
    id = memory.end_turn(harbour, **told)
    assert id and memory.forget(Scope(user="u-nora"))
    assert memory.end_turn(harbour, **told) is None
    assert "it is from before its person or place was forgotten" in caplog.text
    assert "u-nora" not in caplog.text
    assert memory.end_turn(harbour, new_info="The crane comes at 9.")
    caplog.clear()
    memory.end_turn(Scope(user="ben"), new_info="Ben sails.", request_id="r9", wait=20)
    memory.forget(Scope(user="ben"), "r9:1")
    early = "2020-01-01 10:00"
    assert memory.end_turn(Scope(user="ben"), new_info="Ben sails.", time=early) is None
    assert "what it says was forgotten" in caplog.text
