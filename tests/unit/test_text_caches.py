"""Every object that caches text tells what it holds, and lets go of it."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from taishi.context_block.block import block
from taishi.context_block.text_cache import BlockTexts
from taishi.domain.recall_echo import RecallEchoes
from taishi.language.bounded_cache import BoundedCache
from taishi.ports import TextCache
from taishi.server.idempotency import IdempotencyStore
from taishi.server.problems import Problem
from taishi.types import Hit, Partition, Profile

NOW = datetime(2026, 4, 1, tzinfo=UTC)


def test_a_bounded_cache_computes_once_and_drops_the_oldest() -> None:
    asked: list[str] = []

    def read(text: str) -> str | None:
        asked.append(text)
        return None if text == "none" else text.upper()

    cache: BoundedCache[str | None] = BoundedCache(read, 2)
    assert [cache("a"), cache("a"), cache("none"), cache("none")] == ["A", "A", None, None]
    assert asked == ["a", "none"]
    cache("b")
    assert (len(cache), cache.arguments()) == (2, [("none",), ("b",)])
    cache.clear()
    assert cache("b") == "B" and asked[-1] == "b" and len(cache) == 1


def test_a_bounded_cache_holds_its_bound_under_threads() -> None:
    cache: BoundedCache[int] = BoundedCache(lambda number: number, 50)

    def ask() -> None:
        for number in range(2000):
            assert cache(number % 90) == number % 90

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) <= 50


def lets_go(cache: TextCache, words: str) -> None:
    assert any(words in text for text in cache.cached_texts())
    cache.clear_text()
    assert not list(cache.cached_texts())


def test_O2_the_block_lets_go_of_pages_and_lines() -> None:
    texts = BlockTexts()
    page = Profile("user", "ann", "Ann", body="- Ann keeps brass sextants\n- Ann likes tea")
    hit = Hit("h", "Ann left the umbrella", 1.0, "event", NOW, "Ann", None)
    first = block([hit], [page], NOW, 500, texts=texts)
    assert "sextants" in first and "umbrella" in first
    assert block([hit], [page], NOW, 500, texts=texts) == first == block([hit], [page], NOW, 500)
    assert any("umbrella" in text for text in texts.cached_texts())
    lets_go(texts, "brass sextants")


def test_O2_echoes_let_go_of_texts_and_keep_their_hashes() -> None:
    echoes, here = RecallEchoes(), Partition("default", "private", "ann")
    echoes.add(here, ["Ann keeps brass sextants from old ships"])
    lets_go(echoes, "brass sextants")
    assert echoes.told(here), "what was handed out is still known again"


class Asked:
    """A request with a body, and a handler that counts."""

    def __init__(self) -> None:
        self.done = 0

    async def handle(self, request: Request) -> Response:
        self.done += 1
        return Response(b'{"body": "Ann keeps brass sextants"}', 200)


def request_of(body: bytes) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"type": "http", "method": "PUT", "path": "/", "query_string": b"", "headers": []}
    return Request(scope, receive)


def test_O2_answers_of_idempotency_keys_are_let_go_and_not_done_again() -> None:
    asyncio.run(_let_go_of_answers())


async def _let_go_of_answers() -> None:
    store, asked = IdempotencyStore(), Asked()
    first = await store.once("k", request_of(b"{}"), asked.handle)
    again = await store.once("k", request_of(b"{}"), asked.handle)
    assert first.body == again.body and asked.done == 1
    lets_go(store, "brass sextants")
    with pytest.raises(Problem) as told:
        await store.once("k", request_of(b"{}"), asked.handle)
    assert told.value.status == 409 and asked.done == 1
    await store.once("another", request_of(b"{}"), asked.handle)
    assert asked.done == 2, "the control: another key is another request"
