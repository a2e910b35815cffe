"""A venv for each peer, in the user's cache: nothing of theirs comes near the project's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.line_up import Contender

INSTALL_SECONDS = 600
SAID = 300
STAMP = "installed.txt"


class NotInstalledError(Exception):
    """Why a peer could not be installed, in its installer's words."""


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "taishi" / "peers"


def python_of(contender: Contender) -> Path:
    """The Python to start a contender with, its packages installed if they are not yet."""
    if not contender.home:
        return Path(sys.executable)
    folder = cache_folder() / contender.home
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = folder / STAMP
    wanted = "\n".join(contender.needs)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    print(f"installing {', '.join(contender.needs)} …", flush=True)
    _run(sys.executable, "-m", "venv", str(folder))
    _run(
        str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        *contender.needs,
    )  # fmt: skip
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalledError(f"not installed: {error}") from error
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line] or [done.stderr]
        raise NotInstalledError(f"not installed: {errors[-1][-SAID:].strip()}")
