"""A door never says that nothing is remembered because something was late (T4)."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from support.hash_embedder import HashEmbedder
from taishi import AsyncMemory, Memory, Recall, Scope, load, tools
from taishi.api_keys import Keys
from taishi.cli import taishi as command
from taishi.cli.context import CliContext
from taishi.context_block.skipped_paths import skipped_note
from taishi.ports import Vector
from taishi.server.app import create_app

ANN = Scope(user="ann")
COMMAND = Path(sys.executable).parent / "taishi"
FALSE = re.compile("Nothing about this is remembered|此处没有相关的记忆")
BY_WORDS = "The search by meaning did not answer in time; these were found by words."


class SlowEmbedder(HashEmbedder):
    """Answers questions only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()

    def embed(self, texts: Any, kind: Literal["query", "document"]) -> Vector:
        if kind == "query":
            self.let.wait(30)
        return super().embed(texts, kind)


@pytest.fixture
def slow() -> Iterator[SlowEmbedder]:
    made = SlowEmbedder()
    yield made
    made.let.set()


@pytest.fixture
def late(open_memory: Callable[..., Memory], slow: SlowEmbedder) -> Memory:
    """A memory of one record, whose embedder does not answer."""
    memory = open_memory({"query.recall_timeout": 0.3}, embedder=slow)
    memory.remember(ANN, "Ann drinks oolong tea", id="1")
    memory.drain(10)
    return memory


@pytest.mark.parametrize("tool", ["recall", "context"])
def test_T4_a_tool_says_what_was_skipped(late: Memory, tool: str) -> None:
    found = tools.call(late, tool, {"query": "oolong tea"}, ANN, names=tools.ALL_TOOLS)
    assert "oolong" in found.text
    assert found.text.endswith(BY_WORDS)
    missed = tools.call(late, tool, {"query": "beverage"}, ANN, names=tools.ALL_TOOLS)
    assert not FALSE.search(missed.text)
    assert "did not answer in time" in missed.text
    assert not missed.ok
    chinese = tools.call(late, tool, {"query": "饮料"}, ANN, names=tools.ALL_TOOLS)
    assert "未能及时应答" in chinese.text
    assert not FALSE.search(chinese.text)


@pytest.mark.parametrize("tool", ["search_events", "search_profiles"])
def test_T4_a_search_that_was_late_is_no_search_that_found_nothing(late: Memory, tool: str) -> None:
    answer = tools.call(late, tool, {"query": "beverage"}, ANN)
    assert not FALSE.search(answer.text)
    assert not answer.ok


def test_T4_what_answered_whole_may_say_that_there_is_nothing(memory: Memory) -> None:
    for tool in ("recall", "context", "search_events"):
        answer = tools.call(memory, tool, {"query": "beverage"}, ANN, names=tools.ALL_TOOLS)
        assert FALSE.search(answer.text)
        assert answer.is_complete


def test_T4_a_tool_call_may_be_given_more_time(late: Memory, slow: SlowEmbedder) -> None:
    threading.Timer(0.6, slow.let.set).start()
    ask = {"query": "oolong tea"}
    answer = tools.call(late, "recall", ask, ANN, names=tools.ALL_TOOLS, deadline=10)
    assert answer.is_complete
    assert "did not answer" not in answer.text


@pytest.mark.parametrize(
    ("paths", "hits", "words"),
    [
        ({"vector": "ok", "keyword": "ok"}, 1, ""),
        ({"vector": "off", "keyword": "ok"}, 0, ""),
        ({"store": "nothing there"}, 0, ""),
        ({"vector": "late", "keyword": "ok"}, 1, "found by words"),
        ({"vector": "failed", "keyword": "ok"}, 1, "failed; these were found by words"),
        ({"vector": "late", "keyword": "ok"}, 0, "ask again"),
        ({"store": "late"}, 0, "nothing could be searched"),
        ({"store": "late"}, 1, "only the profile page"),
        ({"vector": "ok", "rerank": "late"}, 1, "reranker"),
        ({"legacy": "failed"}, 0, "old list"),
    ],
)
def test_T4_the_words_for_what_was_skipped(paths: dict[str, str], hits: int, words: str) -> None:
    found: Any = Recall((None,) * hits, "keyword", paths, 1.0)  # type: ignore[arg-type]
    said = skipped_note(found, "en")
    assert (words in said) if words else said == ""
    assert bool(skipped_note(found, "zh")) == bool(words)


def test_T4_rest_says_what_was_skipped(
    late: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The start would wait ten seconds for this embedder.
    monkeypatch.setattr("taishi.server.app.WARM_SECONDS", 0.0)
    body = {"scope": {"user": "ann"}, "query": "oolong tea", "deadline": 0.3}
    with TestClient(create_app(late, keys=Keys(tmp_path / "data"))) as client:
        for path in ("/v1/recall", "/v1/context"):
            answer = client.post(path, json=body).json()
            assert answer["skipped"] == {"vector": "late"}
            assert answer["note"] == BY_WORDS
            chinese = client.post(path, json=body, headers={"Accept-Language": "zh-CN"}).json()
            assert "按词语" in chinese["note"]


def test_T4_the_command_line_says_what_was_skipped(
    late: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CliContext, "memory", lambda *_: _Open(late))

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command, [*arguments, "--user", "ann", "--deadline", "0.3"])

    assert BY_WORDS in run("recall", "oolong tea").stdout
    nothing = run("recall", "beverage").stdout
    assert "did not answer in time" in nothing
    assert "nothing is remembered" not in nothing
    told = json.loads(run("recall", "oolong tea", "--json").stdout)
    assert told["skipped"] == {"vector": "late"}
    block = run("context", "oolong tea")
    assert BY_WORDS in block.stderr
    assert BY_WORDS not in block.stdout


