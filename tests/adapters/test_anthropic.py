"""Claude's memory tool on notes: the words of Anthropic's own, in its own runner, over HTTP."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic")
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

from support.page_blocks import ROOT, run_page, run_python
from support.scripted_claude import ScriptedClaude, memory_call
from taishi import AsyncMemory, Memory, MissingExtraError, Scope
from taishi.adapters.anthropic import TaishiAsyncMemoryTool, TaishiMemoryTool
from taishi.settings import load

ANN, BOB = Scope(user="ann"), Scope(user="bob")
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
OFFLINE = {"models.embedding.kind": "none"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "data", load(environ={}, overrides=OFFLINE)) as opened:
        yield opened


@pytest.fixture
def tool(memory: Memory) -> TaishiMemoryTool:
    return TaishiMemoryTool(memory, ANN)


def asked(tool: Any, command: str, **arguments: Any) -> str:
    """As the runner calls it; an error with its kind in front."""
    try:
        return str(tool.call({"command": command, **arguments}))
    except ToolError as error:
        return f"error: {error}"


TALL = "".join(f"line {n}\n" for n in range(1, 13))
# The same commands in the same order for both tools; each answer is compared.
COMMANDS: list[tuple[str, dict[str, Any]]] = [
    ("view", {"path": "/memories"}),
    ("create", {"path": "/memories/a.md", "file_text": "# Plan\n- tea\n- milk\n"}),
    ("create", {"path": "/memories/a.md", "file_text": "again"}),
    ("create", {"path": "/memories", "file_text": "x"}),
    ("create", {"path": "/memories/notes/b.txt", "file_text": "no newline"}),
    ("create", {"path": "/memories/notes", "file_text": "a folder is there"}),
    ("create", {"path": "/memories/notes/deep/er/c.json", "file_text": "{}"}),
    ("create", {"path": "/memories/.hidden", "file_text": "h"}),
    ("create", {"path": "/memories/notes/.x/y", "file_text": "h"}),
    ("create", {"path": "/memories/tall.txt", "file_text": TALL}),
    ("create", {"path": "/memories/empty", "file_text": ""}),
    ("create", {"path": "/memories/日记.md", "file_text": "今天下雨 ☔\r\n第二行\r\n"}),
    ("create", {"path": "/memories/big", "file_text": "x" * 3000}),
    ("create", {"path": "/etc/passwd", "file_text": "x"}),
    ("create", {"path": "/memories/../../etc/passwd", "file_text": "x"}),
    ("create", {"path": "/memories/notes/../side.md", "file_text": "side"}),
    ("view", {"path": "/memories"}),
    ("view", {"path": "/memories/"}),
    ("view", {"path": "/memories/notes"}),
    ("view", {"path": "/memories/a.md"}),
    ("view", {"path": "/memories/a.md/x"}),
    ("view", {"path": "/memories/empty"}),
    ("view", {"path": "/memories/日记.md"}),
    ("view", {"path": "/memories/none.md"}),
    ("view", {"path": "memories/a.md"}),
    ("view", {"path": "/memories/tall.txt", "view_range": [3, 5]}),
    ("view", {"path": "/memories/tall.txt", "view_range": [11, -1]}),
    ("view", {"path": "/memories/tall.txt", "view_range": [0, 2]}),
    ("view", {"path": "/memories/tall.txt", "view_range": [50, 60]}),
    ("view", {"path": "/memories/tall.txt", "view_range": [7]}),
    ("str_replace", {"path": "/memories/a.md", "old_str": "tea", "new_str": "coffee\n- sugar"}),
    ("str_replace", {"path": "/memories/a.md", "old_str": "wine", "new_str": "x"}),
    ("str_replace", {"path": "/memories/tall.txt", "old_str": "line 1", "new_str": "x"}),
    ("str_replace", {"path": "/memories/tall.txt", "old_str": "line 12", "new_str": "the end"}),
    ("str_replace", {"path": "/memories/tall.txt", "old_str": "", "new_str": "x"}),
    ("str_replace", {"path": "/memories/empty", "old_str": "", "new_str": "filled"}),
    ("str_replace", {"path": "/memories/none.md", "old_str": "a", "new_str": "b"}),
    ("str_replace", {"path": "/memories/notes", "old_str": "a", "new_str": "b"}),
    ("str_replace", {"path": "/memories", "old_str": "a", "new_str": "b"}),
    ("insert", {"path": "/memories/a.md", "insert_line": 0, "insert_text": "top\n"}),
    ("insert", {"path": "/memories/a.md", "insert_line": 2, "insert_text": "middle\n\n"}),
    ("insert", {"path": "/memories/a.md", "insert_line": 99, "insert_text": "x"}),
    ("insert", {"path": "/memories/a.md", "insert_line": -1, "insert_text": "x"}),
    ("insert", {"path": "/memories/notes/b.txt", "insert_line": 1, "insert_text": "second"}),
    ("insert", {"path": "/memories/日记.md", "insert_line": 1, "insert_text": "中间"}),
    ("insert", {"path": "/memories/none.md", "insert_line": 0, "insert_text": "x"}),
    ("insert", {"path": "/memories/notes", "insert_line": 0, "insert_text": "x"}),
    ("view", {"path": "/memories/a.md"}),
    ("view", {"path": "/memories/notes/b.txt"}),
    ("view", {"path": "/memories/日记.md"}),
    ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/tall.txt"}),
    ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/notes"}),
    ("rename", {"old_path": "/memories/none", "new_path": "/memories/x"}),
    ("rename", {"old_path": "/memories", "new_path": "/memories/x"}),
    ("rename", {"old_path": "/memories/a.md", "new_path": "/memories"}),
    ("rename", {"old_path": "/memories/a.md", "new_path": "/tmp/x"}),
    ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/old/a.md"}),
    ("rename", {"old_path": "/memories/notes", "new_path": "/memories/old/notes"}),
    ("view", {"path": "/memories"}),
    ("view", {"path": "/memories/old/notes"}),
    ("delete", {"path": "/memories"}),
    ("delete", {"path": "/memories/none"}),
    ("delete", {"path": "/memories/old/a.md"}),
    ("delete", {"path": "/memories/old"}),
    ("delete", {"path": "/memories/old"}),
    ("view", {"path": "/memories"}),
]  # fmt: skip


def without_folder_sizes(text: str) -> str:
    """A folder of a file system has a size of its own, 4.0K or what its disk says; ours has that of
    the files below it."""
    return re.sub(r"(?m)^[\d.]+[BKMG]\t(?=/memories(?:$|/$|\S*/$|/notes$|/old/notes$))", "", text)


def test_T3_every_answer_is_in_the_words_of_the_file_system_tool(
    tool: TaishiMemoryTool, tmp_path: Path
) -> None:
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
    for command, arguments in COMMANDS:
        expected = without_folder_sizes(asked(theirs, command, **arguments))
        found = without_folder_sizes(asked(tool, command, **arguments))
        assert found == expected, (command, arguments)
    assert tool.clear_all_memory() == theirs.clear_all_memory()
    assert without_folder_sizes(asked(tool, "view", path="/memories")) == without_folder_sizes(
        asked(theirs, "view", path="/memories")
    )
    assert tool.to_dict() == theirs.to_dict() == {"type": "memory_20250818", "name": "memory"}


def test_T3_files_have_their_exact_bytes_in_both(tool: TaishiMemoryTool, tmp_path: Path) -> None:
    memory: Memory = tool._files._notes  # type: ignore[assignment]
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
    for command, arguments in COMMANDS[:50]:
        asked(theirs, command, **arguments)
        asked(tool, command, **arguments)
    files = {
        path.relative_to(theirs.memory_root).as_posix(): path.read_bytes().decode()
        for path in theirs.memory_root.rglob("*")
        if path.is_file()
    }
    assert {note.path: note.text for note in memory.list(ANN)} == files  # type: ignore[attr-defined]


def test_T3_the_size_of_a_folder_is_that_of_its_files(tool: TaishiMemoryTool) -> None:
    asked(tool, "create", path="/memories/a/b", file_text="12345")
    asked(tool, "create", path="/memories/a/c", file_text="日")
    assert "8B\t/memories\n8B\t/memories/a/\n5B\t/memories/a/b" in asked(
        tool, "view", path="/memories"
    )


@pytest.mark.parametrize(
    "path", ["/memories/a\0b", "/memories/a\\b", "/memories/ x", "/memories/" + "x" * 300]
)
def test_T3_paths_that_no_note_has_are_errors_for_the_model(
    tool: TaishiMemoryTool, path: str
) -> None:
    assert asked(tool, "create", path=path, file_text="x").startswith("error: ")
    assert asked(tool, "view", path=path).startswith("error: ")


def test_T3_what_a_note_may_not_be_is_an_error_for_the_model(
    tool: TaishiMemoryTool, memory: Memory
) -> None:
    too_long = asked(tool, "create", path="/memories/x", file_text="x" * 300_000)
    assert too_long.startswith("error: ") and "200000" in too_long
    asked(tool, "create", path="/memories/x", file_text="x")
    assert "is a note" in asked(tool, "create", path="/memories/x/y", file_text="x")
    assert "inside" in asked(tool, "rename", old_path="/memories/x", new_path="/memories/x/y")


def test_R1_secrets_are_taken_out_and_claude_is_told(
    tool: TaishiMemoryTool, memory: Memory
) -> None:
    told = asked(tool, "create", path="/memories/k.env", file_text=f"KEY={SECRET}\n")
    assert told.startswith("File created successfully at: /memories/k.env\nSecrets are not kept")
    asked(tool, "create", path="/memories/n.md", file_text="a\n")
    for command, change in (
        ("str_replace", {"old_str": "a", "new_str": f"KEY={SECRET}"}),
        ("insert", {"insert_line": 0, "insert_text": f"OTHER={SECRET}"}),
    ):
        assert "Secrets are not kept" in asked(tool, command, path="/memories/n.md", **change)
    assert all(SECRET not in note.text for note in memory.notes.list(ANN))


def test_S3_each_scope_and_each_folder_has_its_own_files(memory: Memory) -> None:
    ann, bob = TaishiMemoryTool(memory, ANN), TaishiMemoryTool(memory, BOB)
    work = TaishiMemoryTool(memory, ANN, folder="work")
    asked(ann, "create", path="/memories/a.md", file_text="ann's")
    asked(work, "create", path="/memories/a.md", file_text="of work")
    assert "does not exist" in asked(bob, "view", path="/memories/a.md")
    assert "of work" in asked(work, "view", path="/memories/a.md")
    assert "would escape" in asked(work, "view", path="/memories/../a.md")
    assert work.clear_all_memory() == "All memory cleared"
    assert [note.path for note in memory.notes.list(ANN)] == ["a.md"]


def test_T3_a_change_in_between_is_not_lost(tool: TaishiMemoryTool, memory: Memory) -> None:
    asked(tool, "create", path="/memories/a.md", file_text="one\ntwo\n")
    read, others = memory.notes.read, iter(["three"])

    def interrupted(scope: Scope, path: str) -> Any:
        note = read(scope, path)
        for line in others:  # somebody else writes after we have read
            memory.notes.append(scope, path, line)
        return note

    tool._files._notes.read = interrupted  # type: ignore[method-assign]
    asked(tool, "str_replace", path="/memories/a.md", old_str="one", new_str="1")
    assert read(ANN, "a.md").text == "1\ntwo\nthree"  # type: ignore[union-attr]


SCRIPT: list[list[Any]] = [
    [memory_call("view", path="/memories")],
    ["Let me note that.",
     memory_call("create", path="/memories/ann.md", file_text="Coffee: black.\n"),
     memory_call("view", path="/memories/none.md")],
    ["Noted: black coffee."],
]  # fmt: skip


def check(claude: ScriptedClaude, memory: Memory, scope: Scope) -> None:
    assert claude.requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    (listing, _), (created, _), (missing, failed) = claude.results()
    assert listing.startswith("Here're the files and directories up to 2 levels deep in /memories")
    assert created == "File created successfully at: /memories/ann.md"
    assert failed and "does not exist" in missing
    assert memory.notes.read(scope, "ann.md").text == "Coffee: black.\n"  # type: ignore[union-attr]


REQUEST: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "I take my coffee black."}],
}


def test_T3_claudes_tool_runner_uses_it_over_http(memory: Memory) -> None:
    with ScriptedClaude(SCRIPT) as claude, Anthropic(base_url=claude.root, api_key="k") as client:
        tool = TaishiMemoryTool(memory, ANN)
        last = client.beta.messages.tool_runner(tools=[tool], **REQUEST).until_done()
        assert last.content[0].text == "Noted: black coffee."  # type: ignore[union-attr]
        check(claude, memory, ANN)


def test_T3_the_async_runner_uses_its_twin(tmp_path: Path) -> None:
    async def play() -> None:
        settings = load(environ={}, overrides=OFFLINE)
        with ScriptedClaude(SCRIPT) as claude:
            async with (
                await AsyncMemory.open(tmp_path / "data", settings) as memory,
                AsyncAnthropic(base_url=claude.root, api_key="k") as client,
            ):
                tool = TaishiAsyncMemoryTool(memory, ANN)
                runner = client.beta.messages.tool_runner(tools=[tool], **REQUEST)
                await runner.until_done()
                check(claude, memory.sync, ANN)
                for command, arguments in COMMANDS[:20]:
                    await answered(tool, command, **arguments)
                assert await tool.clear_all_memory() == "All memory cleared"

    async def answered(tool: TaishiAsyncMemoryTool, command: str, **arguments: Any) -> str:
        try:
            return str(await tool.call({"command": command, **arguments}))
        except ToolError as error:
            return f"error: {error}"

    asyncio.run(play())


def test_T3_the_example_runs(tmp_path: Path) -> None:
    program = [str(ROOT / "examples" / "anthropic_memory_tool.py"), "Coffee, black."]
    with ScriptedClaude(SCRIPT) as claude:
        printed = run_python(program, tmp_path, **account(claude))
    assert printed == "Noted: black coffee.\n/memories/ann.md (version 1): Coffee: black.\n\n"


@pytest.mark.parametrize("page", ["anthropic.md", "anthropic.zh-CN.md"])
def test_T3_the_page_says_what_happens(page: str, tmp_path: Path) -> None:
    with ScriptedClaude(SCRIPT) as claude:
        run_page(f"docs/how-to/adapters/{page}", tmp_path, **account(claude))


def account(claude: ScriptedClaude) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": claude.root, "ANTHROPIC_API_KEY": "k"}


def test_T3_without_the_package_the_error_has_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic.lib.tools", None)
    monkeypatch.delitem(sys.modules, "taishi.adapters.anthropic")
    with pytest.raises(MissingExtraError, match=r"install .*\[anthropic\]"):
        import_module("taishi.adapters.anthropic")
