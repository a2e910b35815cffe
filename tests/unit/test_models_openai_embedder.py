"""The HTTP embedder against a real server on this machine that can misbehave on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import numpy as np
import pytest

from taishi.errors import ModelError, ModelMissingError
from taishi.models.endpoint import MAX_ANSWER_BYTES
from taishi.models.openai_embedder import BATCH, LONGEST_WAIT_SECONDS, OpenAIEmbedder
from taishi.ports import Call, Ledger

KEY = "sk-secret-0123456789"
Answer = tuple[int, Any, dict[str, str]]


def good(body: dict[str, Any]) -> Answer:
    """Vectors that tell which text they belong to, in the wrong order."""
    data = [
        {"index": number, "embedding": [float(len(text)), 3.0, 4.0]}
        for number, text in enumerate(body["input"])
    ]
    return 200, {"data": data[::-1]}, {}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Callable[[dict[str, Any]], Answer]] = []
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.dated = ""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up waiting is part of the test."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        answer = self.server.script.pop(0) if self.server.script else good
        status, content, headers = answer(body)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return self.server.dated or super().date_time_string(timestamp)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def naps() -> list[float]:
    return []


@pytest.fixture
def embedder(server: Server, naps: list[float]) -> Iterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(server.url, KEY, "tiny", timeout_seconds=5, sleep=naps.append)
    yield embedder
    embedder.close()


def always(status: int, content: Any, **headers: str) -> Callable[[dict[str, Any]], Answer]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda body: (status, content, named)


def test_rows_come_back_in_order_and_of_unit_length(embedder: OpenAIEmbedder) -> None:
    rows = embedder.embed(["", "a", "bb" * 50], "document")
    expected = np.array([[1, 3, 4], [1, 3, 4], [100, 3, 4]], np.float32)
    np.testing.assert_allclose(
        rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5
    )
    assert rows.dtype == np.float32
    assert embedder.dimensions == 3


def test_what_is_sent(server: Server) -> None:
    embedder = OpenAIEmbedder(
        server.url + "/",
        KEY,
        "tiny",
        dimensions=3,
        query_instruction="query: ",
        document_instruction="passage: ",
    )
    embedder.embed(["猫\x00\ud800"], "query")
    embedder.embed(["x"], "document")
    (path, headers, query), (_, _, document) = server.seen
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert query["input"] == ["query: 猫\ufffd\ufffd"]
    assert document["input"] == ["passage: x"]
    assert document["model"] == "tiny" and document["dimensions"] == 3
    assert KEY not in json.dumps(query) + path
    embedder.close()


def test_many_texts_go_in_batches_and_keep_their_order(
    server: Server, embedder: OpenAIEmbedder
) -> None:
    texts = ["x" * (number + 1) for number in range(3 * BATCH + 5)]
    rows = embedder.embed(texts, "document")
    assert len(server.seen) == 4
    assert max(len(body["input"]) for _, _, body in server.seen) == BATCH
    np.testing.assert_allclose(rows[:, 0] / rows[:, 1] * 3, np.arange(1, len(texts) + 1), rtol=1e-4)


def test_no_texts(embedder: OpenAIEmbedder) -> None:
    assert embedder.embed([], "query").shape == (0, 3)


def test_a_busy_server_is_tried_again_as_it_asks(
    server: Server, embedder: OpenAIEmbedder, naps: list[float]
) -> None:
    server.script = [
        always(429, {"error": {"message": "slow down"}}, Retry_After="2"),
        always(503, b"", Retry_After="99999"),
    ]
    assert embedder.embed(["x"], "query").shape == (1, 3)
    assert naps == [2.0, LONGEST_WAIT_SECONDS]


def test_a_date_or_nonsense_as_retry_after_does_not_hurt(
    server: Server, embedder: OpenAIEmbedder, naps: list[float]
) -> None:
    server.script = [always(429, b"", Retry_After="nan"), always(500, b"", Retry_After="Tue, 1")]
    embedder.embed(["x"], "query")
    assert naps == [0.5, 1.0]


def test_it_gives_up_in_the_end_with_the_servers_words(
    server: Server, embedder: OpenAIEmbedder, naps: list[float]
) -> None:
    server.script = [always(503, {"error": {"message": "out of memory"}})] * 9
    with pytest.raises(ModelError, match="503: out of memory"):
        embedder.embed(["x"], "query")
    assert len(naps) == 2 and len(server.seen) == 3


def test_a_refused_key_is_not_tried_again_nor_shown(
    server: Server, embedder: OpenAIEmbedder
) -> None:
    server.script = [always(401, {"error": {"message": f"bad key {KEY}"}})]
    with pytest.raises(ModelError) as caught:
        embedder.embed(["x"], "query")
    assert "401: bad key ***" in str(caught.value)
    assert KEY not in repr(caught.value) + repr(embedder)
    assert len(server.seen) == 1


BAD_ANSWERS: dict[str, Any] = {
    "not JSON": b"<html>proxy</html>",
    "too deep": b"[" * 100_000,
    "not an object": [1, 2],
    "no data": {"ok": True},
    "null": None,
    "too few": {"data": [{"index": 0, "embedding": [1, 2]}]},
    "same index twice": {"data": [{"index": 0, "embedding": [1]}] * 2},
    "ragged": {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]},
    "words": {"data": [{"index": 0, "embedding": ["a"]}, {"index": 1, "embedding": ["b"]}]},
    "empty": {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]},
    "zero": {"data": [{"index": 0, "embedding": [0, 0]}, {"index": 1, "embedding": [1, 0]}]},
    "huge": {"data": [{"index": 0, "embedding": [1e300]}, {"index": 1, "embedding": [1]}]},
    "no number": {"data": [{"index": 0, "embedding": [None]}, {"index": 1, "embedding": [1]}]},
    "index is text": {"data": [{"index": "x", "embedding": [1]}, {"index": 1, "embedding": [1]}]},
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_a_bad_answer_is_a_model_error(
    server: Server, embedder: OpenAIEmbedder, answer: Any
) -> None:
    server.script = [always(200, answer)]
    with pytest.raises(ModelError):
        embedder.embed(["x", "y"], "query")


def test_another_dimension_than_before_is_refused(server: Server, embedder: OpenAIEmbedder) -> None:
    embedder.embed(["x"], "query")
    server.script = [always(200, {"data": [{"index": 0, "embedding": [1, 2]}]})]
    with pytest.raises(ModelError, match="gave 2 dimensions where 3"):
        embedder.embed(["x"], "query")


def test_nobody_listens() -> None:
    embedder = OpenAIEmbedder("http://127.0.0.1:9/v1", KEY, "tiny", timeout_seconds=2)
    with pytest.raises(ModelError, match=r"did not answer.*api_url") as caught:
        embedder.embed(["x"], "query")
    assert KEY not in str(caught.value)
    embedder.close()


def test_too_slow(server: Server) -> None:
    released = threading.Event()

    def slow(body: dict[str, Any]) -> Answer:
        released.wait(5)
        return good(body)

    server.script = [slow]
    embedder = OpenAIEmbedder(server.url, KEY, "tiny", timeout_seconds=0.2)
    with pytest.raises(ModelError, match="did not answer"):
        embedder.embed(["x"], "query")
    released.set()
    embedder.close()


def test_a_question_does_not_wait_for_a_batch_of_documents(server: Server) -> None:
    released, begun = threading.Event(), threading.Event()

    def slow(body: dict[str, Any]) -> Answer:
        begun.set()
        released.wait(10)
        return good(body)

    server.script = [slow]
    embedder = OpenAIEmbedder(server.url, KEY, "tiny", concurrency=1)
    batch = threading.Thread(target=embedder.embed, args=(["x"], "document"))
    batch.start()
    assert begun.wait(10)
    assert embedder.embed(["a question"], "query").shape == (1, 3)
    assert batch.is_alive()
    released.set()
    batch.join()
    embedder.close()


def test_a_large_batch_of_long_vectors_is_read(server: Server, embedder: OpenAIEmbedder) -> None:
    rows = [{"index": number, "embedding": [0.25] * 4096} for number in range(BATCH)]
    answer = json.dumps({"data": rows}, indent=24).encode()
    assert len(answer) > MAX_ANSWER_BYTES
    server.script = [always(200, answer)]
    assert embedder.embed(["x"] * BATCH, "document").shape == (BATCH, 4096)


def test_a_date_as_retry_after_is_counted_from_the_servers_clock(
    server: Server, embedder: OpenAIEmbedder, naps: list[float]
) -> None:
    until = "Fri, 20 Feb 2026 14:30:03 GMT"
    now = "Fri, 20 Feb 2026 14:30:00 GMT"
    server.script = [always(429, b"", Retry_After=until)]
    server.dated = now
    embedder.embed(["x"], "query")
    assert naps == [3.0]


def test_a_key_in_an_answer_that_is_not_json_is_not_shown_not_even_half(
    server: Server, embedder: OpenAIEmbedder
) -> None:
    server.script = [always(200, f"{'x' * 290} {KEY}".encode())]
    with pytest.raises(ModelError, match="did not answer in JSON: xxx") as caught:
        embedder.embed(["x"], "query")
    assert KEY[:6] not in str(caught.value)


def test_an_error_without_words_is_named_by_its_status(
    server: Server, embedder: OpenAIEmbedder
) -> None:
    server.script = [always(404, b"")]
    with pytest.raises(ModelError, match="answered 404: Not Found"):
        embedder.embed(["x"], "query")


def test_every_attempt_is_in_the_ledger(server: Server) -> None:
    entered: list[Call] = []

    class Entries:
        add = staticmethod(entered.append)

    embedder = OpenAIEmbedder(
        server.url, KEY, "tiny", sleep=lambda _: None, ledger=cast(Ledger, Entries()), price_in=2.0
    )
    counted = {"data": [{"index": 0, "embedding": [1, 2]}], "usage": {"prompt_tokens": 500_000}}
    server.script = [always(503, b"busy"), always(200, counted), always(401, b"who?")]
    embedder.embed(["x"], "document")
    with pytest.raises(ModelError, match="401"):
        embedder.embed(["x"], "query")
    assert [(call.task, call.ok, call.prompt_tokens, call.cost) for call in entered] == [
        ("embedding_document", False, 0, 0.0),
        ("embedding_document", True, 500_000, 1.0),
        ("embedding_query", False, 0, 0.0),
    ]
    assert entered[0].error == "503 busy" and "answered 401: who?" in entered[2].error
    embedder.close()


def test_after_close(embedder: OpenAIEmbedder) -> None:
    embedder.close()
    with pytest.raises(ModelError):
        embedder.embed(["x"], "query")
    with pytest.raises(ModelError):
        embedder.embed(["x"] * (BATCH + 1), "query")


@pytest.mark.parametrize("url", ["", "localhost:80/v1", "ftp://x/v1", "http://", "http://[::1/v1"])
def test_an_address_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ModelMissingError, match="api_url"):
        OpenAIEmbedder(url, KEY, "tiny")


@pytest.mark.parametrize("key", ["钥匙", "a\nb", "a\x00"])
def test_a_key_that_cannot_be_one(key: str) -> None:
    with pytest.raises(ModelMissingError, match="api_key") as caught:
        OpenAIEmbedder("http://127.0.0.1/v1", key, "tiny")
    assert key not in str(caught.value)


def test_the_name_changes_when_the_vectors_do() -> None:
    url = "http://127.0.0.1/v1"
    names = {
        OpenAIEmbedder(url, "", "a").name,
        OpenAIEmbedder(url, "", "b").name,
        OpenAIEmbedder(url, "", "a", dimensions=64).name,
        OpenAIEmbedder(url, "", "a", document_instruction="passage: ").name,
    }
    assert len(names) == 4
    assert OpenAIEmbedder(url, KEY, "a", query_instruction="q: ").name in names
