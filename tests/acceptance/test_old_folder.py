"""A folder that an earlier tree wrote opens, and answers as that tree did (B1).

The folder is built by `tests/golden/old_folder.py`, the questions and the verbs by which they are
asked are in `tests/golden/old_folder_answers.py`. Nothing here knows the source tree but by its
public names, so that it holds however the house is rebuilt.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import sqlite3
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from golden import old_folder_answers as old
from golden.old_folder import STORED, build
from golden.old_folder_answers import (
    LIN,
    MIA,
    MIA_IN_CREW,
    NOW,
    TOM_IN_CREW,
    LetterEmbedder,
    Verbs,
    opened,
)
from taishi import Memory, Message, Scope, TaishiError
from taishi.recall.vector_codec import code_size

ROOT = Path(__file__).resolve().parents[2]
WRITTEN: dict[str, Any] = json.loads(old.ANSWERS.read_text(encoding="utf-8"))
BEFORE, AFTER = WRITTEN["before work"], WRITTEN["after work"]
SCORE_TOLERANCE = 0.002
ANEW = "if that is meant: python tests/golden/old_folder_answers.py"


@pytest.fixture(scope="module")
def asked_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("asked") / "memory")


@pytest.fixture(scope="module")
def answers(asked_folder: Path) -> dict[str, Any]:
    return _as_json(old.asked(asked_folder))


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("untouched") / "memory")


@pytest.fixture
def folder(untouched: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(untouched, tmp_path / "memory"))


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jobs that were left over are done."""
    folder = build(tmp_path_factory.mktemp("worked") / "memory")
    with opened(folder) as memory:
        assert memory.drain(60)
    return folder


@pytest.fixture
def worked_folder(worked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(worked, tmp_path / "memory"))


@pytest.fixture
def memory(worked_folder: Path) -> Iterator[Memory]:
    with opened(worked_folder) as one:
        yield one


def texts(memory: Memory, scope: Scope, ask: str, **wanted: Any) -> list[str]:
    found = memory.recall(scope, ask, now=NOW, deadline=30.0, **wanted)
    return [hit.text for hit in found.hits]


# -- what was written down ----------------------------------------------------------------------


@pytest.mark.parametrize("name", BEFORE)
def test_B1_before_the_jobs_are_done(answers: dict[str, Any], name: str) -> None:
    assert answers["before work"][name] == BEFORE[name], ANEW


@pytest.mark.parametrize("name", [name for name in AFTER if name != "recall"])
def test_B1_after_the_jobs_are_done(answers: dict[str, Any], name: str) -> None:
    assert answers["after work"][name] == AFTER[name], ANEW


@pytest.mark.parametrize("number", range(len(old.QUESTIONS)), ids=lambda n: old.QUESTIONS[n][1])
def test_B1_questions_are_answered_the_same(answers: dict[str, Any], number: int) -> None:
    found, written = answers["after work"]["recall"][number], AFTER["recall"][number]
    assert written["hits"], "a question without an answer shows nothing"
    assert _without_scores(found) == _without_scores(written), ANEW
    scores = [hit[2] for hit in written["hits"]]
    assert [hit[2] for hit in found["hits"]] == pytest.approx(scores, abs=SCORE_TOLERANCE), ANEW


def test_B1_nothing_is_asked_that_was_not_written_down(answers: dict[str, Any]) -> None:
    assert answers["before work"].keys() == BEFORE.keys()
    assert answers["after work"].keys() == AFTER.keys()
    assert len(AFTER["recall"]) == len(old.QUESTIONS)


def _as_json(found: Any) -> Any:
    return json.loads(json.dumps(found))


def _without_scores(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "hits": [[*hit[:2], *hit[3:]] for hit in found["hits"]]}


# -- what is there is used, not made again ------------------------------------------------------


def test_B1_stored_vectors_are_kept(folder: Path, untouched: Path) -> None:
    """Embedded is what had none yet (a note, and what the left-over jobs write), and what had a
    vector of two blocks without its second one, which was zero in English."""
    embedder = LetterEmbedder()
    with opened(folder, embedder) as memory:
        assert memory.drain(60)
        assert memory.recall(MIA, "Where is the spare key?", deadline=30.0).level == "hybrid"
    with closing(sqlite3.connect(untouched / "taishi.db")) as database:
        had: dict[bool, set[str]] = {True: set(), False: set()}
        for text, size in database.execute(
            "SELECT text, length(code) FROM records JOIN shelf USING (number) WHERE model != 0"
        ):
            had[size == code_size(embedder.dimensions)].add(text)
    assert len(had[True]) > 20 and len(had[False]) > 30
    assert had[True].isdisjoint(embedder.documents)
    named = re.compile(r"(?<=\), group) [^,:]+|(?<=），群)[^，：]+")  # a group's name is left out
    assert {named.sub("", text, count=1) for text in had[False]} <= set(embedder.documents)
    assert "The lathe stands in the shed behind the house" in embedder.documents


