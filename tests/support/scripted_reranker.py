"""A reranker on a real socket that speaks one of the wire formats and misbehaves on request.

    with ScriptedReranker("tei") as server:                      # scores by shared words
        HttpReranker(server.url, "key", "model")

    ScriptedReranker("cohere", script=["500", "html"])           # these first, then well

A request in another format than its own is refused with 422, as the real ones do. What was asked
is in `requests`.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from support.loopback import Loopback

Format = Literal["cohere", "jina", "tei"]
Results = list[dict[str, Any]]
Fault = Callable[[Results], Any]

TEI_BATCH = 32
HTML = "<!doctype html><html><body>502 Bad Gateway</body></html>"


def shared_words(query: str, text: str) -> float:
    """The share of the query's words that the text has."""
    wanted = set(query.lower().split())
    return len(wanted & set(text.lower().split())) / max(1, len(wanted))


# What a fault makes of the results; those that keep the format are lists.
BAD_RESULTS: dict[str, Fault] = {
    "missing": lambda results: results[1:],
    "duplicate": lambda results: [*results, results[0]],
    "twice instead": lambda results: [results[0], *results[:-1]],
    "beyond": lambda results: [{**results[0], "index": len(results)}, *results[1:]],
    "negative": lambda results: [{**results[0], "index": -1}, *results[1:]],
    "text index": lambda results: [{**results[0], "index": "0"}, *results[1:]],
    "true index": lambda results: [{**results[0], "index": True}, *results[1:]],
    "nan": lambda results: [_scored(results[0], float("nan")), *results[1:]],
    "infinite": lambda results: [_scored(results[0], float("inf")), *results[1:]],
    "huge": lambda results: [_scored(results[0], 10**400), *results[1:]],
    "null": lambda results: [_scored(results[0], None), *results[1:]],
    "true": lambda results: [_scored(results[0], True), *results[1:]],
    "no score": lambda results: [{"index": 0}, *results[1:]],
    "no objects": lambda results: [0.5 for _ in results],
    "empty": lambda results: [],
}


@dataclass(frozen=True)
class Seen:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ScriptedReranker(Loopback):
    """The server; a context manager. Its options may be changed while it runs."""

    def __init__(
        self,
        format: Format,
        script: Iterable[str] = (),
        score: Callable[[str, str], float] = shared_words,
        slow_seconds: float = 0.5,
        batch: int = TEI_BATCH,
    ) -> None:
        self.format: Format = format
        self.script = deque(script)
        self.score = score
        self.slow_seconds = slow_seconds
        self.batch = batch
        self.requests: list[Seen] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._lock = threading.Lock()
        server = _Server(("127.0.0.1", 0), _handler(self))
        super().__init__(server, "scripted-reranker")

    @property
    def url(self) -> str:
        """As a person would set it: TEI has no version in its path."""
        return self.root if self.format == "tei" else f"{self.root}/v1"

    def play(self, seen: Seen) -> tuple[int, Any]:
        with self._lock:
            self.requests.append(seen)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            step = self.script.popleft() if self.script else "good"
        try:
            return self._answer(step, seen)
        finally:
            with self._lock:
                self.in_flight -= 1

    def _answer(self, step: str, seen: Seen) -> tuple[int, Any]:
        if step == "slow":
            time.sleep(self.slow_seconds)
        if step.isdigit():
            key = seen.headers.get("authorization", "").removeprefix("Bearer ")
            return int(step), {"error": {"message": f"went wrong, and your key is {key}"}}
        if step in ("html", "dropped"):
            return 200, HTML if step == "html" else None
        texts = self._texts(seen.body)
        if texts is None:
            return 422, f"Failed to deserialize the JSON body: wanted {self._field}"
        if self.format == "tei" and len(texts) > self.batch:
            return 422, {"error": f"batch size {len(texts)} > maximum {self.batch}"}
        results = self._results(seen.body["query"], texts)
        results = BAD_RESULTS[step](results) if step in BAD_RESULTS else results
        answer: Any = results if self.format == "tei" else {"id": "1", "results": results}
        if step == "object":
            answer = {"ok": True}
        content = json.dumps(answer)
        return 200, content[: len(content) // 2] if step == "truncated" else content

    @property
    def _field(self) -> str:
        return "texts" if self.format == "tei" else "documents"

    def _texts(self, body: dict[str, Any]) -> list[str] | None:
        return body.get(self._field)

    def _results(self, query: str, texts: list[str]) -> Results:
        """The best first, as the real ones give them."""
        field = "score" if self.format == "tei" else "relevance_score"
        scores = [(self.score(query, text), index) for index, text in enumerate(texts)]
        scores.sort(key=lambda pair: (-pair[0], pair[1]))
        return [{"index": index, field: score} for score, index in scores]


def _scored(result: dict[str, Any], score: Any) -> dict[str, Any]:
    field = "score" if "score" in result else "relevance_score"
    return {**result, field: score}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up waiting is part of the play."""


def _handler(model: ScriptedReranker) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            if not self.path.endswith("/rerank"):
                self._send(404, {"error": f"no such path: {self.path}"})
                return
            self._send(*model.play(Seen(self.path, headers, json.loads(text))))

        def _send(self, status: int, body: Any) -> None:
            if body is None:
                self.close_connection = True
                return
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet: `requests` is the log."""

    return Handler
