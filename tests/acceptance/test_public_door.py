"""The public door: its names, its promises at import, its verbs and what closes with it (T2)."""

from __future__ import annotations

import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import taishi
from support.hash_embedder import HashEmbedder
from taishi import ClosedError, Memory, Scope, Settings, TaishiError

ANN = Scope(user="ann")
NAMES = """AsyncMemory BusyError ClosedError CorruptError DocumentError Hit InputError Memory
    Message MissingExtraError ModelError ModelMissingError OperationError Profile QueueError
    Recall Scope ScopeError Settings SettingsError StorageError TaishiError TimeError
    VersionError asks_to_forget error_text load""".split()


def test_T2_the_door_has_exactly_these_names_and_each_opens() -> None:
    assert sorted(taishi.__all__) == sorted(NAMES)
    for name in NAMES:
        assert getattr(taishi, name) is not None
    with pytest.raises(AttributeError, match="colour"):
        taishi.colour  # noqa: B018


def test_T2_every_error_is_of_one_family() -> None:
    errors = [getattr(taishi, name) for name in NAMES if name.endswith("Error")]
    assert all(issubclass(error, TaishiError) for error in errors)
    assert issubclass(taishi.InputError, ValueError)


def test_T2_importing_loads_no_driver_no_model_and_no_server() -> None:
    code = "import sys, json, taishi; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    heavy = {"numpy", "apsw", "simsimd", "onnxruntime", "tokenizers", "httpx", "click", "yaml",
             "asyncio", "sqlite3", "Stemmer"}  # fmt: skip
    assert not heavy & loaded


def test_T2_the_verbs_are_documented_and_take_what_the_design_says() -> None:
    expected = {
        "open": ["address", "settings"],
        "end_turn": ["scope", "action_summary", "new_info", "messages", "force"],
        "observe": ["scope", "tool", "arguments", "result"],
        "remember": ["scope", "text", "kind", "time", "source"],
        "remember_many": ["scope", "items"],
        "recall": ["scope", "query", "top_k", "kinds", "time_from", "time_to", "now", "deadline",
                   "floor"],
        "context": ["scope", "query", "max_tokens"],
        "search_events": ["scope", "query", "target_user_id", "target_group_id", "top_k",
                          "time_from", "time_to"],
        "search_profiles": ["scope", "query", "entity_type", "entity_id", "top_k"],
        "get_profile": ["scope", "entity_type", "entity_id"],
        "forget": ["scope", "id"],
        "drain": ["timeout"],
        "start_worker": [],
        "stop_worker": [],
        "set_link": ["scope", "on"],
        "status": [],
        "get": ["scope", "id"],
        "partitions": ["workspace"],
        "close": [],
    }  # fmt: skip
    for name, wanted in expected.items():
        verb = getattr(Memory, name)
        names = [p for p in inspect.signature(verb).parameters if p != "self"]
        assert names[: len(wanted)] == wanted, name
        assert verb.__doc__, name


def test_T2_the_readme_example_works(tmp_path: Path, make_settings: Callable[..., object]) -> None:
    with Memory.open(tmp_path / "data", make_settings(), embedder=HashEmbedder()) as memory:  # type: ignore[arg-type]
        memory.remember(ANN, "Ann moved to Oslo")
        assert memory.recall(ANN, "where did Ann move to?").hits[0].text == "Ann moved to Oslo"
    with pytest.raises(ClosedError, match="open it again"):
        memory.recall(ANN, "x")


def test_the_settings_name_the_folder_unless_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "from-environment"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    with Memory.open() as memory:
        assert memory.status()["folder"] == str(tmp_path / "from-environment")
    with Memory.open(tmp_path / "given") as memory:
        assert memory.status()["folder"] == str(tmp_path / "given")


