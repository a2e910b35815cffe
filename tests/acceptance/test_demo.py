"""`taishi demo` keeps what it claims, and says so loudly when a claim breaks."""

from __future__ import annotations

import json
import logging
import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import taishi.demo
from support.scripted_model import ScriptedModel, WiseScript
from taishi import InputError, load
from taishi.demo import run
from taishi.demo.messages import CHINESE, ENGLISH
from taishi.demo.run import DemoResult, Timing, demo_settings, play
from taishi.demo.story import Story, load_story
from taishi.demo.with_model import play_with_model


@pytest.fixture(scope="module")
def story() -> Story:
    return load_story()


def by_keyword(story: Story, folder: Path) -> DemoResult:
    """No model is needed, and the deadline leaves a busy machine time."""
    overrides = {
        "memory.timezone": story.timezone,
        "models.embedding.kind": "none",
        "query.recall_timeout": 5.0,
    }
    return play(story, folder, load(environ={}, overrides=overrides))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "data"


@pytest.fixture(scope="module")
def show(story: Story, folder: Path) -> DemoResult:
    return by_keyword(story, folder)


def with_broken_secret(story: Story) -> Story:
    """A "secret" that the other group talks about all the time."""
    first, *others = story.secrets
    return replace(story, secrets=(replace(first, traces=("Sam",)), *others))


def test_the_story_has_two_groups_two_private_chats_and_both_languages(story: Story) -> None:
    assert sorted(bool(chat.group) for chat in story.chats) == [False, False, True, True]
    assert 40 <= len(story.turns) <= 60
    chinese = [turn for turn in story.turns if not turn.said.isascii()]
    assert len(story.turns) * 0.3 < len(chinese) < len(story.turns) * 0.7
    homes: dict[str, set[str]] = {}
    for turn in story.turns:
        homes.setdefault(story.people[turn.who], set()).add(turn.chat.key)
    assert max(len(chats) for chats in homes.values()) == 3


def test_the_story_gives_no_secret_away_by_itself(story: Story) -> None:
    for secret in story.secrets:
        tellers = {t.chat.key for t in story.turns if any(w in t.said for w in secret.traces)}
        assert tellers == {secret.chat.key}
    for key in story.keys_pasted:
        assert sum(key in turn.said for turn in story.turns) == 1


def test_H4_relative_words_become_dates_and_names_in_both_languages(show: DemoResult) -> None:
    told = {item.said[:20]: item for item in show.told}
    papers = told["I signed the papers "]
    assert papers.warnings == ("'us' not resolved: who belongs to it was not said",)
    assert "Nora signed the papers on 2026-03-01" in papers.recorded
    exam = told["我下周三要期中考试，这周的观测就不来了。"[:20]]
    assert exam.is_absolute
    assert "林小满2026年3月11日要期中考试" in exam.recorded
    unresolved = next(item for item in told.values() if item.said.startswith("他说赤道仪"))
    assert not unresolved.is_absolute
    assert unresolved.warnings


def test_S3_no_secret_leaves_its_chat(show: DemoResult) -> None:
    leaks = show.leaks
    assert leaks.tries > 200
    assert leaks.known_at_home == leaks.secrets == 4
    assert leaks.leaked == ()


def test_W3_pasted_keys_are_in_no_byte_of_the_folder(
    show: DemoResult, story: Story, folder: Path
) -> None:
    assert show.redaction.found == ()
    assert show.redaction.text_seen
    assert show.redaction.files > len(story.turns), "the queue's files were searched too"
    everything = b"".join(f.read_bytes() for f in folder.rglob("*") if f.is_file())
    assert b"Petrel" in everything
    assert not any(key.encode() in everything for key in story.keys_pasted)


def test_keyword_recall_alone_answers_what_was_asked_in_the_same_language(show: DemoResult) -> None:
    answers = {answer.ask: answer for answer in show.answers}
    assert {answer.level for answer in answers.values()} == {"keyword"}
    assert answers["When does the crane lift the Petrel?"].rank
    assert answers["望远镜的底座有多重？"].rank


@pytest.mark.model
def test_Q8_questions_in_one_language_find_answers_in_the_other(
    story: Story, tmp_path: Path
) -> None:
    patient = demo_settings(story)
    patient = replace(patient, query=replace(patient.query, recall_timeout=5.0))
    show = play(story, tmp_path / "data", patient)
    assert show.failures == ()
    assert [a.ask for a in show.answers if a.answerable and not a.rank] == []
    assert {answer.level for answer in show.answers} == {"hybrid"}


def test_a_leak_is_a_failure_that_names_the_door(tmp_path: Path, story: Story) -> None:
    show = by_keyword(with_broken_secret(story), tmp_path / "data")
    assert any("Harbour Lights" in attempt.door for attempt in show.leaks.leaked)
    assert any(fault.startswith("leak: ") for fault in show.failures)


