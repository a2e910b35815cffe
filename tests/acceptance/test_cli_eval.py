"""`taishi eval` with baselines and misses, and `taishi recall --explain` (Q1, Q2, T2)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope
from taishi.cli.messages import TABLES, WORDS, message

ANN = Scope(user="ann")
Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")


@pytest.fixture
def with_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taishi.assembly.choose_embedder", lambda _: (HashEmbedder(), "hash-1"))


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    said = ["I moved to Oslo in spring", "We had tea", "My cat is called Mochi", "小明喜欢吃火锅"]
    turns = [{"speaker": "Ann", "dia_id": f"D1:{n}", "text": t} for n, t in enumerate(said, 1)]
    asked = [("Where did Ann move?", ["D1:1"], 4), ("What is the cat called?", ["D1:3"], 4),
             ("谁爱吃火锅？", ["D1:4"], 1), ("quantum chromodynamics", ["D1:2"], 5),
             ("nobody knows", [], 3)]  # fmt: skip
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps([{
        "sample_id": "conv-1",
        "conversation": {"speaker_a": "Ann", "speaker_b": "Bob", "session_1": turns,
                         "session_1_date_time": "1:56 pm on 8 May, 2023"},
        "qa": [{"question": q, "evidence": e, "category": c} for q, e, c in asked],
    }]), "utf-8")  # fmt: skip
    return file


@pytest.mark.usefixtures("with_embedder")
def test_T2_eval_runs_baselines_on_the_same_questions(
    run: Run, ask: Callable[..., Any], locomo: Path
) -> None:
    report = ask("eval", locomo, "--baseline", "bm25,dense,rrf")["reports"][0]
    assert report["questions"] == {
        "all": 4, "all but adversarial": 3, "adversarial": 1, "multi-hop": 1, "single-hop": 2,
    }  # fmt: skip
    assert report["left_out"] == 1
    assert list(report["baselines"]) == ["bm25", "dense", "rrf"]
    assert report["context_tokens"]["questions"] == 4
    assert report["context_tokens"]["mean"] > 0
    for figures in report["baselines"].values():
        assert set(figures["metrics"]) == set(report["metrics"])
        theirs, ours = figures["metrics"]["all"]["MRR"], report["metrics"]["all"]["MRR"]
        assert figures["difference"]["all"]["MRR"] == pytest.approx(ours - theirs)
    assert report["baselines"]["bm25"]["metrics"]["single-hop"]["MRR"] == 1.0
    shown = run("eval", locomo, "--baseline", "dense, bm25").stdout
    for piece in ("bm25", "dense", message("en", "against_best"), "hit@10", "all@10", "p95 ms"):
        assert piece in shown
    assert message("en", "left_out", count=1) in shown
    assert "rrf" not in shown


def test_T2_eval_shows_misses_with_their_texts_and_ranks(
    run: Run, ask: Callable[..., Any], tmp_path: Path
) -> None:
    """By keyword only, and more items than are asked for: what shares no word is not found."""
    items = [{"id": str(n), "text": f"tea number {n}"} for n in range(80)]
    items[0]["text"] = "我们\x1b[31m去爬山"
    file = tmp_path / "own.json"
    file.write_text(json.dumps({
        "name": "own",
        "corpora": {"": items},
        "queries": [{"corpus": "", "query": "which tea?", "gold": ["0", "79"]},
                    {"corpus": "", "query": "爬山", "gold": ["0"]}],
    }), "utf-8")  # fmt: skip
    miss = ask("eval", file, "--misses", 5)["reports"][0]["misses"][0]
    wanted = {one["id"]: one for one in miss["wanted"]}
    assert wanted["0"]["rank"] is None
    assert wanted["79"]["text"] == "tea number 79"
    assert len(miss["top"]) == 3
    shown = run("eval", file, "--misses", 5).stdout
    assert "not in 60" in shown
    assert "which tea?" in shown
    assert miss["top"][0]["text"] in shown
    assert "\x1b" not in shown
    assert shown.count("not in 60") == 1  # the other question went well


def test_T2_eval_refuses_baselines_that_cannot_run(run: Run, locomo: Path) -> None:
    for wished, said in (("bm42", "bm25,dense,rrf"), ("dense", "embedder"), ("rrf", "embedder")):
        result = run("eval", locomo, "--baseline", wished)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
    assert run("eval", locomo, "--baseline", "bm25").exit_code == 0


# -- explain


@pytest.fixture
def told(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory({"query.recall_timeout": 5.0})
    memory.remember_many(ANN, [{"id": id, "text": text, "kind": kind} for id, text, kind in (
        ("oslo", "Ann moved to Oslo with her cat", "fact"),
        ("again", "Ann moved to Oslo with her cat!", "event"),
        ("rain", "it rains in Oslo today", "event"),
        ("tea", "the kettle hums 茶", "event"),
    )])  # fmt: skip
    memory.drain()
    return memory


def test_Q1_explain_says_which_paths_found_a_hit_and_why_others_were_dropped(
    told: Memory,
) -> None:
    found = told.recall(ANN, "who moved to Oslo?", top_k=1, floor=0.2, explain=True)
    by_id = {one.id: one for one in found.explain}
    assert [one.id for one in found.explain if one.dropped is None] == [h.id for h in found.hits]
    best = by_id["oslo"]
    assert best.score == found.hits[0].score
    assert best.text == found.hits[0].text
    assert best.paths["keyword"] in (1, 2)
    assert {"vector", "keyword", "context", "recency"} >= set(best.paths)
    assert best.kind_factor > by_id["rain"].kind_factor == 1.0
    assert 0 < best.around <= 2
    assert 0 < best.coverage <= 2
    assert 0.9 <= best.age_factor <= 1.0
    assert by_id["again"].dropped == "near-duplicate of oslo"
    assert by_id["rain"].dropped == "beyond top_k"
    assert by_id["tea"].dropped == "below floor"
    assert found.weights["vector"] == told.settings.query.vector_weight
    dropped = [one.score for one in found.explain if one.dropped]
    assert best.score > by_id["rain"].score > by_id["tea"].score == 0.0
    assert dropped == sorted(dropped, reverse=True)


def test_Q1_explain_changes_no_answer_and_is_empty_unless_asked(told: Memory) -> None:
    now = time.time()
    plain = told.recall(ANN, "Oslo", now=now)
    assert (plain.explain, dict(plain.weights)) == ((), {})
    assert told.recall(ANN, "Oslo", now=now, explain=True).hits == plain.hits


def test_S3_explain_shows_nothing_of_another_scope(told: Memory) -> None:
    told.remember(Scope(user="bob"), "Bob moved to Oslo, too", id="secret")
    told.drain()
    found = told.recall(ANN, "moved to Oslo", floor=0.0, top_k=50, explain=True)
    assert found.explain
    assert "secret" not in {one.id for one in found.explain}


@pytest.fixture
def command_data(told: Memory) -> Iterator[None]:
    """The folder that the commands open, closed by the test's memory."""
    told.close()
    yield


