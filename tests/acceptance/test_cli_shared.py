"""T2: `taishi shared` and `taishi procedures`, in both languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from taishi import Memory, Scope
from taishi.cli import taishi

OPS = ("--agent", "ops")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    return lambda *words: CliRunner().invoke(taishi, [str(word) for word in words])


@pytest.fixture
def ask(run: Callable[..., Result]) -> Callable[..., Any]:
    def asked(*words: object) -> Any:
        result = run(*words, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return asked


def test_T2_from_a_proposal_to_a_settled_conflict(ask: Any, run: Any) -> None:
    first = ask("shared", "propose", "Lunch is at noon", "--type", "convention", "--topic", "lunch")
    assert ask("recall", "lunch", "--user", "ann", "--floor", "0")["hits"] == []
    assert ask("shared", "approve", first["id"], "--reason", "as ever")["state"] == "approved"
    assert ask("recall", "lunch", "--user", "ann")["hits"][0]["text"] == "Lunch is at noon"
    other = ask("shared", "propose", "Lunch is at one", "--type", "convention", "--topic", "lunch")
    ((old, new),) = ask("shared", "conflicts")["conflicts"]
    assert (old["id"], new["id"]) == (first["id"], other["id"])
    assert "shared resolve" in run("shared", "conflicts").output
    ask("shared", "resolve", first["id"], other["id"], "--reason", "the cook said so")
    assert ask("shared", "conflicts")["conflicts"] == []
    listed = ask("shared", "list", "--type", "convention")["entries"]
    assert {one["text"]: one["state"] for one in listed} == {
        "Lunch is at noon": "approved", "Lunch is at one": "rejected",
    }  # fmt: skip
    acts = ask("shared", "audit", first["id"])["audit"]
    assert [(act["did"], act["by"], act["door"]) for act in acts] == [
        ("proposed", "person", "cli"), ("approved", "person", "cli"), ("resolved", "person", "cli"),
    ]  # fmt: skip
    new_id = ask("shared", "supersede", first["id"], "Lunch is at half past twelve")["id"]
    ask("shared", "reject", new_id)
    assert ask("recall", "lunch", "--user", "ann", "--floor", "0")["hits"] == []
    assert ask("shared", "list", "--workspace", "elsewhere")["entries"] == []


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("proposed", "candidate", "known_issue")), ("zh", ("已提议", "待批准", "提出者"))],
)
def test_T2_in_both_languages(run: Any, language: str, words: tuple[str, ...]) -> None:
    said = run("shared", "propose", "The lift is slow", "--type", "known_issue", "--lang", language)
    said = said.output + run("shared", "list", "--lang", language).output
    assert all(word in said for word in words), said
    (id, *_) = re.findall("shared-[0-9a-f]+", said)
    assert run("shared", "audit", id, "--lang", language).exit_code == 0


def test_T2_what_is_wrong_is_said(run: Any) -> None:
    assert run("shared", "propose", "x", "--type", "rumour").exit_code == 2
    run("shared", "propose", "The lift is slow")
    result = run("shared", "approve", "nothing")
    assert result.exit_code == 2 and "no entry" in result.output
    assert run("procedures", "show", "nothing", *OPS).exit_code == 2
    assert run("procedures", "list").exit_code == 2, "a scope is needed"


def test_T2_procedures_from_a_use_to_a_review(ask: Any, run: Any, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data") as memory:
        data = {"name": "Roll back", "trigger": "a deployment fails", "steps": ["stop", "go back"]}
        id = memory.remember(Scope(agent="ops"), "Roll back (when: a deployment fails): 1. stop; "
                             "2. go back", kind="procedure", metadata=data)  # fmt: skip
    assert [one["id"] for one in ask("procedures", "list", *OPS)["procedures"]] == [id]
    assert "2. go back" in run("procedures", "show", id, *OPS).output
    assert ask("procedures", "used", id, *OPS)["usage_count"] == 1
    assert "100%" in run("procedures", "used", id, "--worked", *OPS).output
    assert run("procedures", "review", *OPS).output.strip() == "no procedure fails often"
    for _ in range(2):
        run("procedures", "used", id, "--failed", *OPS)
    (failing,) = ask("procedures", "review", *OPS)["procedures"]
    assert (failing["usage_count"], failing["feedback_count"]) == (4, 3)
    shared = ask("procedures", "share", id, *OPS)["id"]
    ask("shared", "approve", shared)
    (found,) = ask("procedures", "list", "--user", "ann")["procedures"]
    assert (found["id"], found["steps"]) == (shared, ["stop", "go back"])
    assert run("procedures", "list", "--user", "ann", "--workspace", "x", "--lang", "zh"
               ).output.strip() == "此处没有流程"  # fmt: skip
