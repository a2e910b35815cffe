"""`taishi eval qa` over real HTTP: turns in, questions answered from memory, answers judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from support.hash_embedder import HashEmbedder
from support.qa_files import QaScript, is_answering, locomo, longmemeval, prompt_of
from support.scripted_model import ScriptedModel, Seen
from taishi.evaluation.qa.prompt_files import NAMES, EvaluationPrompts

Run = Callable[..., Result]
KEY = "sk-secret-of-the-test"


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__CHAT__API_KEY", KEY)
    monkeypatch.setattr("taishi.assembly.choose_embedder", lambda *_: (HashEmbedder(), "hash-1"))


def arguments(file: Path, server: ScriptedModel, *more: str) -> list[str]:
    given = ["eval", "qa", str(file), "--model-url", server.url, "--model", "scripted"]
    return [*given, "--json", "report.json", "--patience", "0", *more]


def report() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path("report.json").read_text("utf-8"))
    return document


def plain(server: ScriptedModel) -> list[Seen]:
    """The requests of answerer and judge."""
    return [seen for seen in server.requests if not seen.tool]


def verdicts(document: dict[str, Any], system: str) -> dict[str, str]:
    return {one["id"]: one["systems"][system]["verdict"] for one in document["questions"]}


def test_locomo_is_answered_from_memory_judged_and_counted(run: Run, tmp_path: Path) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript(), key=KEY) as server:
        result = run(*arguments(file, server))
        assert result.exit_code == 0, result.output
        assert len(plain(server)) == 4 * 3 * 2
        assert len(server.asked("record_turn")) >= 5
    document = report()
    assert document["complete"] and document["turns"] == 5 and document["failed_turns"] == 0
    assert verdicts(document, "full-context") == {f"conv-1#{n}": "right" for n in range(4)}
    assert verdicts(document, "taishi") == {f"conv-1#{n}": "right" for n in range(4)}
    ours = document["systems"]["taishi"]
    assert set(ours) == {"all", "answerable", "single-hop", "multi-hop", "adversarial"}
    assert ours["adversarial"]["accuracy"] == 1.0 and ours["adversarial"]["f1"] is None
    assert ours["all"]["interval_95"][0] == pytest.approx(0.51, abs=0.01)
    assert ours["answerable"]["f1"] == ours["answerable"]["exact"] == 1.0
    assert ours["all"]["recall_ms"]["p95"] > 0
    usage = document["usage"]
    assert usage["answerer"]["calls"] == usage["judge"]["calls"] == 12
    assert usage["historian"]["calls"] >= 5 and usage["historian"]["prompt_tokens"] > 0
    for one in document["questions"]:
        assert len(one["systems"]["taishi"]["context_sha256"]) == 64
    for piece in ("single-hop", "full-context", "rag", "100.0", "historian", "locomo10.qa"):
        assert piece in result.stdout
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in files)
    assert KEY not in result.output


def test_the_systems_differ_in_what_the_answerer_is_given(run: Run, tmp_path: Path) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript()) as server:
        run(*arguments(file, server, "--top-k", "1", "--concurrency", "1"))
        given = [prompt_of(seen.body) for seen in plain(server) if is_answering(seen.body)]
    first = [text for text in given if "Where did Ann move?" in text]
    whole = [text for text in first if "[2023-06-09 09:00] Ann: The lake is cold" in text]
    assert len(first) == 3 and len(set(first)) == 3
    assert len(whole) == 1
    assert all("Today is 2023-06-09" in text for text in first)
    systems = report()["questions"][0]["systems"]
    hashes = {one["context_sha256"] for one in systems.values()}
    assert len(hashes) == 3
    assert systems["rag"]["context_tokens"] < systems["full-context"]["context_tokens"]


def test_longmemeval_has_a_memory_for_each_question_and_abstention(
    run: Run, tmp_path: Path
) -> None:
    file = longmemeval(tmp_path)
    with ScriptedModel(QaScript()) as server:
        result = run(*arguments(file, server))
    assert result.exit_code == 0, result.output
    document = report()
    assert verdicts(document, "taishi") == {"q1": "right", "q2": "right", "q3_abs": "right"}
    ours = document["systems"]["taishi"]
    assert ours["abstention"]["questions"] == 1 and ours["abstention"]["accuracy"] == 1.0
    assert ours["single-session-user"]["questions"] == 2
    assert len(list(Path("longmemeval_s.qa/memory").iterdir())) == 3
    assert document["turns"] == 6, "what the assistant said belongs to the person's turn"


def test_wrong_and_garbage_verdicts_are_never_right(run: Run, tmp_path: Path) -> None:
    said = {
        "Where did Ann move?": "No. The answer names another city.",
        "What is the cat called?": "I would rather talk about the weather.",
        "谁爱吃火锅？": "正确。",
        "Which guitar does Bob own?": "{'verdict': ",
    }
    file = locomo(tmp_path)
    with ScriptedModel(QaScript(judge=lambda question, *_: said[question])) as server:
        result = run(*arguments(file, server, "--baseline", ""))
        assert result.exit_code == 0, result.output
        assert len(plain(server)) == 8, "a verdict that cannot be read is not asked for again"
    expected = ["wrong", "unparsable", "right", "unparsable"]
    assert list(verdicts(report(), "taishi").values()) == expected
    ours = report()["systems"]["taishi"]["all"]
    assert (ours["right"], ours["unparsable"], ours["accuracy"]) == (1, 2, 0.25)


def test_chinese_questions_get_chinese_prompts(run: Run, tmp_path: Path) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript()) as server:
        run(*arguments(file, server, "--only-category", "multi-hop"))
        asked = plain(server)
    assert len(asked) == 6
    assert sum("今天是 2023-06-09" in prompt_of(seen.body) for seen in asked) == 3
    assert sum("正确答案：小明" in prompt_of(seen.body) for seen in asked) == 3
    assert all("你" in seen.body["messages"][0]["content"] for seen in asked)


def test_a_second_run_pays_for_nothing_and_a_larger_one_for_the_rest(
    run: Run, tmp_path: Path
) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript()) as server:
        run(*arguments(file, server, "--limit", "2"))
        assert len(plain(server)) == 2 * 3 * 2
        before, written = len(server.requests), len(server.asked("record_turn"))
        again = run(*arguments(file, server, "--limit", "2"))
        assert again.exit_code == 0 and len(server.requests) == before
        run(*arguments(file, server))
        assert len(plain(server)) == 4 * 3 * 2
        assert len(server.asked("record_turn")) == written > 0, "no turn is written again"
    assert len(report()["questions"]) == 4


def test_a_folder_holds_one_measurement(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript()) as server:
        run(*arguments(file, server, "--limit", "1"))
        before = len(server.requests)
        other = run(*arguments(file, server, "--limit", "1", "--top-k", "3"))
        assert other.exit_code == 2 and "another top_k" in other.output
        monkeypatch.setenv("TAISHI__QUERY__RECALL_TOP_K", "9")
        wider = run(*arguments(file, server, "--limit", "1"))
        assert wider.exit_code == 2 and "another query" in wider.output
        assert len(server.requests) == before


def test_a_model_that_is_down_ends_the_run_and_what_is_done_is_kept(
    run: Run, tmp_path: Path
) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript()) as server:
        given = arguments(file, server, "--concurrency", "1", "--historian", "rules")
        run(*given, "--limit", "1")
        paid = len(plain(server))
        server.faults, server.kinds = 1.0, ("500",)
        stopped = run(*given)
        assert stopped.exit_code == 1
        assert "verdicts so far: 3 of 12" in stopped.output
        assert "Run the same command again" in stopped.output
        refused = len(plain(server)) - paid
        server.faults = 0.0
        result = run(*given)
        assert result.exit_code == 0, result.output
        assert len(plain(server)) - refused == 4 * 3 * 2
    assert report()["usage"]["answerer"]["failed"] == refused


def test_a_historian_that_is_down_ends_the_run(run: Run, tmp_path: Path) -> None:
    with ScriptedModel(QaScript(), faults=1.0, kinds=("500",)) as server:
        result = run(*arguments(locomo(tmp_path), server, "--limit", "1"))
    assert result.exit_code == 1
    assert "the historian's model makes no progress: 5 turns wait" in result.output


def test_a_busy_model_is_waited_for(run: Run, tmp_path: Path) -> None:
    script = ["429", "429"]
    with ScriptedModel(QaScript(), script=script) as server:
        given = arguments(locomo(tmp_path), server, "--limit", "1", "--historian", "rules")
        result = run(*given, "--baseline", "")
        assert result.exit_code == 0, result.output
        assert server.counts["429"] == 2
    assert report()["usage"]["answerer"] | {"seconds": 0} == {
        "calls": 3, "failed": 2, "prompt_tokens": pytest.approx(300, abs=200),
        "completion_tokens": pytest.approx(10, abs=10), "seconds": 0, "cost": 0,
    }  # fmt: skip


def test_a_question_that_the_model_refuses_is_left_to_the_next_run(
    run: Run, tmp_path: Path
) -> None:
    class Picky(QaScript):
        refusing = True

        def __call__(self, tool: str, request: dict[str, Any]) -> dict[str, Any] | str:
            is_it = self.refusing and not tool and "谁爱吃火锅" in prompt_of(request)
            return "" if is_it else super().__call__(tool, request)

    picky = Picky()
    with ScriptedModel(picky) as server:
        given = arguments(locomo(tmp_path), server, "--baseline", "", "--historian", "rules")
        result = run(*given)
        assert result.exit_code == 0, result.output
        assert "1 answer or verdict was refused" in result.output
        assert not report()["complete"]
        picky.refusing = False
        before = len(plain(server))
        assert run(*given).exit_code == 0
        assert len(plain(server)) - before == 2
    assert report()["complete"]


def test_the_window_cuts_the_full_context_and_says_so(run: Run, tmp_path: Path) -> None:
    file = longmemeval(tmp_path)
    data = json.loads(file.read_text("utf-8"))
    long = {"role": "user", "content": "The lake was cold and the tea was warm. " * 200}
    data[0]["haystack_sessions"][1].append(long)
    file.write_text(json.dumps(data[:1]), "utf-8")
    with ScriptedModel(QaScript()) as server:
        given = arguments(file, server, "--window", "2100", "--historian", "rules")
        result = run(*given, "--baseline", "full-context")
    assert result.exit_code == 0, result.output
    assert report()["questions"][0]["systems"]["full-context"]["left_out"] > 0
    assert "cut to the newest 2,100 tokens" in result.stdout


def test_a_dry_run_asks_nobody_and_counts_what_is_left(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = locomo(tmp_path)
    with ScriptedModel(QaScript()) as server:
        given = arguments(file, server)
        result = run(*given, "--dry-run")
        assert result.exit_code == 0, result.output
        assert not server.requests and not Path("locomo10.qa").exists()
        roles = report()["roles"]
        assert roles["answerer"]["calls"] == roles["judge"]["calls"] == 12
        assert roles["historian"]["calls"] == 15 and roles["historian"]["cost"] == 0
        assert run(*given, "--limit", "1").exit_code == 0
        monkeypatch.setenv("TAISHI__MODELS__CHAT__PRICE_IN", "2.5")
        priced = run(*given, "--dry-run")
        assert report()["roles"]["answerer"]["calls"] == 9
        assert report()["roles"]["historian"]["calls"] == 0
        assert report()["roles"]["answerer"]["cost"] > 0 and "cost" in priced.stdout


def test_what_cannot_be_run_is_said_at_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = locomo(tmp_path)
    without = run("eval", "qa", file)
    assert without.exit_code == 2 and "--model-url" in without.output
    unknown = run("eval", "qa", file, "--only-category", "riddles", "--dry-run")
    assert unknown.exit_code == 2 and "single-hop" in unknown.output
    assert run("eval", "qa", file, "--baseline", "bm25", "--dry-run").exit_code == 2
    own = {"name": "own", "corpora": {"a": [{"id": "1", "text": "We had tea"}]},
           "queries": [{"corpus": "a", "query": "What?", "gold": ["1"]}]}  # fmt: skip
    Path("own.json").write_text(json.dumps(own), "utf-8")
    with ScriptedModel(QaScript()) as server:
        judged = run(*arguments(Path("own.json"), server))
        assert judged.exit_code == 2 and "`answer`" in judged.output
        counted = run(*arguments(Path("own.json"), server, "--dry-run"))
        assert counted.exit_code == 0 and "1 question has no `answer`" in counted.stdout
        monkeypatch.setattr("taishi.assembly.choose_embedder", lambda *_: (None, "off"))
        blind = run(*arguments(file, server))
        assert blind.exit_code == 2 and "--baseline full-context" in blind.output


def test_answerer_and_judge_may_be_models_of_their_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel(QaScript()) as one, ScriptedModel(QaScript()) as other:
        monkeypatch.setenv("TAISHI__MODELS__CHAT__EVAL_JUDGE__API_URL", other.url)
        monkeypatch.setenv("TAISHI__MODELS__CHAT__EVAL_JUDGE__MODEL_NAME", "strict")
        result = run(*arguments(locomo(tmp_path), one, "--historian", "rules"))
        assert result.exit_code == 0, result.output
        assert all(is_answering(seen.body) for seen in one.requests) and one.requests
        assert {seen.body["model"] for seen in other.requests} == {"strict"}
    assert report()["run"]["judge"] == "strict" and report()["run"]["historian"] == "rules"


def test_the_prompts_are_packaged_and_fill_once() -> None:
    prompts = EvaluationPrompts.load()
    assert len(prompts.hashes) == 2 * len(NAMES)
    values = {"today": "2023-05-08", "material": "{question} {{x}}", "question": "who?"}
    system, user = prompts.messages("answer", "en", **values)
    assert "{question} {{x}}" in user["content"] and "who?" in user["content"]
    assert system["role"] == "system" and "{" not in system["content"]
    for language in ("en", "zh"):
        for name in ("judge", "judge_unanswerable"):
            graded = {"question": "q", "reference": "r", "answer": "a"}
            system, user = prompts.messages(name, language, **graded)
            assert '{"reason":' in system["content"] and "{" not in user["content"]
