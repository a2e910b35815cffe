"""`taishi records`, and filters and ends on the command line (Q10)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from taishi import Memory, Scope, load

Ask = Callable[..., Any]
Run = Callable[..., Result]


@pytest.fixture
def told(ask: Ask, tmp_path: Path) -> list[Any]:
    """The options of a scope in which three notes are."""
    here = ["--data", tmp_path / "data", "--user", "ann"]
    lines = [
        {"text": f"a trip to {place}", "id": place, "session": "s1", "metadata": {"days": days}}
        for place, days in (("oslo", 3), ("rome", 7), ("cork", 9))
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert ask("remember", "--file", file, *here, "--no-wait")["redacted"] == []
    return here


def ids(found: Any, name: str = "records") -> list[str]:
    return [one["id"] for one in found[name]]


def test_Q10_records_are_listed_filtered_ordered_and_paged(ask: Ask, told: list[Any]) -> None:
    assert ids(ask("records", "list", *told)) == ["cork", "rome", "oslo"]
    wanted = json.dumps({"metadata.days": {"lt": 9}})
    assert ids(ask("records", "list", *told, "--filter", wanted)) == ["rome", "oslo"]
    assert ids(ask("records", "list", *told, "--in-session", "s1", "--limit", 1)) == ["cork"]
    changed = ask("records", "update", "oslo", "--text", "a longer trip", *told)
    assert changed["updated"] > changed["created"]
    first = ask("records", "list", *told, "--order-by", "updated", "--limit", 1)
    assert ids(first) == ["oslo"]
    after = ask("records", "list", *told, "--order-by", "updated", "--after", first["next"])
    assert ids(after) == ["cork", "rome"]


def test_Q10_a_record_is_shown_and_its_end_moved(ask: Ask, run: Run, told: list[Any]) -> None:
    there = {"project": "apollo"}
    moved = ask("records", "update", "oslo", "--expires", "2099-01-01T00:00:00Z",
                "--metadata", json.dumps(there), *told)  # fmt: skip
    assert moved["expires"].startswith("2099-01-01")
    assert moved["metadata"] == {**there, "recorded_by": "person"}
    assert ask("records", "update", "oslo", "--expires", "never", *told)["expires"] is None
    assert ask("records", "show", "oslo", *told)["text"] == "a trip to oslo"
    shown = run("records", "show", "oslo", *told)
    assert shown.exit_code == 0 and "a trip to oslo" in shown.stdout
    missing = run("records", "show", "nowhere", *told)
    assert missing.exit_code == 2 and "nowhere" in missing.output


def test_Q10_recall_and_context_take_a_filter(ask: Ask, told: list[Any]) -> None:
    only = ["--filter", json.dumps({"metadata.days": 7})]
    (hit,) = ask("recall", "a trip", *told, *only)["hits"]
    assert hit["id"] == "rome" and hit["created"] and hit["updated"] and hit["expires"] is None
    block = ask("context", "a trip", *told, *only)["block"]
    assert "rome" in block and "oslo" not in block
    nothing = ask("recall", "a trip", *told, "--filter", '{"metadata.days": 8}')
    assert nothing["hits"] == [] and nothing["reason"]


@pytest.mark.parametrize("given", ["{", "[1]", "7", '{"knd": 1}'])
def test_Q10_a_filter_that_cannot_be_used_is_an_error(
    run: Run, told: list[Any], given: str
) -> None:
    for command in (("recall", "a trip"), ("context", "a trip"), ("records", "list")):
        result = run(*command, *told, "--filter", given)
        assert result.exit_code == 2 and "filter" in result.output


def test_R2_what_was_redacted_is_said(ask: Ask, run: Run, told: list[Any]) -> None:
    secret = "my password is hunter2secret"
    kept = ask("remember", secret, "--kind", "note", *told, "--no-wait",
               "--expires", "2099-01-01")  # fmt: skip
    assert kept["redacted"] == ["password"]
    said = run("--lang", "en", "remember", secret, "--kind", "note", *told, "--no-wait")
    assert "password" in said.stdout and "hunter2" not in said.stdout


def test_T4_a_turn_can_be_waited_for(ask: Ask, told: list[Any]) -> None:
    ask("end-turn", "--new-info", "Ann adopted a parrot", "--wait", 10, *told)
    assert any("parrot" in hit["text"] for hit in ask("recall", "parrot", *told)["hits"])


def test_a_listing_says_what_was_replaced_or_rejected(ask: Ask, run: Run, tmp_path: Path) -> None:
    here = ["--data", tmp_path / "data", "--user", "ann"]
    (rome,) = ask("remember", "Ann lives in Rome", *here, "--no-wait")["ids"]
    ask("facts", "reject", rome, *here)
    ann, settings = Scope(user="ann"), load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        bonn = memory.remember(ann, "Ann lives in Bonn", actor="model")
        memory.facts.correct(ann, bonn, "Ann lives in Cork", actor="model")
    for language, replaced, rejected in (
        ("en", "superseded", "rejected"),
        ("zh", "已被取代", "已否决"),
    ):
        lines = run("--lang", language, "records", "list", *here).stdout.splitlines()
        assert any("Bonn" in line and replaced in line for line in lines), lines
        assert any("Rome" in line and rejected in line for line in lines), lines
    only = json.dumps({"state": "approved"})
    (left,) = ask("records", "list", "--filter", only, *here)["records"]
    assert left["text"] == "Ann lives in Cork"
