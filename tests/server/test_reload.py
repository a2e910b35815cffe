"""SIGHUP to `taishi work` and to a `taishi serve` of one process: nobody's work stands still."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from support.scripted_model import ScriptedModel, WiseScript
from support.worker_processes import QUIET, START, running, until
from taishi import Memory, Scope, Settings, load

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
ANN, BOB = Scope(user="ann"), Scope(user="bob")
MODEL = '[models.chat]\napi_url = "{}"\napi_key = "k"\nmodel_name = "scripted"\n'


@dataclass
class Worker:
    process: subprocess.Popen[str]
    log: Path

    def reload(self) -> None:
        self.process.send_signal(signal.SIGHUP)

    def said(self, words: str, times: int = 1) -> None:
        until(lambda: self.log.read_text().count(words) >= times or self.process.poll())
        assert self.process.poll() is None, self.log.read_text()


@contextmanager
def working(folder: Path, file: Path) -> Iterator[Worker]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TAISHI_")}
    log = folder.parent / "work.log"
    command = [*START, "--data", str(folder), "work", "--config", str(file)]
    with log.open("w") as errors, subprocess.Popen(
        command, env={**kept, **QUIET}, stdout=errors, stderr=errors, text=True
    ) as process:  # fmt: skip
        worker = Worker(process, log)
        try:
            worker.said("processing jobs")
            yield worker
        finally:
            process.terminate()
            assert process.wait(60) == 0, log.read_text()


def settings() -> Settings:
    return load(overrides={"models.embedding.kind": "none"})


def event_of(memory: Memory, scope: Scope) -> bool:
    return any(hit.kind == "event" for hit in memory.recall(scope, "boat", deadline=10).hits)


def test_O3_a_worker_goes_on_with_bad_settings_and_takes_good_ones(tmp_path: Path) -> None:
    file, folder = tmp_path / "own.toml", tmp_path / "data"
    file.write_text("[historian]\nworkers = 1\n")
    with working(folder, file) as worker, Memory.open(folder, settings()) as memory:
        for number, bad in enumerate(("[historian\n", '[profile]\npath = "../outside"\n'), 1):
            file.write_text(bad)
            worker.reload()
            worker.said("the worker goes on with the settings that it has", number)
            scope = Scope(user=f"u{number}")
            memory.end_turn(scope, new_info="I bought a boat", sender_name="Ann")
            until(lambda scope=scope: event_of(memory, scope))  # type: ignore[misc]
        file.write_text("[historian]\nworkers = 2\n")
        worker.reload()
        worker.said("has taken over")

        def running_threads() -> list[int]:
            rows = memory.status()["processes"]
            return [row["workers"]["running"] for row in rows if row["role"] == "work"]

        until(lambda: running_threads() == [2])
        memory.end_turn(ANN, new_info="I bought a boat", sender_name="Ann")
        until(lambda: event_of(memory, ANN))


def test_O3_a_job_at_hand_is_finished_while_the_new_worker_takes_others(tmp_path: Path) -> None:
    """Ann's job waits for the model; after the reload, Bob's is done by the new worker."""
    file, folder = tmp_path / "own.toml", tmp_path / "data"
    let, asked = threading.Event(), threading.Event()
    script = WiseScript()

    def slow(tool: str, request: dict[str, object]) -> object:
        if "Ann" in str(request) and not asked.is_set():
            asked.set()
            let.wait(60)
        return script(tool, request)

    with ScriptedModel(slow) as model:  # type: ignore[arg-type]
        file.write_text(MODEL.format(model.url))
        with working(folder, file) as worker, Memory.open(folder, settings()) as memory:
            try:
                memory.end_turn(ANN, new_info="I bought a boat", sender_name="Ann")
                assert asked.wait(30)
                file.write_text("[historian]\nworkers = 1\n")  # no model any more
                worker.reload()
                worker.said("has taken over")
                memory.end_turn(BOB, new_info="I bought a boat", sender_name="Bob")
                until(lambda: event_of(memory, BOB))
                assert not event_of(memory, ANN)
            finally:
                let.set()
            until(lambda: event_of(memory, ANN))
            until(lambda: memory.status()["queue"]["processing"] == 0)
            assert memory.status()["queue"]["failed"] == 0
        asked_of_ann = [one for one in model.requests if "Ann" in str(one.body)]
        assert len({one.tool for one in asked_of_ann}) == len(asked_of_ann), "it was done once"


def test_O3_a_server_of_one_process_goes_on_and_says_what_waits(tmp_path: Path) -> None:
    file, folder = tmp_path / "own.toml", tmp_path / "data"
    file.write_text("[query]\nrecall_top_k = 7\n")
    with running(folder, "--config", str(file)) as server:

        def is_alive() -> bool:
            return httpx.get(f"{server.url}/health/live").status_code == 200

        file.write_text("[query\n")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: "the settings stay as they are" in server.log.read_text())
        assert is_alive()
        file.write_text("[historian]\nworkers = 2\n")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: "serve with --workers 2" in server.log.read_text())
        assert "historian.workers" in server.log.read_text()
        assert is_alive()
        assert server.stop() == 0
