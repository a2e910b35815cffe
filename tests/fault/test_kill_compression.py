"""Killed while a session is compressed or learned from: nothing is lost, nothing is there twice."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fault.kill_lives import settings
from fault.test_kill_between import killed_in
from support.long_conversation import conversation
from taishi import Memory, Scope
from taishi.backends.sqlite.working import SqliteWorkingMemory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
HERE = Scope(user="ann", session="s1")


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "taishi.db")) as database:
        return database.execute(sql).fetchall()


@pytest.mark.timeout(120)
def test_M2_killed_at_any_moment_of_compression(tmp_path: Path) -> None:
    """A process appends and compresses until it is killed; the next goes on."""
    rng, talk = random.Random(3), conversation(messages=300)
    folder, done = tmp_path / "data", 0
    for _ in range(12):
        pid = os.fork()
        if pid == 0:
            memory = Memory.open(folder, settings())
            session = memory.session(HERE)
            start = len(session.history())
            for one in range(start, min(start + 40, len(talk))):
                session.append({**talk[one], "id": f"m{one}"})
                session.messages(2_000)
            memory.drain(20)
            os._exit(0)
        time.sleep(rng.uniform(0.05, 0.6))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        done += 1
    with Memory.open(folder, settings()) as memory:
        session = memory.session(HERE)
        start = len(session.history())
        assert [one.message for one in session.history()] == talk[:start]
        for one in range(start, len(talk)):
            session.append({**talk[one], "id": f"m{one}"})
        session.messages(2_000)
        memory.drain(60)
        assert [one.message for one in session.history()] == talk
        window = session.messages(2_000)
        assert window.summarised > 280 and window.tokens <= 1_400
    made = rows(folder, "SELECT first, last, count FROM compressions ORDER BY last")
    numbers = [n for (n,) in rows(folder, "SELECT number FROM messages ORDER BY number")]
    covered = 0
    for first, last, count in made:
        inside = [n for n in numbers if int(str(first)) <= int(str(n)) <= int(str(last))]
        assert inside[0] == numbers[covered], "no message is in no segment, none in two"
        covered += len(inside)
        assert count == covered
    assert done == 12 and covered > 280


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "data", settings()) as memory:
        session = memory.session(HERE)
        session.append({"role": "user", "content": "I moved to Oslo.", "id": "m1"})
        session.append({"role": "assistant", "content": "Noted.", "id": "m2"})
    return tmp_path / "data"


def learned(memory: Memory) -> list[str]:
    memory.drain(20)
    return [one.text for one in memory.records.list(HERE, kinds=("event", "turn")).records]


@pytest.mark.parametrize("again", [lambda m: m.session(HERE).end(learn=True)])
def test_W9_killed_between_the_queue_and_the_mark_a_round_is_learned_once(
    folder: Path, again: Callable[[Memory], object]
) -> None:
    killed_in(folder, SqliteWorkingMemory, "mark_learned", again)
    with Memory.open(folder, settings()) as memory:
        again(memory)
        (only,) = learned(memory)
        assert "Oslo" in only
    with Memory.open(folder, settings()) as memory:
        again(memory)
        assert len(learned(memory)) == 1
