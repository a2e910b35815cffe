"""Servers and workers as processes of their own on one address, and clients that send turns."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

COMMAND = str(Path(sys.executable).with_name("taishi"))
QUIET = {
    "TAISHI__MODELS__EMBEDDING__KIND": "none",
    "TAISHI__HISTORIAN__POLL_INTERVAL_SECONDS": "0.5",
    "TAISHI__SERVER__RATE_PER_MINUTE": "0",
    "TAISHI__QUERY__RECALL_TIMEOUT": "5",
    "LANG": "en_US.UTF-8",
}


@dataclass
class ProcessFleet:
    """`servers` stay; `workers` are killed and replaced."""

    address: str
    folder: Path
    servers: list[subprocess.Popen[str]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    kills: int = 0

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TAISHI_")}
        local = {"TAISHI_DATA": self.address, "TAISHI__STORAGE__FOLDER": str(self.folder)}
        return {**kept, **QUIET, **local}

    def start_servers(self, count: int) -> None:
        for number in range(count):
            command = [COMMAND, "serve", "--port", "0", "--json", "--no-worker"]
            with (self.folder / f"server-{number}.log").open("w") as log:
                self.servers.append(
                    subprocess.Popen(
                        command, stdout=subprocess.PIPE, stderr=log, text=True,
                        env=self.environment,
                    )
                )  # fmt: skip
        for server in self.servers:
            assert server.stdout is not None
            told = "".join(iter(server.stdout.readline, "}\n")) + "}"
            self.urls.append(json.loads(told)["address"])

    def start_worker(self) -> None:
        command = [COMMAND, "work", "--every", "1"]
        with (self.folder / f"worker-{len(self.workers) + self.kills}.log").open("w") as log:
            self.workers.append(
                subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
            )

    def kill_worker(self) -> None:
        """The oldest one, in the middle of whatever it does; another takes its place."""
        dead = self.workers.pop(0)
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        self.kills += 1
        self.start_worker()

    def status(self) -> dict[str, Any]:
        done = subprocess.run(
            [COMMAND, "status", "--json"], env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def stop(self) -> None:
        for process in (*self.servers, *self.workers):
            process.kill()
        for process in (*self.servers, *self.workers):
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


@contextmanager
def fleet(address: str, folder: Path, servers: int, workers: int) -> Iterator[ProcessFleet]:
    folder.mkdir(exist_ok=True)
    made = ProcessFleet(address, folder)
    try:
        made.start_servers(servers)
        for _ in range(workers):
            made.start_worker()
        yield made
    finally:
        made.stop()


@dataclass
class Clients:
    """Several threads send what each person says, in order, to any of the servers. What is not
    accepted (503, or a broken connection) is sent again, with the same idempotency key."""

    urls: Sequence[str]
    secret: str
    accepted: dict[str, str] = field(default_factory=dict)  # request → event id
    answers: Counter[str] = field(default_factory=Counter)
    refused_seconds: float = 0.0  # of the longest row of refusals of one turn

    def send_all(self, turns: Sequence[dict[str, Any]], threads: int, seconds: float) -> None:
        """`turns` of one person are sent by one thread."""
        shares: list[list[dict[str, Any]]] = [[] for _ in range(threads)]
        people: dict[str, int] = {}
        for turn in turns:
            person = f"{turn['scope']['workspace']}/{turn['scope']['user']}"
            shares[people.setdefault(person, len(people)) % threads].append(turn)
        until = time.monotonic() + seconds
        running = [threading.Thread(target=self._send, args=(one, until)) for one in shares]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()

    def _send(self, turns: Sequence[dict[str, Any]], until: float) -> None:
        chosen = random.Random(turns[0]["request_id"])
        headers = {"Authorization": f"Bearer {self.secret}"}
        with httpx.Client(headers=headers, timeout=30) as client:
            for turn in turns:
                refused_at = 0.0
                while time.monotonic() < until:
                    url = chosen.choice(self.urls)
                    said = self._post(client, url, turn)
                    self.answers[said] += 1
                    if said == "202":
                        break
                    assert said in ("503", "409", "broken"), said
                    refused_at = refused_at or time.monotonic()
                    time.sleep(0.2)
                if refused_at:
                    took = time.monotonic() - refused_at
                    self.refused_seconds = max(self.refused_seconds, took)

    def _post(self, client: httpx.Client, url: str, turn: dict[str, Any]) -> str:
        try:
            answer = client.post(
                f"{url}/v1/turns", json=turn, headers={"Idempotency-Key": turn["request_id"]}
            )
        except httpx.TransportError:
            return "broken"
        if answer.status_code == 202:
            self.accepted[turn["request_id"]] = answer.json()["id"]
        return str(answer.status_code)
