"""Connections as `taishi serve` takes them: framing that is read in one way only, time limits."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from server.conftest import Served
from support.raw_http import RawClient, request
from support.running_app import RunningApp
from taishi.server.request_framing import framing_fault

JSON = b"Content-Type: application/json\r\n"
TURN = b'{"scope":{"user":"u7"},"new_info":"tea"}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(TURN), TURN)
LENGTH = b"Content-Length: %d\r\n" % len(TURN)
CODING = b"Transfer-Encoding: chunked\r\n"
QUICK = {"server.header_seconds": 0.4, "server.body_seconds": 0.4}

# name → headers, body: each of them two readers can take for two different requests.
SMUGGLED: dict[str, tuple[bytes, bytes]] = {
    "length, then chunked": (LENGTH + CODING, CHUNKED),
    "chunked, then length": (CODING + LENGTH, CHUNKED),
    "chunked and a length of nothing": (b"Content-Length: 0\r\n" + CODING, CHUNKED),
    "lower case": (LENGTH.lower() + CODING.lower(), CHUNKED),
    "two lengths": (LENGTH + b"Content-Length: 3\r\n", TURN),
    "the same length twice": (LENGTH + LENGTH, TURN),
    "a list of lengths": (b"Content-Length: %d, 3\r\n" % len(TURN), TURN),
    "a list of the same": (b"Content-Length: %d, %d\r\n" % (len(TURN), len(TURN)), TURN),
    "a sign": (b"Content-Length: +%d\r\n" % len(TURN), TURN),
    "a negative length": (b"Content-Length: -1\r\n", TURN),
    "hexadecimal": (b"Content-Length: 0x28\r\n", TURN),
    "underscores": (b"Content-Length: 4_0\r\n", TURN),
    "no length": (b"Content-Length:\r\n", TURN),
    "a length beyond reason": (b"Content-Length: 99999999999999999999\r\n", TURN),
    "a space before the colon": (b"Content-Length : %d\r\n" % len(TURN), TURN),
    "another coding": (b"Transfer-Encoding: gzip, chunked\r\n", CHUNKED),
    "chunked twice": (CODING + CODING, CHUNKED),
    "chunked, then another": (CODING + b"Transfer-Encoding: identity\r\n", CHUNKED),
    "nearly chunked": (b"Transfer-Encoding: xchunked\r\n", CHUNKED),
    "a quoted coding": (b'Transfer-Encoding: "chunked"\r\n', CHUNKED),
    "a vertical tab": (b"Transfer-Encoding: \x0bchunked\r\n", CHUNKED),
    "a coding on the next line": (b"Transfer-Encoding:\r\n chunked\r\n", CHUNKED),
    "a space before that colon": (b"Transfer-Encoding : chunked\r\n" + LENGTH, CHUNKED),
    "a folded header": (b"X-A: b\r\n Transfer-Encoding: chunked\r\n" + LENGTH, TURN),
    "a line that ends in LF": (b"X-A: b\nTransfer-Encoding: chunked\r\n" + LENGTH, TURN),
    "a bare CR": (b"X-A: b\rTransfer-Encoding: chunked\r\n" + LENGTH, TURN),
    "a null byte": (b"X-A: b\x00\r\n" + LENGTH, TURN),
    "two hosts": (b"Host: evil.example\r\n" + LENGTH, TURN),
    "a chunk of a strange size": (CODING, b"+28\r\n" + TURN + b"\r\n0\r\n\r\n"),
    "a chunk of 0x": (CODING, b"0x28\r\n" + TURN + b"\r\n0\r\n\r\n"),
    "a chunk that is longer than it says": (CODING, b"3\r\n" + TURN + b"\r\n0\r\n\r\n"),
    "a chunk that ends in LF": (CODING, b"28\n" + TURN + b"\n0\n\n"),
}  # fmt: skip


@contextmanager
def running(served: Served) -> Iterator[RunningApp]:
    with RunningApp(served.app, served.memory.settings.server) as server:
        yield server


def turn(headers: bytes, body: bytes, version: bytes = b"HTTP/1.1") -> bytes:
    head = b"POST /v1/turns " + version + b"\r\nHost: 127.0.0.1\r\n" + JSON
    return head + headers + b"\r\n" + body


def refused(served: Served, reason: str) -> float:
    return served.app.state.metrics.refused.read().get((reason,), 0)


def test_P5_no_request_that_can_be_read_in_two_ways(served: Served) -> None:
    """And whatever comes behind it on the same line is not read at all."""
    behind = request("GET", "/v1/whoami")
    wrong: list[str] = []
    with running(served) as server:
        for good in (turn(LENGTH, TURN), turn(CODING, CHUNKED)):  # the same without the trick
            with RawClient(server.address) as client:
                assert client.ask(good).status == 202
                assert client.ask(behind).status == 200
        before = served.memory.status()["queue"]["pending"]
        for name, (headers, body) in SMUGGLED.items():
            with RawClient(server.address) as client:
                answer = client.ask(turn(headers, body) + behind)
                problem = answer.json["type"] if answer.status else ""
                if (answer.status, problem) != (400, "urn:taishi:problem:framing"):
                    wrong.append(f"{name}: {answer}")
                elif not client.is_closed():
                    wrong.append(f"{name}: the line is still open")
        with RawClient(server.address) as client:
            old = client.ask(turn(CODING, CHUNKED, b"HTTP/1.0") + behind)
            assert (old.status, client.is_closed()) == (400, True)
        assert served.memory.status()["queue"]["pending"] == before
    assert not wrong, "\n".join(wrong)
    assert refused(served, "framing") == len(SMUGGLED) + 1


TWICE = ["Authorization: Bearer tsk_a_b", "X-API-Key: tsk_a_b", "Content-Type: application/json",
         "Origin: http://127.0.0.1", "Idempotency-Key: k", "X-Taishi-User: ann"]  # fmt: skip


@pytest.mark.parametrize("line", TWICE)
def test_P5_a_header_that_says_who_asks_twice_ends_the_connection(
    served: Served, line: str
) -> None:
    behind, header = request("GET", "/v1/whoami"), line.encode() + b"\r\n"
    head = b"GET /v1/whoami HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with running(served) as server:
        with RawClient(server.address) as client:  # the same with one of them
            assert client.ask(head + header + b"\r\n").status == 200
            assert client.ask(behind).status == 200
        with RawClient(server.address) as client:
            answer = client.ask(head + header + header + b"\r\n" + behind)
            assert (answer.status, answer.json["type"]) == (400, "urn:taishi:problem:header")
            assert answer.headers.get("connection") == "close"
            assert client.is_closed()


@pytest.mark.parametrize("head", [
    b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST / HTTP/1.1\r\nX-Content-Length: 3\r\nContent-Length: 3\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: \t Chunked \r\n\r\n3\r\na\nb\r\n",
])  # fmt: skip
def test_an_ordinary_head_has_no_fault(head: bytes) -> None:
    assert framing_fault(head) is None


def test_a_head_without_an_end_is_bounded(served: Served) -> None:
    with running(served) as server, RawClient(server.address) as client:
        answer = client.ask(b"GET /v1/whoami HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 100_000)
        assert (answer.status, client.is_closed()) == (400, True)


def closed_after(client: RawClient) -> float:
    """Seconds until the server hung up."""
    begun = time.monotonic()
    while client.read().status:
        pass
    return time.monotonic() - begun


def test_silent_and_half_sent_requests_are_not_waited_for(serve: Callable[..., Served]) -> None:
    served = serve(QUICK)
    whole = turn(LENGTH, TURN)
    parts = {
        "nothing": b"",
        "half a line": b"GET /v1/who",
        "half a head": whole[:60],
        "no body": whole[: -len(TURN)],
        "half a body": whole[:-5],
        "half a chunk": turn(CODING, CHUNKED[:9]),
        "a body nobody asked for": request("GET", "/nowhere", {"Content-Length": "99"}),
    }
    with running(served) as server, ExitStack() as lines:
        clients = [lines.enter_context(RawClient(server.address)) for _ in range(20)]
        several = {name: lines.enter_context(RawClient(server.address)) for name in parts}
        begun = time.monotonic()
        for name, client in several.items():
            client.send(parts[name])
        answers = {name: client.read().status for name, client in several.items()}
        assert answers == {"nothing": 0, "half a line": 408, "half a head": 408, "no body": 408,
                           "half a body": 408, "half a chunk": 408,
                           "a body nobody asked for": 404}  # fmt: skip
        assert all(client.is_closed() for client in (*clients, *several.values()))
        assert 0.3 < time.monotonic() - begun < 5
        with RawClient(server.address) as client:  # the others are served meanwhile and after
            assert client.ask(whole).status == 202
    assert refused(served, "head_timeout") == 23
    assert refused(served, "body_timeout") == 4
    assert served.app.state.metrics.in_flight == 0


def drip(client: RawClient, data: bytes, gap: float, limit: float) -> float:
    """Send a byte at a time; seconds until the server hung up."""
    begun = time.monotonic()
    for number in range(len(data)):
        try:
            client.send(data[number : number + 1])
        except OSError:
            break
        if time.monotonic() - begun > limit:
            pytest.fail("still open")
        time.sleep(gap)
    return time.monotonic() - begun


def test_a_byte_now_and_then_does_not_keep_a_line_open(serve: Callable[..., Served]) -> None:
    served = serve(QUICK)
    whole = turn(LENGTH, TURN)
    with running(served) as server:
        with RawClient(server.address) as client:
            assert drip(client, whole, 0.05, 4) < 2
        with RawClient(server.address) as client:
            client.send(whole[: -len(TURN)])
            assert drip(client, TURN + b" " * 100, 0.05, 4) < 2
        with RawClient(server.address) as client:  # the second request on a line, too
            assert client.ask(request("GET", "/health/live")).status == 200
            assert drip(client, whole, 0.05, 4) < 2


def test_what_frames_a_body_does_not_buy_it_time(serve: Callable[..., Served]) -> None:
    """A chunk may carry as much beside its one byte as it likes."""
    served = serve({**QUICK, "server.body_bytes_per_second": 100})
    chunk = b"1;" + b"x" * 5000 + b"\r\n \r\n"
    with running(served) as server, RawClient(server.address) as client:
        client.send(turn(CODING, b""))
        begun = time.monotonic()
        while time.monotonic() - begun < 4:
            try:
                client.send(chunk)
            except OSError:
                break
            time.sleep(0.05)
        assert time.monotonic() - begun < 3
    assert refused(served, "body_timeout") == 1


def test_a_large_body_on_a_slow_line_has_the_time_it_needs(serve: Callable[..., Served]) -> None:
    """Slower than `body_seconds`, but it keeps coming."""
    served = serve({**QUICK, "server.body_bytes_per_second": 10_000})
    body = TURN + b" " * 20_000
    with running(served) as server, RawClient(server.address) as client:
        begun = time.monotonic()
        client.send(turn(b"Content-Length: %d\r\n" % len(body), b""))
        for start in range(0, len(body), 2000):
            client.send(body[start : start + 2000])
            time.sleep(0.08)
        assert client.read().status == 202
        assert time.monotonic() - begun > QUICK["server.body_seconds"] * 1.5


def test_an_idle_line_is_kept_between_requests(serve: Callable[..., Served]) -> None:
    served = serve(QUICK)
    with running(served) as server, RawClient(server.address) as client:
        for _ in range(2):
            assert client.ask(request("GET", "/health/live")).status == 200
            time.sleep(0.9)
        assert client.ask(request("GET", "/health/live")).status == 200


def test_requests_sent_without_waiting_are_answered_in_order(served: Served) -> None:
    with running(served) as server, RawClient(server.address) as client:
        client.send(
            request("GET", "/health/live") + request("GET", "/nowhere") + turn(LENGTH, TURN)
        )
        assert [client.read().status for _ in range(3)] == [200, 404, 202]


def test_who_does_not_read_the_answer_is_cut_off(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve({"server.send_seconds": 0.3})
    lines = ["x" * 60_000] * 400  # more than the buffers of both ends take
    monkeypatch.setattr(type(served.memory.transfer), "export", lambda *_, **__: iter(lines))
    with running(served) as server, RawClient(server.address) as client:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.send(request("GET", "/v1/export"))
        end = time.monotonic() + 10
        while not refused(served, "send_timeout") and time.monotonic() < end:
            time.sleep(0.05)
    assert refused(served, "send_timeout") == 1


def test_more_connections_than_allowed_are_told_so(serve: Callable[..., Served]) -> None:
    served = serve({"server.max_connections": 5})
    with running(served) as server, ExitStack() as lines:
        asked = request("GET", "/health/live")
        clients = [lines.enter_context(RawClient(server.address)) for _ in range(5)]
        assert {client.ask(asked).status for client in clients} == {200}
        with RawClient(server.address) as late:
            answer = late.ask(asked)
            assert (answer.status, answer.headers["retry-after"]) == (503, "1")
            assert answer.json["type"] == "urn:taishi:problem:overloaded" and late.is_closed()
        assert {client.ask(asked).status for client in clients} == {200}
        clients[0].__exit__()
        time.sleep(0.2)
        with RawClient(server.address) as again:
            assert again.ask(asked).status == 200
