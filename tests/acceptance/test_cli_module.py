"""`python -m taishi`, for those whose PATH has no `taishi`."""

from __future__ import annotations

import subprocess
import sys


def test_the_module_is_the_command() -> None:
    run = [sys.executable, "-m", "taishi", "--version"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("taishi")
