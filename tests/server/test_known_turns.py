"""`jobs.known_turn` across processes, servers and restarts: folder, PostgreSQL, REST."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.running_app import RunningApp
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.errors import QueueError
from taishi.ingest.background import BackgroundTasks
from taishi.server.app import create_app

Open = Callable[..., Memory]
ANN, BOB = Scope(user="ann"), Scope(user="bob")
KEY = "a1" * 16


@pytest.fixture(params=["folder", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def unstored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends right after a turn was accepted: its job waits, the store has nothing."""
    monkeypatch.setattr(BackgroundTasks, "land", lambda self, job: None)


@pytest.fixture
def two_servers(open_memory: Open, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Two servers of one memory, without a worker and without Redis."""
    with ExitStack() as running:
        urls = []
        for _ in range(2):
            memory = open_memory({"query.recall_timeout": 5.0})
            app = create_app(memory, keys=Keys(tmp_path / "keys"))
            urls.append(running.enter_context(RunningApp(app, memory.settings.server)).url)
        yield urls[0], urls[1]


@pytest.mark.usefixtures("unstored")
def test_W2_a_turn_that_another_process_accepted_is_known_while_it_waits(
    open_memory: Open,
) -> None:
    asking, telling = open_memory(), open_memory()
    assert asking.jobs.known_turn(ANN, "r1") is None
    first = telling.end_turn(ANN, new_info="Ann moved to Oslo", request_id="r1")
    assert not telling.records.list(ANN).records, "only the queue has it"
    assert asking.jobs.known_turn(ANN, "r1") == first == "r1:1"
    telling.end_turn(ANN, new_info="Ann has a cat", request_id="r1")
    assert asking.jobs.known_turn(ANN, "r1") == "r1:2"
    for scope, request in ((BOB, "r1"), (ANN, "r"), (ANN, "r11"), (ANN, "R1"), (ANN, "r1:1")):
        assert asking.jobs.known_turn(scope, request) is None, request
    asking.forget(ANN)
    assert asking.jobs.known_turn(ANN, "r1") is None


def test_W2_a_turn_is_known_while_it_is_worked_and_after_a_restart(open_memory: Open) -> None:
    asking, telling = open_memory(), open_memory()
    telling.end_turn(ANN, new_info="安搬到了奥斯陆", request_id="请求/1")
    lease = telling._services.runtime.parts.queue.claim()
    assert lease is not None
    assert asking.jobs.known_turn(ANN, "请求/1") == "请求/1:1", "at hand"
    telling._services.runtime.parts.queue.postpone(lease, 0.0)
    assert telling.drain(20)
    assert asking.jobs.known_turn(ANN, "请求/1") == "请求/1:1", "written down"
    telling.close()
    assert open_memory().jobs.known_turn(ANN, "请求/1") == "请求/1:1"


@pytest.mark.parametrize("verb", ["end_turn", "consider"])
def test_W2_a_considered_turn_is_known_as_well(open_memory: Open, verb: str) -> None:
    asking, telling = open_memory(), open_memory()
    said = [{"text": "I moved to Oslo", "speaker": "Ann"}]
    options = {"new_info": "Ann moved to Oslo"} if verb == "end_turn" else {}
    getattr(telling, verb)(ANN, messages=said, request_id="r1", **options)
    assert asking.jobs.known_turn(ANN, "r1") == "r1:1"


@pytest.mark.usefixtures("unstored")
def test_W2_a_turn_that_is_sent_again_to_another_server_is_kept_once(
    two_servers: tuple[str, str],
) -> None:
    body = {"scope": {"user": "ann"}, "new_info": "Ann moved to Oslo", "request_id": "r1"}
    answers = [
        httpx.post(f"{url}/v1/turns", json=body, headers={"Idempotency-Key": "one"}).json()
        for url in two_servers
    ]
    assert answers[0] == answers[1] and answers[0]["kept"]
    jobs = httpx.get(f"{two_servers[1]}/v1/jobs").json()["jobs"]
    assert [job["event_id"] for job in jobs] == [answers[0]["id"]]


@pytest.mark.usefixtures("unstored")
@pytest.mark.parametrize("worked", [False, True])
def test_W2_a_client_knows_what_another_one_sent_to_another_server(
    two_servers: tuple[str, str], open_memory: Open, worked: bool
) -> None:
    with Memory.open(two_servers[0]) as telling, Memory.open(two_servers[1]) as asking:
        ids = [
            telling.end_turn(ANN, new_info=text, request_id="r1")
            for text in ("Ann moved to Oslo", "Ann has a cat")
        ]
        telling.end_turn(ANN, new_info="Ann likes tea", request_id="r1.5")
        assert len(set(ids)) == 2, "two turns of one request"
        if worked:
            assert open_memory().drain(20)
        assert asking.jobs.known_turn(ANN, "r1") == ids[-1]
        assert asking.jobs.known_turn(BOB, "r1") is None
        assert asking.jobs.known_turn(ANN, "r") is None
        assert len(asking.records.list(ANN, kinds=["event"]).records) == (3 if worked else 0)


def test_a_turn_of_the_host_is_not_taken_for_one_with_a_key(open_memory: Open) -> None:
    memory = open_memory()
    for other in ("r1.5", f"r1.{KEY}x", f"r1.x{KEY}", f"r1x{KEY}", f"r10.{KEY}"):
        memory.end_turn(ANN, new_info="Ann has a cat", request_id=other, wait=20)
    assert memory.jobs.known_turn(ANN, "r1") is None
    memory.end_turn(ANN, new_info="Ann has a dog", request_id=f"r1.{KEY}", wait=20)
    assert memory.jobs.known_turn(ANN, "r1") == f"r1.{KEY}:1"
    memory.end_turn(ANN, new_info="Ann has a cow", request_id="r1", wait=20)
    assert memory.jobs.known_turn(ANN, "r1") == "r1:1"


@pytest.fixture
def full_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue refuses a turn, then has room again."""
    queue = memory._services.runtime.parts.queue
    put, refusals = type(queue).put, [QueueError("the turn was not accepted; send it again")]

    def refuse(self: Any, job: Any) -> None:
        if refusals:
            raise refusals.pop()
        put(self, job)

    monkeypatch.setattr(type(queue), "put", refuse)


@pytest.mark.usefixtures("full_once")
@pytest.mark.parametrize("path", ["/v1/turns", "/v1/turns/consider"])
def test_W4_a_turn_that_was_refused_is_stored_when_it_is_sent_again_with_its_key(
    memory: Memory, tmp_path: Path, path: str
) -> None:
    said = [{"text": "I moved to Oslo.", "speaker": "Ann"}]
    body: dict[str, Any] = {"scope": {"user": "ann"}, "messages": said}
    body |= {"new_info": "Ann moved to Oslo"} if path == "/v1/turns" else {}
    app = create_app(memory, keys=Keys(tmp_path / "keys"))
    with RunningApp(app, memory.settings.server) as running:

        def send() -> httpx.Response:
            return httpx.post(running.url + path, json=body, headers={"Idempotency-Key": "one"})

        assert send().status_code == 503
        assert send().status_code == send().status_code == 202
    assert memory.drain(20)
    [event] = memory.records.list(ANN, kinds=["event"]).records
    assert "Oslo" in event.text


@pytest.mark.usefixtures("full_once")
def test_W4_a_refused_turn_is_not_known_until_it_is_accepted(memory: Memory) -> None:
    with pytest.raises(QueueError):
        memory.end_turn(ANN, new_info="Ann moved to Oslo", request_id="r1")
    assert memory.jobs.known_turn(ANN, "r1") is None
    id = memory.end_turn(ANN, new_info="Ann moved to Oslo", request_id="r1")
    assert memory.jobs.known_turn(ANN, "r1") == id


@pytest.mark.usefixtures("full_once")
def test_W4_a_client_that_repeats_a_refused_turn_has_it_stored(
    memory: Memory, tmp_path: Path
) -> None:
    app = create_app(memory, keys=Keys(tmp_path / "keys"))
    with RunningApp(app, memory.settings.server) as running, Memory.open(running.url) as client:
        assert client.end_turn(ANN, new_info="Ann moved to Oslo") is not None
    assert memory.drain(20)
    assert len(memory.records.list(ANN, kinds=["event"]).records) == 1