class _Open:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __enter__(self) -> Memory:
        return self._memory

    def __exit__(self, *_: object) -> None:
        pass


# -- end_turn waits ------------------------------------------------------------------------------


def test_T4_end_turn_returns_when_the_turn_can_be_recalled(memory: Memory) -> None:
    for number in range(20):
        id = memory.end_turn(ANN, new_info=f"I bought a zither{number}x", wait=5)
        assert id
        assert [hit.id for hit in memory.recall(ANN, f"zither{number}x").hits][:1] == [id]


def test_T4_end_turn_waits_no_longer_than_it_was_told(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    apply = memory._services.runtime.parts.store.apply
    monkeypatch.setattr(
        memory._services.runtime.parts.store,
        "apply",
        lambda edits, **more: (held.wait(20), apply(edits, **more))[1],
    )
    begun = time.monotonic()
    try:
        assert memory.end_turn(ANN, new_info="I bought a zither", wait=0.3)
    finally:
        took = time.monotonic() - begun
        held.set()
    assert 0.25 < took < 3


@pytest.mark.parametrize("wait", [-1, "soon", float("nan"), True])
def test_T4_a_wait_that_is_no_time_is_refused_before_anything_is_kept(
    memory: Memory, wait: Any
) -> None:
    with pytest.raises(ValueError, match="wait"):
        memory.end_turn(ANN, new_info="I bought a zither", wait=wait)
    memory.drain(5)
    assert not memory.recall(ANN, "zither").hits


def test_T4_the_async_door_and_rest_wait_too(memory: Memory, tmp_path: Path) -> None:
    async def play() -> None:
        door = AsyncMemory(memory)
        await door.end_turn(ANN, new_info="I bought a zither", wait=5)
        assert (await door.recall(ANN, "zither")).hits

    asyncio.run(play())
    with TestClient(create_app(memory, keys=Keys(tmp_path / "data"))) as client:
        body = {"scope": {"user": "bob"}, "new_info": "I bought a harp", "wait": 5}
        assert client.post("/v1/turns", json=body).json()["kept"]
        asked = {"scope": {"user": "bob"}, "query": "harp", "deadline": 5}
        assert client.post("/v1/recall", json=asked).json()["hits"]
        assert client.post("/v1/turns", json={**body, "wait": 999}).status_code == 422


def test_T4_after_the_end_tool_the_turn_is_found(memory: Memory) -> None:
    for number in range(20):
        tools.dispatch(memory, "end", {"new_info": [f"I bought a lute{number}x"]}, ANN)
        assert f"lute{number}x" in tools.dispatch(
            memory, "search_events", {"query": f"lute{number}x"}, ANN
        )


# -- fresh processes over stdio ------------------------------------------------------------------

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def _call(id: int, tool: str, query: str) -> dict[str, Any]:
    params = {"name": tool, "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def _first_answer(folder: Path, embedding: str, tool: str) -> str:
    """What a process that was just started says to its first question."""
    environ = {**os.environ, "TAISHI__MODELS__EMBEDDING__KIND": embedding, "LANG": "en_US.UTF-8"}
    with subprocess.Popen(
        [COMMAND, "--data", folder, "mcp", "--user", "ann", "--no-worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout
        try:
            for message in (HELLO, READY, _call(2, tool, "what does she like to drink?")):
                process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            while line := process.stdout.readline():
                answer = json.loads(line)
                if answer.get("id") == 2:
                    return str(answer["result"]["content"][0]["text"])
        finally:
            process.stdin.close()
    raise AssertionError("the process ended without an answer")


@pytest.mark.parametrize("embedding", ["none", pytest.param("local", marks=pytest.mark.thorough)])
def test_T4_twelve_fresh_processes_never_deny_what_is_remembered(
    tmp_path: Path, embedding: str
) -> None:
    settings = load(environ={}, overrides={"models.embedding.kind": embedding})
    with Memory.open(tmp_path / "data", settings) as memory:
        memory.remember_many(
            ANN, [{"text": f"Ann likes to drink oolong tea, day {n}"} for n in range(60)]
        )
        memory.drain(120)
    answers: list[str] = []

    def ask(number: int) -> None:
        tool = ("context", "recall")[number % 2]
        answers.append(_first_answer(tmp_path / "data", embedding, tool))

    for start in range(0, 12, 4):  # four at once: a busy machine is when it was seen
        threads = [threading.Thread(target=ask, args=(start + n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert len(answers) == 12
    assert [one for one in answers if FALSE.search(one)] == []
    assert sum("oolong" in one for one in answers) >= 11, answers
