"""`taishi facts`, `jobs`, `ledger` and `profile`: a person's hand on what was learned."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from taishi import Memory, Scope
from taishi.domain import facts
from taishi.domain.drafts import FactDraft
from taishi.ports import Call
from taishi.types import Edit

ANN = ("--user", "ann")
SCOPE = Scope(user="ann")
Run = Callable[..., Result]
NOW = 1_772_366_400.0
REVISION = "20260220T143000.000000Z"


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith("LC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI__QUERY__RECALL_TIMEOUT", "5")


@pytest.fixture
def open_folder() -> Iterator[Callable[[], Memory]]:
    opened: list[Memory] = []

    def open_one() -> Memory:
        opened.append(Memory.open())
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


def refused(result: Result, *words: str, code: int = 2) -> None:
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    for one in words:
        assert one in result.stderr


class Choice:
    def __init__(self, action: str, known_id: str | None) -> None:
        self.action, self.known_id, self.reason, self.ends = action, known_id, "", ()


def learn(memory: Memory, text: str, action: str = "add", about: str | None = None) -> str:
    """What the historian would do with one drafted fact."""
    store = memory._services.runtime.parts.store
    known = {one.id: one for one in memory.facts.list(SCOPE)}
    draft = FactDraft(text, "residence", "Ann", "quote")
    edits: list[Edit] = facts.to_edits([draft], [Choice(action, about)], known, f"r:{len(known)}",
                                       SCOPE.home, NOW + len(known), "ann")  # fmt: skip
    store.apply(edits)
    made = [edit.record.id for edit in edits if edit.record and edit.record.id not in known]
    return made[0] if made else ""


# -- facts


def test_F1_list_approve_and_reject(
    run: Run, ask: Callable[..., Any], open_folder: Callable[[], Memory]
) -> None:
    id = learn(open_folder(), "Ann lives in Oslo")
    shown = run("facts", "list", *ANN).stdout
    for word in (id, "approved", "0.70", "2026-03-01", "Ann lives in Oslo"):
        assert word in shown
    assert ask("facts", "list", *ANN)["facts"][0]["evidence_count"] == 1
    assert (
        run("facts", "reject", id, *ANN).stdout == f"rejected {id}; it will not be learned again\n"
    )
    assert ask("recall", "Oslo", *ANN)["hits"] == []
    assert ask("facts", "list", *ANN, "--state", "approved")["facts"] == []
    assert ask("facts", "list", *ANN, "--state", "rejected")["facts"][0]["rejected_at"]
    assert learn(open_folder(), "Ann lives in Oslo") == ""
    assert ask("facts", "approve", id, *ANN) == {"ok": True, "id": id}
    assert ask("recall", "Oslo", *ANN)["hits"][0]["id"] == id
    assert "no facts" in run("facts", "list", "--user", "bob").stdout
    assert "已批准" in run("--lang", "zh", "facts", "list", *ANN).stdout


def test_F1_conflicts_are_shown_and_resolved(
    run: Run, ask: Callable[..., Any], open_folder: Callable[[], Memory]
) -> None:
    memory = open_folder()
    old = learn(memory, "Ann lives in Berlin")
    new = learn(memory, "Ann lives in Oslo", "conflict", old)
    ((held, said),) = ask("facts", "conflicts", *ANN)["conflicts"]
    assert (held["id"], said["id"], said["state"]) == (old, new, "conflict")
    shown = run("facts", "conflicts", *ANN).stdout
    assert shown.index("Berlin") < shown.index("Oslo")
    assert "taishi facts resolve" in shown
    assert run("facts", "resolve", new, old, *ANN).stdout == f"resolved; {new} is kept\n"
    assert run("facts", "conflicts", *ANN).stdout == "no conflicts\n"
    states = {fact["id"]: fact["state"] for fact in ask("facts", "list", *ANN)["facts"]}
    assert states == {old: "rejected", new: "approved"}


def test_P5_correct(run: Run, ask: Callable[..., Any], open_folder: Callable[[], Memory]) -> None:
    id = learn(open_folder(), "Ann lives in Oslo")
    new = ask("facts", "correct", id, "Ann lives in Bergen, key sk-ABCDEFGHIJKLMNOPQRSTUVWX1234",
              *ANN)["id"]  # fmt: skip
    texts = {fact["id"]: fact["text"] for fact in ask("facts", "list", *ANN)["facts"]}
    assert texts[new].startswith("Ann lives in Bergen")
    assert "sk-ABCDEFGH" not in texts[new]  # R1: a person's words are redacted, too
    refused(run("facts", "correct", new, " ", *ANN), "empty")


@pytest.mark.parametrize("verb", [("approve", "nope"), ("reject", "nope"), ("correct", "nope", "x"),
                                  ("resolve", "nope", "nada")])  # fmt: skip
def test_F1_a_fact_that_is_not_there(
    run: Run, open_folder: Callable[[], Memory], verb: tuple[str, ...]
) -> None:
    memory = open_folder()
    learn(memory, "Ann lives in Oslo")
    memory.remember(SCOPE, "no fact", kind="note", id="nada")
    refused(run("facts", *verb, *ANN), "nope", "list")
    refused(run("facts", *verb), "no scope")
    refused(run("facts", "approve", "nada", *ANN), "nada")
    refused(run("facts", "list", *ANN, "--state", "odd"), "odd")


# -- jobs and the ledger


@pytest.fixture
def failed(open_folder: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a job that was given up with a model's own words."""
    monkeypatch.setenv("TAISHI__HISTORIAN__JOB_MAX_RETRIES", "0")
    memory = open_folder()
    memory.end_turn(SCOPE, "Booked a table", request_id="r7")
    queue = memory._services.runtime.parts.queue
    lease = queue.claim()
    assert lease
    assert not queue.retry(lease, 'ModelError: rewrite: the model said "As an AI I cannot"')
    memory.end_turn(SCOPE, "Called the boat yard", request_id="r8")
    return next(job["name"] for job in memory.jobs.list() if job["state"] == "failed")


