"""A broken page of each kind: recall goes on, no job fails, doctor names file and line (P6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load

ANN, GROUP = Scope(user="ann"), Scope(group="g1", user="ann")
FRONT = '---\nentity_type: user\nentity_id: "ann"\nname: "安"\ntags: ["茶"]\n---\n\n'
PAGE = f"{FRONT}- 安喜欢喝茶\n"
KINDS = {
    "no front matter": ("- 安喜欢喝茶\n".encode(), 1),
    "a broken quote": (PAGE.replace('"安"', '"安').encode(), 5),
    "GBK": (PAGE.encode("gbk"), 4),
    "UTF-16": (PAGE.encode("utf-16"), 1),
    "a wrong id": (PAGE.replace('"ann"', '"anne"').encode(), 2),
    "empty": (b"", 1),
    "no text at all": (bytes(range(128, 256)) * 20, 1),
    "a folder": (None, 1),
    "the page of another": (PAGE.replace('"ann"', '"bob"').encode(), 2),
}
READABLE = ("no front matter", "a broken quote", "GBK", "UTF-16", "a wrong id")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = load(environ={}, overrides={"query.recall_timeout": 10.0})
    with Memory.open(tmp_path / "data", settings, embedder=HashEmbedder()) as opened:
        yield opened


def broken(folder: Path, content: bytes | None) -> Path:
    users = folder / "data" / "profiles" / "users"
    users.mkdir(parents=True, exist_ok=True)
    (users / "bob.md").write_text(PAGE.replace('"ann"', '"bob"'), "utf-8")
    path = users / "ann.md"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_P6_recall_goes_on_and_no_job_fails(
    memory: Memory, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    content, _ = KINDS[kind]
    memory.remember(ANN, "Ann moved to Oslo")
    path = broken(tmp_path, content)
    for scope in (ANN, GROUP):
        assert memory.recall(scope, "where did Ann move to?").level == "hybrid"
        assert memory.search_profiles(scope, "喝茶").level == "hybrid"
    block = memory.context(ANN, "Oslo")
    assert "Oslo" in block
    assert ("安喜欢喝茶" in block) == (kind in READABLE)
    assert path.name in caplog.text
    messages = [{"text": "I like olives", "speaker": "Ann", "speaker_id": "ann"}]
    memory.end_turn(ANN, new_info="I like olives", messages=messages, sender_id="ann",
                    sender_name="Ann")  # fmt: skip
    memory.drain(60)
    assert memory.status()["queue"]["failed"] == 0
    assert "olives" in memory.context(ANN, "olives")
    if kind in READABLE:
        assert "安喜欢喝茶" in path.read_text("utf-8"), "the person's text is kept"
        assert "Ann likes olives" in path.read_text("utf-8")
        assert memory.profiles.faults() == []
        assert memory.profiles.revisions(ANN), "what was there is a snapshot"


@pytest.mark.parametrize("kind", KINDS)
def test_P6_doctor_names_the_file_and_the_line(
    run: Callable[..., Result], memory: Memory, tmp_path: Path, kind: str
) -> None:
    content, line = KINDS[kind]
    path = broken(tmp_path, content)
    found = run("--data", tmp_path / "data", "doctor", "--json")
    told = [one for one in json.loads(found.stdout)["findings"] if one["check"] == "pages"]
    assert told and all(one["level"] != "ok" for one in told)
    assert any(f"{path}, line {line}: " in one["message"] for one in told), told
    chinese = run("--data", tmp_path / "data", "--lang", "zh", "doctor")
    assert f"第 {line} 行" in chinese.output


def test_P6_doctor_says_that_pages_are_fine(run: Callable[..., Result], memory: Memory) -> None:
    memory.profiles.set(ANN, "- Likes tea", "Ann")
    found = run("--data", memory.status()["folder"], "doctor", "--json")
    assert {"check": "pages", "level": "ok"}.items() <= next(
        one for one in json.loads(found.stdout)["findings"] if one["check"] == "pages"
    ).items()
