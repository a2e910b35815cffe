# ruff: noqa: N816  (names of tests carry the id of a promise)
"""The same promises with the memory in PostgreSQL: chosen tests of the other modules, run again.

Every acceptance test runs on PostgreSQL with `TAISHI_TEST_ENGINE=postgres pytest tests/acceptance`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import Result

from acceptance import (
    test_atlas_scope,
    test_deletions,
    test_filters,
    test_knowledge,
    test_note_changes,
    test_notes,
    test_pages_and_scopes,
    test_raw_turns,
    test_recall,
    test_recall_mix,
    test_source_deletion,
    test_working_memory,
    test_write_path,
)
from support.hash_embedder import HashEmbedder
from taishi import InputError, Memory, Scope
from taishi.errors import BusyError, QueueError, ReadOnlyError

test_S3_scopes_are_apart = test_atlas_scope.test_atlas_scope_cross_tenant_absent
filled = test_deletions.filled
test_O2_recorded = test_deletions.test_O2_a_deletion_is_recorded_without_its_content
test_O2_old_export = test_deletions.test_O2_an_export_taken_before_does_not_bring_a_person_back
test_K1_documents = test_knowledge.test_K1_a_document_is_added_listed_read_back_and_removed
test_T5_two_processes = test_note_changes.test_T5_of_two_processes_exactly_one_wins_each_version
test_T5_old_versions = test_notes.test_T5_a_write_on_an_old_version_is_refused_and_history_is_kept
test_S4_group_and_private = (
    test_pages_and_scopes.test_S4_a_correction_in_a_group_leaves_the_private_line
)
test_Q10_values = test_filters.test_Q10_a_json_value_comes_back_as_it_was
test_Q10_answers = test_filters.test_Q10_the_cache_of_answers_knows_the_filters
test_E2_time_filters = test_recall.test_E2_time_filters_compare_instants_and_not_strings
test_Q1_changes_are_seen = test_recall.test_Q1_a_change_and_a_removal_are_seen_at_once
test_Q1_the_best_comes_first = test_recall.test_Q1_paths_are_named_and_the_best_comes_first
test_Q6_fresh_answers = test_recall_mix.test_Q6_another_process_writes_and_the_answer_is_fresh
test_S3_answers_are_apart = test_recall_mix.test_S3_an_answer_is_kept_for_its_scope_alone
test_O2_only_source = test_source_deletion.test_O2_a_fact_goes_with_its_only_source
test_O2_two_sources = test_source_deletion.test_O2_a_fact_with_two_sources_stands_on_the_other
test_M2_restart = test_working_memory.test_M2_what_was_compressed_survives_a_restart
test_W2_end_seq = test_write_path.test_W2_end_seq_goes_on_after_reopening
test_W5_two_processes = test_write_path.test_W5_two_processes_in_one_request_lose_no_turn
test_W9_stored_first = test_raw_turns.test_W9_a_turn_that_is_stored_first_goes_with_its_job
test_W9_stored_last = (
    test_raw_turns.test_W9_a_turn_that_is_stored_after_its_job_is_over_does_not_stay
)
test_W9_many_turns = test_raw_turns.test_W9_of_many_turns_only_those_whose_job_is_over_go
test_W9_stored_during_dismissal = (
    test_raw_turns.test_W9_a_turn_that_is_stored_while_its_job_is_dismissed_does_not_stay
)
test_W9_dismissed_during_storing = (
    test_raw_turns.test_W9_a_turn_whose_job_ends_while_it_is_stored_does_not_stay
)
test_W9_two_processes = test_raw_turns.test_W9_two_processes_leave_no_raw_turn
test_W4_turns_of_failed_jobs = test_raw_turns.test_W4_upkeep_leaves_the_turns_of_jobs_that_failed
test_W9_killed = test_raw_turns.test_W9_what_a_killed_process_left_goes_when_a_worker_starts
test_W9_under_load = test_raw_turns.test_W9_no_raw_turn_is_left_under_load
test_W6_raw_turn = test_write_path.test_W6_a_raw_turn_is_found_before_any_worker_and_then_replaced

Open = Callable[..., Memory]
ANN, BOB, TEAM = Scope(user="ann"), Scope(user="bob"), Scope(user="ann", group="team")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def engine() -> str:
    return "postgres"


@pytest.fixture
def address(address_of: Callable[[Path], str], tmp_path: Path) -> str:
    """Of the memory that `open_memory` opens."""
    return address_of(tmp_path / "data")


def tell(memory: Memory) -> None:
    for scope, said in (
        (ANN, "I live in Oslo"),
        (ANN, "My sister Eva works in a bakery in Bergen"),
        (TEAM, "We meet every Tuesday at nine"),
        (BOB, "I am allergic to peanuts"),
        (ANN, "I moved to Rome"),
    ):
        memory.end_turn(scope, new_info=said, sender_name=str(scope.user).title())
    assert memory.drain(60)


def test_Q1_recall_finds_the_same_in_a_folder_and_in_postgres(
    memory: Memory, tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    settings = make_settings({"query.recall_timeout": 5.0})
    tell(memory)
    lines = list(memory.transfer.export())
    with Memory.open(tmp_path / "folder", settings, embedder=HashEmbedder()) as folder:
        folder.transfer.import_records(lines)
        assert folder.drain(60) and memory.drain(60)
        for scope in (ANN, BOB, TEAM):
            for question in ("Where does Ann live?", "peanuts", "When do we meet?", "Bergen"):
                here, there = (one.recall(scope, question) for one in (memory, folder))
                # The index that grew here still counts the lengths of texts that were replaced, so
                # that hits of nearly the same score may change places: the texts hold the time.
                assert [h.id for h in here.hits[:1]] == [h.id for h in there.hits[:1]], question
                assert {h.id for h in here.hits} == {h.id for h in there.hits}, question
                assert here.level == there.level
        assert list(folder.transfer.export())[1:] == lines[1:], "all but the header's time"


def test_O2_forgotten_with_proof_and_the_proof_finds_what_is_left(
    memory: Memory, address: str
) -> None:
    tell(memory)
    words = memory.deletions.traces(ANN)
    assert words
    memory.forget(ANN, actor="person")
    proof = memory.deletions.prove(ANN, words)
    assert proof and any("VACUUM" in place for place in proof.places)
    assert not memory.recall(ANN, "Oslo Rome Bergen").hits
    assert memory.recall(BOB, "peanuts").hits, "and nobody else"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET taishi.all_workspaces = 'on'")
        connection.execute(
            "INSERT INTO stored_files VALUES ('left', %s)", (f"… {words[0]} …".encode(),)
        )
    # Once for each of the phrases in it: one may be a part of another.
    left = memory.deletions.prove(ANN, words).found
    assert {one.place for one in left} == {"database: stored_files"}


def test_O2_a_recall_of_a_forgotten_person_stores_nothing_and_ids_are_compared_whole(
    memory: Memory,
) -> None:
    gerlinde = Scope(user="gerlinde5")
    rooms = Scope(user="gerlinde5", group="gggerlinde5")
    memory.end_turn(gerlinde, new_info="I moved to Oslo in spring", sender_name="Gerlinde")
    memory.end_turn(rooms, new_info="I keep four brown hens", sender_name="Gerlinde")
    assert memory.drain(60)
    memory.knowledge.add(gerlinde, "The zeppelin leaves at nine.", name="rules.md")
    memory.remember(Scope(shared=True), "The office is in Oslo, on the third floor")
    words = memory.deletions.traces(gerlinde)
    memory.forget(gerlinde, actor="person")
    assert memory.recall(gerlinde, "Where is the office in Oslo?").hits
    memory._services.runtime.text_caches.clear()
    memory.drain(60)
    places = [place.id for place, _ in memory._services.runtime.parts.store.places()]
    assert "gggerlinde5" in places and "gerlinde5" not in places
    assert not memory.deletions.prove(gerlinde, words).found


def test_O2_a_copy_is_refused_with_what_to_do(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pg_dump"):
        memory.transfer.backup(tmp_path / "copy")


def test_C4_a_database_that_can_only_be_read_answers_and_keeps_nothing(
    memory: Memory, address: str, tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    tell(memory)
    settings = make_settings({"storage.folder": str(tmp_path), "query.recall_timeout": 5.0})
    standby = f"{address}?options=-c%20default_transaction_read_only%3Don"
    with Memory.open(standby, settings, embedder=HashEmbedder()) as reader:
        assert reader.status()["read_only"]
        assert reader.recall(BOB, "peanuts").hits
        with pytest.raises(QueueError):
            reader.end_turn(BOB, new_info="I live in Paris")
        with pytest.raises(ReadOnlyError):
            reader.remember(BOB, "I live in Paris")


def test_P1_a_page_is_edited_as_markdown_and_nobodys_edit_is_lost(
    memory: Memory, address: str, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory)
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(Path.cwd() / "local"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    def edit(text: str, **options: Any) -> str:
        assert "Rome" in text and options["extension"] == ".md"
        return text.replace("Rome", "Naples")

    monkeypatch.setattr("click.edit", edit)
    result = run("--data", address, "profile", "edit", "--user", "ann")
    assert result.exit_code == 0, result.output
    source = memory.profiles.source(ANN)
    assert source is not None and "Naples" in source.body and "Rome" not in source.body
    assert len(memory.profiles.revisions(ANN)) >= 1

    def edit_beside(text: str, **options: Any) -> str:
        current = memory.profiles.source(ANN)
        assert current is not None
        memory.profiles.edit(ANN, current.body + "\n- Likes tea.", current)
        return text + "\n- Likes coffee."

    monkeypatch.setattr("click.edit", edit_beside)
    result = run("--data", address, "profile", "edit", "--user", "ann")
    assert result.exit_code != 0 and "taishi-" in result.output, "where the text was saved"
    kept = memory.profiles.source(ANN)
    assert kept is not None and "tea" in kept.body and "coffee" not in kept.body
    with pytest.raises(BusyError):
        memory.profiles.edit(ANN, "x", source)


def test_O1_status_keys_and_doctor_of_a_fleet(
    open_memory: Open, address: str, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(Path.cwd() / "local"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    one, two = open_memory(), open_memory()
    two.start_worker()
    status = ask("--data", address, "status")
    assert len(status["processes"]) == 3
    assert all(row["host"] and row["pid"] and row["role"] for row in status["processes"])
    assert status["workers"]["running"] == 1
    one.end_turn(ANN, new_info="I live in Oslo", wait=20)
    made = ask("--data", address, "keys", "create", "bot")
    listed = ask("--data", address, "keys", "list")["keys"]
    assert [key["id"] for key in listed] == [made["key"]["id"]]
    found = {row["check"]: row["level"] for row in ask("--data", address, "doctor")["findings"]}
    assert found["connection"] == "ok" and found["keys"] == "ok" and found["database"] == "ok"


def test_W4_a_worker_elsewhere_is_woken_at_once(open_memory: Open) -> None:
    slow = {"historian.poll_interval_seconds": 60.0}
    here, there = open_memory(slow), open_memory(slow)
    there.start_worker()
    there.drain(10)
    here.end_turn(ANN, new_info="I live in Oslo", sender_name="Ann")
    assert here.get(ANN, "nothing") is None
    until = time.monotonic() + 20
    while time.monotonic() < until and not here.facts.list(ANN):
        time.sleep(0.05)
    assert here.facts.list(ANN), "the worker in the other memory polls only once a minute"


def test_the_page_about_postgres_is_true(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(Path.cwd() / "local"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI__QUERY__RECALL_TIMEOUT", "10")
    text = (ROOT / "docs/how-to/postgres.md").read_text("utf-8")
    (block,) = re.findall(r"^```py\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(re.sub(r"postgresql://[^\"]*", address, block), {})
    assert "Oslo" in capsys.readouterr().out