def test_O2_forget_removes_a_person_everywhere(memory: Memory, tmp_path: Path) -> None:
    word = "xyzzyplugh"
    group, bob = Scope(group="g", user="ann"), Scope(group="g", user="bob")
    memory.remember(ANN, f"private {word}")
    memory.profiles.set(ANN, f"page {word}")
    memory.profiles.set(ANN, f"page again {word}")
    memory.end_turn(group, f"group {word}")
    memory.drain(20)
    memory.end_turn(ANN, f"pending {word}")
    memory.observe(ANN, "tool", {}, word)
    memory.remember(bob, "bob stays")
    assert memory.forget(ANN) >= 4
    memory.drain(20)
    for scope in (ANN, group):
        assert word not in str(memory.recall(scope, word, floor=0.0, top_k=50))
    assert memory.get_profile(ANN, "user", "ann") is None
    assert memory.recall(bob, "bob stays").hits
    memory.close()
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or word.encode() not in path.read_bytes(), path


def test_a_memory_is_shared_between_threads(memory: Memory) -> None:
    errors: list[BaseException] = []

    def live(name: str) -> None:
        scope = Scope(user=name)
        try:
            for n in range(10):
                memory.remember(scope, f"{name} tea number{n}")
                memory.end_turn(scope, f"{name} drank tea number{n}")
                found = memory.recall(scope, f"number{n}", floor=0.0, top_k=20)
                assert any(f"number{n}" in hit.text for hit in found.hits)
                assert all(name in hit.text for hit in found.hits)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=live, args=(f"user{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    memory.drain(30)
    counts = memory.status()["records"]
    assert (counts["fact"], counts["event"], counts["unembedded"]) == (60, 60, 0)


def test_first_calls_at_once_start_one_loop_each(open_memory: Callable[..., Memory]) -> None:
    for _ in range(5):
        memory = open_memory()
        before = set(threading.enumerate())
        barrier = threading.Barrier(8)

        def first(memory: Memory = memory, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            memory.observe(ANN, "tool", {}, "result")

        threads = [threading.Thread(target=first) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        new = [t.name for t in set(threading.enumerate()) - before if "turns" in t.name]
        assert new == ["taishi-turns"]
        memory.close()


def test_closing_while_others_read_and_write_breaks_nobody(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    memory.remember(ANN, "Ann moved to Oslo")
    errors: list[BaseException] = []
    answers: list[int] = []

    def live() -> None:
        try:
            while True:
                memory.recall(ANN, "Oslo")
                memory.end_turn(ANN, "Ann drank tea")
                memory.get(ANN, "x")
                answers.append(1)
        except ClosedError:
            return
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=live) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(answers) < 20:
        threading.Event().wait(0.005)
    memory.close()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert errors == []
    again = open_memory()
    again.drain(30)
    assert again.status()["records"]["event"] >= 20


def test_closing_leaves_no_thread_and_no_open_file_behind(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    before = set(threading.enumerate())
    memory = open_memory()
    memory.start_worker()
    memory.end_turn(ANN, "Ann drank tea")
    memory.recall(ANN, "tea")
    memory.close()
    new = set(threading.enumerate()) - before
    for thread in new:
        thread.join(5)
    assert [thread.name for thread in new if thread.is_alive()] == []
    if Path("/proc/self/fd").exists():
        links = []
        for fd in os.listdir("/proc/self/fd"):  # noqa: PTH208
            try:
                links.append(os.readlink(f"/proc/self/fd/{fd}"))  # noqa: PTH115
            except OSError:
                continue
        assert not [link for link in links if link.startswith(str(tmp_path / "data"))]


def test_tests_cannot_reach_the_network() -> None:
    for address in (("192.0.2.1", 80), ("example.org", 80)):
        with pytest.raises(AssertionError, match="stay on this machine"):
            socket.create_connection(address, timeout=0.1)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_Q3_an_embedding_endpoint_that_is_down_leaves_keyword_recall(
    tmp_path: Path, make_settings: Callable[..., Settings]
) -> None:
    settings = make_settings(
        {
            "models.embedding.kind": "openai",
            "models.embedding.api_url": "http://127.0.0.1:9/v1",
            "models.embedding.model_name": "nobody",
        }
    )
    with Memory.open(tmp_path / "data", settings) as memory:
        memory.remember(Scope(user="ann"), "Ann moved to Oslo")
        found = memory.recall(Scope(user="ann"), "who moved to Oslo?", deadline=5.0)
        assert found.level == "keyword"
        assert found.hits
        assert "127.0.0.1" in memory.status()["embedder"]["note"]