def test_W4_jobs_are_listed_with_the_reason(run: Run, ask: Callable[..., Any], failed: str) -> None:
    listed = {job["event_id"]: job for job in ask("jobs", "list")["jobs"]}
    assert (listed["r7:1"]["state"], listed["r8:1"]["state"]) == ("failed", "pending")
    assert "As an AI I cannot" in listed["r7:1"]["reason"]
    assert "As an AI I cannot" in run("jobs", "list").stdout
    assert [job["event_id"] for job in ask("jobs", "list", "--state", "pending")["jobs"]] == [
        "r8:1"
    ]
    shown = run("jobs", "show", "r7:1").stdout
    assert "Booked a table" in shown
    assert "As an AI I cannot" in shown
    assert ask("jobs", "show", failed)["job"]["action_summary"] == "Booked a table"
    refused(run("jobs", "show", "nope"), "nope", "taishi jobs list")


def test_W4_a_failed_job_is_retried(
    run: Run, ask: Callable[..., Any], failed: str, open_folder: Callable[[], Memory]
) -> None:
    refused(run("jobs", "retry"), "--all")
    refused(run("jobs", "retry", "--all", failed), "--all")
    refused(run("jobs", "retry", "r8:1"), "r8:1")  # it has not failed
    assert ask("jobs", "retry", "r7:1") == {"retried": [failed]}
    assert {job["state"] for job in ask("jobs", "list")["jobs"]} == {"pending"}
    assert run("jobs", "retry", "--all").stdout == "0 jobs are back in the queue\n"
    open_folder().drain()
    assert run("jobs", "list").stdout == "no jobs\n"
    assert ask("recall", "table", *ANN)["hits"][0]["kind"] == "event"


def test_H5_ledger(run: Run, ask: Callable[..., Any], open_folder: Callable[[], Memory]) -> None:
    memory = open_folder()
    assert run("ledger").stdout == "no model has been called yet\n"
    ledger = memory._services.runtime.parts.store.ledger
    ledger.add(Call("rewrite", "m-1", True, 1.5, 100, 20, "tool", 0.01))
    ledger.add(Call("rewrite", "m-1", False, 0.5, 100, 0, "tool", 0.0, "429: slow down"))
    (row,) = ask("ledger")["ledger"]
    assert (row["calls"], row["failed"], row["prompt_tokens"]) == (2, 1, 200)
    shown = run("ledger").stdout
    assert "429: slow down" in shown
    assert "2 calls · 220 tokens · cost 0.0100" in shown
    assert ask("ledger", "--since", "2100-01-01")["ledger"] == []
    refused(run("ledger", "--since", "soon"), "soon")


# -- profile


