"""Runs pytest; the few tests that fail in a crowd are run once more, alone.

Some promises are limits of time or races, and three workers on two shared processors miss one in a
while. What fails alone, too, has failed. What passes alone is named at the end, so that it is seen.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MOST = 5  # more than these are no accident
FAILED = 1  # pytest's exit code for failed tests; any other means that it could not run them
LAST_FAILED = Path(".pytest_cache/v/cache/lastfailed")


def pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def last_failed() -> list[str]:
    try:
        return sorted(json.loads(LAST_FAILED.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return []


def main(arguments: list[str]) -> int:
    LAST_FAILED.unlink(missing_ok=True)
    code = pytest(*arguments)
    failed = last_failed()
    if code != FAILED or not 0 < len(failed) <= MOST:
        return code
    print(f"\nOnce more, alone: {len(failed)} failed while others ran beside them.", flush=True)
    code = pytest("-n", "0", *failed)
    if code == 0:
        print("Passed only when run alone:", *failed, sep="\n  ", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
