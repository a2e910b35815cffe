"""The pages and examples of the adapters: run as they are, without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from taishi import Memory

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Loaded before the example: it must not reach beyond this machine.
_NO_NETWORK = """
import socket
def refused(*_, **__):
    raise OSError("the example tried to reach the network")
socket.getaddrinfo = socket.create_connection = refused
"""


def run_page(name: str, **given: Any) -> dict[str, Any]:
    """The names that a page's blocks define, if they run; `given` are those it takes as known."""
    text = (ROOT / "docs/how-to/adapters" / name).read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert blocks, f"{name} has no code"
    names: dict[str, Any] = {"__name__": "__main__", **given}
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    memory = names.get("memory")
    assert isinstance(memory, Memory)
    return names


def run_example(name: str, folder: Path, **variables: str) -> str:
    """What an example prints."""
    (folder / "sitecustomize.py").write_text(_NO_NETWORK, encoding="utf-8")
    paths = os.pathsep.join([str(folder), str(ROOT / "src")])
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "PYTHONIOENCODING": "utf-8",
        "TAISHI__MODELS__EMBEDDING__KIND": "none",
        "TAISHI__QUERY__RECALL_TIMEOUT": "10",
        **variables,
    }
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / name, folder / "example-data"],
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        env=environment,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
