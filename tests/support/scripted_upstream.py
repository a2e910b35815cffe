"""An OpenAI-compatible chat upstream on a real socket, streaming included.

    with ScriptedUpstream() as upstream:                      # answers every chat with "Noted."
        upstream.url                                          # http://127.0.0.1:…/v1

    upstream.script.append(Reply(429, b"…", {"Retry-After": "7"}))              # once, then well
    upstream.script.append(Stream([b"data: …"], gap=0.05, cut=True))            # breaks off

What was asked is in `requests`, as it arrived.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.loopback import Loopback

WORDS = ("No", "ted", ".")


@dataclass(frozen=True)
class Reply:
    """A whole answer. `cut`: the line is dropped before its end."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False


@dataclass(frozen=True)
class Stream:
    """Pieces, `gap` seconds apart. `cut`: the line is dropped after the last of them."""

    pieces: Sequence[bytes]
    gap: float = 0.0
    cut: bool = False


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def said(self) -> str:
        """The last user message as the upstream saw it."""
        given = self.body.get("messages", self.body.get("input"))
        if isinstance(given, str):
            return given
        users = [one for one in given if one.get("role") == "user"]
        content = users[-1]["content"]
        if isinstance(content, str):
            return content
        return "\n".join(part.get("text", "") for part in content)


def completion(text: str | None, model: str = "scripted", **message: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message},
              "finish_reason": "tool_calls" if message else "stop"}  # fmt: skip
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
             "choices": [choice], "usage": usage}  # fmt: skip
    return json.dumps(whole).encode()


def piece(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
             "model": "scripted", "choices": [choice]}  # fmt: skip
    return b"data: " + json.dumps(whole).encode() + b"\n\n"


def response_object(text: str, status: str = "completed") -> dict[str, Any]:
    """What OpenAI's Responses API answers."""
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "msg_1", "status": status, "role": "assistant",
            "content": [part] if text else []}  # fmt: skip
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": "scripted",
            "status": status, "error": None, "incomplete_details": None, "instructions": None,
            "metadata": {}, "output": [item], "parallel_tool_calls": True, "temperature": 1,
            "tool_choice": "auto", "tools": [], "top_p": 1}  # fmt: skip


def response(text: str) -> bytes:
    return json.dumps(response_object(text)).encode()


def response_events(*words: str) -> list[bytes]:
    where = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "logprobs": []}
    begun: dict[str, Any] = {"response": response_object("", "in_progress")}
    told = [("response.created", begun)]
    told += [("response.output_text.delta", {**where, "delta": word}) for word in words]
    told.append(("response.output_text.done", {**where, "text": "".join(words)}))
    told.append(("response.completed", {"response": response_object("".join(words))}))
    return [
        b"event: %s\ndata: %s\n\n"
        % (kind.encode(), json.dumps({"type": kind, "sequence_number": n, **rest}).encode())
        for n, (kind, rest) in enumerate(told)
    ]


DONE = b"data: [DONE]\n\n"


def pieces(*words: str) -> list[bytes]:
    said = [piece({"content": word}) for word in words]
    return [piece({"role": "assistant", "content": ""}), *said, piece({}, "stop"), DONE]


class ScriptedUpstream(Loopback):
    """The server; a context manager."""

    def __init__(self, script: Sequence[Reply | Stream] = (), words: Sequence[str] = WORDS) -> None:
        self.script: deque[Reply | Stream] = deque(script)
        self.words = tuple(words)
        self.requests: list[Seen] = []
        self.sent: list[bytes] = []  # every piece that was written to the line
        self.hung_up = threading.Event()  # the other side closed while we were writing
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        server.daemon_threads = True
        super().__init__(server, "scripted-upstream")

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @property
    def chats(self) -> list[Seen]:
        return [seen for seen in self.requests if seen.path == "/v1/chat/completions"]

    def reply(self, seen: Seen) -> Reply | Stream:
        self.requests.append(seen)
        if self.script:
            return self.script.popleft()
        if seen.path == "/v1/models":
            return Reply(
                200, b'{"object": "list", "data": [{"id": "scripted", "object": "model"}]}'
            )
        if seen.path == "/v1/embeddings":
            return Reply(200, b'{"object": "list", "data": [], "model": "m", "usage": {}}')
        if seen.path == "/v1/responses":
            stream = seen.body.get("stream")
            said = "".join(self.words)
            return Stream(response_events(*self.words)) if stream else Reply(200, response(said))
        if seen.path != "/v1/chat/completions":
            return Reply(404, b'{"error": {"message": "no such path"}}')
        if seen.body.get("stream"):
            return Stream(pieces(*self.words))
        return Reply(200, completion("".join(self.words)))


def _handler(upstream: ScriptedUpstream) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve(b"")

        def do_POST(self) -> None:
            self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _serve(self, raw: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = upstream.reply(Seen(self.command, self.path, headers, raw))
            try:
                if isinstance(reply, Stream):
                    self._stream(reply)
                else:
                    self._send(reply)
            except OSError:
                upstream.hung_up.set()
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            time.sleep(reply.delay)
            self.send_response(reply.status)
            headers = {"Content-Type": "application/json", **reply.headers}
            length = len(reply.body) + reply.cut
            for name, value in {**headers, "Content-Length": str(length)}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = self.close_connection or reply.cut

        def _stream(self, reply: Stream) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("X-Request-ID", "req-upstream")
            self.end_headers()
            for one in reply.pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(one), one))
                upstream.sent.append(one)
                if reply.gap:
                    time.sleep(reply.gap)
            if reply.cut:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet: `requests` is the log."""

    return Handler
