"""Runs the Python on a page as a reader would: in a process of its own, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def run_page(page: str, folder: Path, **environment: str) -> None:
    """What its blocks print, taken together, is what its output blocks say."""
    blocks = FENCE.findall((ROOT / page).read_text("utf-8"))
    program = "\n".join(text for kind, text in blocks if kind == "python")
    assert program, f"{page} has no Python"
    expected = "".join(text for kind, text in blocks if kind == "output")
    assert run_python(["-c", program], folder, **environment) == expected


def run_python(arguments: list[str], folder: Path, **environment: str) -> str:
    """What a program prints that imports this tree, without a model and with time to spare."""
    given = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment}
    given |= {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
