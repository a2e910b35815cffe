"""Promises of the settings and of the SPEC that are easily made and forgotten: each kept."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import apsw
import pytest

from support.hash_embedder import HashEmbedder
from support.loopback import Loopback
from support.scripted_model import ScriptedModel, WiseScript
from support.scripted_reranker import ScriptedReranker
from taishi import AsyncMemory, Memory, Message, Scope, SettingsError, StorageError, load
from taishi.errors import InputError
from taishi.tools import dispatch

ANN = Scope(user="ann")
CLUB = Scope(group="club", user="ann")
OTHER = Scope(group="other", user="ann")
SLOW_MACHINE = {"query.recall_timeout": 5.0}
DISHES = ("rice", "soup", "salad", "bread", "cake", "stew", "pasta", "fish")

Open = Callable[..., Memory]


# -- Q1, Q4: automatic recall --------------------------------------------------------------------


def cooked(memory: Memory) -> None:
    """Eight events and four facts about Ann's cooking."""
    for day, dish in enumerate(DISHES, 1):
        memory.remember(ANN, f"Ann cooked {dish} for dinner", kind="event", time=f"2026-03-0{day}")
    for dish in DISHES[:4]:
        memory.remember(ANN, f"Ann likes {dish} for dinner", kind="fact")
    memory.drain()


def kinds_of(memory: Memory, **options: Any) -> list[str]:
    found = memory.brief(ANN, "what did Ann cook for dinner?", **options).recall.hits
    return sorted("event" if hit.kind in ("event", "turn") else "other" for hit in found)


