"""What a question asks for, and what its candidates gain: sentences, times, sessions, who spoke."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from taishi.language import analyzer
from taishi.ports import Changes, IndexRow
from taishi.recall import query, score_factors
from taishi.recall.candidates import CandidatePool
from taishi.recall.partition_index import PartitionIndex
from taishi.recall.partition_view import PartitionView
from taishi.recall.query import TimeMention
from taishi.recall.scoring import ScoringParams, score
from taishi.recall.vector_search import with_pieces
from taishi.types import MOST_USES, Partition, Record

HOME = Partition("default", "private", "ann")
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
DAY = 86_400.0


# -- reading the question --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Ann live?", []),
        ("", []),
        ("?!?!", []),
        ("Hi! Where does Ann live now?", []),
        (
            "I met Ann at the harbour. She told me about a boat! What is its name?",
            ["I met Ann at the harbour", "She told me about a boat", "What is its name"],
        ),
        (
            "昨天我见了小明。他说起一艘船！那艘船叫什么名字？",
            ["昨天我见了小明", "他说起一艘船", "那艘船叫什么名字"],
        ),
        ("Version 1.2.3 of the library broke the build of a.b.c", []),
    ],
)  # fmt: skip
def test_a_question_of_several_sentences_is_read_in_pieces(text: str, expected: list[str]) -> None:
    assert query.pieces(text) == expected


def test_a_short_sentence_joins_its_neighbour_and_the_last_ones_count() -> None:
    assert query.pieces("Well. I met Ann at the harbour. The boat was very large. Oh") == [
        "Well I met Ann at the harbour",
        "The boat was very large Oh",
    ]
    many = "This is a sentence of some length. " * 1000
    assert len(query.pieces(many)) == query.MAX_PIECES


def test_words_that_only_ask_are_not_looked_for() -> None:
    def terms(*words: str) -> tuple[int, ...]:
        return tuple(analyzer.number_of(word) for word in words)

    assert query.read("How many boats?").terms == terms("boat")
    assert set(query.read("小明的船叫什么名字呢").terms) >= set(terms("名字"))
    assert not set(query.read("小明的船叫什么名字呢").terms) & set(terms("什么", "呢"))
    assert query.read("什么").terms == terms("什", "么", "什么"), "unless nothing else is there"
    assert query.read("many").terms == terms(*analyzer.terms("many"))


@pytest.mark.parametrize(("text", "is_so"), [
    ("What did I say about my boat?", True), ("我的船在哪", True), ("Where is me-time", True),
    ("Is Ann in Milan?", False), ("他的船在哪", False),
])  # fmt: skip
def test_a_question_in_the_first_person_is_known(text: str, is_so: bool) -> None:
    assert query.in_first_person(text) is is_so


def test_times_in_a_question_have_a_grain_and_a_stretch() -> None:
    stretch, moments = query.times_in("What did Ann do in March 2026?", NOW)
    march = (
        datetime(2026, 3, 1, tzinfo=UTC).timestamp(),
        datetime(2026, 4, 1, tzinfo=UTC).timestamp(),
    )
    assert stretch == march
    assert [(m.begin, m.until, m.telling) for m in moments] == [(*march, 15 * DAY)]
    stretch, moments = query.times_in("今年安做了什么？", NOW)
    assert stretch is None, "this year is not over: what is true now counts"
    assert [m.telling for m in moments] == [90 * DAY]
    assert query.times_in("What will Ann do next May?", NOW) == (None, ())
    assert query.times_in("What did Ann say an hour ago?", NOW) == (None, ())


@pytest.mark.parametrize(("text", "is_so"), [
    ("Where to?", True), ("去哪里？", True), ('"Really?"', True), ("How? :)", True),
    ("Look? [shares a picture of a boat]", True), ("Is it? Yes.", False),
    ("Yes.", False), ("", False),
])  # fmt: skip
def test_a_text_that_ends_by_asking_is_known(text: str, is_so: bool) -> None:
    assert analyzer.asks(text) is is_so


def test_asking_is_told_of_any_text_in_no_time() -> None:
    for hostile in ("?" * 1_000_000, "?[" * 500_000, "? " * 500_000, "[" * 1_000_000):
        assert analyzer.asks(hostile) in (True, False)


# -- gains -----------------------------------------------------------------------------------------


def test_pieces_are_half_and_the_best_of_them_counts() -> None:
    whole, one, other = (np.array(v, np.float32) for v in ([0.2, 0.4], [1.0, 0.0], [0.0, 0.6]))
    assert with_pieces(whole, []).tolist() == whole.tolist()
    assert with_pieces(whole, [one, other]) == pytest.approx([0.6, 0.5])


def test_the_best_of_a_session_counts_for_all_of_it_and_for_nobody_else() -> None:
    scores = np.array([0.1, 0.9, 0.3, 0.4, 0.2], np.float32)
    sessions = np.array([7, 7, 8, -1, -1])
    best = score_factors.best_of_session(scores, sessions, 9)
    assert best == pytest.approx([0.9, 0.9, 0.3, 0.4, 0.2])


def test_what_was_told_near_the_time_in_question_gains_and_the_unknown_does_not() -> None:
    moment = TimeMention(10 * DAY, 11 * DAY, 2 * DAY)
    times = np.array([10.5 * DAY, 13 * DAY, 8 * DAY, 100 * DAY, np.nan])
    near = score_factors.near_moments(times, [moment])
    assert near == pytest.approx([1, np.exp(-1), np.exp(-1), 0, 0], abs=1e-6)
    assert score_factors.near_moments(times, []).tolist() == [0] * 5


def test_age_is_a_small_share_and_an_unknown_time_counts_as_old() -> None:
    times = np.array([0.0, -14 * DAY, -1e12, np.nan, 1e12])
    share = score_factors.AGE_SHARE
    assert score_factors.age_factors(times, 0.0, 14.0) == pytest.approx(
        [1, 1 - share / 2, 1 - share, 1 - share, 1]
    )


def row(
    number: int,
    text: str,
    session: str | None = None,
    speaker: str | None = None,
    trust: float = 1.0,
    uses: int = 0,
) -> IndexRow:
    asking = [analyzer.ASKING] if analyzer.asks(text) else []
    terms = analyzer.pack([*analyzer.terms(text), *asking])
    return IndexRow(
        number, 1, "event", "approved", 0.0, None, None, None, speaker, session, trust, uses, terms,
        None,
    )  # fmt: skip


def weighed(asked: str, *rows: IndexRow, first_person: bool = False) -> dict[int, float]:
    """Each row's score by words alone."""
    index = PartitionIndex(1, 0)
    index.apply(Changes(1, rows, []))
    mask = np.ones(index.rows, np.bool_)
    pool = CandidatePool([PartitionView(HOME, index, index.rows, mask, ())])
    pool.add_keyword(query.read(asked), 20)
    pool.add_recent(20)
    weights = ScoringParams.weights_of(0.6, 0.4)
    params = ScoringParams(weights, 0.0, 0.0, 14.0, 50, first_person=first_person)
    found = score(pool.candidates({}), params)
    numbers = [number for number, _ in pool.identities(found.candidates.rows)]
    return dict(zip(numbers, found.scores.tolist(), strict=True))


