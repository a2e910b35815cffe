"""Workers on one PostgreSQL are killed, the server restarted: no job is lost or doubled (W5)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from taishi import Memory, Scope
from taishi.errors import QueueError

JOBS, PEOPLE, WORKERS = 200, 10, 3


def worker(address: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TAISHI_")},
        "TAISHI_DATA": address,
        "TAISHI__STORAGE__FOLDER": str(folder),
        "TAISHI__MODELS__EMBEDDING__KIND": "none",
        "TAISHI__HISTORIAN__POLL_INTERVAL_SECONDS": "0.5",
    }
    return subprocess.Popen(
        [Path(sys.executable).with_name("taishi"), "work"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )


@pytest.mark.thorough
@pytest.mark.timeout(400)
def test_W5_a_fleet_loses_and_doubles_nothing(
    own_postgres: PostgresEngine, tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    own_postgres.run("CREATE DATABASE fleet OWNER taishi TEMPLATE taishi_template")
    address = own_postgres.address("fleet")
    settings = make_settings({"storage.folder": str(tmp_path / "here")})
    folder = tmp_path / "there"
    folder.mkdir()
    workers = [worker(address, folder) for _ in range(WORKERS)]
    put = []
    try:
        with Memory.open(address, settings) as memory:
            for number in range(JOBS):
                scope = Scope(user=f"u{number % PEOPLE}", workspace=f"w{number % 3}")
                for _ in range(60):
                    try:
                        id = memory.end_turn(
                            scope, f"step {number}", new_info=f"I like tea {number}"
                        )
                        break
                    except QueueError:
                        time.sleep(0.5)
                put.append((scope, id))
                if number == JOBS // 2:
                    own_postgres.restart()
                if number % 50 == 25:
                    dead = workers.pop(0)
                    dead.send_signal(signal.SIGKILL)
                    dead.wait()
                    workers.append(worker(address, folder))
            until = time.monotonic() + 240
            while time.monotonic() < until:
                counts = memory.status()["queue"]
                if not counts["pending"] and not counts["processing"]:
                    break
                time.sleep(1)
            assert (counts["pending"], counts["processing"], counts["failed"]) == (0, 0, 0)
            seen: Counter[str] = Counter()
            for scope in {one for one, _ in put}:
                for record in memory.records.list(scope, kinds=("event",), limit=1000).records:
                    seen[record.id] += 1
            assert len(seen) == JOBS and set(seen.values()) == {1}
    finally:
        for process in workers:
            process.kill()
            process.wait()