def test_Q4_automatic_recall_hands_out_three_events_and_two_others(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    cooked(memory)
    assert kinds_of(memory) == ["event"] * 3 + ["other"] * 2
    block = memory.context(ANN, "what did Ann cook for dinner?")
    assert (block.count("Ann cooked"), block.count("Ann likes")) == (3, 2)


def test_Q4_auto_top_k_is_read_while_it_runs(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    cooked(memory)
    memory.configuration.apply(load(environ={}, overrides={
        "models.embedding.kind": "none", "query.auto_top_k": 1, **SLOW_MACHINE}))  # fmt: skip
    assert kinds_of(memory) == ["event"] + ["other"] * 4


def test_Q4_no_events_at_all_can_be_asked_for(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE | {"query.auto_top_k": 0})
    cooked(memory)
    assert kinds_of(memory) == ["other"] * 4


def test_Q4_events_alone_are_not_more_than_auto_top_k(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    for dish in DISHES:
        memory.remember(ANN, f"Ann cooked {dish} for dinner", kind="event")
    assert kinds_of(memory) == ["event"] * 3


def test_Q4_a_tool_recalls_twelve(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    for number in range(20):
        memory.remember(ANN, f"Ann cooked dish {number * 37} for dinner", kind="event")
    memory.drain()
    assert len(memory.search_events(ANN, "Ann cooked dinner").hits) == 12
    for tool in ("search_events", "recall"):
        said = dispatch(memory, tool, {"query": "Ann cooked dinner"}, ANN,
                        names=("search_events", "recall"))  # fmt: skip
        assert said.count("Ann cooked dish") == 12, tool


def test_Q4_a_reranker_reads_three_candidates_for_each_result(open_memory: Open) -> None:
    with ScriptedReranker("cohere") as server:
        memory = open_memory({"models.rerank.api_url": server.url, **SLOW_MACHINE})
        for number in range(60):
            memory.remember(ANN, f"Ann cooked dish {number * 37} for dinner", kind="fact")
        memory.brief(ANN, "Ann cooked dinner")
        assert len(server.requests[-1].body["documents"]) == 15
        memory.recall(ANN, "Ann cooked dinner", top_k=2)
        assert len(server.requests[-1].body["documents"]) == 6


# -- O1: embeddings and reranks in the ledger ----------------------------------------------------


class _Embeddings(BaseHTTPRequestHandler):
    """Counts ten tokens a text, as such servers do."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = HashEmbedder().embed(body["input"], "query").tolist()
        data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        usage = {"prompt_tokens": 10 * len(rows), "total_tokens": 10 * len(rows)}
        answer = json.dumps({"data": data, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def embedding_server() -> Iterator[str]:
    with Loopback(ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings), "embeddings") as server:
        yield f"{server.root}/v1"


def with_both(open_memory: Open, embeddings: str, rerank: str) -> Memory:
    return open_memory(
        {
            "models.embedding.kind": "openai",
            "models.embedding.api_url": embeddings,
            "models.embedding.model_name": "embed-1",
            "models.embedding.dimensions": 64,
            "models.embedding.price_in": 2_000.0,
            "models.rerank.api_url": rerank,
            "models.rerank.model_name": "rerank-1",
            "models.rerank.price_in": 1_000_000.0,
            "models.rerank.price_call": 0.5,
            **SLOW_MACHINE,
        },
        embedder=None,
    )


def test_O1_embeddings_and_reranks_are_in_the_ledger_with_their_prices(open_memory: Open) -> None:
    with embedding_server() as embeddings, ScriptedReranker("cohere") as server:
        memory = with_both(open_memory, embeddings, server.url)
        memory.remember_many(ANN, [{"text": "Ann has a boat"}, {"text": "Ann has a car"}])
        memory.drain(20)
        assert memory.recall(ANN, "has Ann a boat?").paths["rerank"] == "ok"
        rows = {row["task"]: row for row in memory.jobs.ledger()}
        document, query = rows["embedding_document"], rows["embedding_query"]
        assert (document["model"], document["prompt_tokens"]) == ("embed-1", 20)
        assert document["cost"] == pytest.approx(20 * 2_000.0 / 1e6)
        assert (query["calls"], query["failed"], query["completion_tokens"]) == (1, 0, 0)
        rerank = rows["recall_rerank"]
        assert (rerank["model"], rerank["calls"]) == ("rerank-1", 1)
        assert rerank["prompt_tokens"] > 0
        assert rerank["cost"] == pytest.approx(rerank["prompt_tokens"] + 0.5)
        models = memory.status()["models"]
        assert models["embedding"]["calls"] == document["calls"] + 1
        assert models["rerank"]["cost"] == pytest.approx(rerank["cost"])
        assert models["chat"]["calls"] == 0
        tokens = memory.metrics()["taishi_model_tokens_total"]["samples"]
        assert {s["labels"]["task"] for s in tokens} == set(rows)


def test_O1_the_ledger_of_models_outlives_the_process(open_memory: Open) -> None:
    with embedding_server() as embeddings, ScriptedReranker("cohere", script=["500"]) as server:
        memory = with_both(open_memory, embeddings, server.url)
        memory.remember(ANN, "Ann has a boat")
        memory.drain(20)
        memory.recall(ANN, "has Ann a boat?")
        memory.close()
        again = open_memory(embedder=None)
        rows = {row["task"]: row for row in again.jobs.ledger()}
        assert set(rows) == {"embedding_document", "embedding_query", "recall_rerank"}
        assert (rows["recall_rerank"]["failed"], rows["recall_rerank"]["cost"]) == (1, 0.0)
        assert "500" in rows["recall_rerank"]["last_error"]


# -- Q5: a model may decide what a question is after ---------------------------------------------


def boat_and_way(memory: Memory) -> None:
    memory.remember(ANN, "To moor the boat: bow line, stern line, fenders", kind="procedure")
    memory.remember(ANN, "The boat was moored with fenders, bow line and stern line", kind="event")


def intent_model(server: ScriptedModel, **more: Any) -> dict[str, Any]:
    return {
        "models.chat.intent.api_url": server.url,
        "models.chat.intent.model_name": "small",
        "models.chat.intent.timeout_seconds": 5.0,
        **more,
    }


def test_Q5_a_model_decides_what_a_question_is_after(open_memory: Open) -> None:
    asked: list[str] = []

    def answer(tool: str, request: dict[str, Any]) -> dict[str, Any]:
        asked.append(tool)
        return {"intent": "bug"}

    with ScriptedModel(answer) as server:
        memory = open_memory(intent_model(server, **SLOW_MACHINE), embedder=None)
        boat_and_way(memory)
        found = memory.recall(ANN, "please moor the boat with line", explain=True)
        assert found.paths["intent"] == "ok"
        assert asked == ["decide_intent"]
        by_rule = open_memory(SLOW_MACHINE, embedder=None)
        ruled = by_rule.recall(ANN, "please moor the boat with line", explain=True)
        scores = [{e.id: e.score for e in one.explain} for one in (found, ruled)]
        assert scores[0] != scores[1], "another intent weighs kinds otherwise"
        assert "intent" not in ruled.paths
        memory.drain()  # the historian stays with its rules: only [models.chat.intent] is set
        assert [row["task"] for row in memory.jobs.ledger()] == ["recall_intent"]


def test_Q5_a_model_that_is_late_or_wrong_leaves_it_to_the_rules(open_memory: Open) -> None:
    def late(tool: str, request: dict[str, Any]) -> dict[str, Any]:
        time.sleep(1.0)
        return {"intent": "bug"}

    with ScriptedModel(late) as server:
        memory = open_memory(intent_model(server, **{"query.recall_timeout": 0.2}), embedder=None)
        boat_and_way(memory)
        memory.recall(ANN, "warm up", deadline=5)
        begun = time.perf_counter()
        found = memory.recall(ANN, "please moor the boat with line")
        assert time.perf_counter() - begun < 0.8
        assert found.paths["intent"] == "late"
        assert len(found.hits) == 2
    with ScriptedModel(lambda tool, request: {"intent": "cooking"}) as server:
        wrong = open_memory(intent_model(server, **SLOW_MACHINE), embedder=None)
        found = wrong.recall(ANN, "please moor the boat with line")
        assert found.paths["intent"] == "failed"
        assert len(found.hits) == 2


# -- W4: the sweep of failed jobs ----------------------------------------------------------------


def test_W4_no_sweep_of_failed_jobs_where_its_interval_is_0(
    open_memory: Open, tmp_path: Path
) -> None:
    changes = {"queue.failed_cleanup_interval": 0, "queue.failed_max_files": 1}
    memory = open_memory(changes)
    failed = tmp_path / "data" / "queues" / "failed"
    for number in range(3):
        (tmp_path / "data" / "queues" / "pending" / f"foreign-{number}.json").write_text("{}")
    memory.start_worker()
    memory.end_turn(ANN, "Ann moved to Oslo.")
    assert memory.drain(20)
    memory.close()
    assert len(list(failed.glob("*.json"))) == 3
    swept = open_memory({"queue.failed_max_files": 1})
    swept.start_worker()
    swept.drain(5)
    assert len(list(failed.glob("*.json"))) == 1


# -- drain ---------------------------------------------------------------------------------------


def test_drain_says_whether_all_is_done(open_memory: Open) -> None:
    memory = open_memory()
    memory.end_turn(ANN, "Ann moved to Oslo.")
    assert memory.drain(20) is True
    off = open_memory({"memory.enabled": False})
    assert off.drain(5) is True


def test_drain_ends_in_time_while_a_model_hangs(open_memory: Open) -> None:
    go_on = threading.Event()

    def hanging(tool: str, request: dict[str, Any]) -> dict[str, Any]:
        go_on.wait(20)
        return WiseScript()(tool, request)

    with ScriptedModel(hanging) as server:
        memory = open_memory({"models.chat.api_url": server.url, "models.chat.model_name": "m",
                              "models.chat.timeout_seconds": 30.0}, embedder=None)  # fmt: skip
        memory.end_turn(ANN, "Ann moved to Oslo.")
        begun = time.monotonic()
        assert memory.drain(0.5) is False
        assert time.monotonic() - begun < 3
        go_on.set()
        assert memory.drain(20) is True
        assert memory.status()["queue"]["pending"] == 0


class HangingEmbedder(HashEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def embed(self, texts: Any, kind: Any) -> Any:
        self.go_on.wait(20)
        return super().embed(texts, kind)


def test_drain_ends_in_time_while_the_embedder_hangs(open_memory: Open) -> None:
    embedder = HangingEmbedder()
    memory = open_memory(embedder=embedder)
    memory.remember(ANN, "Ann moved to Oslo.")
    begun = time.monotonic()
    assert memory.drain(0.5) is False
    assert time.monotonic() - begun < 3
    embedder.go_on.set()
    assert memory.drain(20) is True


def test_drain_raises_what_went_wrong(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()

    def broken() -> bool:
        raise StorageError("the disk is gone")

    monkeypatch.setattr(memory._services.background, "store_turns", broken)
    with pytest.raises(StorageError, match="the disk is gone"):
        memory.drain(5)
    monkeypatch.undo()


# -- status of all processes ---------------------------------------------------------------------


WORKER = """
import sys
from taishi import Memory, Scope, load
settings = load(environ={}, overrides={"models.embedding.kind": "none",
    "observation.queue_max": 1, "historian.poll_interval_seconds": 0.05})
memory = Memory.open(sys.argv[1], settings)
for number in range(3):
    memory.end_turn(Scope(user="ann"), f"Ann bought boat {number}.")
memory.drain()
memory.observe(Scope(user="ann"), "a", {}, "1")
memory.start_worker()
print("ready", flush=True)
sys.stdin.readline()
if sys.argv[2] == "close":
    memory.close()
"""


@contextmanager
def worker_process(folder: Path, end: str = "close") -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(folder), end],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        if process.poll() is None:
            process.stdin.write("\n")
            process.stdin.close()
            process.wait(20)
        process.stdout.close()


def test_O1_status_sees_every_process_that_has_the_folder_open(
    open_memory: Open, tmp_path: Path, ask: Callable[..., Any]
) -> None:
    memory = open_memory(embedder=None)
    memory.end_turn(ANN, "Ann moved to Oslo.")
    memory.drain()
    with worker_process(tmp_path / "data") as process:
        status = memory.status()
        assert status["jobs"]["done"] == 4
        assert status["workers"]["running"] == 1
        others = [one for one in status["processes"] if not one["own"]]
        assert [(one["pid"], one["jobs"]["done"]) for one in others] == [(process.pid, 3)]
        assert ask("--data", tmp_path / "data", "status")["jobs"]["done"] == 4
        jobs = memory.metrics()["taishi_jobs_total"]["samples"]
        done = next(s["value"] for s in jobs if s["labels"] == {"outcome": "done"})
        assert done == 1, "a monitor adds processes up by itself"
    status = memory.status()
    assert (status["jobs"]["done"], status["workers"]["running"]) == (1, 0)
    assert [one["own"] for one in status["processes"]] == [True]


def test_O1_a_process_that_died_is_left_out(open_memory: Open, tmp_path: Path) -> None:
    with worker_process(tmp_path / "data") as process:
        process.kill()
        process.wait(20)
        assert process.stdin is not None
        process.stdin.close()
        memory = open_memory(embedder=None)
        status = memory.status()
        assert (status["jobs"]["done"], status["workers"]["running"]) == (0, 0)
        assert len(status["processes"]) == 1


def test_O1_what_cannot_be_read_is_no_process(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(embedder=None)
    folder = tmp_path / "data" / "processes"
    for name, text in (("a.json", "{"), ("b.json", "[]"), ("c.json", '{"mark": 1}')):
        (folder / name).write_text(text)
    assert len(memory.status()["processes"]) == 1


# -- C3: off -------------------------------------------------------------------------------------


def test_C3_off_gives_no_id_for_what_is_not_kept(open_memory: Open) -> None:
    off = open_memory({"memory.enabled": False})
    assert off.remember(ANN, "Ann has a boat") is None
    assert off.remember_many(ANN, [{"text": "Ann has a boat"}]) == []
    assert off.end_turn(ANN, "Ann has a boat") is None
    assert off.consider(ANN, [Message("I have a boat", "Ann")]) is None
    assert off.sessions.add_messages(Scope(user="ann", session="s"), [Message("hello", "Ann")]) == 0
    assert off.observe(ANN, "search", {}, "found") is None
    for tool, given in (("remember", {"text": "Ann has a boat"}), ("end", {"new_info": "a boat"})):
        assert "off" in dispatch(off, tool, given, ANN)
    assert off.status()["off_reason"]
    on = open_memory()
    assert on.status()["off_reason"] == ""
    assert on.records.list(ANN).records == ()


def test_C3_off_still_says_what_is_wrong_with_a_memory(open_memory: Open) -> None:
    off = open_memory({"memory.enabled": False})
    with pytest.raises(InputError):
        off.remember_many("ann", [{"text": "x"}])  # type: ignore[arg-type]


# -- C4: on for some scopes only -----------------------------------------------------------------


def is_kept(memory: Memory, scope: Scope) -> bool:
    kept = memory.end_turn(scope, new_info="Ann bought a boat.") is not None
    noted = memory.remember(scope, "Ann has a boat") is not None
    memory.drain(20)
    found = bool(memory.recall(scope, "boat").hits)
    told = memory.recall(scope, "boat").paths != {"memory": "off"}
    says_off = "off" in dispatch(memory, "remember", {"text": "A boat"}, scope)
    assert kept == noted == found == told == (not says_off)
    return kept


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({}, [True, True, True, True]),
        ({"memory.only_scopes": "group:club"}, [True, False, False, False]),
        ({"memory.only_scopes": "group:club, user:ann"}, [True, False, True, False]),
        ({"memory.only_scopes": "group:*"}, [True, True, False, False]),
        ({"memory.only_scopes": "agent:coder"}, [False, False, False, True]),
        ({"memory.except_scopes": "group:club"}, [False, True, True, True]),
        ({"memory.except_scopes": "user:ann"}, [False, False, False, True]),
        ({"memory.only_scopes": "group:*", "memory.except_scopes": "group:other"},
         [True, False, False, False]),
        ({"memory.only_scopes": "workspace:default"}, [True, True, True, True]),
        ({"memory.only_scopes": "workspace:elsewhere"}, [False, False, False, False]),
    ],
)  # fmt: skip
def test_C4_memory_can_be_on_for_some_scopes_only(
    open_memory: Open, changes: dict[str, Any], kept: list[bool]
) -> None:
    memory = open_memory(changes | SLOW_MACHINE)
    scopes = (CLUB, OTHER, ANN, Scope(agent="coder"))
    assert [is_kept(memory, scope) for scope in scopes] == kept


def test_C4_the_switch_for_scopes_is_hot(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    assert is_kept(memory, OTHER)
    report = memory.configuration.apply(load(environ={}, overrides={
        "models.embedding.kind": "none", "memory.only_scopes": "group:club", **SLOW_MACHINE,
        "memory.timezone": "Asia/Shanghai"}))  # fmt: skip
    assert report.applied == ("memory.only_scopes",)
    assert not is_kept(memory, OTHER)
    assert memory.context(OTHER, "boat") == ""
    assert memory.search_events(OTHER, "boat").paths == {"memory": "off"}
    assert is_kept(memory, CLUB)
    assert memory.status()["scopes"] == {"only": ["group:club"], "except": []}


@pytest.mark.parametrize("bad", ["club", "room:club", "group:", ":club", "group:a;group:b,x"])
def test_C4_a_scope_that_is_none_is_refused(make_settings: Callable[..., Any], bad: str) -> None:
    with pytest.raises(SettingsError, match="group:"):
        make_settings({"memory.only_scopes": bad})


# -- C4: a broken store switches memory off ------------------------------------------------------


def corrupt(folder: Path) -> None:
    folder.mkdir()
    (folder / "taishi.db").write_bytes(b"this is no database" * 500)


def from_the_future(folder: Path) -> None:
    Memory.open(folder, load(environ={}, overrides={"models.embedding.kind": "none"})).close()
    connection = apsw.Connection(str(folder / "taishi.db"))
    connection.execute("PRAGMA user_version = 999")
    connection.close()


def not_a_folder(folder: Path) -> None:
    folder.write_text("a file is in the way")


BROKEN = {"corrupt": corrupt, "from the future": from_the_future, "not a folder": not_a_folder}


@pytest.mark.parametrize("kind", [*BROKEN, "no such backend"])
def test_C4_with_a_broken_store_the_chat_goes_on(
    tmp_path: Path, make_settings: Callable[..., Any], kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    address: Any = tmp_path / "data"
    if kind in BROKEN:
        BROKEN[kind](address)
    else:
        address = "nosuch://somewhere/memory"
    with pytest.raises(Exception) as raised:
        Memory.open(address, make_settings())
    with caplog.at_level(logging.ERROR, "taishi"):
        memory = Memory.open(address, make_settings(), on_error="off")
    assert str(raised.value)[:40] in caplog.text
    with memory:
        memory.start_worker()
        assert memory.end_turn(ANN, "Ann has a boat") is None
        assert memory.consider(ANN, [Message("I have a boat", "Ann")]) is None
        assert memory.remember(ANN, "Ann has a boat") is None
        memory.observe(ANN, "search", {}, "found")
        assert memory.recall(ANN, "boat").paths == {"memory": "off"}
        assert memory.context(ANN, "boat") == ""
        assert memory.get_profile(ANN, "user", "ann") is None
        assert memory.get(ANN, "x") is None
        assert "off" in dispatch(memory, "search_events", {"query": "boat"}, ANN)
        status = memory.status()
        assert status["enabled"] is False
        assert str(raised.value)[:40] in status["off_reason"]
        assert memory.metrics()["taishi_enabled"]["samples"][0]["value"] == 0
        assert memory.drain(1) is False
        with pytest.raises(StorageError, match="switched off"):
            memory.profiles.set(ANN, "Lives in Oslo")


def test_C4_the_async_door_chats_on_as_well(
    tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    corrupt(tmp_path / "data")

    async def chat() -> tuple[Any, Any, Any]:
        async with await AsyncMemory.open(
            tmp_path / "data", make_settings(), on_error="off"
        ) as memory:
            memory.observe(ANN, "search", {}, "found")
            kept = await memory.end_turn(ANN, "Ann has a boat")
            return kept, await memory.context(ANN, "boat"), await memory.status()

    kept, block, status = asyncio.run(chat())
    assert (kept, block, status["enabled"]) == (None, "", False)


def test_C4_a_good_store_is_opened_as_ever(tmp_path: Path, make_settings: Any) -> None:
    with Memory.open(tmp_path / "data", make_settings(), on_error="off") as memory:
        assert memory.remember(ANN, "Ann has a boat")
        assert memory.status()["enabled"]
    with pytest.raises(InputError, match="on_error"):
        Memory.open(tmp_path / "data", make_settings(), on_error="ignore")  # type: ignore[arg-type]


# -- W1 by the command line ----------------------------------------------------------------------


def test_W1_end_turn_on_the_command_line_knows_the_bot_the_place_and_the_old_name(
    ask: Callable[..., Any], run: Callable[..., Any], tmp_path: Path
) -> None:
    data = ("--data", tmp_path / "data")
    ask(*data, "end-turn", "--user", "ann", "--summary", "I watered the plants here",
        "--bot-name", "Quill", "--location", "Cork", "--request-id", "r1", "--work")  # fmt: skip
    with Memory.open(tmp_path / "data") as memory:
        event = memory.get(ANN, "r1:1")
    assert event is not None
    assert "Quill" in event.text
    assert "Cork" in event.text
    told = run("--lang", "zh", "end-turn", "--help").output
    assert all(word in told for word in ("机器人", "地点", "旧名"))


# -- W8: messages without a turn -----------------------------------------------------------------


def test_W8_messages_alone_are_summarised_and_no_job_is_queued(open_memory: Open) -> None:
    memory = open_memory()
    session = Scope(group="club", user="ann", session="s1")
    said = [Message(f"The regatta is on day {n}", "Ann", id=f"m{n}") for n in range(1, 6)]
    assert memory.sessions.add_messages(session, said) == 5
    assert memory.sessions.add_messages(session, said) == 0, "a message counts once"
    assert memory.status()["queue"]["pending"] == 0
    assert memory.jobs.list() == []
    memory.close()
    again = open_memory()
    assert again.sessions.end(session) is True
    (summary,) = again.records.list(session, kinds=["summary"]).records
    assert "regatta" in summary.text


def test_W8_messages_are_redacted_and_need_a_session(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    with pytest.raises(InputError, match="session"):
        memory.sessions.add_messages(ANN, [Message("hello", "Ann")])
    session = Scope(user="ann", session="s1")
    key = "sk-proj-" + "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    memory.sessions.add_messages(session, [{"text": f"my key is {key}", "speaker": "Ann"}])
    memory.close()
    assert not any(key.encode() in path.read_bytes()
                   for path in (tmp_path / "data").rglob("*") if path.is_file())  # fmt: skip


def test_W8_messages_alone_by_the_command_line(ask: Callable[..., Any], tmp_path: Path) -> None:
    data = ("--data", tmp_path / "data")
    told = ask(*data, "add-messages", "--user", "ann", "--session", "s1",
               "--message", "Ann: hello", "--message", "Quill: good morning")  # fmt: skip
    assert told == {"added": 2}
    assert not any((tmp_path / "data" / "queues" / "pending").iterdir())
