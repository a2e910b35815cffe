"""`taishi serve --workers` as a user starts it, and a look at its processes."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START = [sys.executable, "-c", "from taishi.cli import main; main()"]
QUIET = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__SERVER__RATE_PER_MINUTE": "0",
         "TAISHI__QUERY__RECALL_TIMEOUT": "10", "LANG": "en_US.UTF-8"}  # fmt: skip


@dataclass
class Fleet:
    """A parent with its workers."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    def plans(self) -> dict[int, dict[str, Any]]:
        """What each worker was started with, by number, with its pid."""
        found = {}
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        for pid in children.split():
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"serve_worker" in b" ".join(words):
                plan = json.loads(words[-2])
                found[plan["number"]] = {**plan, "pid": int(pid)}
        return found

    def connections(self) -> tuple[int, ...]:
        """Of each worker, by number."""
        plans = self.plans()
        data = (Path(plans[min(plans)]["folder"]) / "connections").read_bytes()
        counts = struct.unpack(f"<{len(data) // 4}i", data)
        return tuple(counts[plans[number]["slot"]] for number in sorted(plans))

    def accepting(self) -> int:
        """How many processes take connections, those that are to end included."""
        plans = self.plans()
        data = (Path(plans[min(plans)]["folder"]) / "connections").read_bytes()
        return sum(count < 1000 for count in struct.unpack(f"<{len(data) // 4}i", data))

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(60)


@contextmanager
def running(folder: Path, *options: str, **settings: str) -> Iterator[Fleet]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TAISHI_")}
    log = folder.parent / f"{folder.name}.log"
    with log.open("w") as errors, subprocess.Popen(
        [*START, "--data", str(folder), "serve", "--port", "0", "--json", *options],
        env={**kept, **QUIET, **settings}, stdout=subprocess.PIPE, stderr=errors, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            text = ""
            while not text.endswith("}\n"):
                line = process.stdout.readline()
                assert line, log.read_text()
                text += line
            yield Fleet(process, json.loads(text)["address"], log)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(60)


def until(check: Callable[[], Any], seconds: float = 30.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
    return found
