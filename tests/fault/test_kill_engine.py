"""W5 for the whole engine: processes die by SIGKILL; no accepted turn is lost, none is doubled.

Run as a script, this file is the nursery: it pays for the imports once and forks speakers, which
end turns, and workers, which make events of them, as often as the test has killed one.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from taishi import Memory, Scope, Settings, load
from taishi.types import Place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

KILLS = 200
AT_MOST_SECONDS = 75.0
SCOPES = (Scope(user="ann"), Scope(group="g42", user="bob"), Scope(shared=True))


def settings() -> Settings:
    """A job may be hit by many kills in a row here; giving up is tested elsewhere."""
    return load(
        environ={},
        overrides={
            "models.embedding.kind": "none",
            "memory.timezone": "Asia/Shanghai",
            "historian.job_max_retries": 1000,
            "historian.poll_interval_seconds": 0.01,
            "historian.stale_job_timeout_seconds": 20.0,
        },
    )


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # one write below PIPE_BUF is never torn


def speak_for_ever(memory: Memory, seed: str) -> None:
    dice, parent, number = random.Random(seed), os.getppid(), 0
    while os.getppid() == parent:
        number += 1
        mark = f"mark-{seed}-{number}-end"
        where = dice.randrange(len(SCOPES))
        # Every second turn continues a request, so that end_seq is put to the test as well.
        request = f"request-{seed}" if number % 2 else None
        id = memory.end_turn(SCOPES[where], f"Ann said {mark}", request_id=request)
        say(f"accepted {where} {id} {mark}")
        time.sleep(dice.random() * 0.01)


def work_for_ever(memory: Memory, seed: str) -> None:
    parent = os.getppid()
    memory.start_worker()
    while os.getppid() == parent:
        time.sleep(0.05)


def nursery(folder: Path) -> None:
    """Fork one child per line of input, `speaker SEED` or `worker SEED`, and say its pid."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are reaped by the kernel
    for line in sys.stdin:
        role, seed = line.split()
        pid = os.fork()
        if pid == 0:
            live = {"speaker": speak_for_ever, "worker": work_for_ever}[role]
            live(Memory.open(folder, settings()), seed)
            os._exit(0)
        say(f"born {seed} {pid}")


class Children:
    """The test's end of the nursery: who lives, and which turns were accepted."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.accepted: list[tuple[int, str, str]] = []
        self._pids: dict[str, int] = {}
        self._born = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, *rest = line.split()
            if word == "accepted":
                self.accepted.append((int(rest[0]), rest[1], rest[2]))
            else:
                with self._born:
                    self._pids[rest[0]] = int(rest[1])
                    self._born.notify_all()

    def start(self, role: str, seed: str) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{role} {seed}\n")
        self._process.stdin.flush()
        with self._born:
            assert self._born.wait_for(lambda: seed in self._pids, timeout=20)
            return self._pids[seed]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=20)
        self._reader.join(timeout=20)
        assert self._process.stdout is not None
        self._process.stdout.close()


def kill_at_random(children: Children, dice: random.Random) -> int:
    """Two speakers and two workers live at any time; each one that dies is replaced."""
    living = {
        children.start(role, f"{role}-{n}"): role for role in ("speaker", "worker") for n in (1, 2)
    }
    kills, end = 0, time.monotonic() + AT_MOST_SECONDS
    while kills < KILLS - len(living) and time.monotonic() < end:
        time.sleep(dice.uniform(0.02, 0.3))
        pid = dice.choice(list(living))
        role = living.pop(pid)
        os.kill(pid, signal.SIGKILL)
        kills += 1
        living[children.start(role, f"{role}-{kills + 10}")] = role
    for pid in living:
        os.kill(pid, signal.SIGKILL)
    return kills + len(living)


def scan_all(memory: Memory, place: Place) -> list[tuple[str, str, str]]:
    store, after, found = memory._parts.store, 0, []
    while page := store.scan(place, after):
        found += [(record.id, record.kind, record.text) for _, record in page]
        after = page[-1][0]
    return found


def test_W5_kill_9_anywhere_loses_no_turn_and_doubles_none(tmp_path: Path) -> None:
    Memory.open(tmp_path / "data", settings()).close()
    children = Children(tmp_path / "data")
    try:
        kills = kill_at_random(children, random.Random(20260220))
    finally:
        children.close()
    with Memory.open(tmp_path / "data", settings()) as memory:
        left = memory.status()["queue"]
        memory.drain(60)
        queue = memory.status()["queue"]
        assert (queue["pending"], queue["processing"], queue["failed"]) == (0, 0, 0)
        assert memory.check() == "ok"
        found = {n: scan_all(memory, scope.home) for n, scope in enumerate(SCOPES)}
    records = [(n, *record) for n, part in found.items() for record in part]
    assert {kind for _, _, kind, _ in records} == {"event"}
    assert max(Counter((n, id) for n, id, _, _ in records).values()) == 1
    texts = {(n, id): text for n, id, _, text in records}
    assert kills >= KILLS, f"only {kills} kills in {AT_MOST_SECONDS:.0f} s"
    accepted = children.accepted
    assert len(accepted) > 200
    lost = [(n, id, mark) for n, id, mark in accepted if mark not in texts.get((n, id), "")]
    assert not lost, f"{len(lost)} of {len(accepted)}: {lost[:5]}"
    assert len(accepted) == len({(n, id) for n, id, _ in accepted})
    # A turn may be accepted by a process that dies before it can say so; nothing else is new.
    unsaid = len(records) - len(accepted)
    assert 0 <= unsaid <= kills
    assert len({text.partition("mark-")[2] for text in texts.values()}) == len(texts), "doubled"
    print(f"{kills} kills, {len(accepted)} accepted, {unsaid} unsaid, {left} left")


if __name__ == "__main__":
    nursery(Path(sys.argv[1]))
