"""The server as a process, over real sockets: it starts, it says so, it ends, it is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from support.raw_http import RawClient
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.cli import taishi

START = [sys.executable, "-c", "from taishi.cli import main; main()"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


@dataclass
class Server:
    """`taishi serve` on a folder and a port of its own."""

    process: subprocess.Popen[str]
    url: str
    keys: bool

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(30)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    running: list[subprocess.Popen[str]] = []

    def begin(*options: str, **settings: str) -> Server:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TAISHI_")}
        environ = {**kept, "TAISHI__MODELS__EMBEDDING__KIND": "none", **settings}
        process = subprocess.Popen(
            [*START, "--data", str(tmp_path / "data"), "serve", "--port", "0", "--json", *options],
            env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        running.append(process)
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            text += line
        told = json.loads(text)
        return Server(process, told["address"], told["keys"])

    yield begin
    for process in running:
        process.kill()
        process.wait(10)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


@dataclass
class Clients:
    """Some clients that tell one thing after another, each with a key of its own."""

    server: Server
    accepted: dict[str, str] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def run(self, seconds: float, then: Callable[[], Any], count: int = 4) -> None:
        end = threading.Event()
        threads = [threading.Thread(target=self._tell, args=(n, end)) for n in range(count)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        then()
        end.set()
        for thread in threads:
            thread.join(30)

    def _tell(self, number: int, end: threading.Event) -> None:
        with httpx.Client(base_url=self.server.url, timeout=10) as client:
            for turn in range(100_000):
                if end.is_set() or not self.send(client, f"{number}-{time.time_ns()}-{turn}"):
                    return

    def send(self, client: httpx.Client, key: str) -> bool:
        """False: the server is gone; whether it took the turn is not known."""
        body = {"scope": {"user": "u7"}, "new_info": f"told {key}"}
        try:
            answer = client.post("/v1/turns", json=body, headers={"Idempotency-Key": key})
        except httpx.HTTPError:
            self.unsure.add(key)
            return False
        if answer.status_code == 202:
            self.accepted[key] = answer.json()["id"]
            self.unsure.discard(key)
        elif answer.status_code != 503:  # it may say that it is closing
            self.wrong.append(f"{answer.status_code} {answer.text}")
        return True


def kept_ids(folder: Path, make_settings: Callable[..., Any]) -> list[str]:
    with Memory.open(folder, make_settings()) as memory:
        memory.drain()
        ids, after = [], None
        while True:
            page = memory.records.list(Scope(user="u7"), ["turn", "event"], after, 1000)
            ids += [record.id for record in page.records]
            after = page.next
            if after is None:
                return ids


def test_W5_no_accepted_turn_is_lost_or_doubled(
    start: Callable[..., Server], tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    """SIGTERM, kill -9, and whatever was not answered is sent again with its key."""
    accepted: dict[str, str] = {}
    unsure: set[str] = set()
    for how in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
        server = start()
        clients = Clients(server)
        with httpx.Client(base_url=server.url, timeout=10) as client:
            for key in sorted(unsure):
                assert clients.send(client, key)
        code: list[int] = []
        clients.run(1.0, lambda s=server, h=how, c=code: c.append(s.stop(h)))
        assert code == [0 if how == signal.SIGTERM else -signal.SIGKILL]
        assert not clients.wrong
        accepted |= clients.accepted
        unsure = (unsure | clients.unsure) - set(accepted)
    with Memory.open(tmp_path / "data", make_settings()) as memory:  # no lease is left behind
        assert {job["state"] for job in memory.jobs.list()} <= {"pending"}
    assert len(accepted) > 50
    ids = kept_ids(tmp_path / "data", make_settings)
    assert len(ids) == len(set(ids))
    assert set(accepted.values()) <= set(ids)
    assert len(set(accepted.values())) == len(accepted)
    assert len(ids) <= len(accepted) + len(unsure)


def test_every_door_is_open_and_without_a_worker_jobs_wait(
    start: Callable[..., Server], tmp_path: Path
) -> None:
    server = start("--no-worker")
    assert not server.keys
    with httpx.Client(base_url=server.url) as client:
        told = client.post("/v1/turns", json={"scope": {"user": "u7"}, "new_info": "tea"})
        assert told.status_code == 202
        assert client.get("/health/live").status_code == 200
        assert client.get("/health/ready").status_code == 200
        assert client.get("/openapi.json").json()["info"]["title"] == "Taishi"
        assert "taishi_http_requests_total" in client.get("/metrics").text
        assert client.get("/v1/memories/a%252Fb", params={"user": "u7"}).status_code == 404
        evil = client.get("/v1/whoami", headers={"Host": "evil.example"})
        assert evil.status_code == 403
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {"Accept": "application/json, text/event-stream", "X-Taishi-User": "u7"}
        assert "tools" in client.post("/mcp", json=call, headers=headers).json()["result"]
        time.sleep(1)
        assert client.get("/v1/status").json()["details"]["queue"]["pending"] == 1
        _, secret = Keys(tmp_path / "data").create("new", user="u7", rights="read")
        assert client.get("/v1/whoami").status_code == 401
        assert client.post("/mcp", json=call, headers=headers).status_code == 401
        shown = {"Authorization": f"Bearer {secret}"}
        assert client.get("/v1/whoami", headers=shown).json()["user"] == "u7"
        other = client.post("/mcp", json=call, headers={**headers, **shown, "X-Taishi-User": "u8"})
        assert other.status_code == 403
    assert server.stop(signal.SIGINT) == 0


def test_P5_the_command_as_it_is_shipped_limits_slow_and_strange_clients(
    start: Callable[..., Server],
) -> None:
    server = start("--no-worker", TAISHI__SERVER__HEADER_SECONDS="0.5",
                   TAISHI__SERVER__BODY_SECONDS="0.5")  # fmt: skip
    host, _, port = server.url.rpartition("/")[2].partition(":")
    asked = b"POST /v1/turns HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    both = asked + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with ExitStack() as lines:
        silent = [lines.enter_context(RawClient((host, int(port)))) for _ in range(20)]
        half = [lines.enter_context(RawClient((host, int(port)))) for _ in range(2)]
        half[0].send(asked)
        half[1].send(asked + b"Content-Length: 99\r\n\r\n{")
        begun = time.monotonic()
        with RawClient((host, int(port))) as client:
            assert (client.ask(both).status, client.is_closed()) == (400, True)
        assert [client.read().status for client in half] == [408, 408]
        assert all(client.is_closed() for client in (*silent, *half))
        assert time.monotonic() - begun < 8
    assert server.stop() == 0


def test_P5_a_damaged_file_of_keys_is_served_with_503_until_it_is_mended(
    start: Callable[..., Server], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    _, secret = Keys(folder).create("bot")
    whole = (folder / "keys.json").read_bytes()
    (folder / "keys.json").write_bytes(whole[:20])
    server = start("--no-worker")
    assert server.keys
    shown = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=server.url) as client:
        for headers in (shown, {}):
            answer = client.get("/v1/whoami", headers=headers)
            assert answer.status_code == 503 and "taishi doctor" in answer.json()["detail"]
        assert client.get("/health/live").status_code == 200
        (folder / "keys.json").write_bytes(whole)
        assert client.get("/v1/whoami", headers=shown).status_code == 200
        assert client.get("/v1/whoami").status_code == 401
    assert server.stop() == 0


def run(folder: Path, *arguments: str) -> Result:
    settings = {"TAISHI__MODELS__EMBEDDING__KIND": "none"}
    return CliRunner().invoke(taishi, ["--data", str(folder), *arguments], env=settings)


def test_the_world_is_not_served_without_keys(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        told = run(tmp_path / "data", "serve", "--host", host, "--port", "0")
        assert told.exit_code == 1
        assert "keys create NAME" in told.output


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = run(tmp_path / "data", "serve", "--port", port)
    assert told.exit_code == 1 and "--port" in told.output


def test_keys_on_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    made = run(folder, "keys", "create", "bot", "--user", "u7", "--rights", "read",
               "--workspace", "w")  # fmt: skip
    secret = made.stdout.strip()
    key = Keys(folder).find(secret)
    assert key is not None and (key.user, key.rights, key.workspace) == ("u7", "read", "w")
    owner = run(folder, "keys", "create", "me", "--every-workspace", "--rights", "admin", "--json")
    told = json.loads(owner.stdout)["key"]
    assert told["workspace"] is None and "sha256" not in told
    listed = run(folder, "keys", "list")
    assert key.id in listed.stdout and secret not in listed.stdout
    assert run(folder, "keys", "revoke", key.id).exit_code == 0
    assert Keys(folder).find(secret) is None
    assert run(folder, "keys", "revoke", "nope").exit_code == 2
    assert run(folder, "keys", "create", "old", "--expires", "2000-01-01").exit_code == 2
    assert run(tmp_path / "nowhere", "keys", "list").exit_code == 1


def test_keys_revoked_after_a_backup_are_revoked_again_by_a_saved_list(tmp_path: Path) -> None:
    folder, restored, gone = tmp_path / "data", tmp_path / "restored", "of a forgotten person"
    made = {name: Keys(folder).create(name, None, "admin") for name in ("leaked", "good", gone)}
    ids = {name: key.id for name, (key, _) in made.items()}
    secrets = {name: secret for name, (_, secret) in made.items()}
    restored.mkdir()
    shutil.copy2(folder / "keys.json", restored)
    told = run(folder, "keys", "revoke", ids["leaked"])
    assert "after a restore, revoke it again" in told.stderr
    rows = json.loads(run(folder, "keys", "list", "--json").stdout)["keys"]
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({"keys": [row for row in rows if row["name"] != gone]}))
    assert Keys(restored).find(secrets["leaked"]), "as it was when the backup was made"

    told = run(restored, "keys", "revoke", "--as-in", str(saved))
    assert told.exit_code == 0 and f"revoked key {ids['leaked']} (leaked)" in told.stdout
    assert f"not in that list: {ids[gone]}" in told.stderr
    assert ids["good"] not in told.output
    valid = {name for name, secret in secrets.items() if Keys(restored).find(secret)}
    assert valid == {"good", gone}
    again = run(restored, "keys", "revoke", "--as-in", str(folder / "keys.json"))
    assert again.exit_code == 0 and "nothing to revoke" in again.stdout and not again.stderr
    as_json = run(restored, "keys", "revoke", "--as-in", str(saved), "--json")
    assert json.loads(as_json.stdout) == {"revoked": [], "unlisted": [ids[gone]]}


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"keys": 1}', '{"keys": [{"id": 1}]}'])
def test_a_list_of_keys_that_is_none_revokes_nothing(tmp_path: Path, content: str | None) -> None:
    folder, saved = tmp_path / "data", tmp_path / "saved.json"
    key, secret = Keys(folder).create("bot")
    if content is not None:
        saved.write_text(content)
    for words in (("--as-in", str(saved)), ("--as-in", str(saved), key.id), ()):
        told = run(folder, "keys", "revoke", *words)
        assert told.exit_code == 2 and "Traceback" not in told.output, told.output
    assert Keys(folder).find(secret)
