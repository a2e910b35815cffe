"""The official LoCoMo and LongMemEval layouts are read as their authors write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from taishi import InputError
from taishi.evaluation import locomo, longmemeval
from taishi.evaluation.cases import CaseFile, read


def turn(id: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": "Ann", "dia_id": id, "text": text, **more}


def asked(evidence: Any, category: int = 4) -> dict[str, Any]:
    return {"question": "where?", "answer": "Oslo", "evidence": evidence, "category": category}


LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_10_date_time": "12:05 am on 1 June, 2023",
            "session_10": [turn("D10:1", "bye")],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                turn("D2:1", "I moved to Oslo"),
                turn("D2:2", "look", blip_caption="a red boat", img_url="x"),
                turn("D2:3", "  "),
            ],
            "session_3_date_time": "9:00 am on 9 May, 2023",
        },
        "qa": [
            asked(["D2:1"], 1),
            asked(["D2:1; D2:2"], 2),
            asked(["D2:1 D10:1"], 3),
            asked(["D02:01", "D", "D:11:26", "D99:1"], 4),
            {"question": "who?", "adversarial_answer": "Eve", "evidence": "D2:2", "category": 5},
            asked([]),
            asked(["D99:1"]),
            {"question": "unnamed", "category": 1},
        ],
    }
]


def entry(id: str, **changes: Any) -> dict[str, Any]:
    plain = {
        "question_id": id,
        "question_type": "multi-session",
        "question": "where does Ann live?",
        "answer": "Oslo",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I moved to Oslo", "has_answer": True},
                {"role": "assistant", "content": "Good luck!"},
            ],
            [{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": ""}],
        ],
        "answer_session_ids": ["s1"],
    }
    return {**plain, **changes}


def read_json(folder: Path, data: Any, limit: int | None = None) -> CaseFile:
    file = folder / "locomo10.json"
    file.write_text(json.dumps(data), "utf-8")
    return read(file, limit)


def test_locomo_turns_in_the_order_of_their_sessions_with_what_a_picture_shows(
    tmp_path: Path,
) -> None:
    cases = read_json(tmp_path, LOCOMO)
    assert (cases.name, cases.unit, cases.corpora[0].name) == ("locomo10", "turn", "conv-1")
    items = cases.corpora[0].items
    assert [item["source"] for item in items] == ["D2:1", "D2:2", "D10:1"]
    assert items[1]["text"] == "look [shares a picture: a red boat]"
    assert items[0] == {
        "text": "I moved to Oslo",
        "speaker": "Ann",
        "time": "2023-05-08T13:56:00",
        "session": "session_2",
        "source": "D2:1",
    }


def test_locomo_gold_is_what_matches_a_turn_and_questions_without_any_are_counted(
    tmp_path: Path,
) -> None:
    cases = read_json(tmp_path, LOCOMO)
    questions = cases.corpora[0].questions
    assert [(q.category, sorted(q.gold)) for q in questions] == [
        ("multi-hop", ["D2:1"]),
        ("temporal", ["D2:1", "D2:2"]),
        ("open-domain", ["D10:1", "D2:1"]),
        ("single-hop", ["D2:1"]),
        ("adversarial", ["D2:2"]),
    ]
    assert cases.left_out == 3
    assert {q.time for q in questions} == {"2023-06-01T00:05:00"}  # the last session's


def test_longmemeval_sessions_and_questions_without_an_answer(tmp_path: Path) -> None:
    elsewhere = entry("q3", answer_session_ids=["gone"])
    cases = read_json(tmp_path, [entry("q1"), entry("q2_abs"), elsewhere])
    assert (cases.unit, cases.left_out, len(cases.corpora)) == ("session", 2, 1)
    corpus = cases.corpora[0]
    assert [(i["source"], i["speaker"], i["time"]) for i in corpus.items] == [
        ("s1", "user", "2023-05-20T02:21:00"),
        ("s1", "assistant", "2023-05-20T02:21:00"),
        ("s2", "user", "2023-05-21T10:00:00"),
    ]
    question = corpus.questions[0]
    assert (question.gold, question.category) == (frozenset({"s1"}), "multi-session")
    assert question.time == "2023-05-30T23:40:00"


def test_the_limit_counts_questions_that_can_be_asked(tmp_path: Path) -> None:
    cases = read_json(tmp_path, [entry("a_abs"), entry("b"), entry("c"), entry("d")], 2)
    assert [corpus.name for corpus in cases.corpora] == ["b", "c"]
    assert len(read_json(tmp_path, LOCOMO, 2).corpora[0].questions) == 2


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00"),
        ("12:30 PM on 1 January, 2024", "2024-01-01T12:30:00"),
    ],
)
def test_locomo_times(said: str, meant: str) -> None:
    assert locomo.to_iso(said) == meant


def test_longmemeval_times() -> None:
    assert longmemeval.to_iso("2023/05/30 (Tue) 23:40") == "2023-05-30T23:40:00"
    assert longmemeval.to_iso("2023/05/30") == "2023-05-30T00:00:00"


@pytest.mark.parametrize(
    "data",
    [
        [{"conversation": {"session_1": [turn("D1:1", "x")]}, "qa": [{}]}],
        [{"conversation": {"session_1": [{"text": "x"}]}, "qa": []}],
        [{"conversation": {"session_1": 5}, "qa": []}],
        [{"conversation": {"session_1": [], "session_1_date_time": "late"}, "qa": []}],
        [{"conversation": [], "qa": [asked(5)]}],
        [entry("q", question_date="yesterday")],
        [entry("q", question_date="2023/13/30 (Tue) 23:40")],
        [entry("q", haystack_dates=["2023/05/20 (Sat) 02:21"])],
        [entry("q", haystack_sessions=[[{"role": "user"}], []])],
        [entry("q", question=None)],
        [entry("q", answer_session_ids=None)],
    ],
)
def test_a_broken_official_file_is_refused_by_name(tmp_path: Path, data: Any) -> None:
    with pytest.raises(InputError, match=r"locomo10\.json is not a case file"):
        read_json(tmp_path, data)


def test_hostile_text_is_read_and_deep_nesting_refused(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text("[" * 100_000, "utf-8")
    with pytest.raises(InputError):
        read(file)
    sessions = [[{"role": "user", "content": "a\ud800b"}], []]
    corpus = read_json(tmp_path, [entry("q", haystack_sessions=sessions)]).corpora[0]
    assert corpus.items[0]["text"] == "a\ufffdb"
