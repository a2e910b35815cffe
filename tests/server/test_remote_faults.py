"""What a client of a server does when that server, or something on the way, does not behave."""

from __future__ import annotations

import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import taishi.errors as errors
from support.scripted_server import Reply, ScriptedServer, in_json, problem
from taishi import BusyError, ClosedError, InputError, Memory, Scope, StorageError, load
from taishi.remote import problems as client_problems
from taishi.remote.transport import Answer, Transport
from taishi.server.problem_messages import TITLES_ZH
from taishi.server.problems import ERROR_STATUS

ANN = Scope(user="ann")
FOUND = in_json({"level": "keyword", "paths": {"keyword": "ok"}, "took_ms": 1.0, "hits": []})
PAGE = Reply(502, b"<html>Bad gateway</html>", "text/html; charset=utf-8")
KEPT = in_json({"ids": ["a"]}, 201)
SETTINGS = load(environ={})


@contextmanager
def opened(*replies: Reply, **options: Any) -> Iterator[tuple[Memory, ScriptedServer]]:
    with (
        ScriptedServer(*replies) as server,
        Memory.open(server.root, SETTINGS, **options) as memory,
    ):
        yield memory, server


class TlsServer(ScriptedServer):
    """With a certificate that it signed itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__(FOUND)
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        files = ["-nodes", "-keyout", str(key), "-out", str(certificate), "-days", "2"]
        subprocess.run([*made, *files, *subject], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


# -- opening ------------------------------------------------------------------------------------


def test_nobody_listens() -> None:
    with pytest.raises(errors.UnreachableError, match="taishi serve"):
        Memory.open(f"http://127.0.0.1:{closed_port()}", SETTINGS)


def test_C4_off_when_nobody_listens_and_the_chat_goes_on() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    with Memory.open(url, SETTINGS, on_error="off") as memory:
        assert not memory.is_on(ANN)
        assert memory.recall(ANN, "x").paths == {"memory": "off"}
        assert (memory.context(ANN, "x"), memory.brief(ANN, "x").reason) == ("", "off")
        assert memory.end_turn(ANN, "a turn") is None
        assert memory.consider(ANN, [{"text": "x"}]) is None
        assert memory.remember(ANN, "x") is None
        assert memory.get(ANN, "x") is None
        assert memory.get_profile(ANN, "user", "ann") is None
        assert not memory.drain(1)
        memory.observe(ANN, "tool")
        session = memory.session(Scope(user="ann", session="s"))
        assert session.append({"role": "user", "content": "hi"}) == []
        assert session.messages().messages == []
        assert not session.scratchpad.get()
        assert "does not answer" in memory.status()["off_reason"]
        with pytest.raises(StorageError, match="switched off"):
            memory.facts.list(ANN)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (problem(401, "unauthenticated"), errors.UnknownKeyError),
        (problem(403, "forbidden"), errors.ForbiddenError),
        (problem(403, "host"), errors.ForbiddenError),
        (PAGE, errors.UnreachableError),
        (Reply(200, b"<html>Log in to the hotel's network</html>", "text/html"),
         errors.UnreachableError),
        (Reply(200, b'{"hello": '), errors.UnreachableError),
        (Reply(200, b"[]"), errors.UnreachableError),
        (Reply(200, b"\xff\xfe"), errors.UnreachableError),
        (Reply(404, b"{}"), errors.UnreachableError),
        (Reply(400, b"not json", "application/problem+json"), errors.UnreachableError),
        (Reply(301, b"", headers={"Location": "http://127.0.0.1:1/v1/whoami"}),
         errors.UnreachableError),
    ],
)  # fmt: skip
def test_what_is_no_server_of_ours_is_told_at_once(reply: Reply, error: type[Exception]) -> None:
    with ScriptedServer(reply, who=reply) as server, pytest.raises(error):
        Memory.open(server.root, SETTINGS, api_key="tsk_1")


def test_a_key_goes_to_no_other_address() -> None:
    with ScriptedServer(FOUND) as thief:
        moved = Reply(307, b"", headers={"Location": f"{thief.root}/v1/recall"})
        with opened(moved, api_key="tsk_secret") as (memory, server):
            assert memory.recall(ANN, "x").skipped == {"server": "failed"}
            with pytest.raises(errors.UnreachableError, match="redirect"):
                memory.remember(ANN, "x")
            assert server.asked[0].headers["Authorization"] == "Bearer tsk_secret"
        assert thief.seen == []


@pytest.mark.parametrize(
    "address",
    [
        "https://tsk_secret@example.org",
        "https://user:tsk_secret@example.org",
        "https://tsk_secret@example.org:port",
        "https://example.org/?api_key=tsk_secret",
        "https://example.org/#tsk_secret",
        "https://",
        "http://example.org:port",
        "http:/example.org",
        "http://[::1",
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_sent(address: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        Memory.open(address, SETTINGS)
    assert "secret" not in str(refused.value)
    with pytest.raises(InputError):
        Memory.open(Path("https://example.org"), SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_the_key_comes_from_the_argument_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TAISHI_API_KEY", "tsk_env")
    with opened(FOUND) as (_, server):
        assert server.seen[0].headers["Authorization"] == "Bearer tsk_env"
    with opened(FOUND, api_key="tsk_given") as (_, server):
        assert server.seen[0].headers["Authorization"] == "Bearer tsk_given"
    with opened(FOUND, api_key="") as (_, server):
        assert "Authorization" not in server.seen[0].headers
    with pytest.raises(InputError, match="key"):
        Memory.open("http://127.0.0.1:1", SETTINGS, api_key="tsk_1\r\nX-Other: 1")


def test_what_belongs_to_the_server_is_not_taken_here() -> None:
    with pytest.raises(InputError, match="server"):
        Memory.open("http://127.0.0.1:1", SETTINGS, count_tokens=len)
    refused = pytest.raises(errors.UnsupportedError, match=r"query\.tokenizer")
    with opened(FOUND) as (memory, _), refused:
        memory.context(ANN, "x", count_tokens=len)


def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    with TlsServer(tmp_path) as server:
        start = time.monotonic()
        with pytest.raises(errors.UnreachableError, match="certificate"):
            Memory.open(server.root.replace("http://", "https://"), SETTINGS, api_key="tsk_1")
        assert time.monotonic() - start < 5
        assert server.seen == []


def test_an_https_address_of_a_server_that_speaks_http_says_what_to_write() -> None:
    with ScriptedServer(FOUND) as server:
        address = server.root.replace("http://", "https://")
        told = f"speaks http, not https; write {server.root}$"
        with pytest.raises(errors.UnreachableError, match=told):
            Memory.open(address, SETTINGS, api_key="tsk_1")


def test_the_control_a_certificate_that_is_vouched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TlsServer(tmp_path) as server:
        trusting = ssl.create_default_context(cafile=tmp_path / "certificate.pem")
        monkeypatch.setattr(
            httpx._transports.default, "create_ssl_context", lambda *_, **__: trusting
        )
        url = server.root.replace("http://", "https://")
        with Memory.open(url, SETTINGS) as memory:
            assert memory.recall(ANN, "x").level == "keyword"


# -- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("slow", [Reply(wait=5), Reply(200, FOUND.body, drip=0.2)])
def test_a_deadline_holds_for_all_of_a_search(slow: Reply) -> None:
    with opened(slow) as (memory, server):
        start = time.monotonic()
        found = memory.recall(ANN, "x", deadline=0.4)
        assert time.monotonic() - start < 1.5
        assert (found.hits, found.level, found.skipped) == ((), "empty", {"server": "late"})
        assert b'"deadline":0.32' in server.asked[0].body


def test_an_empty_block_says_that_the_server_was_late() -> None:
    with opened(Reply(wait=5)) as (memory, _):
        brief = memory.brief(ANN, "x", deadline=0.3)
        assert (brief.text, brief.reason) == ("", "nothing")
        assert brief.recall.skipped == {"server": "late"}
        assert not memory.warm_up(ANN, 0.2)


# -- trying again -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        problem(503, "overloaded", headers={"Retry-After": "0"}),
        problem(503, "storage", headers={"Retry-After": "0.1"}),
        problem(429, "too-many-requests", headers={"Retry-After": "0.1"}),
        Reply(429, b"slow down", "text/plain"),
        PAGE,
        Reply(cut=True),
    ],
)
def test_a_fault_that_passes_is_waited_out_and_a_write_is_done_once(fault: Reply) -> None:
    with opened(fault, fault, KEPT) as (memory, server):
        assert memory.remember(ANN, "x") == "a"
        assert len({one.headers["Idempotency-Key"] for one in server.asked}) == 1
        assert len({one.body for one in server.asked}) == 1
        assert len(server.asked) == 3
        memory.remember(ANN, "x")
        assert len({one.headers["Idempotency-Key"] for one in server.asked}) == 2


def test_what_cannot_be_repeated_is_sent_once() -> None:
    with opened(Reply(cut=True)) as (memory, server):
        with pytest.raises(errors.UnreachableError):
            memory.notes.append(ANN, "a.md", "one more line")
        assert len(server.asked) == 1
        with pytest.raises(errors.UnreachableError):
            memory.notes.list(ANN)
        assert len(server.asked) == 6


def test_a_server_that_asks_for_patience_beyond_the_call_is_not_waited_for() -> None:
    busy = problem(429, "too-many-requests", "wait an hour", headers={"Retry-After": "3600"})
    with opened(busy) as (memory, server):
        start = time.monotonic()
        with pytest.raises(BusyError, match="an hour"):
            memory.remember(ANN, "x")
        assert memory.recall(ANN, "x", deadline=1).skipped == {"server": "failed"}
        assert time.monotonic() - start < 2
        assert len(server.asked) == 2


@pytest.mark.parametrize("code", ["corrupt", "keys", "model", "failed"])
def test_a_fault_that_stays_is_not_tried_again(code: str) -> None:
    with opened(problem(503, code)) as (memory, server):
        with pytest.raises(client_problems.ERRORS[code]):
            memory.remember(ANN, "x")
        assert len(server.asked) == 1


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    date = {"date": "Wed, 18 Nov 2026 02:00:00 GMT", "retry-after": "Wed, 18 Nov 2026 02:00:07 GMT"}
    said = [{"retry-after": "3"}, date, {"retry-after": "nan"}, {"retry-after": "-1"}, {}]
    assert [Answer(503, one, b"").retry_after for one in said] == [3.0, 7.0, 0.0, 0.0, 0.0]


# -- errors -------------------------------------------------------------------------------------


def test_every_problem_of_a_server_is_an_error_of_ours() -> None:
    known = {*client_problems.ERRORS, *client_problems.INPUT}
    variants = {"read-only"}  # other words for a code that is there
    assert {*TITLES_ZH} - known == variants
    for kind, _, code, _ in ERROR_STATUS:
        mapped = client_problems.ERRORS.get(code, InputError)
        assert issubclass(kind, mapped) or code in ("missing-extra", "closing", "forbidden"), code


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (problem(400, "input", reason="rejected"), errors.RefusedError),
        (problem(403, "forbidden", reason="authority"), errors.AuthorityError),
        (problem(409, "version"), errors.VersionError),
        (problem(409, "busy"), BusyError),
        (problem(422, "validation"), InputError),
        (problem(500, "bug"), errors.TaishiError),
        (problem(418, "teapot"), InputError),
        (problem(501, "missing-extra"), errors.UnsupportedError),
    ],
)
def test_a_problem_is_raised_with_its_advice(reply: Reply, error: type[Exception]) -> None:
    with opened(reply) as (memory, _):
        with pytest.raises(error, match="do this next") as raised:
            memory.remember(ANN, "x")
        assert type(raised.value) is error


def test_a_wrong_key_is_an_error_of_a_search_too() -> None:
    with (
        opened(problem(401, "unauthenticated")) as (memory, _),
        pytest.raises(errors.UnknownKeyError),
    ):
        memory.recall(ANN, "x")


@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"hits": 3}', b'{"level":"none","paths":{},"took_ms":0}', b"null", b"[" * 9999],
)
def test_an_answer_that_does_not_fit_is_not_believed(body: bytes) -> None:
    with opened(Reply(200, body)) as (memory, _):
        assert memory.recall(ANN, "x").skipped == {"server": "failed"}
        with pytest.raises(errors.UnreachableError, match="not an answer of Taishi"):
            memory.facts.list(ANN)


def test_a_closed_memory_sends_nothing() -> None:
    with opened(FOUND) as (memory, server):
        memory.close()
        for verb in (memory.facts.list, memory.is_on, memory.observe):
            with pytest.raises(ClosedError):
                verb(ANN, "x") if verb == memory.observe else verb(ANN)  # type: ignore[operator]
        assert server.asked == []


def test_tool_runs_that_cannot_be_sent_hold_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    with opened(problem(500, "bug")) as (memory, _):
        start = time.monotonic()
        for n in range(2000):
            memory.observe(ANN, "tool", n)
        assert time.monotonic() - start < 1
    assert "a tool run was not noted" in caplog.text


def test_a_warning_for_a_key_that_travels_unencrypted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> Answer:
        raise errors.UnreachableError("no network in tests")

    monkeypatch.setattr(Transport, "send", away)
    memory = Memory.open("http://taishi.invalid", SETTINGS, api_key="tsk_1", on_error="off")
    memory.close()
    assert "unencrypted" in caplog.text
