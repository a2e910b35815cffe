"""Many turns that wait: what they teach goes onto the pages together, and nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Scope, load
from taishi.errors import BusyError
from taishi.settings import Settings

ANN = Scope(user="ann")
THINGS = "almonds beans carrots figs lentils olives pears turnips".split()


@pytest.fixture
def plain() -> Settings:
    return load(overrides={"models.embedding.kind": "none"})


@pytest.fixture
def memory(tmp_path: Path, plain: Settings) -> Iterator[Memory]:
    with Memory.open(tmp_path, plain) as opened:
        yield opened


def tell(memory: Memory, scope: Scope = ANN) -> None:
    for number, thing in enumerate(THINGS):
        text = f"I like {thing}."
        memory.end_turn(scope, new_info=text, sender_name="Ann", request_id=f"r{number}")


def lines(memory: Memory, scope: Scope = ANN) -> list[str]:
    page = memory.profiles.source(scope)
    return page.body.splitlines() if page else []


def test_H5_pages_of_many_jobs_are_written_together(memory: Memory) -> None:
    tell(memory)
    memory._services.worker._pages_cost = 60.0  # as if they took very long
    assert all(memory._services.worker.step() for _ in THINGS[:-1])
    assert lines(memory) == []
    assert memory.status()["queue"]["processing"] == len(THINGS) - 1
    assert len(memory.facts.list(ANN)) == len(THINGS) - 1  # known, though not on the page yet
    assert memory._services.worker.step()  # nothing else waits
    assert lines(memory) == [f"- Ann likes {thing}" for thing in THINGS]
    assert memory.status()["queue"]["processing"] == 0
    assert memory.status()["jobs"]["done"] == len(THINGS)
    assert len(memory.profiles.revisions(ANN)) == 0


def test_W5_a_worker_that_dies_leaves_its_pages_to_the_next(
    tmp_path: Path, plain: Settings
) -> None:
    with Memory.open(tmp_path, plain) as dying:
        tell(dying)
        dying._worker._pages_cost = 60.0
        for _ in THINGS[:-1]:
            dying._worker.step()
        dying._worker._gathered.clear()  # as if it had been killed here
    held = (tmp_path / "queues" / "processing").glob("*.json")
    for path in list(held):  # a lease that ran out
        path.rename(tmp_path / "queues" / "pending" / f"{path.name.split('.')[0]}.0.0.json")
    with Memory.open(tmp_path, plain) as memory:
        assert memory.drain(30)
        assert sorted(lines(memory)) == sorted(f"- Ann likes {thing}" for thing in THINGS)
        assert len(memory.facts.list(ANN)) == len(THINGS)
        assert memory.status()["queue"]["failed"] == 0


def test_H5_a_page_that_cannot_be_written_is_tried_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory)
    learn = memory._services.pages.learn
    with monkeypatch.context() as patched:
        patched.setattr(memory._services.pages, "learn", _busy)
        memory._services.worker._pages_cost = 60.0
        for _ in THINGS:
            memory._services.worker.step()
    assert memory._services.pages.learn == learn
    assert memory.status()["jobs"]["postponed"] == len(THINGS)
    assert memory.drain(30)
    assert sorted(lines(memory)) == sorted(f"- Ann likes {thing}" for thing in THINGS)


def _busy(*_: object) -> None:
    raise BusyError("edited just now")


@pytest.mark.parametrize("forget", [True, False])
def test_S5_what_is_forgotten_meanwhile_is_not_put_on_the_page(
    memory: Memory, forget: bool
) -> None:
    tell(memory)
    memory._services.worker._pages_cost = 60.0
    for _ in THINGS[:-1]:
        memory._services.worker.step()
    figs = next(one for one in memory.facts.list(ANN) if "figs" in one.text)
    if forget:
        memory.forget(ANN, figs.id)
    else:
        memory.facts.reject(ANN, figs.id)
    memory.drain(30)
    told = [thing for thing in THINGS if thing != "figs"]
    assert lines(memory) == [f"- Ann likes {thing}" for thing in told]


def test_S5_a_person_who_is_forgotten_meanwhile_has_no_page(memory: Memory) -> None:
    tell(memory)
    tell(memory, Scope(user="bo"))
    memory._services.worker._pages_cost = 60.0
    for _ in THINGS:
        memory._services.worker.step()
    memory.forget(ANN)
    memory.drain(30)
    assert lines(memory) == []
    assert len(lines(memory, Scope(user="bo"))) == len(THINGS)


def test_closing_writes_what_was_gathered(tmp_path: Path, plain: Settings) -> None:
    with Memory.open(tmp_path, plain) as memory:
        tell(memory)
        memory._services.worker._pages_cost = 60.0
        memory._services.worker.step()
        memory._services.worker.step()
    with Memory.open(tmp_path, plain) as memory:
        assert len(lines(memory)) == 2
        assert memory.status()["queue"]["processing"] == 0


def test_Q7_struck_out_rows_are_left_behind(tmp_path: Path) -> None:
    with Memory.open(tmp_path, load(overrides={"models.embedding.kind": "none"})) as memory:
        items = [{"text": f"note {n} on figs", "id": f"n{n}"} for n in range(300)]
        for _ in range(6):
            memory.remember_many(ANN, items)
            before = [hit.id for hit in memory.recall(ANN, "note 7 figs", deadline=30).hits]
            memory.drain(30)
        kept = memory.status()["records"]
        records = sum(kept.values()) - kept["unembedded"]
        assert records == 300
        after = [hit.id for hit in memory.recall(ANN, "note 7 figs", deadline=30).hits]
        assert memory.status()["index"]["rows"] <= 1.3 * records
        assert sorted(after) == sorted(before)
        assert after[0] == "n7"


def test_W5_one_that_cannot_be_acknowledged_keeps_no_other_from_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory)
    queue, ack = memory._services.runtime.parts.queue, memory._services.runtime.parts.queue.ack
    refused: list[object] = []

    def failing(lease: Any) -> None:
        if not refused:
            refused.append(lease)
            raise OSError("a bad moment")
        ack(lease)

    monkeypatch.setattr(queue, "ack", failing)
    memory._services.worker._pages_cost = 60.0
    for _ in THINGS:
        memory._services.worker.step()
    memory._services.worker.write_pages()
    assert refused and memory.status()["jobs"]["done"] == len(THINGS) - 1
