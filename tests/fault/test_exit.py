"""A process that ends with work under way ends quietly. `EXITS=300` for the long run."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

EXITS = int(os.environ.get("EXITS", "12"))
AT_ONCE = 4  # more than cores, so that embedding is late

PROGRAM = """
import sys, threading, time
from taishi import Memory, Scope
folder, number = sys.argv[1], int(sys.argv[2])
memory, scope = Memory.open(folder), Scope(user="u1")
memory.remember_many(scope, [
    {"text": f"note {n} on the harbour, the boat and the tide; 第{n}条关于港口、船和潮水的笔记"}
    for n in range(40)
])
if number % 3 == 0:
    memory.recall(scope, "which boat? 哪条船？", deadline=0.002)
elif number % 3 == 1:
    def ask():
        for n in range(100):
            memory.recall(scope, f"哪条船 {n}", deadline=0.01)
    threading.Thread(target=ask, daemon=True).start()
time.sleep(number % 7 * 0.08)
"""


@pytest.mark.model
def test_T2_a_process_that_ends_with_late_work_does_not_abort(tmp_path: Path) -> None:
    def run(number: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / str(number)), str(number)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = list(pool.map(run, range(EXITS)))
    assert [(one.returncode, one.stderr) for one in ended] == [(0, "")] * EXITS
