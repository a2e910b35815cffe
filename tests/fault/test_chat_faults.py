"""A chat server that misbehaves: what is finished, what is waited for, what is left alone."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from support.scripted_model import FAULTS, Reply, ScriptedModel, WiseScript
from taishi.errors import ModelError
from taishi.models.chat.exchange import MAX_REQUESTS
from taishi.models.chat.http import MAX_ANSWER_BYTES
from taishi.models.chat.model import OpenAIChat
from taishi.ports import Call, Tool
from taishi.settings.schema import ChatSettings, ModelSettings

TOOL = Tool(
    "decide",
    "Whether it is worth keeping.",
    {
        "type": "object",
        "properties": {
            "should_remember": {"type": "boolean"},
            "reason": {"type": "string"},
            "new_info": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["should_remember", "reason", "new_info"],
    },
)
SECONDS_TO_REST = 30.0


class Calls:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def add(self, call: Call) -> None:
        self.calls.append(call)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def prompt(text: str) -> list[dict[str, str]]:
    data = json.dumps({"messages": [{"speaker": "Ann", "text": text}]}, ensure_ascii=False)
    return [{"role": "user", "content": f"Decide.\n```json\n{data}\n```"}]


@contextmanager
def client(url: str, **changes: Any) -> Iterator[tuple[OpenAIChat, Calls]]:
    options = {name: changes.pop(name) for name in ("clock",) if name in changes}
    settings = ChatSettings(**({"api_url": url, "model_name": "m"} | changes))
    ledger = Calls()
    chat = OpenAIChat(settings, ledger, sleep=lambda seconds: None, **options)
    yield chat, ledger
    chat.close()


def test_N_calls_with_a_fifth_of_the_answers_faulty() -> None:
    """At least 99 % of 600 calls end well, each with its own answer; the rest say why."""
    with (
        ScriptedModel(WiseScript(), faults=0.2, seed=3, slow_seconds=0.01) as server,
        client(server.url, concurrency=4) as (chat, ledger),
    ):

        def one(number: int) -> str:
            text = f"我喜欢第{number}种茶, I like tea number {number}"
            try:
                answer = chat.structured("decide", prompt(text), TOOL)
            except ModelError as error:
                return f"failed: {error}"
            return "right" if answer["new_info"] == [text] else f"wrong: {answer}"

        with ThreadPoolExecutor(4) as pool:
            outcomes = list(pool.map(one, range(600)))
    played = server.counts.total() - server.counts["good"]
    assert set(server.counts) == {"good", *FAULTS}
    assert 0.15 < played / server.counts.total() < 0.25
    assert len(ledger.calls) == server.counts.total()
    tally = Counter(outcome.split(":")[0] for outcome in outcomes)
    assert tally["wrong"] == 0
    assert tally["right"] >= 594, [outcome for outcome in outcomes if outcome != "right"]
    assert all(len(outcome) > 60 for outcome in outcomes if outcome != "right")


def test_Q3_the_breaker_leaves_a_dead_server_alone_and_closes_again() -> None:
    clock = Clock()
    with ScriptedModel(WiseScript()) as server, client(server.url, clock=clock) as (chat, ledger):
        server.faults, server.kinds = 1.0, ("500", "dropped", "429")
        for _ in range(3):
            with pytest.raises(ModelError, match="chat server 127"):
                chat.structured("decide", prompt("x"), TOOL)
        asked = len(server.requests)
        assert asked == 3 * MAX_REQUESTS
        with pytest.raises(ModelError, match="being left alone"):
            chat.structured("decide", prompt("x"), TOOL)
        assert len(server.requests) == asked == len(ledger.calls)
        clock.now += SECONDS_TO_REST + 1
        with pytest.raises(ModelError, match="chat server"):  # half open: the probe fails
            chat.structured("decide", prompt("x"), TOOL)
        with pytest.raises(ModelError, match="being left alone"):
            chat.structured("decide", prompt("x"), TOOL)
        server.faults = 0.0
        clock.now += SECONDS_TO_REST + 1
        for _ in range(3):
            assert chat.structured("decide", prompt("I like tea"), TOOL)["should_remember"]


def test_Q3_an_able_server_with_a_foolish_model_does_not_open_the_breaker() -> None:
    with (
        ScriptedModel(lambda tool, request: {"nonsense": 1}) as server,
        client(server.url) as (chat, _),
    ):
        for _ in range(6):
            with pytest.raises(ModelError, match="nonsense"):
                chat.structured("decide", prompt("x"), TOOL)
        server.answer = WiseScript()
        assert chat.structured("decide", prompt("x"), TOOL)


def test_Q3_a_dead_endpoint_does_not_stop_the_others() -> None:
    with ScriptedModel(WiseScript()) as dead, ScriptedModel(WiseScript()) as alive:
        dead.faults, dead.kinds = 1.0, ("500",)
        own = ModelSettings(api_url=alive.url, model_name="m")
        with client(dead.url, decide=own) as (chat, _):
            for _ in range(4):
                with pytest.raises(ModelError):
                    chat.structured("rewrite", prompt("x"), TOOL)
            assert chat.structured("decide", prompt("x"), TOOL)


def test_nobody_at_the_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with client(url) as (chat, ledger):
            with pytest.raises(ModelError, match=r"did not answer \(the connection failed"):
                chat.structured("decide", prompt("x"), TOOL)
            assert len(ledger.calls) == MAX_REQUESTS


def test_a_slow_answer_is_given_up_and_asked_for_again() -> None:
    with (
        ScriptedModel(WiseScript(), script=["slow"], slow_seconds=4.0) as server,
        client(server.url, timeout_seconds=1.0) as (chat, ledger),
    ):
        began = time.monotonic()
        assert chat.structured("decide", prompt("I like tea"), TOOL)["should_remember"]
        assert time.monotonic() - began < 3.9
        assert "no answer within 1 s" in ledger.calls[0].error


def test_an_answer_that_drips_for_ever_ends_with_the_timeout() -> None:
    def drip(line: socket.socket) -> None:
        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(200):
            line.sendall(b" ")
            time.sleep(0.02)

    with raw_server(drip) as url, client(url, timeout_seconds=0.2) as (chat, ledger):
        began = time.monotonic()
        with pytest.raises(ModelError, match=r"timeout_seconds"):
            chat.structured("decide", prompt("x"), TOOL)
        assert time.monotonic() - began < MAX_REQUESTS * 0.2 + 2
        assert all("no answer within" in call.error for call in ledger.calls)


def test_an_answer_without_end_is_cut_off() -> None:
    def pour(line: socket.socket) -> None:
        line.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        for _ in range(2 * MAX_ANSWER_BYTES // 65536):
            line.sendall(b" " * 65536)

    with (
        raw_server(pour) as url,
        client(url) as (chat, _),
        pytest.raises(ModelError, match="an answer of more than"),
    ):
        chat.structured("decide", prompt("x"), TOOL)


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"",
        b"not HTTP at all\r\n\r\n",
        b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices": [',
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    ],
)
def test_a_line_that_breaks_in_the_middle(bytes_sent: bytes) -> None:
    with raw_server(lambda line: line.sendall(bytes_sent)) as url, client(url) as (chat, ledger):
        with pytest.raises(ModelError, match="did not answer"):
            chat.structured("decide", prompt("x"), TOOL)
        assert len(ledger.calls) == MAX_REQUESTS


def test_a_megabyte_of_model_babble_is_handled_in_a_moment() -> None:
    babble = Reply(200, {"choices": [{"message": {"content": '{"a":' * 200_000}}]})
    with (
        ScriptedModel(WiseScript(), script=[babble] * MAX_REQUESTS) as server,
        client(server.url) as (chat, _),
    ):
        began = time.process_time()
        with pytest.raises(ModelError) as caught:
            chat.structured("decide", prompt("x"), TOOL)
        assert time.process_time() - began < 15
        assert len(str(caught.value)) < 1000


def test_closing_while_calls_are_under_way_ends_them_with_our_error() -> None:
    with (
        ScriptedModel(WiseScript(), script=["slow"] * 4, slow_seconds=0.3) as server,
        client(server.url) as (chat, _),
        ThreadPoolExecutor(2) as pool,
    ):
        calls = [pool.submit(chat.structured, "decide", prompt("x"), TOOL) for _ in range(2)]
        while len(server.requests) < 2:
            time.sleep(0.01)
        chat.close()
        for call in calls:
            error = call.exception(timeout=10)
            assert error is None or isinstance(error, ModelError)


@contextmanager
def raw_server(behave: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server below HTTP: it reads a request, and then does as it likes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def one(line: socket.socket) -> None:
        with line:
            try:
                line.settimeout(5)
                line.recv(65536)
                behave(line)
            except OSError:
                pass  # the client left first, as it should

    def serve() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            worker = threading.Thread(target=one, args=(line,))
            workers.append(worker)
            worker.start()

    workers: list[threading.Thread] = []
    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    for worker in (thread, *workers):
        worker.join()
