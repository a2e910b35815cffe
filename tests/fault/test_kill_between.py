"""Killed between the two halves of one verb: the next start does the other half."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fault.kill_lives import ANN, settings
from taishi import Memory, Scope
from taishi.domain.profile_index import PageIndex
from taishi.domain.profiles import Profiles
from taishi.ingest.background import BackgroundTasks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
TEA, COFFEE = "likes green tea", "likes black coffee"


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_in(
    folder: Path,
    owner: type,
    name: str,
    verb: Callable[[Memory], object],
    put: Callable[..., None] = die,
) -> None:
    """Another process does it, and dies where it would call this."""
    pid = os.fork()
    if pid == 0:
        memory = Memory.open(folder, settings())
        setattr(owner, name, put)
        verb(memory)
        os._exit(3)
    assert os.WIFSIGNALED(os.waitpid(pid, 0)[1]), "it was not killed"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "data", settings()) as memory:
        memory.profiles.set(ANN, f"- {TEA}\n- plays chess", name="Ann")
    return tmp_path / "data"


def lines(memory: Memory) -> set[str]:
    page = memory.profiles.source(ANN)
    assert page is not None
    return set(page.body.strip().splitlines())


def id_of(memory: Memory, text: str) -> str:
    return next(one.id for one in memory.facts.list(ANN) if one.text == text)


def states(memory: Memory) -> dict[str, str]:
    return {one.text: one.state for one in memory.facts.list(ANN)}


def stored_state(folder: Path, text: str) -> str:
    """As the killed process left it: a memory that is opened begins to mend at once."""
    with closing(sqlite3.connect(folder / "taishi.db")) as database:
        query = "SELECT state FROM records WHERE kind = 'fact' AND text = ?"
        ((state,),) = database.execute(query, (text,)).fetchall()
    return str(state)


def test_P5_a_rejection_reaches_the_page_at_the_next_start(folder: Path) -> None:
    killed_in(folder, Profiles, "restate", lambda m: m.facts.reject(ANN, id_of(m, TEA)))
    with Memory.open(folder, settings()) as memory:
        assert states(memory)[TEA] == "rejected"
        memory.drain(20)
        assert lines(memory) == {"- plays chess"}
        assert TEA not in memory.context(ANN, "tea", deadline=5.0)


def test_P5_a_correction_reaches_the_page_at_the_next_start(folder: Path) -> None:
    killed_in(folder, Profiles, "restate", lambda m: m.facts.correct(ANN, id_of(m, TEA), COFFEE))
    with Memory.open(folder, settings()) as memory:
        memory.drain(20)
        assert lines(memory) == {f"- {COFFEE}", "- plays chess"}
        assert states(memory) == {TEA: "rejected", COFFEE: "approved", "plays chess": "approved"}


def test_P5_a_line_that_a_person_wrote_again_stays(folder: Path) -> None:
    """A kill is no reason to take out what was rejected once and is held to be so again."""
    with Memory.open(folder, settings()) as memory:
        memory.facts.reject(ANN, id_of(memory, TEA))
        assert lines(memory) == {"- plays chess"}
    page = folder / "profiles" / "users" / "ann.md"
    page.write_text(page.read_text() + f"- {TEA}\n")
    killed_in(folder, Memory, "remember", lambda m: m.remember(ANN, "x"))
    with Memory.open(folder, settings()) as memory:
        memory.drain(20)
        assert lines(memory) == {f"- {TEA}", "- plays chess"}
        assert states(memory)[TEA] == "approved"


EDITS: dict[str, Callable[[Memory], object]] = {
    "set": lambda m: m.profiles.set(ANN, f"- {COFFEE}\n- plays chess", name="Ann"),
    "edit": lambda m: m.profiles.edit(ANN, f"- {COFFEE}\n- plays chess", m.profiles.source(ANN)),
    "roll back": lambda m: m.profiles.rollback(ANN, m.profiles.revisions(ANN)[-1]),
}


@pytest.mark.parametrize("how", EDITS)
def test_P5_what_a_person_edited_becomes_facts_at_the_next_start(folder: Path, how: str) -> None:
    with Memory.open(folder, settings()) as memory:
        memory.profiles.set(ANN, f"- {COFFEE}\n- plays chess", name="Ann")
        memory.profiles.set(ANN, f"- {TEA}\n- plays chess", name="Ann")
        if how == "roll back":
            memory.profiles.set(ANN, f"- {COFFEE}\n- plays chess", name="Ann")
    gone, held = (COFFEE, TEA) if how == "roll back" else (TEA, COFFEE)
    killed_in(folder, PageIndex, "put", EDITS[how])
    assert stored_state(folder, held) == "rejected", "no more than the file was written"
    with Memory.open(folder, settings()) as memory:
        assert lines(memory) == {f"- {held}", "- plays chess"}, "the file was written"
        memory.context(ANN, "tea", deadline=5.0)
        memory.drain(20)
        memory.context(ANN, "tea", deadline=5.0)
        assert states(memory) == {gone: "rejected", held: "approved", "plays chess": "approved"}


def test_W8_messages_of_a_turn_outlive_a_worker_that_is_faster_than_the_landing(
    tmp_path: Path,
) -> None:
    """The job is done and gone, its raw turn was never written down, and the process dies."""
    folder = tmp_path / "data"

    def verb(memory: Memory) -> None:
        scope = Scope(user="ann", session="s1")
        said = [{"text": "I play the cello.", "speaker": "Ann"}]
        memory.end_turn(scope, "Ann spoke", messages=said)
        assert memory._services.worker.step()
        die()

    killed_in(folder, BackgroundTasks, "land", verb, put=lambda *_: None)
    with Memory.open(folder, settings()) as memory:
        assert memory.status()["queue"]["pending"] == 0, "the job was done"
        assert memory.sessions.end(Scope(user="ann", session="s1"))
        kept = memory.records.get(Scope(user="ann"), "summary:s1")
        assert kept is not None
        assert kept.text.count("cello") == 1
