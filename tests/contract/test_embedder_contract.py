"""Every embedder keeps the promises of ports.Embedder."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from taishi.models.fastembed_embedder import FastembedEmbedder
from taishi.models.local.embedder import LocalEmbedder
from taishi.models.openai_embedder import OpenAIEmbedder
from taishi.ports import Embedder

ODD_TEXTS = [
    "",
    " ",
    "\x00",
    "\ud800 lone",
    "\u202eright to left",
    "猫",
    "她 loves 火锅 🍲",
    "안녕하세요 こんにちは",
    "x" * 1_000_000,
    "龘" * 1_000_000,
    "\n\t\r",
    "[CLS] [SEP] [MASK]",
]


def bag_of_characters(text: str) -> list[float]:
    """A stand-in for a model: deterministic, never zero."""
    vector = [0.01] * 16
    for character in text:
        vector[zlib.crc32(character.encode("utf-8")) % 16] += 1
    return vector


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        rows = [
            {"index": number, "embedding": bag_of_characters(text)}
            for number, text in enumerate(texts)
        ]
        data = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


class FakeFastembed:
    def query_embed(self, texts: list[str]) -> Iterator[Any]:
        return map(np.array, map(bag_of_characters, texts))

    passage_embed = query_embed


def local() -> Iterator[Embedder]:
    yield LocalEmbedder(threads=2)


def openai() -> Iterator[Embedder]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield OpenAIEmbedder(f"http://127.0.0.1:{server.server_port}/v1", "key", "tiny")
    server.shutdown()
    thread.join()
    server.server_close()


def fastembed() -> Iterator[Embedder]:
    yield FastembedEmbedder("tiny", model=FakeFastembed())


@pytest.fixture(
    scope="module", params=[pytest.param(local, marks=pytest.mark.model), openai, fastembed]
)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    made = request.param()
    embedder = next(made)
    yield embedder
    embedder.close()
    embedder.close()
    next(made, None)


def test_one_finite_unit_row_per_text_whatever_the_text(embedder: Embedder) -> None:
    for kind in ("query", "document"):
        rows = embedder.embed(ODD_TEXTS, kind)  # type: ignore[arg-type]
        assert rows.shape == (len(ODD_TEXTS), embedder.dimensions)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([], "document").shape == (0, embedder.dimensions)


def test_order_is_kept_and_neighbours_do_not_matter(embedder: Embedder) -> None:
    texts = [f"note {number}: 第{number}条 {'long ' * (number % 7)}" for number in range(70)]
    together = embedder.embed(texts, "document")
    for number in (0, 1, 33, 69):
        alone = embedder.embed([texts[number]], "document")[0]
        np.testing.assert_allclose(together[number], alone, atol=1e-5)


def test_the_same_text_from_many_threads_is_the_same_vector(embedder: Embedder) -> None:
    expected = embedder.embed(["一样的话 the same words"], "query")
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: embedder.embed(["一样的话 the same words"], "query"), range(24))
        )
    for answer in answers:
        np.testing.assert_allclose(answer, expected, atol=1e-6)


def test_name_and_dimensions_stay(embedder: Embedder) -> None:
    assert embedder.name and embedder.name == embedder.name
    assert embedder.dimensions > 0 and embedder.dimensions == embedder.dimensions
