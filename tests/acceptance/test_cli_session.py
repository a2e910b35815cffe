"""`taishi session`: the working memory of a session on the command line (M1–M3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

WHO = ("--user", "ann", "--session", "s1")


@pytest.fixture
def data(tmp_path: Path) -> tuple[str, str]:
    return ("--data", str(tmp_path / "data"))


def test_M1_messages_go_in_and_come_back(
    run: Callable[..., Result], ask: Callable[..., Any], data: tuple[str, str], tmp_path: Path
) -> None:
    (id,) = ask(*data, "session", "append", "hello", *WHO)["ids"]
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    talk = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "found it", "tool_call_id": "c1"},
    ]
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, talk)), encoding="utf-8")
    assert "2 messages appended" in run(*data, "session", "append", "--file", file, *WHO).output
    window = ask(*data, "session", "messages", "--max-tokens", 1000, *WHO)
    assert window["messages"] == [{"role": "user", "content": "hello"}, *talk]
    assert window["level"] == "none" and window["budget"] == 700
    shown = ask(*data, "session", "show", *WHO)["messages"]
    assert [one["message"] for one in shown] == window["messages"] and shown[0]["id"] == id
    plain = run(*data, "session", "messages", *WHO)
    assert json.loads(plain.stdout.splitlines()[1]) == talk[0]
    assert "→ look" in run(*data, "session", "show", *WHO).output
    (listed,) = ask(*data, "session", "list", "--user", "ann")["sessions"]
    assert (listed["session"], listed["messages"]) == ("s1", 3)
    assert ask(*data, "session", "end", *WHO) == {"summarised": True}
    assert "3 messages deleted" in run(*data, "session", "clear", *WHO).output
    assert "no messages" in run(*data, "session", "show", *WHO).output


def test_M3_the_scratchpad_is_shown_and_changed(
    run: Callable[..., Result], ask: Callable[..., Any], data: tuple[str, str]
) -> None:
    pad = (*data, "session", "scratchpad")
    fields = ("current_goal=ship", "decisions=SQLite=it is there", "blockers=a", "blockers=b")
    given = [part for field in fields for part in ("--set", field)]
    found = ask(*pad, *given, *WHO)
    assert found["current_goal"] == "ship" and found["blockers"] == ["a", "b"]
    assert found["decisions"] == [{"what": "SQLite", "why": "it is there"}]
    assert ask(*pad, "--set", "blockers=", *WHO)["blockers"] == []
    assert "current_goal: ship" in run(*pad, *WHO).output
    assert "为空" in run("--lang", "zh", *pad, "--clear", *WHO).output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("append", *WHO), "either a TEXT or --file"),
        (("append", "x", "--user", "ann"), "which session"),
        (("append", "--file", "-", *WHO), "line 1: not JSON"),
        (("scratchpad", "--set", "goal=x", *WHO), "FIELD=TEXT"),
    ],
)
def test_M1_wrong_arguments_say_what_to_do(
    run: Callable[..., Result], data: tuple[str, str], arguments: tuple[str, ...], says: str
) -> None:
    result = run(*data, "session", *arguments, input="{nonsense")
    assert result.exit_code == 2 and says in result.output
