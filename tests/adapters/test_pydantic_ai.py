"""Pydantic AI's `Memory` capability on notes, beside its own stores, and a capability of ours."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai_harness.memory")
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai_harness.memory import (
    InMemoryStore,
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemoryStore,
    SearchableMemoryStore,
    SqliteMemoryStore,
)
from pydantic_ai_harness.memory import Memory as Notebook

from support.page_blocks import ROOT, run_page, run_python
from support.scripted_upstream import ScriptedUpstream
from taishi import AsyncMemory, InputError, Memory, MissingExtraError, Scope, StorageError
from taishi.adapters.pydantic_ai import TaishiMemoryStore, TaishiRecall
from taishi.settings import load

ANN, BOB = Scope(user="ann"), Scope(user="bob")
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
OFFLINE = {"models.embedding.kind": "none", "query.recall_timeout": 10.0}
Store = Any


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "data", load(environ={}, overrides=OFFLINE)) as opened:
        yield opened


@pytest.fixture(params=["taishi", "in memory", "sqlite"])
def store(request: pytest.FixtureRequest, memory: Memory, tmp_path: Path) -> Store:
    """The same tests on theirs and on ours: what they promise, we do."""
    if request.param == "taishi":
        return TaishiMemoryStore(memory, ANN)
    if request.param == "sqlite":
        return SqliteMemoryStore(database=tmp_path / "theirs.db")
    return InMemoryStore()


def play(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def test_T3_it_is_a_store_of_theirs(memory: Memory) -> None:
    ours = TaishiMemoryStore(memory, ANN)
    assert isinstance(ours, MemoryStore) and isinstance(ours, SearchableMemoryStore)


def test_T3_a_file_is_created_read_replaced_and_deleted(store: Store) -> None:
    async def test() -> None:
        assert await store.read("main/MEMORY.md", max_chars=9) is None
        text = "- tea\r\n- 茶 🍵\n\n"
        first = await store.write("main/MEMORY.md", text, expected_version=None)
        assert (first.replayed, first.existed) == (False, False) and first.version
        read = await store.read("main/MEMORY.md", max_chars=100)
        assert read == MemoryFile(text, first.version, None, False)
        assert await store.read("main/MEMORY.md", max_chars=3) == MemoryFile(
            text[:3], first.version, None, True
        )
        second = await store.write("main/MEMORY.md", "new", expected_version=first.version)
        assert second.existed and second.version != first.version
        gone = await store.delete("main/MEMORY.md", expected_version=second.version)
        assert gone == MemoryMutation(version=None, replayed=False, existed=True)
        assert await store.read("main/MEMORY.md", max_chars=9) is None
        none = await store.delete("main/MEMORY.md", expected_version=None)
        assert none == MemoryMutation(version=None, replayed=False, existed=False)

    play(test)


def test_T3_a_stale_version_is_a_conflict(store: Store) -> None:
    async def test() -> None:
        first = await store.write("a.md", "one", expected_version=None)
        for stale in (None, "999"):
            with pytest.raises(MemoryConflictError):
                await store.write("a.md", "x", expected_version=stale)
            with pytest.raises(MemoryConflictError):
                await store.delete("a.md", expected_version=stale)
        with pytest.raises(MemoryConflictError):
            await store.write("none.md", "x", expected_version=first.version)
        await store.delete("a.md", expected_version=first.version)
        again = await store.write("a.md", "two", expected_version=None)
        assert again.version != first.version, "a version is never given twice"
        with pytest.raises(MemoryConflictError):
            await store.write("a.md", "on the first", expected_version=first.version)

    play(test)


def test_T3_an_operation_is_done_once(store: Store) -> None:
    async def test() -> None:
        op, other = MemoryOperation("op-1", "print-1"), MemoryOperation("op-1", "print-2")
        assert await store.get_operation(op) is None
        first = await store.write("a.md", "one", expected_version=None, operation=op)
        assert (await store.read("a.md", max_chars=9)).operation_id == "op-1"
        await store.write("a.md", "two", expected_version=first.version)
        replay = MemoryMutation(version=first.version, replayed=True, existed=False)
        assert await store.get_operation(op) == replay
        assert await store.write("a.md", "more", expected_version=None, operation=op) == replay
        assert (await store.read("a.md", max_chars=9)).content == "two"
        for call in (
            lambda: store.get_operation(other),
            lambda: store.write("a.md", "x", expected_version=None, operation=other),
            lambda: store.delete("a.md", expected_version=None, operation=other),
        ):
            with pytest.raises(MemoryOperationConflictError):
                await call()
        current = await store.read("a.md", max_chars=9)
        removal = MemoryOperation("op-2", "print")
        await store.delete("a.md", expected_version=current.version, operation=removal)
        await store.write("a.md", "back", expected_version=None)
        gone = await store.delete("a.md", expected_version=current.version, operation=removal)
        assert gone == MemoryMutation(version=None, replayed=True, existed=True)
        assert await store.read("a.md", max_chars=9) is not None

    play(test)


def test_T3_paths_are_listed_and_searched_below_a_prefix(store: Store) -> None:
    async def test() -> None:
        for path, text in (
            ("t/main/MEMORY.md", "The parser ships on Friday."),
            ("t/main/tea.md", "Oolong and green tea."),
            ("t/main/deep/x.md", "The parser of another agent."),
            ("t/other/MEMORY.md", "The parser of somebody else."),
        ):
            await store.write(path, text, expected_version=None)
        assert await store.list_paths("t/main/", limit=10) == [
            "t/main/MEMORY.md", "t/main/deep/x.md", "t/main/tea.md",
        ]  # fmt: skip
        assert await store.list_paths("t/", limit=1) == ["t/main/MEMORY.md"]
        assert await store.list_paths(limit=100) == sorted(await store.list_paths("t", limit=100))
        bounds = {"limit": 5, "max_files": 10, "max_chars": 500, "max_file_chars": 500}
        found = await store.search("t/main/", "parser", **bounds)
        assert [match.path for match in found.matches] == ["t/main/MEMORY.md"]
        assert "parser ships" in found.matches[0].snippet and found.matches[0].score > 0
        assert (found.scanned, found.truncated) == (2, False)
        few = await store.search("t/main/", "parser", **{**bounds, "max_chars": 20})
        assert sum(len(m.snippet) + len("MEMORY.md") for m in few.matches) <= 20
        first = await store.search("t/main/", "tea", **{**bounds, "max_files": 1})
        assert (first.matches, first.scanned, first.truncated) == ([], 1, True)
        for nothing in ({"limit": 0}, {"max_files": 0}, {"max_chars": 0}):
            assert (await store.search("t/main/", "parser", **{**bounds, **nothing})).matches == []
        assert (await store.search("t/main/", "  ", **bounds)).matches == []

    play(test)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a//b", "a/./b", "", "a\0b"])
def test_T3_odd_paths_and_numbers_are_refused(store: Store, path: str) -> None:
    async def test() -> None:
        for call in (
            lambda: store.read(path, max_chars=9),
            lambda: store.write(path, "x", expected_version=None),
            lambda: store.delete(path, expected_version=None),
            lambda: store.read("a.md", max_chars=0),
            lambda: store.list_paths(limit=0),
        ):
            with pytest.raises(ValueError):
                await call()

    play(test)


def test_T3_of_many_writers_one_wins(store: Store) -> None:
    async def test() -> None:
        first = await store.write("a.md", "0", expected_version=None)
        results = await asyncio.gather(
            *(store.write("a.md", str(n), expected_version=first.version) for n in range(8)),
            return_exceptions=True,
        )
        assert [type(one) for one in results].count(MemoryMutation) == 1
        assert all(isinstance(one, MemoryMutation | MemoryConflictError) for one in results)

    play(test)


def test_R1_a_secret_is_not_stored_and_the_log_says_so(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        ours = TaishiMemoryStore(memory, ANN)
        with caplog.at_level(logging.WARNING, "taishi.adapters"):
            await ours.write("main/k.md", f"key {SECRET}", expected_version=None)
        assert "main/k.md is stored without secrets" in caplog.text and SECRET not in caplog.text
        assert SECRET not in (await ours.read("main/k.md", max_chars=999)).content  # type: ignore[union-attr]

    play(test)


def test_S3_scopes_are_apart_and_an_async_memory_will_do(memory: Memory) -> None:
    async def test() -> None:
        anns = TaishiMemoryStore(AsyncMemory(memory), ANN)
        await anns.write("main/MEMORY.md", "ann's", expected_version=None)
        bobs = TaishiMemoryStore(memory, BOB)
        assert await bobs.read("main/MEMORY.md", max_chars=9) is None
        assert await bobs.list_paths(limit=9) == []

    play(test)


# -- in an agent ---------------------------------------------------------------------------------


def ran(agent: Any, prompt: Any, **options: Any) -> str:
    """Not `run_sync`, which leaves an event loop open."""
    return str(asyncio.run(agent.run(prompt, **options)).output)


def calling(*calls: tuple[str, dict[str, Any]]) -> FunctionModel:
    """A model that calls these tools one after the other, then says what it was told."""
    left = list(calls)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if left:
            name, arguments = left.pop(0)
            return ModelResponse([ToolCallPart(name, arguments, tool_call_id=f"call-{len(left)}")])
        return ModelResponse([TextPart(str(messages[-1]))])

    return FunctionModel(answer)


def test_T3_an_agent_keeps_a_notebook_and_finds_it_in_the_next_run(memory: Memory) -> None:
    notebook = Notebook(store=TaishiMemoryStore(memory, ANN), injection_errors="raise")
    model = calling(
        ("write_memory", {"content": "- The parser ships on Friday."}),
        ("write_memory", {"content": "Oolong.", "file": "tea.md"}),
        ("write_memory", {"content": "Monday", "old_text": "Friday"}),
        ("search_memory", {"query": "oolong"}),
    )
    said = ran(Agent(model, capabilities=[notebook]), "Keep this.")
    assert "tea.md" in said and "Oolong." in said
    assert {note.path: note.text.strip() for note in memory.notes.list(ANN)} == {
        "main/MEMORY.md": "- The parser ships on Monday.",
        "main/tea.md": "Oolong.",
    }
    seen: list[str] = []

    def reading(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(str(messages))
        return ModelResponse([TextPart("ok")])

    ran(Agent(FunctionModel(reading), capabilities=[notebook]), "What is next?")
    assert "The parser ships on Monday." in seen[0] and "tea.md" in seen[0]
    deleting = calling(("read_memory", {"file": "tea.md"}), ("delete_memory", {"file": "tea.md"}))
    ran(Agent(deleting, capabilities=[notebook]), "Away with it.")
    assert [note.path for note in memory.notes.list(ANN)] == ["main/MEMORY.md"]


def test_T3_their_test_model_calls_every_tool(either_memory: Memory) -> None:
    notebook = Notebook(store=TaishiMemoryStore(either_memory, ANN))
    either_memory.notes.write(ANN, "main/a", "there")
    ran(Agent(TestModel(call_tools=["write_memory"]), capabilities=[notebook]), "Hello")
    assert either_memory.notes.list(ANN, "main/")


def test_T3_recall_before_a_run_and_the_turn_after_it(either_memory: Memory) -> None:
    seen: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert info.instructions is None
        said = [part for part in messages[-1].parts if isinstance(part, UserPromptPart)]
        seen.append("".join(str(part.content) for part in said[:-1]))
        assert "=== Memory" not in str(messages[:-1]), "what is recalled is in no history"
        return ModelResponse([TextPart("Noted.")])

    def speaker(ctx: Any) -> Scope:
        return Scope(user=ctx.deps)

    recall = TaishiRecall(either_memory, speaker, max_tokens=500)
    agent = Agent(FunctionModel(answer), deps_type=str, capabilities=[recall])
    ran(agent, "My name is Ann. I moved to Cork in May.", deps="ann")
    either_memory.drain()
    assert either_memory.recall(ANN, "Cork").hits
    ran(agent, "Where did I move to?", deps="ann")
    ran(agent, ["Where did Ann move to?"], deps="bob")
    assert ["Cork" in one for one in seen] == [False, True, False]
    asked = asyncio.run(agent.run("Where did I move to?", deps="ann"))
    again = agent.run("And when?", deps="ann", message_history=asked.all_messages())
    assert "=== Memory" not in str(asyncio.run(again).all_messages())
    silent = TaishiRecall(either_memory, BOB, learn=False)
    quiet = Agent(FunctionModel(answer), capabilities=[silent])
    ran(quiet, "I live in Oslo.")
    either_memory.drain()
    assert not any("Oslo" in hit.text for hit in either_memory.recall(BOB, "Oslo", floor=0.0).hits)


def test_T3_a_memory_that_fails_does_not_stop_the_agent(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise StorageError("the disk is gone")

    monkeypatch.setattr(memory, "context", broken)
    monkeypatch.setattr(memory, "end_turn", broken)
    agent = Agent(TestModel(custom_output_text="fine"), capabilities=[TaishiRecall(memory, ANN)])
    assert ran(agent, "I moved to Cork.") == "fine"
    assert "recall failed" in caplog.text and "not kept" in caplog.text


def test_T3_memory_that_is_off_is_said(tmp_path: Path) -> None:
    off = load(environ={}, overrides={**OFFLINE, "memory.enabled": False})
    with Memory.open(tmp_path / "off", off) as memory:
        ours = TaishiMemoryStore(memory, ANN)
        with pytest.raises(InputError, match="switched off"):
            asyncio.run(ours.write("a.md", "x", expected_version=None))
        agent = Agent(
            TestModel(custom_output_text="fine"), capabilities=[TaishiRecall(memory, ANN)]
        )
        assert ran(agent, "Hello there.") == "fine"


def test_T3_the_example_runs(tmp_path: Path) -> None:
    program = [str(ROOT / "examples" / "pydantic_ai_memory.py"), str(tmp_path / "data")]
    assert run_python(program, tmp_path).splitlines() == [
        "I moved to Cork in May. -> Noted.",
        "Where do I live? -> In Cork.",
        "main/MEMORY.md, version 1: - Ann moved to Cork in May.",
    ]


@pytest.mark.parametrize("page", ["pydantic-ai.md", "pydantic-ai.zh-CN.md"])
def test_T3_the_page_says_what_happens(page: str, tmp_path: Path) -> None:
    with ScriptedUpstream() as upstream:
        model = {"OPENAI_BASE_URL": upstream.url, "OPENAI_API_KEY": "k"}
        run_page(f"docs/how-to/adapters/{page}", tmp_path, **model)
    messages = upstream.requests[-1].body["messages"]
    asked = str([one for one in messages if one["role"] == "user"])
    system = str([one for one in messages if one["role"] == "system"])
    assert any(place in asked and place not in system for place in ("Cork", "苏州"))


def test_T3_without_the_package_the_error_has_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai_harness.memory", None)
    monkeypatch.delitem(sys.modules, "taishi.adapters.pydantic_ai")
    with pytest.raises(MissingExtraError, match=r"install .*\[pydantic-ai\]"):
        import_module("taishi.adapters.pydantic_ai")
