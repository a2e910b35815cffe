"""The parts of `taishi eval qa`: verdicts, overlap, intervals, turns, chunks and the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.qa_files import locomo, longmemeval
from taishi.errors import BusyError, InputError
from taishi.evaluation.qa import scores
from taishi.evaluation.qa.contexts import newest_that_fit
from taishi.evaluation.qa.conversation import CHUNK_TOKENS, chunks, scope_of, turns
from taishi.evaluation.qa.questions import select
from taishi.evaluation.qa.run_log import RunLog
from taishi.evaluation.qa.usage import by_role
from taishi.evaluation.qa.verdicts import parse
from taishi.language.token_count import estimate_tokens
from taishi.types import Scope


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ('{"reason": "same city", "verdict": "right"}', "right"),
        ('```json\n{"verdict": "Wrong"}\n```', "wrong"),
        ('{"label": "CORRECT"}', "right"),
        ('{"correct": false}', "wrong"),
        ('{"is_correct": true, "reason": "no contradiction"}', "right"),
        ('Here it is: {"verdict": "right"} I hope this helps', "right"),
        ("yes", "right"),
        ("Yes, both name Oslo.", "right"),
        ("**No.** It names Bergen.", "wrong"),
        ("Verdict: wrong", "wrong"),
        ("正确。", "right"),
        ("不正确，城市不同", "wrong"),
        ("结论：对", "right"),
        ("Yes and no", "unparsable"),
        ("Not right at all", "unparsable"),
        ("The answer is right", "unparsable"),
        ("是对还是错？", "unparsable"),
        ('{"verdict": "right or wrong"}', "unparsable"),
        ('{"verdict": ["right"]}', "unparsable"),
        ('{"verdict": ', "unparsable"),
        ('{"reason": "right"}', "unparsable"),
        ("{" * 5000, "unparsable"),
        ("yesterday was fine", "unparsable"),
        ("", "unparsable"),
    ],
)
def test_verdicts_are_read_and_in_doubt_not_right(said: str, verdict: str) -> None:
    assert parse(said) == verdict


def test_overlap_is_by_words_and_by_chinese_characters() -> None:
    assert scores.f1("The city of Oslo", "Oslo") == pytest.approx(0.5)
    assert scores.f1("小明和小红", "小明") == pytest.approx(2 * 2 / 7)
    assert scores.f1("Bergen", "Oslo") == scores.f1("", "Oslo") == 0.0
    assert scores.is_exact("the Brompton!", "Brompton") and scores.is_exact("７ May", "7 may")
    assert not scores.is_exact("", "") and not scores.is_exact("Oslo, Norway", "Oslo")


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_wilsons(right: int, total: int, low: float, high: float) -> None:
    assert scores.wilson(right, total) == pytest.approx((low, high), abs=1e-3)


def test_turns_are_in_order_with_their_times_and_recent_messages(tmp_path: Path) -> None:
    corpus = select(locomo(tmp_path)).corpora[0]
    told = list(turns(corpus))
    assert scope_of(corpus) == Scope(group="conversation")
    assert [one.speaker for one in told] == ["Ann", "Bob", "Ann", "Bob", "Ann"]
    assert [str(one.time)[:10] for one in told] == ["2023-05-08"] * 3 + ["2023-06-09"] * 2
    assert [len(one.messages) for one in told] == [1, 2, 3, 1, 2], "of the same session"
    assert len({one.id for one in told}) == 5


def test_an_assistants_answer_ends_the_turn_of_the_person(tmp_path: Path) -> None:
    corpus = select(longmemeval(tmp_path)).corpora[0]
    first, second = turns(corpus)
    assert scope_of(corpus) == Scope(user="person")
    assert first.said == "I ride a Brompton bike to work" and "risotto" in first.done
    assert (first.speaker, first.bot) == ("user", "assistant")
    assert second.said == "We had tea at the lake"


def test_chunks_keep_to_a_session_and_a_size(tmp_path: Path) -> None:
    made = chunks(select(locomo(tmp_path)).corpora[0])
    assert len(made) == 2
    assert made[0].splitlines()[0] == "[2023-05-08 13:56] Ann: I moved to Oslo in spring"
    assert all(estimate_tokens(one) <= CHUNK_TOKENS for one in made)


def test_the_newest_lines_fit_the_window() -> None:
    lines = [f"line {n}" for n in range(10)]
    size = estimate_tokens(lines[0]) + 1
    assert newest_that_fit(lines, 3 * size) == 3
    assert newest_that_fit(lines, 1000) == 10
    assert newest_that_fit(lines, 0) == 0


def test_questions_are_chosen_by_category_and_number(tmp_path: Path) -> None:
    file = longmemeval(tmp_path)
    chosen = select(file, 1, ["single-session-assistant"])
    assert [question.id for _, question in chosen.questions] == ["q2"]
    assert chosen.numbers == (1,), "its memory is the same whatever else is asked"
    assert select(locomo(tmp_path)).questions[3][1].unanswerable


def test_a_half_written_line_is_dropped_and_the_rest_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with RunLog.opened(folder, {"file": "a"}) as log:
        log.answer(("q1", "taishi"), answer="奥斯陆")
        with pytest.raises(BusyError, match="another evaluation"), RunLog.opened(folder, {}):
            pass
    path = folder / "log.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type": "answer", "question": "q2", "sys')
    assert list(RunLog.peek(folder).answers) == [("q1", "taishi")]
    with RunLog.opened(folder, {"file": "a"}) as log:
        assert log.answers["q1", "taishi"]["answer"] == "奥斯陆"
        log.verdict(("q1", "taishi"), verdict="right")
    assert len(path.read_text("utf-8").splitlines()) == 2
    with pytest.raises(InputError, match="another file"), RunLog.opened(folder, {"file": "b"}):
        pass


def test_calls_are_counted_by_role() -> None:
    call = {"ok": True, "prompt_tokens": 5, "completion_tokens": 1, "seconds": 0.5, "cost": 0.1}
    row = {**call, "calls": 3, "failed": 1}
    calls = [{**call, "task": "eval_judge"}, {**call, "task": "eval_judge", "ok": False},
             {**call, "task": "embedding_query"}]  # fmt: skip
    roles = by_role(calls, [[{**row, "task": "historian_rewrite"}], []])
    assert list(roles) == ["historian", "embedding", "judge"]
    assert (roles["judge"]["calls"], roles["judge"]["failed"]) == (2, 1)
    assert roles["historian"]["calls"] == 3 and roles["historian"]["cost"] == 0.1
