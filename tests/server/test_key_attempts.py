"""Wrong keys are slowed down for each address; right ones from there are not, or not for long."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from server.conftest import Served
from support.raw_http import RawClient, request
from support.running_app import RunningApp
from taishi.cli.serve import new_application
from taishi.observe.log_lines import configure_logging
from taishi.server import key_attempts, rate_limit
from taishi.server.key_attempts import KeyAttempts, address_of
from taishi.server.problems import Problem

WRONG = "tsk_0123456789ab_" + "Zm9vYmFy" * 6


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def from_address(app: FastAPI, address: str) -> TestClient:
    return TestClient(app, client=(address, 50_000))


def waits(attempts: KeyAttempts, address: str, secret: str) -> int:
    """Seconds this key must wait; 0: it is looked at."""
    try:
        attempts.check(address, secret)
    except Problem as problem:
        assert problem.status == 429
        return int(problem.headers["Retry-After"])
    return 0


def test_P5_wrong_keys_are_slowed_down_on_every_door(serve: Callable[..., Served]) -> None:
    served = serve({"server.failed_keys_per_minute": 5})
    _, right = served.key()
    routes = ["/v1/whoami", "/openai/v1/models", "/metrics", "/v1/export"]
    for route in (*routes, routes[0]):
        assert served.client.get(route, headers=bearer(WRONG)).status_code == 401
    for route in routes:
        answer = served.client.get(route, headers=bearer(WRONG))
        assert answer.status_code == 429, route
        assert 1 <= int(answer.headers["Retry-After"]) <= 12
        assert WRONG not in answer.text
    told = served.client.get(routes[0], headers=bearer(WRONG)).json()
    assert told["type"] == "urn:taishi:problem:wrong-keys" and "wrong keys" in told["detail"]
    chinese = {**bearer(WRONG), "Accept-Language": "zh-CN"}
    told = served.client.get(routes[0], headers=chinese).json()
    assert "密钥" in told["title"] and "密钥" in told["detail"] and "秒" in told["detail"]
    other = from_address(served.app, "192.0.2.9")
    assert other.get("/v1/whoami", headers=bearer(WRONG)).status_code == 401
    assert other.get("/v1/whoami", headers=right).status_code == 200
    assert served.client.get("/v1/whoami").status_code == 401  # no key is no wrong key
    assert served.app.state.metrics.refused.read()[("failed_keys",)] == len(routes) + 2


def test_P5_wrong_keys_are_slowed_down_over_mcp(serve: Callable[..., Served]) -> None:
    served = serve({"server.failed_keys_per_minute": 3})
    _, right = served.key()
    app = new_application(served.memory, served.keys, "127.0.0.1", "en")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    named = {"Accept": "application/json, text/event-stream", "X-Taishi-User": "u7"}
    with TestClient(app, base_url="http://127.0.0.1") as client:
        codes = [
            client.post("/mcp", json=call, headers={**named, **bearer(WRONG)}).status_code
            for _ in range(5)
        ]
        late = client.post("/mcp", json=call, headers={**named, **right})
    assert codes == [401] * 3 + [429] * 2
    assert late.status_code == 429 and int(late.headers["Retry-After"]) <= 20


def test_a_key_that_was_right_from_there_is_never_locked_out(serve: Callable[..., Served]) -> None:
    served = serve({"server.failed_keys_per_minute": 3})
    (key, before), (_, after) = served.key(), served.key()
    assert served.client.get("/v1/whoami", headers=before).status_code == 200
    for _ in range(10):
        served.client.get("/v1/whoami", headers=bearer(WRONG))
    assert served.client.get("/v1/whoami", headers=before).status_code == 200
    assert served.client.get("/v1/whoami", headers=after).status_code == 429  # for some seconds
    served.keys.revoke(key.id)
    codes = [served.client.get("/v1/whoami", headers=before).status_code for _ in range(2)]
    assert codes == [401, 429]
    elsewhere = from_address(served.app, "192.0.2.9")
    assert elsewhere.get("/v1/whoami", headers=after).status_code == 200


def test_the_wait_is_short_and_trying_on_does_not_prolong_it() -> None:
    now = [0.0]
    attempts = KeyAttempts(20, clock=lambda: now[0])
    for _ in range(20):
        assert waits(attempts, "a", WRONG) == 0
        attempts.failed("a", WRONG)
    assert waits(attempts, "a", WRONG) == waits(attempts, "a", "right") == 3
    for _ in range(1000):
        assert waits(attempts, "a", WRONG) == 3
    now[0] = 3.0
    assert waits(attempts, "a", "right") == 0
    attempts.passed("a", "right")
    attempts.failed("a", WRONG)
    assert waits(attempts, "a", WRONG) == 3 and waits(attempts, "a", "right") == 0
    assert waits(attempts, "b", WRONG) == 0


def test_a_guesser_gets_no_more_than_the_limit() -> None:
    now = [0.0]
    attempts = KeyAttempts(20, clock=lambda: now[0])
    looked_at = 0
    for tenth in range(6000):  # ten minutes, ten tries a second
        now[0] = tenth / 10
        if not waits(attempts, "a", f"guess {tenth}"):
            looked_at += 1
            attempts.failed("a", WRONG)
    assert 200 <= looked_at <= 20 + 10 * 20


def test_no_number_of_addresses_or_keys_makes_it_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MAX_NAMES", 50)
    monkeypatch.setattr(key_attempts, "MAX_REMEMBERED", 50)
    attempts = KeyAttempts(20)
    for number in range(500):
        attempts.failed(f"10.0.{number >> 8}.{number & 255}", WRONG)
        attempts.passed("a", f"key {number}")
    assert len(attempts._failures) == len(attempts._accepted) == 50
    assert not any(b"key" in mark for mark in attempts._accepted)


def test_zero_is_no_limit(serve: Callable[..., Served]) -> None:
    served = serve({"server.failed_keys_per_minute": 0})
    served.key()
    codes = {served.client.get("/v1/whoami", headers=bearer(WRONG)).status_code for _ in range(60)}
    assert codes == {401}


@pytest.mark.parametrize(("one", "other", "same"), [
    ("192.0.2.1", "192.0.2.1", True),
    ("192.0.2.1", "192.0.2.2", False),
    ("2001:db8::1", "2001:db8::ffff:1", True),
    ("2001:db8::1", "2001:db8:0:1::1", False),
    ("::ffff:192.0.2.1", "192.0.2.1", True),
    ("fe80::1%eth0", "fe80::1", True),
    ("testclient", "testclient", True),
])  # fmt: skip
def test_one_line_is_one_address(one: str, other: str, same: bool) -> None:
    assert (address_of((one, 1)) == address_of((other, 2))) is same
    assert address_of(None)


@pytest.mark.parametrize("trusted", ["", "127.0.0.1", "10.0.0.0/8, 127.0.0.0/8"])
def test_another_address_is_believed_from_a_trusted_proxy_only(
    serve: Callable[..., Served], trusted: str
) -> None:
    """Or whoever tries keys would come from a new address each time."""
    served = serve({"server.failed_keys_per_minute": 3, "server.trusted_proxies": trusted})
    served.key()
    codes = []
    with (
        RunningApp(served.app, served.memory.settings.server) as server,
        RawClient(server.address) as client,
    ):
        for number in range(8):
            headers = {**bearer(WRONG), "X-Forwarded-For": f"192.0.2.{number}"}
            codes.append(client.ask(request("GET", "/v1/whoami", headers)).status)
    assert codes == ([401] * 8 if trusted else [401] * 3 + [429] * 5)


@pytest.mark.parametrize("form", ["text", "json"])
def test_R1_nothing_of_a_key_is_logged(serve: Callable[..., Served], form: str) -> None:
    root = logging.getLogger()
    handlers, level, stream = root.handlers[:], root.level, io.StringIO()
    served = serve({"server.failed_keys_per_minute": 2})
    _, right = served.key()
    try:
        configure_logging(form, stream)
        for header in ("Authorization", "X-API-Key"):
            for secret in (WRONG, "hunter2-hunter2-hunter2", f"Basic {WRONG}"):
                shown = f"Bearer {secret}" if header == "Authorization" else secret
                served.client.get("/v1/whoami", headers={header: shown})
        served.client.get("/v1/whoami", headers=right)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    told = stream.getvalue()
    assert "slowed down" in told and "/v1/whoami" in told
    secrets = (WRONG[17:], "hunter2", right["Authorization"].split("_", 2)[2])
    assert not [secret for secret in secrets if secret in told]