@pytest.mark.usefixtures("command_data")
def test_Q2_recall_explain_on_the_command_line(run: Run, ask: Callable[..., Any]) -> None:
    question = ("recall", "who moved to Oslo?", "--user", "ann", "--top-k", 1)
    document = ask(*question, "--explain", "--floor", 0.2)
    reasons = {one["id"]: one["dropped"] for one in document["explain"]}
    assert reasons["oslo"] is None
    assert reasons["again"] == "near-duplicate of oslo"
    assert set(document["weights"]) == {"vector", "keyword", "context", "recency"}
    assert "explain" not in ask(*question)
    shown = run(*question, "--explain", "--floor", 0.2).stdout
    for piece in ("near-duplicate of oslo", "kept", "keyword #1", "weights: vector 0.6"):
        assert piece in shown
    assert "as it was" not in shown
    assert message("en", "not_answered", paths="vector (off)") in shown
    chinese = run("--lang", "zh", *question, "--explain").stdout
    assert "与 oslo 近似重复" in chinese
    assert "入选" in chinese
    assert message("en", "explained") not in run(*question).stdout


def test_T2_no_two_commands_have_the_same_name_for_different_words() -> None:
    assert len(WORDS) == sum(map(len, TABLES))


def test_files_are_measured_without_naming_the_command(
    run: Run, ask: Callable[..., Any], locomo: Path
) -> None:
    named = ask("eval", "recall", locomo)["reports"][0]["metrics"]
    assert ask("eval", locomo)["reports"][0]["metrics"] == named
    assert ask("eval", "--limit", "1", locomo)["reports"][0]["questions"]["all"] == 1
    bare = run("eval")
    assert bare.exit_code == 2 and "FILE" in bare.output
    shown = run("eval", "--help")
    assert shown.exit_code == 0 and "qa " in shown.output and "recall " in shown.output
