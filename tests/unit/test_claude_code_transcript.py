"""The transcript of a session, read bit by bit: what grows, what is broken, what is hostile."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from taishi.adapters.claude_code import transcript
from taishi.adapters.claude_code.hook_input import parse
from taishi.adapters.claude_code.project import Owner, owner_in, project_id
from taishi.adapters.claude_code.transcript import Said, read_new
from taishi.adapters.claude_code.turns import SUMMARY_CHARS, opening, turns_of
from taishi.errors import InputError, StorageError
from taishi.types import Scope


def line(type: str, content: Any, uuid: str = "", **more: Any) -> str:
    message = {"role": type, "content": content}
    stamp = "2026-02-20T06:30:00.000Z"
    entry = {"type": type, "uuid": uuid, "timestamp": stamp, "message": message, **more}
    return json.dumps(entry) + "\n"


def texts(file: Path, start: int = 0) -> list[str]:
    return [said.text for said in read_new(file, start)[0]]


def test_only_what_is_new_is_read_and_a_half_line_waits(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(line("user", "one") + line("assistant", [{"type": "text", "text": "two"}]))
    messages, end = read_new(file, 0)
    assert [(said.role, said.text) for said in messages] == [("user", "one"), ("assistant", "two")]
    assert end == file.stat().st_size
    whole = line("user", "three")
    with file.open("a") as grown:
        grown.write(whole[:20])
    assert read_new(file, end) == ([], end)
    with file.open("a") as grown:
        grown.write(whole[20:])
    assert texts(file, end) == ["three"]


def test_what_nobody_typed_or_answered_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    answer = [
        {"type": "thinking", "thinking": "secret thought"},
        {"type": "tool_use", "id": "x", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": "Done."},
    ]
    file.write_text(
        line("user", "a subagent's task", isSidechain=True)
        + line("user", "a caveat", isMeta=True)
        + line("user", "a summary", isCompactSummary=True)
        + line("user", "<command-name>/clear</command-name>")
        + line("user", [{"type": "tool_result", "tool_use_id": "x", "content": "files"}])
        + line("user", "[Request interrupted by user]")
        + line("assistant", "API Error", isApiErrorMessage=True)
        + line("system", "note")
        + line("user", "list it <system-reminder>be brief</system-reminder>")
        + line("assistant", answer)
    )
    assert texts(file) == ["list it", "Done."]


HOSTILE = [
    b"not json\n",
    b"{}\n",
    b"[1,2]\n",
    b'{"type":"user","message":5}\n',
    b'{"type":"user","message":{"content":[5,null,{"type":"text","text":7}]}}\n',
    b'{"type":"user","uuid":{"a":1},"message":{"content":"x"}}\n',
    b"[" * 100_000 + b"\n",
    b'{"type":"user","message":{"content":"\xff\xfe"}}\n',
    b"\x00\x00\x00\n",
    b"\n",
    b'{"type":"user","message":{"content":"' + b"x" * (5 << 20) + b'"}}\n',
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_line_is_skipped_and_the_next_is_read(tmp_path: Path, number: int) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(HOSTILE[number] + line("user", "hello").encode())
    messages, end = read_new(file, 0)
    assert [said.text for said in messages] == ["hello"]
    assert end == file.stat().st_size


def test_of_a_huge_transcript_the_end_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_NEW_BYTES", 10_000)
    file = tmp_path / "t.jsonl"
    file.write_text("".join(line("user", f"message {n}") for n in range(1000)))
    messages, end = read_new(file, 0)
    assert 10 < len(messages) < 100
    assert messages[-1].text == "message 999"
    assert end == file.stat().st_size


def test_a_replaced_transcript_is_read_from_the_beginning(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(line("user", "short"))
    assert texts(file, 1_000_000) == ["short"]


def test_a_missing_transcript_and_a_folder_are_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(StorageError, match="no transcript"):
            read_new(path, 0)


def said(*texts: str) -> list[Said]:
    roles = ("user", "assistant")
    return [Said(roles[n % 2], text, f"m{n}") for n, text in enumerate(texts)]  # type: ignore[arg-type]


def test_turns_begin_with_a_prompt_and_have_stable_ids() -> None:
    messages = said("I use uv here.", "Noted.", "What is the version?", "It is 1.2.")
    first, second = turns_of(messages, "s1")
    assert first.new_info == ["I use uv here."]
    assert (first.action_summary, second.action_summary) == ("Noted.", "It is 1.2.")
    assert second.new_info == []  # a question states nothing
    assert [turn.id for turn in turns_of(messages, "s2")] == [first.id, second.id]
    details = first.details(Scope(user="ann"))
    assert [one["speaker"] for one in details["messages"]] == ["ann", "Claude"]


def test_a_long_answer_is_shortened_to_its_opening_without_code() -> None:
    text = "I fixed the parser.\n```py\nprint('long')\n```\n" + "It was slow. " * 200
    short = opening(text)
    assert short.startswith("I fixed the parser. It was slow.")
    assert "print" not in short
    assert len(short) <= 600


def test_project_ids_are_stable_and_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "shop", tmp_path / "b" / "shop"
    for folder in (one, two):
        (folder / "src").mkdir(parents=True)
        (folder / ".git").mkdir()
    assert project_id(one) == project_id(one / "src") != project_id(two)
    assert project_id(one).startswith("project-shop-")
    plain = tmp_path / "没有 仓库"
    plain.mkdir()
    assert project_id(plain).startswith("project-没有-仓库-")


def test_a_worktree_shares_the_memory_of_its_repository(tmp_path: Path) -> None:
    repository, tree = tmp_path / "shop", tmp_path / "tree"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], check=True)
    assert project_id(tree) == project_id(repository)


def test_the_scope_follows_flags_and_environment(tmp_path: Path) -> None:
    here = Owner(user="ann").scope(str(tmp_path), "s1")
    assert here == Scope(user="ann", group=project_id(tmp_path), session="s1")
    assert Owner("ann", "shop").scope("/elsewhere").group == "shop"
    assert Owner("ann", sharing="user").scope(str(tmp_path)) == Scope(user="ann")
    given = {"TAISHI_HOOK_USER": "ben", "TAISHI_HOOK_SCOPE": "user"}
    assert owner_in(given).scope(str(tmp_path)) == Scope(user="ben")


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b'{"session_id": 5}', b"[" * 100_000])
def test_input_that_is_no_event_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        parse(data)


def test_of_long_answers_the_beginning_and_the_opening_of_the_last_are_kept() -> None:
    texts = ["I read the files. " * 60, "Then I tried it. " * 60, "All tests pass. " * 60]
    said = [Said("user", "Please test it."), *(Said("assistant", text) for text in texts)]
    (turn,) = turns_of(said, "s")
    summary = turn.action_summary
    assert len(summary) <= SUMMARY_CHARS
    assert summary.startswith("I read the files.") and summary.endswith("All tests pass.")
    assert "tried" not in summary
