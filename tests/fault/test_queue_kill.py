"""W5 on the real file system: processes die by SIGKILL and no accepted job is lost or doubled.

Run as a script, this file is the nursery: a small process that forks producers and workers, so
that a new one costs a fork and not a start of the interpreter.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taishi.backends.file_queue.queue import FileQueue, decode
from taishi.disk.durable_io import write_durably
from taishi.types import Job

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

KILLS = 80
AT_MOST_SECONDS = 40.0
TRIES = 1000  # here a job may be hit by many kills in a row; giving up is tested elsewhere


def make_job(request_id: str) -> Job:
    return Job(
        request_id=request_id,
        end_seq=1,
        action_summary=f"text of {request_id} " * 20,
        new_info=("太史",),
        timestamp_utc="2026-02-20T06:30:00+00:00",
        timestamp_local="2026-02-20T14:30:00+08:00",
        timezone="Asia/Shanghai",
        epoch=1_771_569_000.0,
        workspace="default",
        request_type="private",
        user_id="u7",
    )


def open_queue(root: Path) -> FileQueue:
    return FileQueue(root / "queues", lease_seconds=5, max_retries=TRIES, backoff=lambda _: 0.02)


def keep_result(root: Path, job: Job) -> None:
    """The historian's write: durable, and idempotent on the event id."""
    name = job.event_id.replace(":", "_") + ".json"
    write_durably(root / "results" / name, json.dumps(job.action_summary).encode())


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # one write below PIPE_BUF is never torn


def work_one(root: Path, queue: FileQueue, dice: random.Random) -> bool:
    lease = queue.claim()
    if lease is None:
        return False
    time.sleep(dice.random() * 0.002)
    if dice.random() < 0.1:
        queue.retry(lease, "a fault by dice")
        return True
    if dice.random() < 0.2:
        lease = queue.extend(lease)
    keep_result(root, lease.job)
    time.sleep(dice.random() * 0.001)
    queue.ack(lease)
    return True


def produce_for_ever(root: Path, seed: str) -> None:
    queue, dice, parent = open_queue(root), random.Random(seed), os.getppid()
    number = 0
    while os.getppid() == parent:
        request_id = f"{seed}-{number}"
        queue.put(make_job(request_id))
        say(f"put {request_id}:1")
        number += 1
        time.sleep(dice.random() * 0.006)


def work_for_ever(root: Path, seed: str) -> None:
    queue, dice, parent = open_queue(root), random.Random(seed), os.getppid()
    queue.recover()
    while os.getppid() == parent:
        if not work_one(root, queue, dice):
            time.sleep(0.002)


def nursery(root: Path) -> None:
    """Fork one child per line of input: `producer SEED` or `worker SEED`; say its pid."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are reaped by the kernel
    for line in sys.stdin:
        role, seed = line.split()
        pid = os.fork()
        if pid == 0:
            {"producer": produce_for_ever, "worker": work_for_ever}[role](root, seed)
            os._exit(0)
        say(f"born {seed} {pid}")


class Children:
    """The parent's end of the nursery: knows who lives and which puts were acknowledged."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "nursery", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.accepted: set[str] = set()
        self._pids: dict[str, int] = {}
        self._born = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, *rest = line.split()
            if word == "put":
                self.accepted.add(rest[0])
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


def inventory(root: Path) -> Counter[str]:
    """How often each event lies in the queue, in all its folders together."""
    return Counter(
        decode(path.read_bytes()).event_id for path in (root / "queues").glob("*/*.json")
    )


def kill_at_random(children: Children, dice: random.Random) -> int:
    living = {
        children.start(role, f"{role}{n}"): role for role in ("producer", "worker") for n in (1, 2)
    }
    kills = 0
    deadline = time.monotonic() + AT_MOST_SECONDS
    while kills < KILLS and time.monotonic() < deadline:
        time.sleep(dice.uniform(0.02, 0.25))
        pid = dice.choice(list(living))
        role = living.pop(pid)
        os.kill(pid, signal.SIGKILL)
        kills += 1
        living[children.start(role, f"{role}{kills + 10}")] = role
    for pid in living:
        os.kill(pid, signal.SIGKILL)
    return kills + len(living)