def test_an_answer_gains_from_the_question_before_it() -> None:
    asked = weighed("harbour", row(1, "Which harbour?", "s"), row(2, "The old one", "s"))
    told = weighed("harbour", row(1, "A harbour!", "s"), row(2, "The old one", "s"))
    assert asked[2] > told[2] > 0


def test_words_anywhere_in_a_session_count_for_all_of_it() -> None:
    rows = [row(1, "tea", "s"), row(2, "rain", "s"), row(3, "tea", "t"), row(4, "wind", "t")]
    scores = weighed("tea and rain", *rows)
    assert scores[1] > scores[3], "the other word is in the same session"


def test_the_first_of_a_session_gains_a_little() -> None:
    scores = weighed("tea", row(1, "wind", "t"), row(2, "tea", "t"), row(3, "tea", "s"))
    assert scores[3] > scores[2]
    alone = weighed("tea", row(1, "tea"), row(2, "tea"))
    assert alone[1] == pytest.approx(alone[2]), "what is in no session opens none"


def test_the_first_person_favours_what_a_person_said() -> None:
    rows = [row(1, "tea", speaker="assistant"), row(2, "tea", speaker="user"), row(3, "tea")]
    plain, mine = (weighed("tea", *rows, first_person=on) for on in (False, True))
    assert plain[1] == pytest.approx(plain[2])
    assert mine[2] > mine[1] == pytest.approx(mine[3])


