"""Finds Chromium, or installs Debian's where that may be done; and says why not.

`make test` runs it as a program before the tests: an installation takes longer than a test may.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

PACKAGES = ("chromium", "fonts-noto-cjk")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SECONDS = 900


def give_up(reason: str) -> NoReturn:
    """A skip that says why; with CI=true a failure, so that nobody believes it was tried."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(f"in CI the pages are tried in a browser: {reason}")
    pytest.skip(reason)


def find_chromium() -> str | None:
    return next((path for path in map(shutil.which, NAMES) if path), None)


def chromium() -> str:
    """The browser's path. LookupError says what is missing, and how to get it."""
    found = find_chromium()
    if found is None and _may_install():
        one_at_a_time = FileLock(Path(tempfile.gettempdir()) / "taishi-chromium.lock")
        with one_at_a_time:
            if find_chromium() is None:
                _install()
        found = find_chromium()
    if found is None:
        raise LookupError(f"no Chromium here: apt-get install {' '.join(PACKAGES)}")
    return found


def _may_install() -> bool:
    is_root = getattr(os, "geteuid", lambda: 1)() == 0
    return is_root and shutil.which("apt-get") is not None and Path("/etc/debian_version").exists()


def _install() -> None:
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = {"env": environ, "capture_output": True, "timeout": SECONDS, "check": False}
    try:
        done = subprocess.run(["apt-get", "install", "-yq", *PACKAGES], **quiet)
        if done.returncode:
            subprocess.run(["apt-get", "update", "-q"], **quiet)
            subprocess.run(["apt-get", "install", "-yq", *PACKAGES], **quiet)
    except subprocess.TimeoutExpired:
        pass


if __name__ == "__main__":
    if find_chromium() is None and _may_install():
        print("Installing Chromium for the tests of the pages …")
    try:
        chromium()
    except LookupError as reason:
        print(reason, file=sys.stderr)  # the tests skip, or fail with CI=true