def test_a_key_on_disk_is_a_failure(tmp_path: Path, story: Story) -> None:
    show = by_keyword(replace(story, keys_pasted=("Yanmar",)), tmp_path / "data")
    assert show.redaction.found
    assert any("pasted key" in fault for fault in show.failures)


def test_a_search_that_finds_nothing_at_all_proves_nothing(tmp_path: Path, story: Story) -> None:
    show = by_keyword(replace(story, witness="nobody said this"), tmp_path / "data")
    assert show.failures


@pytest.mark.parametrize(("language", "words"), [("en", ENGLISH), ("zh", CHINESE)])
def test_the_show_runs_without_a_model_and_says_so(
    language: str,
    words: dict[str, str],
    no_local_model: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run(None, language, False)
    shown = capsys.readouterr().out
    assert words["keyword_only"][:8] in shown
    assert words["leaks_title"] in shown
    assert "[redacted:" in shown
    assert "{" not in shown, "a sentence was not filled in"
    if language == "zh":
        assert "未能写清：不确定指谁" in shown
        assert "=== 记忆" in shown
        assert "摘录" in shown
        assert not re.search("=== (Memory|Earlier)|Current task|hybrid|proposed", shown)
        assert not any(part in shown for part in ("not certain", "not said", " %"))
    assert max(cell_len(line) for line in shown.splitlines()) <= 80


def test_as_json_it_is_one_document_with_the_same_facts(
    no_local_model: None, story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path / "kept", "en", True)
    facts = json.loads(capsys.readouterr().out)
    assert len(facts["told"]) == len(story.turns)
    assert facts["leaks"]["leaked"] == facts["failures"] == []
    assert facts["block"].startswith("=== Memory")
    assert (tmp_path / "kept" / "taishi.db").exists()


def test_the_command_fails_when_something_leaks(
    no_local_model: None,
    story: Story,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(taishi.demo, "load_story", lambda _: with_broken_secret(story))
    with pytest.raises(SystemExit) as ended:
        run(None, "en", False)
    assert ended.value.code == 1
    assert "FAILED: leak" in capsys.readouterr().out


def test_F1_by_rule_a_move_supersedes_and_a_second_mention_confirms(show: DemoResult) -> None:
    facts = {fact.text: fact for fact in show.learned.facts}
    assert facts["Diego lives in Haicang"].state == "approved"
    before = facts["Diego lives in Gulei"]
    assert (before.state, before.until) == ("superseded", "2026-03-29")
    assert before.then == "Diego lives in Haicang"
    peanuts = facts["Sam is allergic to peanuts"]
    assert peanuts.evidence == 2
    assert peanuts.confidence > before.confidence
    assert "林小满对猫毛过敏" in facts
    assert show.learned.page is not None
    assert show.learned.page.file == "profiles/users/u-diego.md"
    assert "Haicang" in show.learned.page.body
    assert "Gulei" not in show.learned.page.body


def test_F1_recall_answers_for_the_time_that_was_asked_about(show: DemoResult) -> None:
    answers = {answer.ask: answer for answer in show.answers}
    assert answers["Where does Diego live?"].rank == 1
    assert "Gulei" in answers["Where did Diego live on 20 March?"].hit


class Reader(WiseScript):
    """A model that knows who "she" is, and says only what lasts about Diego."""

    def record_turn(self, data: dict[str, Any]) -> dict[str, Any]:
        answer = super().record_turn(data)
        said = data["job"]["new_info"][0]
        if said.startswith("She told me"):
            told = "Mei told Diego the crane is booked out all week"
            head = answer["canonical_text"].partition(": ")[0]
            answer |= {"new_info": [told], "canonical_text": f"{head}: {told}", "facts": []}
        for town in ("Gulei", "Haicang"):
            if town in said:
                answer["facts"] = [self.fact(f"Diego lives in {town}.", said)]
        return answer


def point_at(url: str, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    given = {"api_url": url, "api_key": "a-key", "model_name": "scripted", **more}
    for name, value in given.items():
        monkeypatch.setenv(f"TAISHI__MODELS__CHAT__{name.upper()}", value)


def test_with_a_model_the_show_has_its_words_facts_tokens_and_cost(
    no_local_model: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel(Reader()) as server:
        point_at(server.url, monkeypatch, price_in="2.5", price_out="10")
        run(None, "en", True)
        asked = len(server.requests)
    part = json.loads(capsys.readouterr().out)["with_model"]
    assert part["turns"] == len(part["told"]) <= 16
    assert part["trouble"] == ""
    she = next(one for one in part["told"] if "crane is booked" in one["by_rules"]["said"])
    assert not she["by_rules"]["is_absolute"]
    assert she["by_model"]["is_absolute"]
    assert "Mei told Diego" in she["by_model"]["recorded"]
    states = {fact["text"]: fact["state"] for fact in part["learned"]["facts"]}
    assert states["Diego lives in Gulei."] == "superseded"
    assert states["Diego lives in Haicang."] == "approved"
    assert part["learned"]["page"]["body"]
    assert sum(part["gate"].values()) == part["turns"]
    assert part["gate"]["degraded"] >= 1
    costs = {cost["task"]: cost for cost in part["costs"]}
    assert {"historian_rewrite", "historian_profile_merge"} <= costs.keys()
    assert sum(cost["calls"] for cost in costs.values()) == asked
    rewrite = costs["historian_rewrite"]
    price = (2.5 * rewrite["tokens_in"] + 10 * rewrite["tokens_out"]) / 1e6
    assert rewrite["cost"] == pytest.approx(price, abs=1e-5)
    assert rewrite["cost"] > 0


@pytest.mark.parametrize(("language", "words"), [("en", ENGLISH), ("zh", CHINESE)])
def test_the_part_with_a_model_is_shown_in_both_languages(
    language: str,
    words: dict[str, str],
    no_local_model: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with ScriptedModel(Reader()) as server:
        point_at(server.url, monkeypatch)
        run(None, language, False)
    shown = capsys.readouterr().out
    for key in ("model_title", "by_rules", "by_model", "ledger_sum"):
        assert words[key] in shown
    assert "historian_rewrite" in shown
    assert words["no_price"][:12] in shown
    assert "{" not in shown
    assert max(cell_len(line) for line in shown.splitlines()) <= 80


def test_a_model_that_is_down_is_one_line_and_no_failure(
    no_local_model: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        point_at(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", monkeypatch)
        run(None, "en", False)
    heard = capsys.readouterr()
    shown = " ".join(heard.out.split())
    assert "wrote nothing: The chat server 127.0.0.1 did not answer" in shown
    assert "All of this was done by the rules." in shown
    assert ENGLISH["by_model"] not in shown
    assert "Traceback" not in heard.out + heard.err
    assert heard.err == ""


def test_a_model_that_talks_nonsense_is_quoted_and_no_failure(
    no_local_model: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel(faults=1.0, kinds=["ignored"]) as server:
        point_at(server.url, monkeypatch)
        run(None, "zh", False)
    heard = capsys.readouterr()
    assert "什么也没写成" in heard.out
    assert "did not give what" in " ".join(heard.out.split())
    assert heard.err == ""


def test_a_model_that_fails_halfway_leaves_what_it_wrote(
    no_local_model: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def weary(tool: str, request: dict[str, Any]) -> dict[str, Any]:
        if len(server.requests) > 12:
            server.script.extend(["500"] * 50)
        return Reader()(tool, request)

    with ScriptedModel(weary) as server:
        point_at(server.url, monkeypatch)
        run(None, "en", True)
    part = json.loads(capsys.readouterr().out)["with_model"]
    assert 0 < len(part["told"]) < part["turns"]
    assert "500" in part["trouble"]


def test_a_model_that_is_too_slow_is_not_waited_for(
    no_local_model: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("taishi.demo.with_model.MAX_SECONDS", 0.2)
    with ScriptedModel(Reader(), faults=1.0, kinds=["slow"], slow_seconds=0.5) as server:
        point_at(server.url, monkeypatch)
        run(None, "en", False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "the 30 s that the demo waits were over" in shown


def test_the_rules_part_never_asks_a_model_and_logging_is_put_back(
    story: Story, tmp_path: Path
) -> None:
    log = logging.getLogger("taishi")
    before = (log.handlers[:], log.propagate)
    with ScriptedModel(Reader()) as server:
        overrides = {
            "memory.timezone": story.timezone,
            "models.embedding.kind": "none",
            "models.chat.api_url": server.url,
            "models.chat.model_name": "scripted",
        }
        settings = load(environ={}, overrides=overrides)
        show = play(story, tmp_path / "data", settings)
        assert server.requests == []
        part = play_with_model(story, tmp_path / "model", settings, show.told)
        assert server.requests
    assert len(part.told) == part.turns
    assert (log.handlers, log.propagate) == before


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        run(tmp_path, "en", False)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_both_narrations_say_the_same_things() -> None:
    assert ENGLISH.keys() == CHINESE.keys()


def test_percentiles_are_samples_that_were_measured() -> None:
    assert Timing.of([4.0, 1.0, 3.0, 2.0]) == Timing(4, 3.0, 4.0)


def test_F5_F3_the_show_has_a_chapter_for_shared_memory_and_one_for_procedures(
    show: DemoResult,
) -> None:
    shared = show.shared
    assert shared.failures == ()
    assert (shared.before, shared.state) == ((), "approved")
    assert shared.after != shared.settled
    assert shared.audit[-1] == ("resolved", "person", "it was moved")
    assert shared.to_review == (shared.first_way,) != (shared.way_after_failures,)
    assert len(shared.steps) == 2
