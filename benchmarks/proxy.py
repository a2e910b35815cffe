"""What the OpenAI-compatible proxy adds to the first byte, over the upstream alone."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from benchmarks.corpus import FakeEmbedder, natural_questions
from benchmarks.library import HERE, Contents, build
from benchmarks.measure import Results, Row, Spread, show, table_of
from taishi import Memory, load
from taishi.api_keys import Keys
from taishi.server.app import create_app
from taishi.server.run import address_of, listen
from taishi.server.run import serve as run_app

RECORDS = 10_000
CHATS = 300
WARM_UP = 20
BAR_MS = 5.0
WHO = {"X-Taishi-User": str(HERE.user), "X-Taishi-Group": str(HERE.group)}


@dataclass(frozen=True, slots=True)
class First:
    """When the first byte came, and what recall took of that."""

    seconds: float
    recall: float


def run(quick: bool = False) -> Results:
    chats, records = (CHATS // 5, RECORDS // 5) if quick else (CHATS, RECORDS)
    with _upstream() as upstream, tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder:
        build(Path(folder), Contents(records))
        with _served(Path(folder), upstream) as proxy:
            questions = natural_questions(2 * (chats + WARM_UP))
            results = {
                "streamed": _compare(upstream, proxy, questions[::2], stream=True),
                "whole": _compare(upstream, proxy, questions[1::2], stream=False),
            }
    rows = [row for kind, figures in results.items() for row in _rows(kind, figures)]
    show(f"proxy: {records:,} records, one client, loopback", rows)
    return {**results, "rows": table_of(rows)}


def _compare(upstream: str, proxy: str, questions: Sequence[str], stream: bool) -> Results:
    """The upstream alone and through the proxy, turn and turn about."""
    alone, through = [], []
    with httpx.Client() as client:
        for question in questions:
            body = {"model": "m", "stream": stream,
                    "messages": [{"role": "user", "content": question}]}  # fmt: skip
            alone.append(_first_byte(client, upstream, body))
            through.append(_first_byte(client, proxy, body))
    alone, through = alone[WARM_UP:], through[WARM_UP:]
    extra = [b.seconds - a.seconds for a, b in zip(alone, through, strict=True)]
    beside = [more - one.recall for more, one in zip(extra, through, strict=True)]
    return {
        "alone": Spread.of([one.seconds for one in alone]).as_dict(),
        "through": Spread.of([one.seconds for one in through]).as_dict(),
        "recall": Spread.of([one.recall for one in through]).as_dict(),
        "added": Spread.of(extra).as_dict(),
        "added_beside_recall": Spread.of(beside).as_dict(),
    }


def _rows(kind: str, figures: Results) -> list[Row]:
    def spread(name: str) -> str:
        return f"{figures[name]['p50']:.2f} / {figures[name]['p95']:.2f} ms"

    beside = figures["added_beside_recall"]["p50"]
    return [
        Row(f"{kind}: upstream alone, p50 / p95", spread("alone")),
        Row(f"{kind}: through the proxy, p50 / p95", spread("through")),
        Row(f"{kind}: recall, p50 / p95", spread("recall")),
        Row(f"{kind}: added to the first byte, p50 / p95", spread("added")),
        Row(f"{kind}: … beside recall, p50", f"{beside:.2f} ms", f"≤ {BAR_MS:g} ms",
            beside <= BAR_MS),
    ]  # fmt: skip


def _first_byte(client: httpx.Client, url: str, body: dict[str, Any]) -> First:
    begun = time.perf_counter()
    with client.stream("POST", f"{url}/chat/completions", json=body, headers=WHO) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        seconds = time.perf_counter() - begun
        for _ in pieces:
            pass
    _, told, ms = answer.headers.get("x-taishi-memory", "").rpartition("ms=")
    return First(seconds, float(ms) / 1000 if told else 0.0)


@contextlib.contextmanager
def _upstream() -> Iterator[str]:
    """A chat that answers at once, so that nothing hides what the proxy costs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stream = asked["stream"]
        part = {"index": 0, "delta" if stream else "message": {"content": "Noted."}}
        body = json.dumps({"object": "chat.completion", "choices": [part]}).encode()
        if stream:
            body = b"data: " + body + b"\n\ndata: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Quiet."""


@contextlib.contextmanager
def _served(folder: Path, upstream: str) -> Iterator[str]:
    """The proxy in a process of its own, as in life: client and upstream do not share its lock."""
    command = [sys.executable, "-m", "benchmarks.proxy", str(folder), upstream]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def serve(folder: Path, upstream: str) -> None:
    """Say where, then serve until told to stop."""
    settings = load(overrides={"proxy.upstream_url": upstream, "proxy.record": "nothing"})
    with Memory.open(folder, settings, embedder=FakeEmbedder()) as memory:
        app = create_app(memory, keys=Keys(folder))
        line = listen("127.0.0.1", 0)
        here = f"{address_of(line)}/openai/v1"
        run_app(app, line, 1, lambda: print(here, flush=True))


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
