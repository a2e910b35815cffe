"""An OpenAI-compatible chat server on a real socket that answers as a script says.

    with ScriptedModel(WiseScript()) as server:            # answers well
        ChatSettings(api_url=server.url, api_key="k", model_name="scripted")

    ScriptedModel(answer, script=["429", "good", "dropped"])   # these first, then well
    ScriptedModel(answer, faults=0.2, seed=7)                  # one request in five goes wrong
    ScriptedModel(answer, refuses={"tools"})                   # a provider without tools

`answer(tool_name, request)` gives the tool's arguments, or text where plain words are wanted. What
was asked is in `requests`, how often each fault was played in `counts`.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import socket
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from support.loopback import Loopback

from .wise_script import WiseScript, data_of

__all__ = ["FAULTS", "Reply", "ScriptedModel", "Seen", "WiseScript", "data_of"]

Answerer = Callable[[str, dict[str, Any]], dict[str, Any] | str]

GOOD = "good"
# Faults that a request is answered with; "slow", "dict", "list", "json" and "prose" still hold
# the right answer, in another form or later.
FAULTS = (
    "slow",
    "429",
    "500",
    "truncated",
    "dict",
    "list",
    "ignored",
    "json",
    "empty",
    "dropped",
    "prose",
)
PROSE = "I have read this, and there is a lot that one could say about it."


@dataclass(frozen=True)
class Reply:
    """A whole answer, for what no fault above says. `body` None: the connection is dropped."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass(frozen=True)