def drain(root: Path) -> None:
    queue, dice = open_queue(root), random.Random(1)
    deadline = time.monotonic() + 60
    while True:
        queue.recover()
        while work_one(root, queue, dice):
            pass
        counts = queue.counts()
        if counts["pending"] == counts["processing"] == 0:
            assert counts["failed"] == 0
            return
        assert time.monotonic() < deadline, counts
        time.sleep(0.02)


def test_W5_kill_9_at_random_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    open_queue(tmp_path).close()
    children = Children(tmp_path)
    try:
        kills = kill_at_random(children, random.Random(20260220))
    finally:
        children.close()
    left = inventory(tmp_path)
    assert kills >= 60
    assert not [event for event, times in left.items() if times > 1]
    drain(tmp_path)
    done = {
        path.stem.replace("_", ":"): json.loads(path.read_bytes())
        for path in (tmp_path / "results").glob("*.json")
    }
    assert len(children.accepted) > 100
    assert children.accepted <= done.keys()
    # A put that was killed before it could say so may have been accepted; nothing else may be new.
    assert len(done.keys() - children.accepted) <= kills
    for event, text in done.items():
        assert text == make_job(event.removesuffix(":1")).action_summary
    print(f"{kills} kills, {len(children.accepted)} accepted, {len(left)} left at the end")


STEPS = ("open", "write", "fsync", "replace", "rename", "unlink")


def die_at_step(number: int, after: bool) -> None:
    """From now on, the `number`th call that changes the disk is this process's last."""
    left = number

    def deadly(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*args, **kwargs)
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    for name in STEPS:
        setattr(os, name, deadly(getattr(os, name)))


def one_life(root: Path) -> None:
    """Every way a job can go: done, retried, extended, given up, put back, swept."""
    queue = FileQueue(root / "queues", max_retries=1, backoff=lambda _: 0.0, failed_max_files=1)
    for request_id in ("a", "b", "c", "d"):
        queue.put(make_job(request_id))
        with os.fdopen(os.dup(1), "w") as parent:  # not os.write: that is one of the steps
            parent.write(f"put {request_id}:1\n")
    done = queue.claim()
    assert done is not None
    keep_result(root, done.job)
    queue.ack(done)
    for _ in range(2):
        bad = queue.claim()
        assert bad is not None
        queue.retry(queue.extend(bad), "bad")
    queue.retry_failed(queue.failed_jobs()[0].name)
    queue.recover()


def step_life(root: Path, number: int, after: bool) -> bool:
    """One life that ends at a step; True if it ended there, False if it outlived the steps."""
    (root / "results").mkdir(parents=True)
    open_queue(root).close()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writing, 1)
        die_at_step(number, after)
        one_life(root)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        accepted = {line.split()[1] for line in pipe}
    _, status = os.waitpid(pid, 0)
    killed = os.WIFSIGNALED(status)
    assert killed or status == 0, "the life went wrong by itself"
    left = inventory(root)
    assert all(times == 1 for times in left.values()), (number, left)
    queue = open_queue(root)
    queue.recover()
    for failed in queue.failed_jobs():
        queue.retry_failed(failed.name)
    drain(root)
    done = {path.stem.replace("_", ":") for path in (root / "results").glob("*.json")}
    assert accepted <= done, (number, after, accepted - done)
    return killed


def step_through(root: Path) -> None:
    total = 0
    for after in (False, True):
        number = 1
        while step_life(root / f"{number}-{after}", number, after):
            number += 1
        total += number - 1
    say(f"{total} deaths")


def test_W5_killed_before_and_after_every_disk_step(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, __file__, "steps", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[-2]) > 60


if __name__ == "__main__":
    {"nursery": nursery, "steps": step_through}[sys.argv[1]](Path(sys.argv[2]))
