"""Several servers of one memory: one limit, one run per idempotency key, one sign-in (Valkey)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.conftest import Served
from support import served_process
from support.engine_valkey import OwnValkey, new_secret, own_valkey, valkey
from support.engines import free_port
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.backends.redis.link import RedisLink
from taishi.backends.redis.sealing import Sealing
from taishi.backends.redis.shared_state import RedisSharedState
from taishi.ports.shared_state import SharedState, SharedStateError

__all__ = ["own_valkey", "valkey"]

Serve = Callable[..., Served]
PAGE = {"X-Taishi-Pages": "1", "Sec-Fetch-Site": "same-origin"}
ANN = {"scope": {"user": "ann"}}


@pytest.fixture
def state(valkey: str) -> Any:
    link = RedisLink(valkey, timeout=5)
    yield RedisSharedState(link, Sealing(new_secret()))
    link.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine gets more time than a server gives in earnest."""
    monkeypatch.setattr("taishi.backends.redis.link.RedisLink.__init__.__defaults__", (5.0, 0.3))
    monkeypatch.setattr("taishi.server.fleet.ASK_SECONDS", 5.0)


# -- the port ------------------------------------------------------------------------------------


def test_a_bucket_empties_for_all_and_fills_with_time(state: SharedState) -> None:
    assert [state.take("a", 3) for _ in range(3)] == [0, 0, 0]
    assert 1 <= state.take("a", 3) <= 20
    assert 1 <= state.wait("a", 3) <= 20
    assert state.take("b", 3) == 0, "another name"
    assert state.wait("never seen", 3) == 0
    assert state.take("fast", 1200) == 0
    for _ in range(1300):
        if wait := state.take("fast", 1200):
            break
    assert wait == 1
    time.sleep(0.2)
    assert state.take("fast", 1200) == 0, "20 a second come back"


def test_spending_takes_what_is_not_there(state: SharedState) -> None:
    assert [state.spend("a", 2) for _ in range(2)] == [0, 30]
    assert state.spend("a", 2) == 30
    assert state.take("a", 2) > 0


def test_many_threads_take_exactly_what_there_is(state: SharedState) -> None:
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: state.take("crowd", 30), range(80)))
    assert 30 <= waits.count(0) <= 32  # one comes back every two seconds


def test_a_claim_is_given_once_and_its_answer_to_everybody(state: SharedState) -> None:
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda n: state.claim("k", b"d", f"o{n}", 60), range(24)))
    assert sum(claim.mine for claim in claims) == 1
    owner = f"o{[claim.mine for claim in claims].index(True)}"
    state.finish("k", "somebody else", b"forged", 60)
    assert not state.claim("k", b"d", "x", 60).done
    state.finish("k", owner, b"\0answer\xff", 60)
    claim = state.claim("k", b"other", "x", 60)
    assert (claim.done, claim.answer, claim.digest) == (True, b"\0answer\xff", b"d")


def test_a_claim_lapses_unless_it_is_renewed_and_can_be_given_back(state: SharedState) -> None:
    assert state.claim("k", b"d", "dead", 0.2).mine
    assert state.claim("kept", b"d", "alive", 0.2).mine
    assert state.renew("kept", "alive", 60) and not state.renew("kept", "dead", 60)
    time.sleep(0.3)
    assert state.claim("k", b"d", "next", 60).mine
    assert not state.claim("kept", b"d", "next", 60).mine
    state.release("kept", "next")
    assert not state.claim("kept", b"d", "next", 60).mine, "not theirs to give back"
    state.release("kept", "alive")
    assert state.claim("kept", b"d", "next", 60).mine


def test_values_are_for_a_while(state: SharedState) -> None:
    state.put("会话", "key-1", 0.2)
    assert state.get("会话") == "key-1"
    time.sleep(0.3)
    assert state.get("会话") is None
    state.put("a", "1", 60)
    state.delete("a")
    state.delete("a")
    assert state.get("a") is None