def test_B1_everything_is_there_at_the_next_opening(
    asked_folder: Path, answers: dict[str, Any], tmp_path: Path
) -> None:
    with opened(Path(shutil.copytree(asked_folder, tmp_path / "again"))) as memory:
        assert memory.drain(60)
        again = _as_json(old.after_work(memory))
    for name in ("facts", "pages", "records", "export", "exported", "check"):
        assert again[name] == answers["after work"][name], name


# -- what one can do with it ---------------------------------------------------------------------


def test_B1_a_failed_job_can_be_tried_again(memory: Memory) -> None:
    verbs = Verbs(memory)
    (failed,) = verbs.jobs()
    assert failed["state"] == "failed" and "could not read this turn" in failed["reason"]
    verbs.retry_job(failed["name"])
    assert memory.drain(60)
    assert verbs.jobs() == []
    events = texts(memory, TOM_IN_CREW, "Who ordered rope?", kinds=["event"])
    assert events[0].endswith("Eve ordered forty metres of rope")


def test_B1_the_link_holds_until_it_is_switched_off(memory: Memory) -> None:
    ask = "What is Mia allergic to?"
    assert "Mia is allergic to walnuts" in texts(memory, MIA_IN_CREW, ask)
    assert not any("walnuts" in text for text in texts(memory, TOM_IN_CREW, ask))
    Verbs(memory).set_link(MIA, False)
    assert not any("walnuts" in text for text in texts(memory, MIA_IN_CREW, ask))
    assert "Mia is allergic to walnuts" in texts(memory, MIA, ask)


def test_B1_a_session_goes_on_where_it_was(memory: Memory) -> None:
    verbs, session = Verbs(memory), Scope(group="crew", user="tom", session="crew-1")
    known = Message("The mast arrives on Friday.", "Tom", NOW, "late-1", "tom")
    new = Message("Bring gloves.", "Tom", NOW, "new-1", "tom")
    assert verbs.add_messages(session, [known]) == 0
    assert verbs.add_messages(session, [known, new]) == 1
    memory.drain(60)  # with four new messages a summary is due by itself
    verbs.end_session(session)
    assert verbs.end_session(session) is False
    (summary,) = verbs.records(TOM_IN_CREW, kinds=["summary"]).records
    said = "new mast|dog called Bosun|arrives on Friday|crane token|forty metres|Bring gloves"
    assert [one for one in said.split("|") if one not in summary.text] == []


def test_B1_what_a_person_decided_holds(memory: Memory) -> None:
    for scope, said in (
        (TOM_IN_CREW, "the slipway is free on weekdays"),
        (LIN, "林然喜欢喝龙井茶"),
    ):
        with pytest.raises(TaishiError) as refused:
            memory.remember(scope, said, actor="model")
        assert getattr(refused.value, "reason", "") == "rejected"
    assert memory.remember(TOM_IN_CREW, "the slipway is steep", actor="model")
    (slipway,) = Verbs(memory).facts(TOM_IN_CREW, ["rejected"])
    Verbs(memory).approve(TOM_IN_CREW, slipway.id)
    assert slipway.text in texts(memory, TOM_IN_CREW, "When is the slipway free?")


def test_B1_what_was_handed_out_is_not_taken_in_as_new(memory: Memory, tmp_path: Path) -> None:
    told = {"new_info": "Tom has a dog called Bosun", "sender_name": "Petrel"}
    assert memory.end_turn(TOM_IN_CREW, **told) is None
    with opened(tmp_path / "empty") as nothing_handed_out:
        assert nothing_handed_out.end_turn(TOM_IN_CREW, **told)


def test_B1_turns_are_counted_on(memory: Memory) -> None:
    assert memory.end_turn(MIA, new_info="I bought a kayak.", request_id="old-3") == "old-3:2"


def test_B1_a_page_goes_back_to_its_snapshot(memory: Memory) -> None:
    verbs, club = Verbs(memory), Scope(group="读书会", workspace="书社")
    (revision,) = verbs.page_revisions(club)
    assert "八点" in verbs.page(club).body
    assert verbs.page_rollback(club, revision).body.splitlines()[0] == "- 每周三晚上七点见面"
    assert "每周三晚上七点见面" in [fact.text for fact in verbs.facts(club, ["approved"])]


