"""A PostgreSQL that can only be read from some moment on, or that refuses the role: a running
server says so, and goes on by itself when that is over (O1, C4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.cli import taishi
from taishi.errors import QueueError, ReadOnlyError, UnreachableError
from taishi.server.app import create_app
from taishi.settings import Settings

pytestmark = pytest.mark.timeout(300)
ANN = Scope(user="ann")
SECONDS = 20.0  # until it is noticed, on a machine that is busy
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'taishi'"
# By an administrator whose own sessions may write.
WRITE = "SET default_transaction_read_only = off"


@dataclass
class Site:
    """A database of its own, and a server on it."""

    engine: PostgresEngine
    make_settings: Callable[..., Settings]
    folder: Path
    stack: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.engine.run("CREATE DATABASE used OWNER taishi TEMPLATE taishi_template")

    @property
    def address(self) -> str:
        return self.engine.address("used")

    def open(self) -> Memory:
        settings = self.make_settings(
            {
                "storage.folder": str(self.folder / "local"),
                "query.recall_timeout": 5.0,
                "historian.poll_interval_seconds": 0.2,
            }
        )
        return self.stack.enter_context(Memory.open(self.address, settings))

    def client(self, memory: Memory, keys: Keys | None = None) -> TestClient:
        app = create_app(memory, keys=keys or Keys(self.folder / "keys"))
        return self.stack.enter_context(TestClient(app))

    def as_admin(self, *statements: str) -> None:
        import psycopg

        with psycopg.connect(self.engine.admin(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@pytest.fixture
def site(
    own_postgres: PostgresEngine, tmp_path: Path, make_settings: Callable[..., Settings]
) -> Iterator[Site]:
    (tmp_path / "keys").mkdir()
    site = Site(own_postgres, make_settings, tmp_path)
    with site.stack:
        yield site


def turn(client: TestClient, text: str) -> Any:
    body = {"scope": {"user": "ann"}, "new_info": text, "sender_id": "ann", "request_id": text}
    return client.post("/v1/turns", json=body)


def ready(client: TestClient) -> tuple[int, dict[str, Any]]:
    answer = client.get("/health/ready")
    return answer.status_code, answer.json()


def becomes(client: TestClient, status: int) -> dict[str, Any]:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found, told = ready(client)
        if found == status:
            return told
        time.sleep(0.1)
    raise AssertionError(f"/health/ready says {ready(client)}")


def not_ready_metric(client: TestClient) -> float:
    prefix = 'taishi_not_ready{reason="database"} '
    lines = client.get("/metrics").text.splitlines()
    return next((float(one[len(prefix) :]) for one in lines if one.startswith(prefix)), 0.0)


@pytest.mark.parametrize(
    ("on", "off"),
    [
        (
            ("ALTER DATABASE used SET default_transaction_read_only = on", CUT),
            ("ALTER DATABASE used RESET default_transaction_read_only",),
        ),
        (
            ("ALTER ROLE taishi SET default_transaction_read_only = on", CUT),
            ("ALTER ROLE taishi RESET default_transaction_read_only",),
        ),
        (  # nothing is cut: the next write finds out
            ("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"),
            (
                WRITE,
                "ALTER SYSTEM RESET default_transaction_read_only",
                "SELECT pg_reload_conf()",
            ),
        ),
    ],
    ids=("the database", "the role", "the server"),
)
def test_O1_a_database_that_turns_read_only_is_not_ready_until_it_can_be_written(
    site: Site, on: tuple[str, ...], off: tuple[str, ...]
) -> None:
    memory = site.open()
    client = site.client(memory)
    assert turn(client, "I live in Oslo").status_code == 202
    assert memory.drain(60)
    becomes(client, 200)
    memory.start_worker()
    site.as_admin(*on)
    refused = turn(client, "I like tea")
    if "SYSTEM" not in on[0]:  # where connections are cut, it is noticed without a turn
        becomes(client, 503)
        refused = turn(client, "I like tea")
    told = becomes(client, 503)
    assert told["reasons"].keys() == {"database"} and "can only be read" in str(told)
    assert not_ready_metric(client) == 1.0
    assert client.get("/v1/status").json()["details"]["engines"]["database"]["state"] == "ok"
    assert memory.status()["read_only"] is True
    assert refused.status_code == 503 and refused.headers["Retry-After"] == "60"
    said = f"{refused.json()['title']} {refused.json()['detail']}"
    assert "nothing has to be restarted" in said and "server restarted" not in said
    assert "answers" not in said, "it answers"
    assert memory.recall(ANN, "Where does ann live? Oslo").hits
    with pytest.raises(ReadOnlyError):
        memory.remember(ANN, "Ann bakes bread")
    site.as_admin(*off)
    assert becomes(client, 200) == {"status": "ready"}
    assert turn(client, "I play the cello").status_code == 202
    assert not_ready_metric(client) == 0.0 and memory.status()["read_only"] is False
    assert memory.drain(60)
    assert memory.recall(ANN, "cello").hits


def test_C4_a_server_that_was_started_so_begins_when_it_can_write(site: Site) -> None:
    first = site.open()
    first.remember(ANN, "Ann keeps bees")
    first.end_turn(ANN, new_info="I live in Oslo", sender_id="ann", request_id="waits")
    first.close()
    site.as_admin("ALTER DATABASE used SET default_transaction_read_only = on")
    memory = site.open()
    client = site.client(memory)
    memory.start_worker()
    assert memory.recall(ANN, "bees").hits
    assert becomes(client, 503)["reasons"].keys() == {"database"}
    assert turn(client, "I like tea").status_code == 503
    assert memory.status()["workers"]["running"] == 0
    site.as_admin("ALTER DATABASE used RESET default_transaction_read_only")
    becomes(client, 200)
    assert turn(client, "I play the cello").status_code == 202
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and any(memory._services.runtime.parts.queue.counts().values()):
        time.sleep(0.1)
    status = memory.status()
    assert status["workers"]["running"] > 0 and status["jobs"]["done"] == 2, status
    events = [one.text for one in memory.records.list(ANN, kinds=("event",)).records]
    assert len(events) == 2 and any("Oslo" in text for text in events), events


def test_C4_a_worker_that_was_stopped_meanwhile_stays_so(site: Site) -> None:
    site.as_admin("ALTER DATABASE used SET default_transaction_read_only = on")
    memory = site.open()
    client = site.client(memory)
    memory.start_worker()
    memory.stop_worker()
    site.as_admin("ALTER DATABASE used RESET default_transaction_read_only")
    becomes(client, 200)
    assert turn(client, "I play the cello").status_code == 202
    time.sleep(2.0)
    assert memory.status()["workers"]["running"] == 0


@pytest.mark.parametrize("options", [(), ("--once",)], ids=("lasting", "once"))
def test_C4_a_worker_that_is_started_so_exits_and_says_why(
    site: Site, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot would wait for it in vain: whoever started it has to know, and starts it again."""
    first = site.open()
    first.end_turn(ANN, new_info="I live in Oslo", sender_id="ann", request_id="waits")
    first.close()
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(site.folder / "local"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    command = ["--data", site.address, "--lang", "en", "work", *options]
    site.as_admin("ALTER DATABASE used SET default_transaction_read_only = on")
    refused = CliRunner().invoke(taishi, command)
    assert refused.exit_code == 1, refused.output
    assert "can only be read" in refused.stderr and "primary server" in refused.stderr
    assert "secret" not in refused.output
    site.as_admin("ALTER DATABASE used RESET default_transaction_read_only")
    assert CliRunner().invoke(taishi, [*command[:5], "--once"]).exit_code == 0
    with site.open() as memory:
        assert [one.kind for one in memory.records.list(ANN, kinds=("event",)).records] == ["event"]


def test_sessions_of_a_time_when_nothing_could_be_written_are_replaced(site: Site) -> None:
    """The setting holds for sessions that begin, so those that began before it go on writing."""
    memory = site.open()
    memory.remember(ANN, "Ann keeps bees")
    site.as_admin("ALTER DATABASE used SET default_transaction_read_only = on")
    memory.remember(ANN, "Ann bakes bread")
    assert memory.status()["read_only"] is False
    site.as_admin(CUT)
    with pytest.raises(QueueError) as error:
        memory.end_turn(ANN, new_info="I live in Oslo")
    assert isinstance(error.value.__cause__, ReadOnlyError)
    site.as_admin("ALTER DATABASE used RESET default_transaction_read_only")
    end = time.monotonic() + SECONDS
    while memory.status()["read_only"] and time.monotonic() < end:
        time.sleep(0.05)
    for number in range(20):
        memory.remember(ANN, f"Ann has {number} hens")


def test_O1_a_database_that_is_there_again_as_it_was_is_no_outage(site: Site) -> None:
    memory = site.open()
    client = site.client(memory)
    becomes(client, 200)
    site.as_admin(CUT)
    end = time.monotonic() + 3.0
    while time.monotonic() < end:
        assert "read" not in str(ready(client)[1].get("reasons", ""))
        time.sleep(0.1)
    assert becomes(client, 200) == {"status": "ready"}
    assert turn(client, "I live in Oslo").status_code == 202


def test_O1_a_refused_password_is_called_that_for_as_long_as_it_is(site: Site) -> None:
    hba = site.engine.data / "pg_hba.conf"
    hba.write_text(
        "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
    )
    site.as_admin("SELECT pg_reload_conf()")
    memory = site.open()
    keys = Keys(site.address)
    _, secret = keys.create("bot", None, "admin")
    client = site.client(memory, keys)
    client.headers["Authorization"] = f"Bearer {secret}"
    assert turn(client, "I live in Oslo").status_code == 202
    becomes(client, 200)
    site.as_admin("ALTER ROLE taishi PASSWORD 'new'", CUT)
    end = time.monotonic() + SECONDS
    while ready(client)[1]["status"] != "degraded" and time.monotonic() < end:
        time.sleep(0.1)
    for _ in range(3):
        status, told = ready(client)
        assert (status, told["status"]) == (200, "degraded")
        assert "refuses the role or its password" in told["reasons"]["database"]
        assert "taishi" not in str(told), "anybody may ask"
        refused = turn(client, "I like tea")
        assert refused.status_code == 503
        assert "refuses the role or its password" in refused.json()["detail"]
        with pytest.raises(UnreachableError, match="refuses the role or its password") as error:
            memory.remember(ANN, "Ann bakes bread")
        assert error.value.refusal == "password"
        time.sleep(0.7)
    site.as_admin("ALTER ROLE taishi PASSWORD 'secret'")
    end = time.monotonic() + SECONDS
    while ready(client)[1] != {"status": "ready"} and time.monotonic() < end:
        time.sleep(0.1)
    assert turn(client, "I play the cello").status_code == 202
    site.engine.stop("immediate")
    try:
        while ready(client)[1]["status"] != "degraded" and time.monotonic() < end + SECONDS:
            time.sleep(0.1)
        assert "does not answer" in ready(client)[1]["reasons"]["database"]
    finally:
        site.engine.start()
