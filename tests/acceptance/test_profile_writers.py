"""Every version of a page says who or what wrote it (P3)."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from taishi import Memory, Scope, load
from taishi.cli import taishi as root_command

ANN = Scope(user="ann")


@pytest.fixture
def memory(tmp_path):
    overrides = {"models.embedding.kind": "none", "profile.revision_keep": 10}
    with Memory.open(tmp_path / "data", load(environ={}, overrides=overrides)) as opened:
        yield opened


def page_file(tmp_path):
    return tmp_path / "data" / "profiles" / "users" / "ann.md"


def test_P3_each_version_says_who_wrote_it(memory, tmp_path):
    memory.profiles.set(ANN, "- likes tea", "Ann", door="cli")
    assert memory.profiles.source(ANN).changed_by == "person:cli"
    memory.end_turn(ANN, new_info="I live in Bergen", sender_name="Ann", request_id="told")
    memory.drain()
    learned = memory.profiles.source(ANN)
    assert (learned.changed_by, learned.source_event_id) == ("historian", "told:1")
    fact = memory.facts.list(ANN)[0]
    memory.facts.correct(ANN, fact.id, "Ann lives in Oslo")
    assert memory.profiles.source(ANN).changed_by == "correction"
    page = memory.profiles.source(ANN)
    memory.profiles.edit(ANN, page.body + "\n- sings", page, door="page")
    memory.profiles.rollback(ANN, memory.profiles.revisions(ANN)[0], door="rest")
    assert memory.profiles.source(ANN).changed_by == "rollback:rest"
    history = memory.profiles.history(ANN)
    assert [one.name for one in history] == list(memory.profiles.revisions(ANN))
    assert [one.changed_by for one in history] == [
        "person:page", "correction", "historian", "person:cli"
    ]  # fmt: skip
    assert [one.source_event_id for one in history if one.changed_by == "historian"] == ["told:1"]


def test_P3_an_edit_in_the_file_is_nobody_elses(memory, tmp_path):
    memory.profiles.set(ANN, "- likes tea", "Ann", door="cli")
    file = page_file(tmp_path)
    file.write_text(file.read_text("utf-8").replace("tea", "coffee"), "utf-8")
    assert memory.profiles.source(ANN).changed_by == "file"
    memory.profiles.set(ANN, "- likes water", "Ann")
    assert memory.profiles.history(ANN)[0].changed_by == "file"


@pytest.mark.parametrize("said", ["person:cli", "person:cli#000000000000", "#", "x" * 5000])
def test_P3_what_a_file_says_of_itself_does_not_count(memory, tmp_path, said):
    memory.profiles.set(ANN, "- likes tea", "Ann")
    file = page_file(tmp_path)
    lines = file.read_text("utf-8").splitlines()
    forged = [f'changed_by: "{said}"' if one.startswith("changed_by") else one for one in lines]
    file.write_text("\n".join(forged), "utf-8")
    assert memory.profiles.source(ANN).changed_by == "file"


def test_P3_old_and_damaged_pages_are_not_known(memory, tmp_path):
    memory.profiles.set(ANN, "- likes tea", "Ann")
    memory.profiles.set(ANN, "- likes water", "Ann")
    memory.profiles.set(ANN, "- likes milk", "Ann")
    newest, oldest = memory.profiles.revisions(ANN)
    folder = tmp_path / "data" / "profiles" / "history" / "users" / "ann"
    old = folder / f"{newest}.md"
    lines = old.read_text("utf-8").splitlines()
    old.write_text("\n".join(one for one in lines if not one.startswith("changed_by")), "utf-8")
    (folder / f"{oldest}.md").unlink()
    (folder / f"{oldest}.md").mkdir()
    assert [one.changed_by for one in memory.profiles.history(ANN)] == ["", ""]


def test_P3_a_door_of_the_hosts_own_is_a_word(memory):
    memory.profiles.set(ANN, "- likes tea", door="x\n---\ny: z")
    assert memory.profiles.source(ANN).changed_by == "person:python"


def test_P3_a_group_is_not_told_who_wrote_a_users_page(memory):
    memory.profiles.set(ANN, "- likes tea <!-- public -->", "Ann", door="cli")
    seen = memory.get_profile(Scope(group="club", user="ann"), "user", "ann")
    assert seen is None or seen.changed_by == ""


def test_P3_the_command_line_says_it_in_words(memory, tmp_path):
    memory.profiles.set(ANN, "- likes tea", door="rest")
    memory.end_turn(ANN, new_info="I live in Bergen", sender_name="Ann", request_id="told")
    memory.drain()
    memory.profiles.set(ANN, "- likes water")
    asked = ["--data", str(tmp_path / "data"), "profile", "history", "--user", "ann"]
    shown = CliRunner().invoke(root_command, asked, env={"LANG": "en_US.UTF-8"})
    assert shown.exit_code == 0, shown.output
    rows = shown.output.splitlines()
    assert "written by" in rows[0]
    assert rows[2].rstrip().endswith("the historian (told:1)")
    assert rows[3].rstrip().endswith("a person (rest)")
    data = json.loads(CliRunner().invoke(root_command, [*asked, "--json"]).output)
    assert [one["changed_by"] for one in data["history"]] == ["historian", "person:rest"]
    assert data["revisions"] == [one["name"] for one in data["history"]]
