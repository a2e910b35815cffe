"""A server that answers as a test says: late, with errors, with what is no answer of Taishi."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .loopback import Loopback

WHO = {"key": None, "name": None, "rights": "admin", "workspace": None}


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b"{}"
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0  # seconds before it is sent
    drip: float = 0.0  # seconds between two bytes of it
    cut: bool = False  # the connection ends without a reply


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


def in_json(value: Any, status: int = 200, **more: Any) -> Reply:
    return Reply(status, json.dumps(value).encode(), **more)


def problem(status: int, code: str, detail: str = "do this next", **more: Any) -> Reply:
    headers = more.pop("headers", {})
    body = {"type": f"urn:taishi:problem:{code}", "title": "t", "detail": detail, **more}
    content = json.dumps(body | {"status": status, "request_id": "r"}).encode()
    return Reply(status, content, "application/problem+json", headers)


class ScriptedServer(Loopback):
    """`whoami` works unless a test says otherwise; anything else gets the next of `replies`, the
    last of them for ever."""

    def __init__(self, *replies: Reply, who: Reply | None = None) -> None:
        self.replies = list(replies)
        self.who = who or in_json(WHO)
        self.seen: list[Seen] = []
        super().__init__(_Server(("127.0.0.1", 0), _handler(self._answer)), "scripted-server")

    @property
    def asked(self) -> list[Seen]:
        return [one for one in self.seen if not one.path.endswith("/v1/whoami")]

    def _answer(self, seen: Seen) -> Reply:
        self.seen.append(seen)
        if seen.path.endswith("/v1/whoami"):
            return self.who
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that did not wait for the end."""


def _handler(answer: Callable[[Seen], Reply]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            reply = answer(Seen(self.command, self.path, dict(self.headers.items()), body))
            time.sleep(reply.wait)
            if reply.cut:
                self.close_connection = True
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.media_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if not reply.drip:
                self.wfile.write(reply.body)
                return
            for byte in reply.body:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(reply.drip)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.handle_any
            raise AttributeError(name)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    return Handler