@pytest.mark.thorough
def test_a_server_that_is_away_is_told_at_once(own_valkey: OwnValkey) -> None:
    link = RedisLink(own_valkey.url, timeout=0.2)
    state = RedisSharedState(link, Sealing(new_secret()))
    assert state.take("a", 3) == 0
    own_valkey.hang()
    begun = time.perf_counter()
    for _ in range(200):
        with pytest.raises(SharedStateError):
            state.take("a", 3)
    assert time.perf_counter() - begun < 2, "only the first one waits"
    assert link.state == "degraded"
    own_valkey.go_on()
    until = time.monotonic() + 15
    while link.state != "ok" and time.monotonic() < until:
        time.sleep(0.02)
    assert state.take("a", 3) in (0, *range(1, 21))
    link.close()


# -- two servers in this process -----------------------------------------------------------------


@pytest.fixture
def two(serve: Serve, valkey: str, patient: None) -> tuple[Served, Served]:
    changes = {
        "storage.cache": valkey,
        "server.rate_per_minute": 12,
        "server.failed_keys_per_minute": 3,
    }
    return serve(changes), serve(changes)


def test_two_servers_share_one_limit(two: tuple[Served, Served]) -> None:
    _, shown = two[0].key(rights="admin", workspace=None)
    codes = [two[n % 2].client.get("/v1/whoami", headers=shown).status_code for n in range(20)]
    assert codes[:12] == [200] * 12
    assert 429 in codes[12:14]
    refused = two[0].client.get("/v1/whoami", headers=shown)
    assert refused.status_code in (200, 429)  # one comes back every five seconds
    _, other = two[0].key(rights="read", workspace=None)
    assert two[1].client.get("/v1/whoami", headers=other).status_code == 200, "another key"


@pytest.mark.thorough
def test_wrong_keys_at_one_server_slow_the_address_down_at_all(two: tuple[Served, Served]) -> None:
    _, known = two[0].key(rights="read", workspace=None)
    assert two[0].client.get("/v1/whoami", headers=known).status_code == 200
    for n in range(3):
        wrong = {"Authorization": f"Bearer tsk_wrong{n}"}
        assert two[0].client.get("/v1/whoami", headers=wrong).status_code == 401
    wrong = {"Authorization": "Bearer tsk_more"}
    assert two[1].client.get("/v1/whoami", headers=wrong).status_code == 429
    assert two[1].client.get("/v1/whoami", headers=known).status_code == 200, "accepted elsewhere"
    _, new = two[0].key(rights="read", workspace=None)
    assert two[1].client.get("/v1/whoami", headers=new).status_code == 429