def test_B1_the_old_list_is_read_where_memory_is_off(folder: Path) -> None:
    on = {"memory__enabled": False, "memory__legacy_end_summaries": True}
    with opened(folder, **on) as memory:
        assert texts(memory, LIN, "花生")[0] == "我对花生过敏。"
        assert texts(memory, MIA, "address Galway")[0].startswith("I noted the new address")


# -- forgetting -----------------------------------------------------------------------------------


def test_B1_a_person_can_be_forgotten(memory: Memory, worked_folder: Path) -> None:
    verbs = Verbs(memory)
    assert "Mia lives in Galway" in texts(memory, MIA, "Where does Mia live?", top_k=9)
    assert {path.name for path in _files(worked_folder) if b"carpenter" in path.read_bytes()} >= {
        "taishi.db", "end_summaries.json", "mia.md",
    }  # fmt: skip
    phrases = verbs.traces(MIA)
    assert phrases
    assert memory.forget(MIA) > 15
    assert texts(memory, MIA, "Where does Mia live?", floor=0.0) == []
    assert (verbs.facts(MIA), verbs.page(MIA), verbs.records(MIA).records) == ([], None, ())
    proof = verbs.prove_forgotten(MIA, phrases)
    assert proof, proof.found
    assert not any(b"carpenter" in path.read_bytes() for path in _files(worked_folder))
    assert "林然对花生过敏" in texts(memory, LIN, "林然对什么过敏？")
    assert (verbs.deletions()[0].what, verbs.deletions()[0].kind) == ("scope", "private")


def test_B1_what_was_forgotten_is_not_imported_again(memory: Memory) -> None:
    """By its marks: the note is in no row of the folder."""
    verbs = Verbs(memory)
    lines = [json.loads(line) for line in verbs.export(MIA)]
    note = next(line for line in lines if line.get("id") == "note-lathe")
    gone = {**note, "id": "note-gone", "text": "The alarm code was changed in spring"}
    other = {**note, "id": "note-other", "text": "The gate creaks in the wind"}
    for line in (gone, other):
        line |= dict.fromkeys(("time", "created"), 1790490000.0)
        line |= dict.fromkeys(("time_iso", "created_iso"), "2026-09-27T06:20:00+00:00")
    end = {**lines[-1], "counts": {"record": 2}}
    file = [json.dumps(line, ensure_ascii=False) for line in (lines[0], gone, other, end)]
    done = verbs.import_lines(file)
    assert (done.added, done.forgotten) == ({"record": 1}, {"record": 1})
    assert verbs.import_lines(file, even_forgotten=True).added == {"record": 1}


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# -- the command ----------------------------------------------------------------------------------


def test_B1_the_command_knows_the_keys(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger("taishi"), "handlers", [])  # the command adds one
    monkeypatch.setenv("TAISHI_DATA", str(folder))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    def taishi(*arguments: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["taishi", *arguments, "--json"])
        with pytest.raises(SystemExit) as ended:
            _command()()
        assert not ended.value.code
        return json.loads(capsys.readouterr().out)

    def keys() -> list[tuple[Any, ...]]:
        names = ("name", "workspace", "rights", "user", "revoked", "as_person")
        return [tuple(key[name] for name in names) for key in taishi("keys", "list")["keys"]]

    bot = ("bot", "default", "write", None, None, False)
    curator = ("curator", None, "admin", None, 1_790_507_600.0, True)
    assert keys() == [bot, ("mia's phone", "default", "read", "mia", None, False), curator]
    assert taishi("forget", "--user", "mia", "--yes")["removed"] > 15
    assert keys() == [bot, curator]


def _command() -> Callable[[], object]:
    """What the package installs as `taishi`, wherever in the tree that is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, name = project["scripts"]["taishi"].split(":")
    found: Callable[[], object] = getattr(import_module(module), name)
    return found


# -- the builder itself ---------------------------------------------------------------------------


def test_the_builder_leaves_no_table_empty(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "taishi.db")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (10,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        names = [name for (name,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'")]  # fmt: skip
        assert len(names) == 16
        empty = [name for name in names if not database.execute(f"SELECT 1 FROM {name}").fetchone()]
    assert empty == []
    states = {Path(name).parts[1] for name in _names(STORED / "files") if "queues" in name}
    assert states == {"pending", "failed"}


def _names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in _files(folder)]
