"""`taishi knowledge` and `taishi notes`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

GUIDE = "# Kettle\n\n## Warranty\n\nThe warranty of the kettle lasts thirty months.\n"
HERE = ("--user", "ann")


@pytest.fixture(autouse=True)
def keyword_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "kettle.md").write_text(GUIDE)
    (folder / "empty.md").write_text("")
    return folder


def test_T2_a_folder_is_synced_searched_shown_and_cleared(
    run: Callable[..., Result], ask: Callable[..., Any], docs: Path
) -> None:
    result = run("knowledge", "sync", docs, *HERE)
    assert result.exit_code == 0, result.output
    assert "1 added, 0 changed, 0 removed, 0 unchanged; 1 chunk written" in result.output
    assert "left out docs/empty.md" in result.output
    assert "0 added" in run("knowledge", "sync", docs, *HERE).output
    assert "新增 0" in run("--lang", "zh", "knowledge", "sync", docs, *HERE).output
    shown = run("knowledge", "search", "how long is the warranty?", *HERE).output
    assert "[docs/kettle.md › Kettle › Warranty]" in shown and "thirty months" in shown
    found = ask("knowledge", "search", "warranty", "--top-k", "1", "--neighbours", "0", *HERE)
    assert found["hits"][0]["citation"] == "docs/kettle.md › Kettle › Warranty"
    assert ask("knowledge", "search", "sailing", *HERE)["hits"] == []
    assert "docs/kettle.md" in run("knowledge", "list", *HERE).output
    (listed,) = ask("knowledge", "list", *HERE)["documents"]
    one = ask("knowledge", "show", "docs/kettle.md", *HERE)
    assert one == listed and one["title"] == "Kettle"
    text = run("knowledge", "show", one["id"], *HERE).output
    assert "first sentences" in text
    assert run("knowledge", "show", one["id"], "--original", *HERE).output == GUIDE
    assert "removed" in run("knowledge", "remove", "docs/kettle.md", *HERE).output
    gone = run("knowledge", "remove", "docs/kettle.md", *HERE)
    assert gone.exit_code == 2 and "no document" in gone.output
    assert "no documents yet" in run("knowledge", "list", *HERE).output
    assert "nothing" not in run("knowledge", "search", "warranty", *HERE).output


def test_T2_one_file_and_standard_input(
    run: Callable[..., Result], ask: Callable[..., Any], docs: Path
) -> None:
    assert "added kettle.md: 1 chunk" in run("knowledge", "add", docs / "kettle.md", *HERE).output
    piped = run("knowledge", "add", "-", "--name", "tea.txt", *HERE, input="Green tea.")
    assert "added tea.txt" in piped.output
    assert run("knowledge", "add", "-", *HERE, input="x").exit_code == 2
    missing = run("knowledge", "add", docs / "none.md", *HERE)
    assert missing.exit_code == 2 and "cannot be read" in missing.output
    only = ask("knowledge", "search", "tea", "--document", "tea.txt", *HERE)
    assert [hit["citation"] for hit in only["hits"]] == ["tea.txt"]


def test_T5_notes_on_the_command_line(run: Callable[..., Result], ask: Callable[..., Any]) -> None:
    bot = ("--agent", "coder")
    assert "version 1" in run("notes", "write", "MEMORY.md", "# Me", *bot).output
    assert run("notes", "write", "MEMORY.md", "x", "--expect", "0", *bot).exit_code == 2
    assert "version 2" in run("notes", "write", "MEMORY.md", "* Be brief.", "--append", *bot).output
    assert run("notes", "show", *bot).output == "# Me\n* Be brief.\n"
    assert [one["version"] for one in ask("notes", "history", "MEMORY.md", *bot)["notes"]] == [2, 1]
    assert "MEMORY.md" in run("notes", "list", *bot).output
    piped = run("notes", "write", "notes/a.md", "-", *bot, input="from a pipe")
    assert piped.exit_code == 0
    assert ask("notes", "show", "notes/a.md", *bot)["text"] == "from a pipe"
    assert run("notes", "write", "../a.md", "x", *bot).exit_code == 2
    assert ask("notes", "rename", "notes/a.md", "old/a.txt", *bot)["notes"][0]["version"] == 2
    assert run("notes", "rename", "notes/a.md", "x.md", *bot).exit_code == 2
    assert ask("notes", "list", "--prefix", "old/", *bot)["notes"][0]["path"] == "old/a.txt"
    assert ask("notes", "search", "pipe", *bot)["matches"][0]["path"] == "old/a.txt"
    assert "old/a.txt" in run("notes", "search", "pipe", *bot).output
    once = ("notes", "write", "b.txt", "once", "--operation", "op", "--max-chars", 4, *bot)
    assert ask(*once)["max_chars"] == 4 and ask(*once)["replayed"] is True
    assert "done before" in run(*once).output
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    assert "removed from the text" in run("notes", "write", "c.txt", f"key {secret}", *bot).output
    assert run("notes", "remove", "b.txt", "--expect", "9", *bot).exit_code == 2
    assert ask("notes", "remove", "b.txt", "--expect", "2", *bot)["removed"] == 1
    assert "removed 1 note" in run("notes", "remove", "old", "--folder", *bot).output
    assert run("notes", "remove", "notes/a.md", *bot).exit_code == 2
    assert run("notes", "show", "notes/a.md", *bot).exit_code == 2
