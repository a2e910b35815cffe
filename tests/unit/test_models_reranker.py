"""The HTTP reranker against a real server on this machine that can misbehave on request (Q4)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.scripted_reranker import BAD_RESULTS, Format, ScriptedReranker
from taishi.assembly import build
from taishi.errors import ModelError, ModelMissingError
from taishi.models.reranker import MAX_CHARS, TEI_BATCH, HttpReranker
from taishi.ports import Reranker
from taishi.settings import Settings, load

KEY = "sk-secret-0123456789"
FORMATS: tuple[Format, ...] = ("cohere", "jina", "tei")
QUERY = "where does ann live"
TEXTS = ["the cat sat", "ann lives where", "where does ann live", "ann"]
SCORES = [0.0, 0.5, 1.0, 0.25]

Connect = Callable[..., HttpReranker]


@pytest.fixture
def connect() -> Iterator[Connect]:
    with ExitStack() as stack:

        def open_one(server: ScriptedReranker, **options: object) -> HttpReranker:
            arguments = {"api_url": server.url, "api_key": KEY, "model_name": "m"} | options
            one = HttpReranker(**arguments)  # type: ignore[arg-type]
            stack.callback(one.close)
            return one

        yield open_one


def complaint(reranker: Reranker, texts: list[str] | None = None) -> str:
    with pytest.raises(ModelError) as caught:
        reranker.rerank(QUERY, TEXTS if texts is None else texts)
    message = str(caught.value)
    assert KEY not in message and "sk-" not in message
    assert "127.0.0.1" in message and "[models.rerank]" in message
    return message


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("named", [True, False])
def test_Q4_scores_come_back_in_the_order_of_the_texts(
    format: Format, named: bool, connect: Connect
) -> None:
    with ScriptedReranker(format) as server:
        reranker = connect(server, kind=format if named else "auto")
        assert reranker.rerank(QUERY, TEXTS) == SCORES
        assert len(server.requests) == 1


def test_Q4_cohere_and_jina_requests(connect: Connect) -> None:
    wanted = {"model": "m", "query": QUERY, "documents": TEXTS, "top_n": 4}
    for format, extra in (("cohere", {}), ("jina", {"return_documents": False})):
        with ScriptedReranker(format) as server:  # type: ignore[arg-type]
            connect(server, kind=format).rerank(QUERY, TEXTS)
            (seen,) = server.requests
            assert seen.body == wanted | extra
            assert seen.path == "/v1/rerank"
            assert seen.headers["authorization"] == f"Bearer {KEY}"


def test_Q4_tei_requests(connect: Connect) -> None:
    with ScriptedReranker("tei") as server:
        connect(server, kind="tei", api_key="").rerank(QUERY, TEXTS)
        (seen,) = server.requests
        assert seen.body == {"query": QUERY, "texts": TEXTS, "raw_scores": False, "truncate": True}
        assert seen.path == "/rerank"
        assert "authorization" not in seen.headers


def test_Q4_an_address_may_end_in_rerank_already(connect: Connect) -> None:
    with ScriptedReranker("cohere") as server:
        reranker = connect(server, api_url=server.root + "/v2/rerank/")
        assert reranker.rerank(QUERY, TEXTS) == SCORES
        assert server.requests[0].path == "/v2/rerank"


@pytest.mark.parametrize("format", ["cohere", "tei"])
def test_Q4_auto_finds_the_format_once_and_remembers_it(format: Format, connect: Connect) -> None:
    with ScriptedReranker(format) as server:
        unlikely = server.root + ("/v1" if format == "tei" else "")
        reranker = connect(server, api_url=unlikely)
        assert reranker.rerank(QUERY, TEXTS) == SCORES
        assert len(server.requests) == 2
        assert reranker.rerank(QUERY, TEXTS) == SCORES
        assert len(server.requests) == 3


def test_Q4_auto_guesses_again_when_the_server_was_replaced(connect: Connect) -> None:
    with ScriptedReranker("tei") as server:
        reranker = connect(server)
        reranker.rerank(QUERY, TEXTS)
        server.format = "cohere"
        assert "422" in complaint(reranker)
        assert reranker.rerank(QUERY, TEXTS) == SCORES


def test_Q4_auto_tells_the_likelier_formats_words_when_both_fail(connect: Connect) -> None:
    with ScriptedReranker("tei", script=["400", "422"]) as server:
        assert "answered 400: went wrong" in complaint(connect(server))
        assert len(server.requests) == 2


@pytest.mark.parametrize("step", ["429", "500", "503", "401", "404"])
def test_Q4_what_does_not_depend_on_the_format_is_not_asked_twice(
    step: str, connect: Connect
) -> None:
    with ScriptedReranker("tei", script=[step]) as server:
        assert f"answered {step}: went wrong, and your key is ***" in complaint(connect(server))
        assert len(server.requests) == 1


def test_Q4_a_named_kind_is_the_only_one_that_is_tried(connect: Connect) -> None:
    with ScriptedReranker("tei") as server:
        assert "422" in complaint(connect(server, kind="cohere"))
        assert len(server.requests) == 1


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("fault", BAD_RESULTS)
def test_Q4_bad_results_are_an_error(fault: str, format: Format, connect: Connect) -> None:
    with ScriptedReranker(format, script=[fault]) as server:
        reranker = connect(server, kind=format)
        message = complaint(reranker)
        assert "of no use" in message or "scores for 4 texts" in message
        assert reranker.rerank(QUERY, TEXTS) == SCORES  # and the next one is fine


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("html", "did not answer in JSON: <!doctype html>"),
        ("truncated", "did not answer in JSON"),
        ("dropped", "did not answer: the connection failed"),
        ("object", "a list of results"),
    ],
)
@pytest.mark.parametrize("format", ["cohere", "tei"])
def test_Q4_answers_that_are_none(fault: str, words: str, format: Format, connect: Connect) -> None:
    with ScriptedReranker(format, script=[fault]) as server:
        assert words in complaint(connect(server, kind=format))


def test_Q4_a_slow_server_is_given_up_in_time(connect: Connect) -> None:
    with ScriptedReranker("tei", script=["slow"], slow_seconds=1.0) as server:
        began = time.monotonic()
        assert "0.1 s (timeout_seconds)" in complaint(connect(server, timeout_seconds=0.1))
        assert time.monotonic() - began < 0.8


def test_Q4_nobody_at_the_address() -> None:
    with ScriptedReranker("tei") as server:
        address = server.url
    reranker = HttpReranker(address, KEY, "m")
    assert "did not answer" in complaint(reranker)
    reranker.close()


@pytest.mark.parametrize("host", ["127..b", "127." + "a" * 300])
def test_Q4_a_host_that_no_network_knows(host: str) -> None:
    reranker = HttpReranker(f"http://{host}", KEY, "m")
    with pytest.raises(ModelError, match=r"did not answer.*\[models.rerank\]"):
        reranker.rerank(QUERY, TEXTS)
    reranker.close()


@pytest.mark.parametrize("format", ["cohere", "tei"])
def test_Q4_scores_without_bounds_are_brought_into_0_to_1(format: Format, connect: Connect) -> None:
    given = {"a": -8.0, "b": 0.0, "c": 3.5, "d": 1e300, "e": -1e300}
    with ScriptedReranker(format, score=lambda query, text: given[text]) as server:
        reranker = connect(server)
        scores = reranker.rerank("q", list(given))
        assert scores[1] == 0.5 and all(0 <= score <= 1 for score in scores)
        assert scores[4] <= scores[0] < scores[1] < scores[2] <= scores[3]
        given["a"] = 0.25  # by itself this would pass for a share
        assert 0.5 < reranker.rerank("q", ["a"])[0] < 0.6


def test_Q4_rounding_is_not_a_score_without_bounds(connect: Connect) -> None:
    given = {"a": 1.0000001, "b": 0.25, "c": -1e-9}
    with ScriptedReranker("cohere", score=lambda query, text: given[text]) as server:
        assert connect(server).rerank("q", list(given)) == [1.0, 0.25, 0.0]


def test_Q4_no_texts_no_request(connect: Connect) -> None:
    with ScriptedReranker("cohere") as server:
        assert connect(server).rerank(QUERY, []) == []
        assert not server.requests


def test_Q4_tei_is_asked_in_batches_that_it_takes(connect: Connect) -> None:
    texts = [f"ann {number}" for number in range(2 * TEI_BATCH + 3)]
    texts[TEI_BATCH + 1] = QUERY
    with ScriptedReranker("tei") as server:
        scores = connect(server).rerank(QUERY, texts)
        assert [len(seen.body["texts"]) for seen in server.requests].count(TEI_BATCH) == 2
        assert len(server.requests) == 3
    assert scores.index(max(scores)) == TEI_BATCH + 1
    assert len(scores) == len(texts)


def test_Q4_one_bad_batch_is_an_error(connect: Connect) -> None:
    with ScriptedReranker("tei", script=["missing"]) as server:
        assert "scores for" in complaint(connect(server), ["ann"] * (TEI_BATCH + 5))


@pytest.mark.parametrize("format", ["cohere", "tei"])
def test_Q8_any_text_can_be_sent(format: Format, connect: Connect) -> None:
    hostile = ["", "\0", "\ud800 lone", "‮rtl", "安在奥斯陆", "x" * 1_000_000, '"}\\', "🦉"]
    with ScriptedReranker(format) as server:
        reranker = connect(server)
        for query in hostile:
            assert len(reranker.rerank(query, hostile)) == len(hostile)
        sent = server.requests[0].body
        texts = sent.get("texts") or sent["documents"]
        assert all(texts) and max(map(len, texts)) == MAX_CHARS
        assert "安在奥斯陆" in texts


def test_Q4_no_more_requests_at_once_than_set(connect: Connect) -> None:
    with ScriptedReranker("cohere", script=["slow"] * 8, slow_seconds=0.05) as server:
        reranker = connect(server, concurrency=2)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: reranker.rerank(QUERY, TEXTS), range(8)))
        assert answers == [SCORES] * 8
        assert server.most_in_flight == 2


def test_Q4_closed(connect: Connect) -> None:
    with ScriptedReranker("tei") as server:
        reranker = connect(server)
        reranker.close()
        for count in (1, TEI_BATCH + 1):
            with pytest.raises(ModelError, match="was closed"):
                reranker.rerank(QUERY, ["a"] * count)
    assert not [one for one in threading.enumerate() if "rerank-http" in one.name]


@pytest.mark.parametrize(
    "address", ["", "ftp://x", "http://", "http://x:port", "http://xn--", "nonsense"]
)
def test_Q4_an_address_that_cannot_be_used(address: str) -> None:
    with pytest.raises(ModelMissingError, match=r"api_url in \[models.rerank\]"):
        HttpReranker(address, KEY, "m")


def test_Q4_a_key_or_kind_that_cannot_be_used() -> None:
    with pytest.raises(ModelMissingError, match="api_key"):
        HttpReranker("http://127.0.0.1:1", "钥匙", "m")
    with pytest.raises(ModelMissingError, match="use auto, cohere, jina, tei"):
        HttpReranker("http://127.0.0.1:1", KEY, "m", kind="colbert")


def test_Q4_names(connect: Connect) -> None:
    with ScriptedReranker("tei") as server:
        assert connect(server).name == "rerank:m"
        assert connect(server, model_name="").name == "rerank:127.0.0.1"


def settings_with(**rerank: str | float) -> Settings:
    overrides = {f"models.rerank.{key}": value for key, value in rerank.items()}
    return load(environ={}, overrides={**overrides, "models.embedding.kind": "none"})


def test_Q4_settings_choose_the_reranker(tmp_path: Path) -> None:
    with ScriptedReranker("tei") as server:
        settings = settings_with(api_url=server.url, api_key=KEY, kind="tei")
        parts = build(tmp_path, settings, None, time.time)
        assert parts.reranker is not None
        assert parts.reranker.rerank(QUERY, TEXTS) == SCORES
        parts.reranker.close()
        parts.store.close()


def test_C1_the_pause_between_two_requests_is_kept(tmp_path: Path) -> None:
    pause = 0.4
    with ScriptedReranker("tei") as server:
        settings = settings_with(api_url=server.url, kind="tei", queue_interval_seconds=pause)
        parts = build(tmp_path, settings, None, time.time)
        assert parts.reranker is not None
        began = time.monotonic()
        for _ in range(2):
            assert parts.reranker.rerank(QUERY, TEXTS) == SCORES
        took = time.monotonic() - began
        parts.reranker.close()
        parts.store.close()
    assert took >= pause


@pytest.mark.parametrize("address", ["", "http://x:port"])
def test_Q3_no_reranker_or_a_broken_one_leaves_the_memory_whole(
    address: str, tmp_path: Path
) -> None:
    parts = build(tmp_path, settings_with(api_url=address), None, time.time)
    assert parts.reranker is None
    parts.store.close()
