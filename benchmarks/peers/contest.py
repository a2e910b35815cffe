"""The half of a run that lives here: a contender's process, asked and never waited for in vain."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from pathlib import Path
from typing import IO, Any

from benchmarks.peers.fixture import Fixture
from benchmarks.peers.line_up import Contender
from benchmarks.peers.venvs import python_of

ROOT = Path(__file__).resolve().parents[2]
ANSWER_SECONDS = 120.0
BUILD_SECONDS = 300.0
CLOSE_SECONDS = 20.0
SAID = 300


class OutError(Exception):
    """A contender is out of the run, and why."""


class Runner:
    """One contender at one size."""

    def __init__(self, contender: Contender, fixture: Fixture, folder: Path) -> None:
        self.contender = contender
        self._folder = folder
        folder.mkdir(parents=True)
        self._errors: IO[bytes] = (folder.parent / f"{folder.name}.log").open("w+b")
        command = [
            str(python_of(contender)),
            "-m",
            f"benchmarks.peers.drive_{contender.driver}",
            str(fixture.folder),
            str(folder),
            str(fixture.size),
            *contender.options,
        ]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **_quiet(folder), **contender.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def build(self) -> tuple[float, float]:
        """Seconds, and records a second."""
        answer = self._ask({"do": "build"}, BUILD_SECONDS)
        return float(answer["seconds"]), float(answer["rate"])

    def search(self, way: str, first: int, last: int, budget: float) -> dict[str, Any]:
        command = {"do": "search", "way": way, "from": first, "to": last, "budget": budget}
        return self._ask(command, ANSWER_SECONDS)

    def write(self, way: str, first: int, last: int, budget: float) -> list[float]:
        command = {"do": "write", "way": way, "from": first, "to": last, "budget": budget}
        seconds: list[float] = self._ask(command, ANSWER_SECONDS)["seconds"]
        return seconds

    def close(self) -> None:
        """Let it close its files, then make sure that it is gone."""
        try:
            if self._process.poll() is None:
                self._ask({"do": "close"}, CLOSE_SECONDS)
        finally:
            self._process.kill()
            self._process.wait()
            self._errors.close()

    def disk_bytes(self) -> int:
        return sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())

    def _ask(self, command: dict[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(command) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise OutError(self._last_words()) from None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                process.kill()
                raise OutError(f"{command['do']}: no answer within {seconds:.0f} s")
        line = process.stdout.readline()
        if not line:
            raise OutError(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise OutError(f"{command['do']}: {answer['error'][:SAID]}")
        return answer

    def _last_words(self) -> str:
        self._process.wait(CLOSE_SECONDS)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"it stopped: {lines[-1][-SAID:] if lines else self._process.returncode}"


def _quiet(folder: Path) -> dict[str, str]:
    """No telemetry, and nothing written outside the run's own folder."""
    return {
        "ANONYMIZED_TELEMETRY": "False",
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": str(folder / "mem0"),
        "LANCEDB_TELEMETRY": "0",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
