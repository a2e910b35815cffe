"""`taishi eval qa` killed with -9 while a request is on its way: no answer is paid for twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from support.qa_files import QaScript, is_answering, locomo
from support.scripted_model import ScriptedModel, Seen, data_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
SECONDS = 60


class HoldingScript(QaScript):
    """Holds one request, the n-th of its kind, until it is let go."""

    def __init__(self, kind: str, number: int) -> None:
        super().__init__()
        self._kind, self._left = kind, number
        self._lock = threading.Lock()
        self.reached, self.go = threading.Event(), threading.Event()

    def __call__(self, tool: str, request: dict[str, Any]) -> dict[str, Any] | str:
        asked = tool or ("answer" if is_answering(request) else "judge")
        with self._lock:
            self._left -= asked == self._kind
            held = asked == self._kind and self._left == 0
        if held:
            self.reached.set()
            self.go.wait(SECONDS)
        return super().__call__(tool, request)


def started(file: Path, server: ScriptedModel, state: str) -> subprocess.Popen[str]:
    words = ["eval", "qa", str(file), "--model-url", server.url, "--model", "scripted"]
    words += ["--baseline", "full-context", "--concurrency", "1"]
    words += ["--state", state, "--json", f"{state}.json"]
    code = "from taishi.cli import taishi; taishi()"
    environment = {**os.environ, "TAISHI__MODELS__EMBEDDING__KIND": "none", "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=file.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finished(file: Path, server: ScriptedModel, state: str) -> dict[str, Any]:
    process = started(file, server, state)
    output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, output
    document: dict[str, Any] = json.loads((file.parent / f"{state}.json").read_text("utf-8"))
    return document


def told(requests: list[Seen]) -> set[str]:
    """The turns that the historian was asked to write down."""
    asked = [data_of(seen.body)["job"] for seen in requests if seen.tool == "record_turn"]
    return {str(job["new_info"]) for job in asked}


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("kind", "number"), [("record_turn", 3), ("answer", 3), ("judge", 5)])
def test_killed_and_run_again_pays_only_for_what_was_on_its_way(
    tmp_path: Path, kind: str, number: int
) -> None:
    file, script = locomo(tmp_path), HoldingScript(kind, number)
    with ScriptedModel(script) as server:
        process = started(file, server, "killed")
        assert script.reached.wait(SECONDS), process.communicate(timeout=1)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)
        script.go.set()
        before = list(server.requests)
        document = finished(file, server, "killed")
        plain = [seen for seen in server.requests if not seen.tool]
        after = server.requests[len(before) :]
    in_flight = int(kind != "record_turn")
    assert len(plain) == 4 * 2 * 2 + in_flight, "only the one whose answer nobody got"
    assert len(told(before) & told(after)) == 1 - in_flight, "only the turn at hand"
    assert len(told(server.requests)) == 5
    assert document["complete"] and document["turns"] == 5
    assert document["systems"]["taishi"]["all"]["right"] == 4
