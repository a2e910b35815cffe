"""The commands that the pages show are run, in the order of the page, on a folder with something
in it. What waits for ever (serve, work, mcp) or needs a bucket or a database is run elsewhere."""

from __future__ import annotations

import json
import re
import shlex
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from support import chat_exports
from taishi import Memory, Scope
from taishi.cli import taishi

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = re.compile(r"\b(?:serve|ui|work|mcp|demo)\b|s3://|postgresql://")


def commands_of(text: str) -> list[str]:
    lines = [
        line for block in FENCE.findall(text) for line in block.replace("\\\n", " ").split("\n")
    ]
    return [line for line in lines if line.startswith("taishi ") and not ELSEWHERE.search(line)]


PAGES = {
    page.relative_to(ROOT).as_posix(): commands
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if (commands := commands_of(page.read_text("utf-8")))
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, as somebody has it who reads the pages."""
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    with Memory.open("./data") as memory:
        memory.remember(Scope(user="u7"), "Ann moved to Oslo")
        lines = "".join(memory.transfer.export())
    archive = Path("data/archive")
    archive.mkdir()
    (archive / "observations-2026-01.jsonl").write_text(lines, "utf-8")
    said = {"text": "we met at the lake", "speaker": "Ann", "time": "2025-05-01 10:00", "id": "m1"}
    Path("old.jsonl").write_text(json.dumps(said) + "\n", "utf-8")
    told = [{"summary": "Ann booked the ferry", "timestamp": "2025-05-01T10:00:00+08:00"}]
    Path("end_summaries.json").write_text(json.dumps(told), "utf-8")
    Path("other.toml").write_text("[query]\nrecall_top_k = 7\n", "utf-8")
    write_chat_exports()
    return tmp_path


def write_chat_exports() -> None:
    """The files that the page on importing names."""
    for format in chat_exports.ALL:
        chat_exports.write(format, Path(), 12)
    for format in ("chatgpt", "claude"):
        with zipfile.ZipFile(f"{format}-export.zip", "w") as archive:
            archive.write(f"{format}.json", "conversations.json")
    Path("sillytavern.jsonl").rename("Aria.jsonl")
    Path("Aria.png").write_bytes(chat_exports.png({"chara": chat_exports.card(2)}))
    names = {"telegram": "result", "discord": "general", "wechat": "family"}
    for format, name in names.items():
        Path(f"{format}.json").rename(f"{name}.json")
    Path("openai-jsonl.jsonl").rename("chats.jsonl")
    with Path("messages.txt").open("w", encoding="gb18030", newline="") as out:
        chat_exports.qq_txt(out, 12, 7)
    with Path("登山_utf8.csv").open("w", encoding="utf-8-sig", newline="") as out:
        chat_exports.wechat_csv(out, 12, 7)


def test_there_are_pages_with_commands() -> None:
    assert sum(map(len, PAGES.values())) >= 15


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_runs(page: str, folder: Path) -> None:
    made = ""  # the id of the last key: the page can only show somebody else's
    for line in PAGES[page]:
        words = shlex.split(line, comments=True)[1:]
        words = [word.replace("/mnt/", f"{folder}/") for word in words]
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if target else words
        command = words[2:4] if words[:1] == ["--data"] else words[:2]
        if command == ["keys", "revoke"]:
            words[-1] = made
        if "--expires" in words:  # the page's date is past one day
            words[words.index("--expires") + 1] = "2999-12-31"
        result = CliRunner().invoke(taishi, words)
        assert result.exit_code == 0, f"{line}\n{result.output}"
        if target:
            Path(target).write_text(result.stdout, "utf-8")
        if command == ["keys", "create"]:
            made = result.stdout.split("_")[1]


def test_O2_a_dry_run_makes_no_folder(folder: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(taishi, ["export", "all.jsonl"]).exit_code == 0
    result = runner.invoke(taishi, ["--data", "other", "import", "all.jsonl", "--dry-run"])
    assert result.exit_code == 0, result.output
    assert not Path("other").exists()
