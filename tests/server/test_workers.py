"""`taishi serve --workers 2`: several processes on one port, over real sockets."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from support.worker_processes import START, Fleet, running, until
from taishi import Memory, Scope, load
from taishi.api_keys import Keys
from taishi.cli import taishi

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
PAGE = {"X-Taishi-Pages": "1", "Sec-Fetch-Site": "same-origin"}
Both = tuple[httpx.Client, httpx.Client]
TURN = {"scope": {"user": "u7"}, "new_info": "I bought a waffle iron"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def secret(folder: Path) -> str:
    return Keys(folder).create("admin", None, "admin")[1]


@pytest.fixture
def fleet(folder: Path, secret: str) -> Iterator[Fleet]:
    with running(folder, "--workers", "2") as started:
        yield started


@contextmanager
def connected(fleet: Fleet, secret: str) -> Iterator[Both]:
    """A connection to each of the two processes."""
    until(lambda: fleet.connections() == (0, 0))
    with ExitStack() as opened:
        clients = []
        for number in (1, 2):
            headers = {"Authorization": f"Bearer {secret}"}
            client = httpx.Client(base_url=fleet.url, headers=headers, timeout=20)
            clients.append(opened.enter_context(client))
            client.get("/health/live").raise_for_status()
            until(lambda number=number: sum(fleet.connections()) == number)  # type: ignore[misc]
        assert fleet.connections() == (1, 1)
        yield clients[0], clients[1]


def test_two_processes_answer_as_one(fleet: Fleet, folder: Path, secret: str) -> None:
    """One test, as the processes take seconds to start."""
    connections_are_shared_evenly(fleet)
    with connected(fleet, secret) as both:
        a_session_of_one_is_known_in_the_other(both)
        a_change_in_one_reaches_a_page_of_the_other(both)
        metrics_are_those_of_all(both)
    status_lists_them(fleet, folder)
    a_signal_ends_all(fleet)


def connections_are_shared_evenly(fleet: Fleet) -> None:
    """However they come: one after another, or all at once."""
    address = ("127.0.0.1", int(fleet.url.rpartition(":")[2]))
    with ExitStack() as opened:
        for _ in range(20):
            opened.enter_context(socket.create_connection(address))
        until(lambda: sum(fleet.connections()) == 20)
        assert max(fleet.connections()) <= 13


def a_session_of_one_is_known_in_the_other(both: Both) -> None:
    here, there = both
    cookie = here.post("/ui/session").headers["set-cookie"].partition(";")[0]
    headers = {**PAGE, "Cookie": cookie, "Authorization": ""}
    for client in both:
        assert client.get("/v1/whoami", headers=headers).json()["rights"] == "admin"
    assert there.delete("/ui/session", headers=headers).status_code == 204
    for client in both:
        assert client.get("/v1/whoami", headers=headers).status_code == 401


def a_change_in_one_reaches_a_page_of_the_other(both: Both) -> None:
    here, there = both
    asked = {"Accept": "text/event-stream"}
    with here.stream("GET", "/v1/changes", params={"user": "u7"}, headers=asked) as stream:
        events = (line for line in stream.iter_lines() if line.startswith("data:"))
        before = next(events)
        assert there.post("/v1/turns", json=TURN).status_code == 202
        assert next(events) != before
    found = here.post("/v1/recall", json={"scope": {"user": "u7"}, "query": "waffle iron"}).json()
    assert found["hits"]


def metrics_are_those_of_all(both: Both) -> None:
    here, there = both
    before = requests_of(here)
    for _ in range(3):
        here.get("/v1/whoami")
        there.get("/v1/whoami")
    assert requests_of(here) == requests_of(there) == before + 6
    text = there.get("/metrics").text
    assert value_of(text, "taishi_workers") == 1  # the historian runs in one of them
    assert value_of(text, 'taishi_queue_jobs{state="failed"}') == 0


def requests_of(client: httpx.Client) -> float:
    name = 'taishi_http_requests_total{method="GET",route="/v1/whoami",status="200"}'
    return value_of(client.get("/metrics").text, name)


def value_of(text: str, name: str) -> float:
    return next((float(line.rpartition(" ")[2]) for line in text.splitlines()
                 if line.startswith(f"{name} ")), 0.0)  # fmt: skip


def status_lists_them(fleet: Fleet, folder: Path) -> None:
    def told(*more: str) -> str:
        result = CliRunner().invoke(taishi, ["--data", str(folder), "status", *more])
        assert result.exit_code == 0, result.output
        return result.stdout

    rows = json.loads(told("--json"))["processes"]
    serving = [row for row in rows if row["role"] == "serve"]
    assert {row["pid"] for row in serving} == {plan["pid"] for plan in fleet.plans().values()}
    assert sorted(row["workers"]["running"] for row in serving) == [0, 1]
    assert all(row["host"] == socket.gethostname() and row["version"] for row in serving)
    assert rows[0]["role"] == "cli" and rows[0]["own"]
    assert told().count("serve ") == 2


@pytest.mark.thorough
def test_W5_a_killed_worker_is_replaced_and_no_accepted_turn_is_lost(
    fleet: Fleet, folder: Path, secret: str
) -> None:
    accepted: list[str] = []
    refused: list[str] = []
    end = threading.Event()

    def tell(number: int) -> None:
        headers = {"Authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=fleet.url, headers=headers, timeout=20) as client:
            while not end.is_set():
                try:
                    answer = client.post("/v1/turns", json=TURN)
                except httpx.TransportError:  # its process is gone: the next one answers
                    continue
                if answer.status_code == 202:
                    accepted.append(answer.json()["id"])
                else:
                    refused.append(answer.text)

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    before = fleet.plans()
    os.kill(before[1]["pid"], signal.SIGKILL)
    at_death = len(accepted)
    until(lambda: len(accepted) > at_death + 5)  # the other one goes on
    until(lambda: fleet.plans().get(1, before[1])["pid"] != before[1]["pid"])
    until(lambda: max(fleet.connections()) < 1000)  # both accept again
    end.set()
    for thread in threads:
        thread.join(30)
    assert not refused and fleet.plans()[0]["pid"] == before[0]["pid"]
    assert "ended by signal 9" in fleet.log.read_text()
    with Memory.open(folder, load(overrides={"models.embedding.kind": "none"})) as memory:
        waiting = {job["event_id"] for job in memory.jobs.list()}
        scope = Scope(user="u7")
        lost = [
            id for id in accepted if id not in waiting and memory.records.get(scope, id) is None
        ]
    assert accepted and not lost


def a_signal_ends_all(fleet: Fleet) -> None:
    """And every line of the log is whole, whichever process wrote it."""
    pids = [plan["pid"] for plan in fleet.plans().values()]
    folder = Path(fleet.plans()[0]["folder"])
    assert fleet.stop() == 0
    assert not folder.exists() and not any(Path(f"/proc/{pid}").exists() for pid in pids)
    line = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (info|warning|error)\s+\S+: .*")
    # Of the parent: one line of the command, one of the supervisor.
    other = [text for text in fleet.log.read_text().splitlines() if not line.fullmatch(text)]
    assert all("worker 1" in text or "stopped;" in text for text in other), other


@pytest.mark.thorough
def test_sighup_replaces_the_workers_one_by_one(fleet: Fleet, secret: str) -> None:
    before = {plan["pid"] for plan in fleet.plans().values()}
    answers: list[int] = []
    fleet.process.send_signal(signal.SIGHUP)

    def replaced() -> bool:
        headers = {"Authorization": f"Bearer {secret}"}
        answers.append(httpx.get(f"{fleet.url}/v1/whoami", headers=headers).status_code)
        now = {plan["pid"] for plan in fleet.plans().values()}
        return len(now) == 2 and not now & before and max(fleet.connections()) < 1000

    until(replaced, 60)
    until(lambda: "all workers are replaced" in fleet.log.read_text(), 30)
    assert set(answers) == {200}
    assert fleet.stop() == 0


def test_sighup_with_a_bad_settings_file_keeps_the_workers(tmp_path: Path) -> None:
    """And one with a good file afterwards replaces them."""
    file, folder = tmp_path / "taishi.toml", tmp_path / "data"
    file.write_text("[query]\nrecall_top_k = 7\n")
    with running(folder, "--workers", "2", "--config", str(file)) as fleet:
        before = {plan["pid"] for plan in fleet.plans().values()}
        file.write_text("[query\nrecall_top_k = 7\n")
        fleet.process.send_signal(signal.SIGHUP)
        until(lambda: "worker 0, 1 kept" in fleet.log.read_text())
        assert f"{file} is not TOML" in fleet.log.read_text()
        assert {plan["pid"] for plan in fleet.plans().values()} == before
        file.write_text("[query]\nrecall_top_k = 9\n")
        fleet.process.send_signal(signal.SIGHUP)
        until(lambda: not {plan["pid"] for plan in fleet.plans().values()} & before, 60)
        assert "with code" not in fleet.log.read_text()


def test_O3_a_successor_that_cannot_start_changes_nothing(tmp_path: Path) -> None:
    """The file can be read, but no memory can be opened with it. Turns are worked meanwhile."""
    file, folder = tmp_path / "own.toml", tmp_path / "data"
    file.write_text("[query]\nrecall_top_k = 7\n")
    with running(folder, "--workers", "2", "--config", str(file)) as fleet:
        before = {plan["pid"] for plan in fleet.plans().values()}
        file.write_text('[profile]\npath = "../outside"\n')
        fleet.process.send_signal(signal.SIGHUP)
        said = "worker 0, 1 kept, the settings stay as they are: its successor ended with code 2"
        until(lambda: said in fleet.log.read_text(), 60)
        assert {plan["pid"] for plan in fleet.plans().values()} == before
        body = {**TURN, "wait": 20}
        httpx.post(f"{fleet.url}/v1/turns", json=body, timeout=30).raise_for_status()
        until(lambda: jobs_done(folder) == 1)
        file.write_text("[query]\nrecall_top_k = 9\n")
        fleet.process.send_signal(signal.SIGHUP)
        until(lambda: not {plan["pid"] for plan in fleet.plans().values()} & before, 60)
        assert fleet.stop() == 0


def jobs_done(folder: Path) -> int:
    with Memory.open(folder, load(overrides={"models.embedding.kind": "none"})) as memory:
        return sum(row["jobs"]["done"] for row in memory.status()["processes"])


def test_O3_nobody_ends_before_its_successor_is_ready(fleet: Fleet) -> None:
    """Of two workers there are never less than two, and one of them has the historian."""
    before = {plan["pid"] for plan in fleet.plans().values()}
    accepting, historians = set(), set()
    fleet.process.send_signal(signal.SIGHUP)

    def replaced() -> bool:
        plans = fleet.plans()
        accepting.add(fleet.accepting())
        historians.add(sum(plan["historian"] for plan in plans.values()))
        return not {plan["pid"] for plan in plans.values()} & before

    until(replaced, 60)
    assert accepting <= {2, 3}
    assert historians == {1}
    assert fleet.stop() == 0


def test_C2_a_crash_while_the_settings_file_is_bad_starts_with_the_last_good_ones(
    tmp_path: Path,
) -> None:
    """And once the file is good again, it is taken over: by the workers that run as far as that is
    possible, and by those that start."""
    file, folder = tmp_path / "taishi.toml", tmp_path / "data"
    file.write_text("[query]\nrecall_top_k = 7\n")
    with running(folder, "--workers", "2", "--config", str(file)) as fleet:

        def crashed(number: int) -> dict[str, Any]:
            """The plan of the worker that took the place of this one, once it serves."""
            old = fleet.plans()[number]["pid"]
            os.kill(old, signal.SIGKILL)

            def replaced() -> dict[str, Any]:
                found = fleet.plans().get(number, {"pid": old})
                is_serving = found["pid"] != old and max(fleet.connections()) < 1000
                return found if is_serving else {}

            return dict(until(replaced, 60))

        file.write_text("[query]\nrecall_top_k = 8\n")
        until(lambda: fleet.log.read_text().count("settings taken over") == 2)
        time.sleep(1)  # the parent looks at the file, too
        file.write_text("[query\nrecall_top_k = 9\n")
        replacement = crashed(1)
        copy = Path(replacement["context"]["settings_copy"])
        assert copy.read_text() == "[query]\nrecall_top_k = 8\n"
        assert copy.stat().st_mode & 0o077 == 0
        text = fleet.log.read_text()
        assert f"worker 1 starts with the last good settings: {file} is not TOML" in text
        file.write_text("[query]\nrecall_top_k = 10\n")
        until(lambda: fleet.log.read_text().count("settings taken over") == 4)
        assert crashed(1)["context"]["settings_copy"] is None
        assert "can be used again" in fleet.log.read_text()
        assert "with code" not in fleet.log.read_text()
        assert fleet.stop() == 0
    assert not copy.exists()


@pytest.mark.thorough
def test_workers_end_when_their_parent_is_killed(fleet: Fleet) -> None:
    pids = [plan["pid"] for plan in fleet.plans().values()]
    fleet.process.kill()
    fleet.process.wait(10)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def failed_start(*options: str) -> tuple[int, str]:
    result = subprocess.run([*START, *options], capture_output=True, text=True, timeout=60)
    return result.returncode, result.stderr


def test_a_port_that_is_taken_is_said_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(
            taishi, ["--data", str(tmp_path / "d"), "serve", "--workers", "3", "--port", port]
        )
    assert result.exit_code == 1 and result.stderr.count("cannot listen on") == 1
    assert not (tmp_path / "d").exists()


@pytest.mark.thorough
def test_a_folder_that_cannot_be_opened_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "d").write_text("not a folder")
    code, said = failed_start(
        "--data", str(tmp_path / "d"), "serve", "--workers", "3", "--port", "0"
    )
    assert code == 1 and said.count("Error:") == 1 and len(said.splitlines()) == 1
