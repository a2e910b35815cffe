"""`taishi ui` as a process of its own: serves the pages on this machine, stops when told to."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import httpx

from support.served_process import COMMAND, QUIET


def test_T2_ui_serves_the_pages_and_ends_at_once_with_a_page_open(tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "--data", str(tmp_path / "data"), "ui", "--no-open", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **QUIET},
        text=True,
    ) as server:
        try:
            assert server.stdout
            told = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")
            address = told["address"]
            assert address.startswith("http://127.0.0.1:") and not told["keys"]
            page = httpx.get(f"{address}/", timeout=20)
            assert page.status_code == 200 and "Taishi" in page.text
            assert httpx.get(f"{address}/", headers={"Host": "evil.example"}).status_code == 403
            accept = {"Accept": "text/event-stream"}
            url = f"{address}/v1/changes?user=ann"
            with httpx.stream("GET", url, headers=accept, timeout=20) as following:
                lines = following.iter_lines()
                assert next(line for line in lines if line.startswith("data:"))
                started = time.monotonic()
                server.terminate()
                assert list(lines) is not None  # the stream ends, cleanly
                assert time.monotonic() - started < 8
        finally:
            server.terminate()
        assert server.wait(20) == 0
