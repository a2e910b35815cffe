"""Vector engines for tests: each in a folder or file of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from support.engines import free_port, missing
from taishi.backends.vector_engines import open_engine, parse_address
from taishi.ports import VectorEngine

PACKAGES = {"milvus": "milvus_lite", "lancedb": "lancedb", "chroma": "chromadb"}

COMMANDS = {
    "milvus": (
        "milvus-lite",
        "server",
        "--data-dir",
        "{folder}",
        "--host",
        "127.0.0.1",
        "--port",
        "{port}",
    ),
    "chroma": ("chroma", "run", "--path", "{folder}", "--host", "127.0.0.1", "--port", "{port}"),
}


def address_of(name: str, folder: Path) -> str:
    """Skips the test if the engine is not installed."""
    if find_spec(PACKAGES[name]) is None:
        missing(f"pip install '.[{name}]'")
    return f"{name}://{folder / name}" + (".db" if name == "milvus" else "")


def vector_engine(name: str, folder: Path, dimensions: int, prefix: str = "t") -> VectorEngine:
    return open_engine(parse_address(address_of(name, folder)), prefix, dimensions)


def start_server(name: str, folder: Path, port: int = 0) -> dict[str, Any]:
    """A server on loopback, for `support.engines.shared_engine`: its process and its address.

    Milvus Lite speaks the protocol of a Milvus server, which does not fit into a test.
    """
    address_of(name, folder)  # skips if it is not installed
    port = port or free_port()
    command = [str(Path(sys.executable).with_name(COMMANDS[name][0])), *COMMANDS[name][1:]]
    values = {"folder": folder / "server", "port": port}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [part.format(**values) for part in command], stdout=log, stderr=log
        )
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                process.returncode = 0  # it outlives this object; `shared_engine` stops it
                return {"pid": process.pid, "address": f"{name}://127.0.0.1:{port}"}
        time.sleep(0.05)
    raise RuntimeError(f"{name} did not start: {(folder / 'server.log').read_text()[-500:]}")
