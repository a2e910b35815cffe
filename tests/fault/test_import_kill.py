"""A large import: bounded memory, killed and resumed, repeated."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import chat_exports
from support.sizes import few_and_many
from taishi import Memory, Scope, load

ANN = Scope(user="ann")
SETTINGS = {"models.embedding.kind": "none"}
# Beyond what an open memory needs. A value of the file and a batch are a few megabytes; SQLite's
# page cache and the allocator take the rest. A file of 100,000 messages has 20 to 35 MB.
MOST_MB = 64
IMPORT = """
import json, sys, time
from taishi import Memory, Scope, load

def high_water():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

folder, path, format, is_slow = sys.argv[1:]
settings = load(environ={}, overrides={"models.embedding.kind": "none"})
with Memory.open(folder, settings) as memory:
    memory.remember(Scope(user="other"), "something, so that all is loaded")
    before, begun = high_water(), time.perf_counter()
    def told(done, total):
        print(done, total, flush=True)
        if is_slow == "slow" and done > total / 3:
            time.sleep(1)  # a short import must not be over before the signal arrives
    report = memory.transfer.import_chats(path, format, Scope(user="ann"), progress=told)
    took = time.perf_counter() - begun
print(json.dumps({"added": report.added, "same": report.same, "bad": report.bad_count,
                  "seconds": took, "before": before, "after": high_water()}))
"""


def command(folder: Path, path: Path, format: str, pace: str = "") -> list[str]:
    return [sys.executable, "-c", IMPORT, str(folder), str(path), format, pace]


def kill_half_way(folder: Path, path: Path, format: str, pace: str) -> None:
    process = subprocess.Popen(
        command(folder, path, format, pace), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    end = time.monotonic() + 170
    try:
        for line in process.stdout:
            done, total = map(int, line.split())
            if done > total / 3 or time.monotonic() > end:
                break
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def texts(folder: Path) -> list[str]:
    with Memory.open(folder, load(environ={}, overrides=SETTINGS)) as memory:
        lines = memory.transfer.export()
        return sorted(
            str(one["text"])
            for one in map(json.loads, lines)
            if one["type"] == "record" and one["kind"] == "note"
        )


@pytest.mark.timeout(900)
@pytest.mark.parametrize("count", few_and_many(2000, 100_000))
@pytest.mark.parametrize("format", chat_exports.LARGE)
def test_killed_and_resumed_repeated_in_bounded_memory(
    format: str, count: int, tmp_path: Path
) -> None:
    path, folder = chat_exports.write(format, tmp_path, count), tmp_path / "data"
    kill_half_way(folder, path, format, "slow" if count < 10_000 else "")
    resumed = subprocess.run(
        command(folder, path, format), capture_output=True, text=True, check=True
    )
    report = json.loads(resumed.stdout.splitlines()[-1])
    assert report["added"] + report["same"] == count
    assert report["bad"] == 0
    assert 0 < report["same"] < count, "the control: it was killed in the middle"
    grown = report["after"] - report["before"]
    print(f"{format}: {count / report['seconds']:.0f} messages/s, {grown:.0f} MB more")
    assert grown < MOST_MB

    again = subprocess.run(
        command(folder, path, format), capture_output=True, text=True, check=True
    )
    repeated = json.loads(again.stdout.splitlines()[-1])
    assert (repeated["added"], repeated["same"]) == (0, count)
    found = [text for text in texts(folder) if re.search(r" #\d+$", text)]
    assert found == sorted(chat_exports.said(number) for number in range(count))
