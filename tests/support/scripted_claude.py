"""A server on a real socket that answers `POST /v1/messages` as a script says.

    with ScriptedClaude([[memory_call("view", path="/memories")], ["Nothing."]]) as claude:
        Anthropic(base_url=claude.root, api_key="k")

Each step is the content of one answer: texts, and calls of tools. `requests` is what was asked.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.loopback import Loopback

Step = Sequence[str | dict[str, Any]]


def memory_call(command: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": "memory", "input": {"command": command, **arguments}}


class ScriptedClaude(Loopback):
    def __init__(self, script: Iterable[Step]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._script = deque(script)
        self._lock = threading.Lock()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        super().__init__(server, "scripted-claude")

    def results(self) -> list[tuple[str, bool]]:
        """The text of every tool result that was sent back, and whether it was an error."""
        blocks = {
            block["tool_use_id"]: block
            for request in self.requests  # a client may send all messages, or only the new ones
            for message in request["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        }
        return [(_text(one["content"]), bool(one.get("is_error"))) for one in blocks.values()]

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.requests.append(body)
            if not self._script:
                message = "the script is over"
                return 400, {"type": "error", "error": {"type": "script", "message": message}}
            step, number = self._script.popleft(), len(self.requests)
        content = [
            {"type": "text", "text": one}
            if isinstance(one, str)
            else {"id": f"call_{number}_{n}", **one}
            for n, one in enumerate(step)
        ]
        calls = any(one["type"] == "tool_use" for one in content)
        return 200, {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(one["text"] for one in content)


def _handler(claude: ScriptedClaude) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = self.path.partition("?")[0] == "/v1/messages"
            status, answer = claude.answer(body) if known else (404, {"type": "error"})
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet: `requests` is the log."""

    return Handler