def page(text: str, path: Path) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_P3_edit_history_diff_and_rollback(
    run: Run, ask: Callable[..., Any], open_folder: Callable[[], Memory], tmp_path: Path
) -> None:
    open_folder().profiles.set(
        SCOPE, "- Lives in Oslo\n- Likes tea <!-- group:g1 -->", "Ann", ["x"]
    )
    new = page("- Lives in Bergen\n- Likes tea <!-- group:g1 -->\n", tmp_path / "new.md")
    assert run("profile", "edit", *ANN, "--file", new).stdout.startswith("saved")
    assert run("profile", "edit", *ANN, "--file", new).stdout == "nothing was changed\n"
    shown = run("profile", "show", *ANN)
    assert shown.stdout == "# Ann\n\n#x\n\n- Lives in Bergen\n"
    assert "1 more line is shown in groups only; `taishi " in shown.stderr
    assert "profile edit --user ann` shows them" in shown.stderr
    assert ask("profile", "show", *ANN)["only_in_groups"] == 1
    assert "Likes tea" in run("profile", "show", *ANN, "--group", "g1").stdout
    assert "Bergen" not in run("profile", "show", *ANN, "--group", "g1").output
    assert "group:g2 is shown nothing" in run("profile", "show", *ANN, "--group", "g2").stdout
    assert "leave out --user" in run("profile", "history", *ANN, "--group", "g1").output
    assert {hit["kind"] for hit in ask("recall", "Bergen", *ANN)["hits"]} == {"profile", "fact"}
    (revision,) = ask("profile", "history", *ANN)["revisions"]
    assert revision in run("profile", "history", *ANN).stdout
    changed = run("profile", "diff", revision, *ANN).stdout
    assert "-- Lives in Oslo\n+- Lives in Bergen" in changed
    assert "restored" in run("profile", "rollback", revision, *ANN).stdout
    assert "Oslo" in ask("profile", "show", *ANN)["profile"]["body"]
    assert ask("recall", "Bergen", *ANN, "--kind", "profile")["hits"] == []
    assert ask("recall", "Oslo", *ANN, "--kind", "profile")["hits"]
    newer, older = ask("profile", "history", *ANN)["revisions"]
    assert older == revision
    assert "Bergen" in ask("profile", "diff", older, newer, *ANN)["diff"]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script as the editor")
def test_P1_edit_opens_the_editor_on_the_body(
    run: Run, open_folder: Callable[[], Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_folder()
    memory.profiles.set(SCOPE, "- Lives in Oslo\n- 喜欢茶")
    editor = page("#!/bin/sh\nsed -i.bak 's/Oslo/Bergen/' \"$1\"\n", tmp_path / "editor.sh")
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    assert run("profile", "edit", *ANN).stdout.startswith("saved")
    source = memory.profiles.source(SCOPE)
    assert source
    assert source.body == "- Lives in Bergen\n- 喜欢茶"
    assert memory._services.pages.rejected(memory.profiles._entity(SCOPE)) == ["Lives in Oslo"]
    refused(run("profile", "edit", *ANN, "--json"), "--file")


def test_P3_nobodys_typing_is_lost(
    run: Run, open_folder: Callable[[], Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_folder()
    memory.profiles.set(SCOPE, "- Lives in Oslo")

    def slow_typist(text: str, **options: Any) -> str:
        memory.profiles.set(SCOPE, "- Lives in Rome")
        return "- Lives in Bergen"

    monkeypatch.setattr("click.edit", slow_typist)
    result = run("profile", "edit", *ANN)
    refused(result, "in the meantime", "--file", code=1)
    named = re.search(r"saved in (\S+\.md);", result.stderr)
    assert named
    kept = Path(named[1])
    assert kept.read_text("utf-8") == "- Lives in Bergen"
    kept.unlink()
    source = memory.profiles.source(SCOPE)
    assert source
    assert source.body == "- Lives in Rome"


@pytest.mark.parametrize(
    "verb", [("edit", "--file"), ("history",), ("diff", REVISION), ("rollback", REVISION)]
)
def test_P4_ids_that_leave_the_folder_are_refused(
    run: Run, open_folder: Callable[[], Memory], tmp_path: Path, verb: tuple[str, ...]
) -> None:
    open_folder()
    extra = [page("x", tmp_path / "x.md")] if verb[-1] == "--file" else []
    for id in ("../../x", "..", "/etc/passwd"):
        refused(run("profile", *verb, *extra, "--user", id), "could leave")
    refused(run("profile", *verb, *extra, "--agent", "a"), "--user or --group")


def test_P3_wrong_revisions_and_files_are_refused(
    run: Run, open_folder: Callable[[], Memory], tmp_path: Path
) -> None:
    open_folder().profiles.set(SCOPE, "- Lives in Oslo")
    refused(run("profile", "rollback", "../x", *ANN), "revision")
    refused(run("profile", "diff", REVISION, *ANN), "no revision")
    assert run("profile", "history", *ANN).stdout == "there are no snapshots yet\n"
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00")
    refused(run("profile", "edit", *ANN, "--file", tmp_path / "bad.md"), "UTF-8")
    long = page("x" * 100_001, tmp_path / "long.md")
    refused(run("profile", "edit", *ANN, "--file", long), "100000")