# When several threads ask first, FastAPI hides a warning of pydantic's in one and not in another.
@pytest.mark.filterwarnings("ignore:The 'alias' attribute")
def test_a_key_sent_to_two_servers_at_once_runs_once(
    two: tuple[Served, Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    remember = Memory.remember_many

    def slowly(self: Memory, *given: Any, **more: Any) -> Any:
        runs.append(id(self))
        time.sleep(0.4)
        return remember(self, *given, **more)

    monkeypatch.setattr(Memory, "remember_many", slowly)
    body = {**ANN, "text": "Ann moved to Oslo in May"}
    answers: list[Any] = [None] * 4

    def send(n: int) -> None:
        answers[n] = two[n % 2].client.post(
            "/v1/memories", json=body, headers={"Idempotency-Key": "one"}
        )

    threads = [threading.Thread(target=send, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 1
    assert {answer.status_code for answer in answers} == {answers[0].status_code}
    assert answers[0].status_code in (200, 201)
    assert len({answer.text for answer in answers}) == 1
    assert sum("Idempotency-Replayed" in answer.headers for answer in answers) == 3
    other = {**body, "text": "something else"}
    for served in two:
        answer = served.client.post("/v1/memories", json=other, headers={"Idempotency-Key": "one"})
        assert answer.status_code == 422
    two[0].memory.forget(Scope(user="ann"))
    late = two[1].client.post("/v1/memories", json=body, headers={"Idempotency-Key": "one"})
    assert (late.status_code, len(runs)) in ((409, 1), (answers[0].status_code, 1))


@pytest.mark.thorough
def test_a_request_that_failed_may_be_run_by_another_server(
    two: tuple[Served, Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember = Memory.remember_many

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Memory, "remember_many", broken)
    body, headers = {**ANN, "text": "Ann plays the cello"}, {"Idempotency-Key": "two"}
    with pytest.raises(RuntimeError):
        two[0].client.post("/v1/memories", json=body, headers=headers)
    monkeypatch.setattr(Memory, "remember_many", remember)
    answer = two[1].client.post("/v1/memories", json=body, headers=headers)
    assert answer.status_code in (200, 201)
    assert "Idempotency-Replayed" not in answer.headers


@pytest.mark.thorough
def test_a_session_opens_every_server_and_ends_on_all(two: tuple[Served, Served]) -> None:
    _, shown = two[0].key(rights="admin", workspace=None)
    answer = two[0].client.post("/ui/session", headers=shown)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    headers = {**PAGE, "Cookie": cookie}
    for served in two:
        served.client.cookies.clear()
        assert served.client.get("/v1/whoami", headers=headers).status_code == 200
    assert two[1].client.delete("/ui/session", headers=headers).status_code == 204
    for served in two:
        assert served.client.get("/v1/whoami", headers=headers).status_code == 401


@pytest.mark.thorough
def test_without_the_cache_each_server_goes_on_alone(
    serve: Serve, own_valkey: OwnValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {"storage.cache": own_valkey.url, "server.rate_per_minute": 30}
    two = serve(changes), serve(changes)
    _, shown = two[0].key(rights="admin", workspace=None)
    cookie = two[0].client.post("/ui/session", headers=shown).headers["set-cookie"]
    two[0].client.cookies.clear()
    own_valkey.hang()
    body, headers = {**ANN, "text": "Ann plays the cello"}, {"Idempotency-Key": "x", **shown}
    begun = time.perf_counter()
    for served in two:
        answer = served.client.post("/v1/memories", json=body, headers=headers)
        assert answer.status_code in (200, 201)
        again = served.client.post("/v1/memories", json=body, headers=headers)
        assert again.headers["Idempotency-Replayed"] == "true"
        status = served.client.get("/v1/status", headers=shown).json()
        assert status["details"]["engines"]["cache"]["state"] == "degraded"
    assert time.perf_counter() - begun < 5
    page = {**PAGE, "Cookie": cookie.partition(";")[0]}
    assert two[0].client.get("/v1/whoami", headers=page).status_code == 200
    codes = [two[0].client.get("/v1/whoami", headers=shown).status_code for _ in range(40)]
    assert 429 in codes, "its own limit still holds"
    found = [hit["text"] for hit in two[1].client.post(
        "/v1/recall", json={**ANN, "query": "what does Ann play?"}, headers=shown
    ).json()["hits"]]  # fmt: skip
    assert found.count("Ann plays the cello") == 1, "the store knows the key, too"


# -- two processes ---------------------------------------------------------------------------------


@pytest.mark.thorough
def test_two_processes_share_limit_and_runs(
    tmp_path: Path, valkey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__STORAGE__CACHE", valkey)
    monkeypatch.setitem(served_process.QUIET, "TAISHI__SERVER__RATE_PER_MINUTE", "40")
    folder = tmp_path / "data"
    folder.mkdir()
    _, secret = Keys(folder).create("test", rights="admin", workspace=None)
    shown = {"Authorization": f"Bearer {secret}"}
    with ExitStack() as stack:
        addresses = [stack.enter_context(served_process.served(folder)) for _ in range(2)]

        def send(n: int) -> httpx.Response:
            return httpx.post(
                f"{addresses[n % 2]}/v1/memories",
                json={**ANN, "text": "Ann moved to Oslo in May"},
                headers={**shown, "Idempotency-Key": f"k{n // 4}"},
                timeout=20,
            )

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(send, range(24)))
        assert {answer.status_code for answer in answers} == {201}
        for first in range(0, 24, 4):
            same = answers[first : first + 4]
            assert sum("Idempotency-Replayed" not in answer.headers for answer in same) == 1
            assert len({answer.text for answer in same}) == 1
        codes = [
            httpx.get(f"{addresses[n % 2]}/v1/whoami", headers=shown, timeout=20).status_code
            for n in range(40)
        ]
        assert 10 <= codes.count(200) <= 26, codes  # 16 are left, and some come back meanwhile


def test_O1_status_asks_the_cache_that_nothing_was_looked_up_in(
    open_memory: Callable[..., Memory],
) -> None:
    """As `taishi status` does: a process that has just begun knows nothing of it yet."""
    memory = open_memory({"storage.cache": f"redis://127.0.0.1:{free_port()}/0"})
    assert memory.status()["engines"]["cache"]["state"] == "degraded"
