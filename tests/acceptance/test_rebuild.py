"""`rebuild`: what was learned follows from the events, but for what a person said (O2, P5)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from fastapi.testclient import TestClient

from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.server.app import create_app
from taishi.types import Edit, Record

ANN, BOB = Scope(user="ann", session="s1"), Scope(user="bob")
CLUB = Scope(group="club", user="ann")
TURNS: tuple[tuple[Scope, str, str], ...] = (
    (ANN, "Ann", "I live in Cork."),
    (ANN, "Ann", "I like olives."),
    (ANN, "Ann", "From now on always answer in Chinese."),
    (ANN, "Ann", "I live in Bergen now."),
    (ANN, "Ann", "I like olives."),
    (ANN, "Ann", "I am in a bad mood today."),
    (ANN, "Ann", "My dog is called Quorvex7719."),
    (CLUB, "Ann", "I work at Bord Gais."),
    (CLUB, "Ann", "Our group meets every Friday."),
    (BOB, "小明", "我住在上海。"),
    (BOB, "小明", "我喜欢吃火锅。"),
    (BOB, "小明", "我搬到杭州了。"),
    (BOB, "小明", "以后都用中文回答我。"),
)


@pytest.fixture
def told(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory({"query.recall_timeout": 5.0})
    for number, (scope, name, text) in enumerate(TURNS):
        message = {"text": text, "speaker": name, "id": f"m{number}"}
        memory.end_turn(scope, "", text, [message], sender_name=name, request_id=f"r{number}",
                        group_name="Club" if scope.group else None)  # fmt: skip
        memory.drain()
    return memory


def learned(memory: Memory) -> dict[str, Any]:
    """All that was learned, and all pages but for when they were written."""
    kinds = ("fact", "short_term", "procedure")
    found: dict[str, Any] = {}
    for scope in (ANN, BOB, CLUB):
        for one in memory.records.list(scope, kinds).records:
            # Where a passing memory was needed is no evidence: it is not in the events.
            data = {key: value for key, value in one.data.items() if key != "visited_sessions"}
            found[one.id] = (one.text, one.state, one.confidence, one.user, one.until, data)
        page = memory.profiles.source(scope)
        found[str(scope.home)] = page and (page.name, sorted(page.body.split("\n")))
    return found


def drop_all_that_was_derived(memory: Memory, folder: Path) -> None:
    """Facts, pages, terms, vectors, packs: everything but the events."""
    with memory._services.runtime.parts.store._db.writing() as connection:
        connection.execute("DELETE FROM records WHERE kind != 'event'")
        for table in ("shelf", "packs", "changes"):
            connection.execute(f"DELETE FROM {table}")
    shutil.rmtree(folder / "profiles")


def derived_lines(block: str) -> list[str]:
    """Instructions, pages and facts. Which events come behind the first depends on how common a
    word is, and that on rows that were struck out."""
    sections = re.split(r"^(?=\S[^\n]*:$)", block, flags=re.M)
    derived = (one for one in sections if not one.startswith("Matching events"))
    return sorted(line for one in derived for line in one.splitlines() if line.startswith("- "))


def test_O2_a_rebuild_of_what_is_right_changes_nothing(told: Memory) -> None:
    before = learned(told)
    assert len(before) > 12
    done = told.maintenance.rebuild()
    assert (done.added, done.changed, done.removed) == ({}, {}, {}), done.changes
    assert done.events == len(TURNS) and not done.dry_run
    assert learned(told) == before


def test_O2_all_that_was_derived_comes_back(
    told: Memory, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    before, block = learned(told), told.context(ANN, "what is the dog called?")
    assert "Quorvex7719" in block
    drop_all_that_was_derived(told, tmp_path / "data")
    told.close()
    again = open_memory({"query.recall_timeout": 5.0})
    assert "Quorvex7719" not in again.context(ANN, "what is the dog called?")
    preview = again.maintenance.rebuild(dry_run=True)
    assert preview.dry_run and preview.added["fact"] > 8
    assert "Quorvex7719" not in again.context(ANN, "what is the dog called?")
    done = again.maintenance.rebuild(actor="person", door="cli")
    again.drain()
    assert (done.added, done.removed) == (preview.added, {})
    assert learned(again) == before
    assert derived_lines(again.context(ANN, "what is the dog called?")) == derived_lines(block)
    assert [one.what for one in again.deletions.list()] == ["rebuild"]
    assert again.status()["records"]["unembedded"] == 0


def by_text(memory: Memory, scope: Scope, text: str) -> Record:
    return next(one for one in memory.facts.list(scope) if one.text == text)


def test_P5_a_persons_word_stands(told: Memory, tmp_path: Path) -> None:
    told.facts.reject(ANN, by_text(told, ANN, "Ann likes olives").id)
    told.facts.correct(ANN, by_text(told, ANN, "Ann lives in Bergen").id, "Ann lives in Kinsale")
    told.forget(ANN, by_text(told, ANN, "Ann's dog is called Quorvex7719").id)
    page = told.profiles.source(BOB)
    assert page is not None
    told.profiles.edit(BOB, f"{page.body}\n- 小明属虎", page)
    before = learned(told)
    done = told.maintenance.rebuild()
    assert (done.added, done.changed, done.removed) == ({}, {}, {}), done.changes
    assert learned(told) == before
    shutil.rmtree(tmp_path / "data" / "profiles")
    told.maintenance.rebuild()
    bob = told.profiles.source(BOB)
    assert bob is not None and "小明属虎" in bob.body and "杭州" in bob.body
    ann = told.profiles.source(ANN)
    assert ann is not None and "Kinsale" in ann.body
    for gone in ("olives", "Bergen", "Quorvex7719"):
        assert gone not in ann.body


def test_P5_what_was_rejected_and_approved_after_all_stays_approved(told: Memory) -> None:
    olives = by_text(told, ANN, "Ann likes olives")
    told.facts.reject(ANN, olives.id)
    text = {"text": "I like olives.", "speaker": "Ann", "id": "m99"}
    told.end_turn(ANN, "", text["text"], [text], sender_name="Ann", request_id="r99")
    told.drain()
    (tomb,) = told.facts.list(ANN, ["rejected"])
    assert tomb.id == olives.id
    assert told.maintenance.rebuild().changes == ()
    told.facts.approve(ANN, olives.id)
    told.maintenance.rebuild()  # what was said against the rejection is evidence now
    assert "r99:1" in by_text(told, ANN, "Ann likes olives").data["sources"]
    assert told.maintenance.rebuild().changes == ()
    assert by_text(told, ANN, "Ann likes olives").state == "approved"


def test_O2_what_no_event_bears_out_goes(told: Memory) -> None:
    """As after a deletion by a version that did not follow sources."""
    fact = by_text(told, ANN, "Ann likes olives")
    with told._services.runtime.parts.store._db.writing() as connection:
        for id in fact.data["sources"]:
            connection.execute("DELETE FROM records WHERE id = ? AND kind = 'event'", (id,))
    preview = told.maintenance.rebuild(ANN, dry_run=True)
    assert [(one.op, one.text) for one in preview.changes] == [("removed", "Ann likes olives")]
    assert by_text(told, ANN, "Ann likes olives")
    told.maintenance.rebuild(ANN)
    assert not [one for one in told.facts.list(ANN) if "olives" in one.text]
    assert "olives" not in str(told.profiles.source(ANN))
    assert told.deletions.list()[0].removed == 1


def test_O2_a_scope_is_rebuilt_alone(told: Memory, tmp_path: Path) -> None:
    with told._services.runtime.parts.store._db.writing() as connection:
        connection.execute("DELETE FROM records WHERE kind = 'fact'")
    told.maintenance.rebuild(BOB)
    assert told.facts.list(BOB) and not told.facts.list(ANN)


def test_O2_memories_of_the_host_are_not_touched(told: Memory) -> None:
    told.remember(ANN, "the spare key is under the mat", id="key")
    told.remember(ANN, "tea at noon", id="fact-tea", metadata={"sources": ["my wiki"]})
    assert told.maintenance.rebuild().changes == ()
    assert told.records.get(ANN, "key") and told.records.get(ANN, "fact-tea")


def test_O2_what_a_model_wrote_is_not_read_by_rule(told: Memory) -> None:
    with told._services.runtime.parts.store._db.writing() as connection:
        connection.execute(
            "UPDATE records SET data = json_set(data, '$.written_by', 'model'), "
            "text = 'x' WHERE kind = 'event'"
        )
        connection.execute("UPDATE records SET text = text || ' (a model)' WHERE kind = 'fact'")
    assert told.maintenance.rebuild().changes == ()
    assert by_text(told, ANN, "Ann likes olives (a model)")


def test_O2_events_of_an_older_version_teach_by_their_own_words(
    told: Memory, tmp_path: Path
) -> None:
    before = {one.text for one in told.facts.list(ANN, ["approved"])}
    with told._services.runtime.parts.store._db.writing() as connection:
        connection.execute(
            "UPDATE records SET data = json_remove(data, '$.retained_turn', '$.written_by') "
            "WHERE kind = 'event'"
        )
    assert told.maintenance.rebuild().changes == ()
    drop_all_that_was_derived(told, tmp_path / "data")
    told.maintenance.rebuild()
    assert {one.text for one in told.facts.list(ANN, ["approved"])} >= before - {
        'Ann asks: "From now on always answer in Chinese"'
    }


def test_O2_the_index_is_made_again_and_right_vectors_stay(
    told: Memory, open_memory: Callable[..., Memory]
) -> None:
    told.drain()
    with told._services.runtime.parts.store._db.writing() as connection:
        connection.execute("UPDATE shelf SET terms = x''")
        connection.execute("DELETE FROM packs")
        connection.execute("UPDATE places SET seq = seq + 1, floor = seq + 1")
    by_words = open_memory({"query.recall_timeout": 5.0}, embedder=None)
    assert not by_words.recall(ANN, "Quorvex7719", kinds=["event"]).hits
    assert told.maintenance.rebuild().indexed > 20
    assert by_words.recall(ANN, "Quorvex7719", kinds=["event"]).hits
    assert told.status()["records"]["unembedded"] == 0


def test_O2_two_do_not_rebuild_at_once(told: Memory) -> None:
    from taishi import BusyError

    with told._services.runtime.parts.locks.hold("rebuild"), pytest.raises(BusyError):
        told.maintenance.rebuild()


def test_O2_a_retained_turn_is_in_no_hit_and_no_listing(told: Memory) -> None:
    (hit, *_) = told.recall(ANN, "Quorvex7719", kinds=["event"]).hits
    assert "retained_turn" not in hit.metadata
    for one in told.records.list(ANN).records:
        assert "retained_turn" not in one.data
    assert "retained_turn" in "\n".join(told.transfer.export())


def test_T2_the_command_and_the_route_say_what_changes(
    told: Memory, tmp_path: Path, run: Callable[..., Result]
) -> None:
    folder = tmp_path / "data"
    with told._services.runtime.parts.store._db.writing() as connection:
        connection.execute("DELETE FROM records WHERE kind = 'fact' AND text LIKE '%Quorvex%'")
    with TestClient(create_app(told, keys=Keys(folder))) as client:
        seen = client.post("/v1/rebuild", params={"dry_run": True}).json()
    assert [one["op"] for one in seen["changes"]] == ["added"]
    for language, said in (("en", "added: Ann's dog"), ("zh", "新增: Ann's dog")):
        shown = run("--data", folder, "--lang", language, "rebuild", "--dry-run")
        assert shown.exit_code == 0 and said in shown.stdout, shown.output
    done = json.loads(run("--data", folder, "rebuild", "--user", "ann", "--json").stdout)
    assert done["added"] == {"fact": 1} and not done["dry_run"]
    assert by_text(told, ANN, "Ann's dog is called Quorvex7719")
    assert (told.deletions.list()[0].what, told.deletions.list()[0].door) == ("rebuild", "cli")


KILLED = """
import sys, time
from taishi import Memory, Scope, load
settings = load(environ={}, overrides={"models.embedding.kind": "none"})
memory = Memory.open(sys.argv[1], settings)
print("ready", flush=True)
memory.maintenance.rebuild()
print("done", flush=True)
"""


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_O2_killed_at_any_time_it_is_run_again(
    told: Memory, tmp_path: Path, seconds: float, open_memory: Callable[..., Memory]
) -> None:
    before = learned(told)
    drop_all_that_was_derived(told, tmp_path / "data")
    told.close()
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "data")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
    again = open_memory({"query.recall_timeout": 5.0})
    again.maintenance.rebuild()
    assert learned(again) == before
    assert again.maintenance.check() == "ok"


def test_P5_what_a_person_ended_stays_ended(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    for number, text in enumerate(("I have a cat.", "I don't have a cat any more.")):
        said = {"text": text, "speaker": "Ann", "id": f"m{number}"}
        memory.end_turn(ANN, "", text, [said], sender_name="Ann", request_id=f"r{number}")
        memory.drain()
    before = {one.text: one.state for one in memory.facts.list(ANN)}
    assert before["Ann has a cat"] == "superseded", "the control"
    assert memory.maintenance.rebuild().changes == ()
    assert {one.text: one.state for one in memory.facts.list(ANN)} == before


def test_P5_a_turn_that_came_late_is_late_again(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    told = (("I live in Paris.", "2026-01-05"), ("I moved to Lisbon.", "2026-03-05"),
            ("I live in Paris.", "2026-02-05"))  # fmt: skip
    for number, (text, day) in enumerate(told):
        said = {"text": text, "speaker": "Ann", "id": f"m{number}", "time": day}
        memory.end_turn(ANN, "", text, [said], sender_name="Ann", request_id=f"r{number}", time=day)
        memory.drain()
    assert [one.text for one in memory.facts.list(ANN, ["approved"])] == ["Ann lives in Lisbon"]
    assert memory.maintenance.rebuild(dry_run=True).changes == ()


QUITO = "Ann lives in Quito"


def trust(memory: Memory, text: str) -> tuple[float, str | None, bool]:
    fact = by_text(memory, ANN, text)
    return fact.confidence, fact.data.get("recorded_by"), bool(fact.data.get("by_self"))


def told_with_a_bot_key(memory: Memory, folder: Path) -> None:
    keys = Keys(folder)
    _, secret = keys.create("bot")
    with TestClient(create_app(memory, keys=keys)) as client:
        body = {"scope": {"user": "ann"}, "new_info": "I live in Quito.", "sender_name": "Ann"}
        answer = client.post("/v1/turns", json=body, headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code < 300, answer.text
    memory.drain()


@pytest.mark.parametrize("engine", ["folder", "postgres"])
def test_P5_a_rebuild_trusts_what_a_bot_wrote_no_more_than_before(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0})
    told_with_a_bot_key(memory, tmp_path / "data")
    before = trust(memory, QUITO)
    assert before == (0.6, "model", False), "the control"
    assert memory.maintenance.rebuild().changes == ()
    assert trust(memory, QUITO) == before
    fact = by_text(memory, ANN, QUITO)
    memory._services.runtime.parts.store.apply([Edit("remove", place=fact.place, id=fact.id)])
    assert memory.maintenance.rebuild().added == {"fact": 1}
    assert trust(memory, QUITO) == before


def test_P5_an_older_event_is_trusted_as_its_facts_were(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """Events did not keep who told them."""
    memory = open_memory({"query.recall_timeout": 5.0})
    told_with_a_bot_key(memory, tmp_path / "data")
    memory.end_turn(ANN, "", "I like olives.", sender_name="Ann")
    memory.drain()
    before = trust(memory, QUITO), trust(memory, "Ann likes olives")
    assert before[1][1:] == (None, True), "the control"
    with memory._services.runtime.parts.store._db.writing() as connection:
        connection.execute(
            "UPDATE records SET data = json_remove(data, '$.retained_turn.actor') "
            "WHERE kind = 'event'"
        )
    assert memory.maintenance.rebuild().changes == ()
    assert (trust(memory, QUITO), trust(memory, "Ann likes olives")) == before


def test_T2_a_dry_run_says_how_trust_changes(
    told: Memory, tmp_path: Path, run: Callable[..., Result]
) -> None:
    with told._services.runtime.parts.store._db.writing() as connection:
        connection.execute(
            "UPDATE records SET confidence = 0.99, data = json_set(data, '$.recorded_by', 'x') "
            "WHERE kind = 'fact' AND text = 'Ann likes olives'"
        )
    (change,) = told.maintenance.rebuild(dry_run=True).changes
    fields = {one.field: (one.before, one.after) for one in change.fields}
    assert fields["confidence"][0] == "0.99" != fields["confidence"][1]
    assert fields["recorded_by"] == ("x", "")
    shown = run("--data", tmp_path / "data", "rebuild", "--dry-run").stdout
    assert "changed: Ann likes olives (confidence 0.99 → 0." in shown
    assert "recorded_by x → –" in shown


def test_T2_the_command_counts_all_that_is_not_listed(
    open_memory: Callable[..., Memory], tmp_path: Path, run: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    memory = open_memory({"query.recall_timeout": 5.0})
    for number in range(7):
        memory.end_turn(ANN, "", f"My dog is called Quorvex{number}.", sender_name="Ann")
        memory.end_turn(ANN, "", f"I like fruit{number}.", sender_name="Ann")
    memory.drain()
    drop_all_that_was_derived(memory, tmp_path / "data")
    monkeypatch.setattr("taishi.ingest.rebuild.MOST_CHANGES", 5)
    monkeypatch.setattr(sys.modules["taishi.cli.evidence"], "MAX_SHOWN", 3)
    report = memory.maintenance.rebuild(dry_run=True)
    assert len(report.changes) == 5
    total = sum(report.added.values())
    assert total > 5, "the control"
    shown = run("--data", tmp_path / "data", "rebuild", "--dry-run")
    assert f"and {total - 3} more" in shown.output
