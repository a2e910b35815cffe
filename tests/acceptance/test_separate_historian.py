"""The historian in processes of its own: whether one runs, and what its figures are."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from support.scripted_model import ScriptedModel
from support.worker_processes import QUIET, START, running, until
from taishi.cli import taishi

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops processes as on POSIX")
NORA = ("--user", "nora")


def cli(folder: Path, *words: str, **settings: str) -> Result:
    return CliRunner().invoke(taishi, ["--data", str(folder), *words], env={**QUIET, **settings})


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def worker(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """`taishi work` with its metrics."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TAISHI_")}
    command = [*START, "--data", str(folder), "work", "--json", "--metrics-port", str(port)]
    with subprocess.Popen(
        command, env={**kept, **QUIET}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(60)


def figures(url: str) -> dict[str, float]:
    """Every sample by its name with labels; {} while nobody answers."""
    try:
        text = httpx.get(f"{url}/metrics", timeout=10).text
    except httpx.HTTPError:
        return {}
    return {
        name: float(value) for name, value in re.findall(r"^(\w\S*) (\S+)$", text, re.MULTILINE)
    }


def test_O1_a_worker_has_metrics_and_a_server_knows_of_it(tmp_path: Path) -> None:
    folder, port = tmp_path / "data", free_port()
    own = f"http://127.0.0.1:{port}"
    turn = {"scope": {"user": "nora"}, "new_info": "Nora bought a boat.", "sender_name": "Nora"}
    with running(folder, "--no-worker") as server:
        assert httpx.post(f"{server.url}/v1/turns", json=turn).status_code == 202
        seen = figures(server.url)
        assert seen["taishi_fleet_workers"] == 0 and seen['taishi_queue_jobs{state="pending"}'] == 1
        with worker(folder, port) as process:
            done = 'taishi_jobs_total{outcome="done"}'
            until(lambda: figures(own).get(done) == 1.0, 60)
            seen = figures(own)
            assert seen["taishi_workers"] == seen["taishi_fleet_workers"] > 0
            assert any(name.startswith("taishi_info{") for name in seen), (
                "the dashboard asks for it"
            )
            assert 'taishi_job_seconds_count{outcome="done"}' in seen
            until(lambda: figures(server.url)["taishi_fleet_workers"] > 0)
            seen = figures(server.url)
            assert seen["taishi_workers"] == 0 and seen[done] == 0, "its own"
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        assert figures(own) == {}
        until(lambda: figures(server.url)["taishi_fleet_workers"] == 0)


def test_O1_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with worker(tmp_path / "data", port) as process:
            _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and f"cannot listen on 127.0.0.1:{port}" in said
    assert "--metrics-port" in said


def rows(result: Result) -> dict[str, dict[str, Any]]:
    return {row["check"]: row for row in json.loads(result.stdout)["findings"]}


def test_O2_that_nobody_works_the_queue_is_said(tmp_path: Path) -> None:
    folder, port = tmp_path / "data", free_port()
    assert cli(folder, "end-turn", *NORA, "--new-info", "Nora bought a boat").exit_code == 0
    found = rows(cli(folder, "doctor", "--json"))["queue"]
    assert found["level"] == "warning" and "1 job waits and no process" in found["advice"]
    assert "没有进程在运行史官" in cli(folder, "--lang", "zh", "doctor").stdout
    assert "1 job waits and no process runs the historian" in cli(folder, "status").stderr
    with worker(folder, port):
        until(lambda: figures(f"http://127.0.0.1:{port}").get("taishi_workers"), 60)
        until(lambda: rows(cli(folder, "doctor", "--json"))["queue"]["level"] == "ok")
        assert "no process runs" not in cli(folder, "status").stderr


def test_O2_doctor_asks_the_chat_models(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    cli(folder, "remember", "Nora has a boat", *NORA)

    def asked(url: str, **more: str) -> list[dict[str, Any]]:
        settings = {
            "TAISHI__MODELS__CHAT__API_URL": url,
            "TAISHI__MODELS__CHAT__API_KEY": "sk-0123456789",
            "TAISHI__MODELS__CHAT__MODEL_NAME": "scripted",
            **more,
        }
        told = cli(folder, "doctor", "--json", **settings)
        assert "sk-0123456789" not in told.stdout
        found = [row for row in json.loads(told.stdout)["findings"] if row["check"] == "model"]
        assert told.exit_code == any(row["level"] == "problem" for row in found)
        return found

    assert "model" not in rows(cli(folder, "doctor", "--json")), "the rules need none"
    with ScriptedModel(lambda *_: "ok") as server:
        (fine,) = asked(server.url)
        assert fine["level"] == "ok" and fine["message"].startswith("scripted (")
        own = {
            "TAISHI__MODELS__CHAT__MERGE__API_URL": f"http://127.0.0.1:{free_port()}",
            "TAISHI__MODELS__CHAT__MERGE__MODEL_NAME": "other",
        }
        fine, away = asked(server.url, **own)
        assert (fine["level"], away["level"]) == ("ok", "problem")
        assert "other (" in away["message"] and "[models.chat.merge]" in away["advice"]
    (away,) = asked(server.url)
    assert away["level"] == "problem" and "the connection failed" in away["message"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_O2_a_wrong_key_of_a_model_is_said(
    tmp_path: Path, language: str, make_settings: Callable[..., Any]
) -> None:
    from taishi.doctor.model_checks import chat_models

    with ScriptedModel(lambda *_: "ok", script=["429"]) as server:
        settings = make_settings(
            {"models.chat.api_url": server.url, "models.chat.model_name": "scripted"}
        )
        (found,) = chat_models(settings)
    assert found.level == "problem" and "429" in found.text(language)