def test_Q1_what_is_doubtful_comes_later_and_what_was_of_use_sooner() -> None:
    scores = weighed(
        "tea", row(1, "tea"), row(2, "tea", trust=0.5), row(3, "tea", uses=3), row(4, "tea", uses=9)
    )
    assert scores[2] < scores[1] < scores[3] < scores[4]
    trusts, uses = np.array([[1, 0.5, 1, 1, 0], [0, 0, 3, 1e9, 0]], np.float32)
    assert score_factors.trust_factors(trusts, uses) == pytest.approx([1, 0.95, 1.015, 1.03, 0.9])


def test_Q1_doubt_does_not_bury_what_fits_better() -> None:
    scores = weighed("green tea", row(1, "green tea", trust=0.0), row(2, "tea", uses=1000))
    assert scores[1] > scores[2]


@pytest.mark.parametrize(
    ("kind", "confidence", "data", "trust", "uses"),
    [
        ("event", 1.0, {}, 1.0, 0),
        ("fact", 0.7, {"evidence_count": 1}, 0.7, 0),
        ("fact", 0.8, {"evidence_count": 6}, 0.8, 5),
        ("procedure", 1.0, {"success_rate": 0.5, "usage_count": 3}, 0.5, 2),
        ("procedure", 0.8, {"success_rate": 0}, 0.0, 0),
        ("short_term", 1.0, {"visited_sessions": ["a", "b"]}, 1.0, 2),
        # A host's own numbers under these names mean what the host means.
        ("fact", 0.9, {"success_rate": 0.1, "usage_count": 50}, 0.9, 0),
        ("event", 1.0, {"evidence_count": 50, "visited_sessions": ["a"]}, 1.0, 0),
        ("fact", 1.0, {"evidence_count": "6"}, 1.0, 0),
        ("fact", 1.0, {"evidence_count": True}, 1.0, 0),
        ("fact", 1.0, {"evidence_count": -4}, 1.0, 0),
        ("fact", 1.0, {"evidence_count": 10**30}, 1.0, MOST_USES),
        ("short_term", 1.0, {"visited_sessions": "abc"}, 1.0, 0),
        ("procedure", 1.0, {"success_rate": "often"}, 1.0, 0),
        ("procedure", 1.0, {"success_rate": 9.0}, 1.0, 0),
        ("procedure", 1.0, {"success_rate": float("nan")}, 1.0, 0),
    ],
)
def test_how_far_to_rely_on_a_record(
    kind: str, confidence: float, data: dict[str, Any], trust: float, uses: int
) -> None:
    record = Record(id="a", place=HOME, kind=kind, text="t", confidence=confidence, data=data)
    assert (record.trust, record.uses) == (pytest.approx(trust), uses)


def test_Q1_who_gives_a_number_means_the_record_that_has_it() -> None:
    scores = weighed(
        "那个联系电话是13800138000的人，其兴趣爱好是什么？",
        row(1, "我同事的联系电话是13900139000"),
        row(2, "我舅舅的电话号码是13800138000"),
        row(3, "其兴趣爱好是什么"),
    )
    assert max(scores, key=scores.__getitem__) == 2


def test_Q1_a_number_that_nobody_mentioned_counts_as_any_unknown_word() -> None:
    rows = (row(1, "Ann called about the order"), row(2, "the weather is fine"))
    number, word = weighed("order 987654321 Ann", *rows), weighed("order xylophone Ann", *rows)
    assert number == pytest.approx(word)