class Seen:
    """One request as it arrived, and what was played for it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    played: str
    time: float

    @property
    def tool(self) -> str:
        return tool_name(self.body)


class ScriptedModel(Loopback):
    """The server; a context manager. Options may be changed while it runs."""

    def __init__(
        self,
        answer: Answerer | None = None,
        script: Iterable[str | Reply] = (),
        faults: float = 0.0,
        seed: int = 0,
        kinds: Sequence[str] = FAULTS,
        refuses: Collection[str] = (),
        ignores: Collection[str] = (),
        key: str = "",
        slow_seconds: float = 0.2,
        retry_after: str = "0",
        usage: bool = True,
        model: str = "scripted",
    ) -> None:
        """`refuses` and `ignores` name request parameters ("tools", "tool_choice",
        "response_format"), or one of their values ("required", "json_schema", "json_object")."""
        self.answer: Answerer = answer or WiseScript()
        self.script = deque(script)
        self.faults = faults
        self.kinds = tuple(kinds)
        self.refuses = set(refuses)
        self.ignores = set(ignores)
        self.key = key
        self.slow_seconds = slow_seconds
        self.retry_after = retry_after
        self.usage = usage
        self.model = model
        self.requests: list[Seen] = []
        self.counts: Counter[str] = Counter()
        self.errors: list[BaseException] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        server = _Server(("127.0.0.1", 0), _handler(self), self.errors)
        super().__init__(server, "scripted-model")

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if self.errors and error is None:
            raise self.errors[0]  # a mistake in the script, which the client saw as a dropped line

    def asked(self, tool: str) -> list[Seen]:
        """The requests for one tool, in order."""
        return [seen for seen in self.requests if seen.tool == tool]

    def play(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        """Choose what happens to this request, note it, and make the reply."""
        with self._lock:
            step: str | Reply = GOOD
            if self.script:
                step = self.script.popleft()
            elif self.kinds and self._random.random() < self.faults:
                step = self._random.choice(self.kinds)
            played = step if isinstance(step, str) else "reply"
            self.counts[played] += 1
            self.requests.append(Seen(path, headers, body, played, time.monotonic()))
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if isinstance(step, Reply):
            return step
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return _error(401, "Incorrect API key provided")
        if refused := self._refused(body):
            return _error(400, f"Unsupported parameter: '{refused}' is not supported here")
        return self._reply(step, body)

    def done(self) -> None:
        with self._lock:
            self.in_flight -= 1

    def _refused(self, body: dict[str, Any]) -> str:
        return next(iter(sorted(_parameters(body) & self.refuses)), "")

    def _reply(self, fault: str, body: dict[str, Any]) -> Reply:
        if fault == "429":
            headers = {"Retry-After": self.retry_after}
            return Reply(429, {"error": {"message": "Rate limit reached"}}, headers)
        if fault == "500":
            return _error(500, "The server had an error while processing your request")
        if fault == "dropped":
            return Reply(body=None)
        arguments = self.answer(tool_name(body), body)
        message = self._message(fault, body, arguments)
        return Reply(
            200,
            self._completion(message, body),
            delay=self.slow_seconds if fault == "slow" else 0.0,
        )

    def _message(
        self, fault: str, body: dict[str, Any], arguments: dict[str, Any] | str
    ) -> dict[str, Any] | None:
        is_words = isinstance(arguments, str)
        text = arguments if is_words else json.dumps(arguments, ensure_ascii=False)
        ignored = fault == "ignored" or _parameters(body) & self.ignores
        if fault == "empty":
            return None
        if ignored:
            return {"role": "assistant", "content": PROSE}
        if fault == "prose":
            return {"role": "assistant", "content": f"{PROSE}\n```json\n{text}\n```\nThat is all."}
        if fault == "truncated":
            text = text[: max(1, len(text) // 2)]
        if fault == "json" or "tools" not in body:
            return {"role": "assistant", "content": text}
        forms: dict[str, Any] = {"dict": arguments, "list": [arguments]}
        function = {"name": tool_name(body), "arguments": forms.get(fault, text)}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def _completion(self, message: dict[str, Any] | None, body: dict[str, Any]) -> dict[str, Any]:
        choices = []
        if message is not None:
            reason = "tool_calls" if "tool_calls" in message else "stop"
            choices = [{"index": 0, "message": message, "finish_reason": reason}]
        completion: dict[str, Any] = {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", self.model),
            "choices": choices,
        }
        if self.usage:
            prompt = len(json.dumps(body.get("messages", []), ensure_ascii=False)) // 4
            spoken = len(json.dumps(message, ensure_ascii=False)) // 4
            completion["usage"] = {
                "prompt_tokens": prompt,
                "completion_tokens": spoken,
                "total_tokens": prompt + spoken,
            }
        return completion


def tool_name(body: dict[str, Any]) -> str:
    """Which tool a request is for, in whatever mode it asks."""
    for tool in body.get("tools", ()):
        return str(tool["function"]["name"])
    schema = body.get("response_format", {}).get("json_schema")
    if schema:
        return str(schema["name"])
    for message in body.get("messages", ()):
        found = re.search(r"arguments of the function `(\w+)`", str(message.get("content")))
        if found:
            return found[1]
    return ""


def _parameters(body: dict[str, Any]) -> set[str]:
    """The names of what makes a request structured, and of the values that providers differ in."""
    present = {"tools", "tool_choice", "response_format", "temperature"} & body.keys()
    choice = body.get("tool_choice")
    if choice is not None:
        present.add(choice if isinstance(choice, str) else "named_tool_choice")
    if "response_format" in body:
        present.add(body["response_format"]["type"])
    return present


def _error(status: int, message: str) -> Reply:
    return Reply(status, {"error": {"message": message, "type": "invalid_request_error"}})


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self,
        address: tuple[str, int],
        handler: type[BaseHTTPRequestHandler],
        errors: list[BaseException],
    ) -> None:
        super().__init__(address, handler)
        self._errors = errors

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the play; anything else is a mistake in it."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self._errors.append(error)


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # An answer is two small writes; without this the second waits for an acknowledgement.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                listed = {"object": "list", "data": [{"id": model.model, "object": "model"}]}
                self._send(Reply(200, listed))
            else:
                self._send(_error(404, f"no such path: {self.path}"))

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path != "/v1/chat/completions":
                self._send(_error(404, f"no such path: {self.path}"))
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = model.play(self.path, headers, json.loads(text))
            if reply.delay:
                time.sleep(reply.delay)
            model.done()  # before the answer: after it, the client may ask again at once
            self._send(reply)

        def _send(self, reply: Reply) -> None:
            if reply.body is None:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
                return
            body = reply.body
            content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet: `requests` is the log."""

    return Handler
