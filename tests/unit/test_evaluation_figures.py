"""Baselines rank as their formulas say; a report compares, and finds what went worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from support.hash_embedder import HashEmbedder
from taishi.evaluation import metrics, report
from taishi.evaluation.baselines import Baselines, Bm25, CachingEmbedder, Dense, fuse
from taishi.evaluation.cases import Question
from taishi.ports import Vector

TEXTS = ["Ann moves to Oslo", "Bob drinks tea", "the cat sleeps all day in Oslo", "小明喜欢吃火锅"]


class CountingEmbedder(HashEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int]] = []

    def embed(self, texts: Sequence[str], kind: Any) -> Vector:
        self.seen.append((kind, len(texts)))
        return super().embed(texts, kind)


def answer(category: str, gold: Sequence[str], ranked: Sequence[str], ms: float = 1.0) -> Any:
    question = Question("q", frozenset(gold), category, None)
    return report.Answer("c", question, tuple(ranked), metrics.measure(ranked, gold), ms)


def test_any_and_all_recall_differ_where_part_of_the_gold_is_found() -> None:
    found = metrics.measure(["a", "x", "x2", "x3", "x4", "b"], ["a", "b", "c"])
    assert (found["hit@5"], found["all@5"]) == (1.0, 0.0)
    assert (found["hit@10"], found["all@10"]) == (1.0, 0.0)
    assert found["R@5"] == pytest.approx(1 / 3)
    assert found["R@10"] == pytest.approx(2 / 3)
    assert set(found) == set(metrics.NAMES)


def test_bm25_stems_weighs_rarity_and_length_and_leaves_out_what_shares_no_word() -> None:
    ranker = Bm25(TEXTS)
    assert ranker.rank("who moved to Oslo?") == [0, 2]
    assert ranker.rank("谁爱吃火锅") == [3]
    assert ranker.rank("") == []
    assert Bm25([]).rank("Oslo") == []
    assert Bm25(["", ""]).rank("Oslo") == []


def test_bm25_scores_are_the_formula_with_k1_and_b() -> None:
    ranker = Bm25(["tea tea cup", "tea milk cup jug pan", "gold"])
    rarity, mean = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)), 3.0

    def expected(count: int, length: int) -> float:
        return rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))

    assert ranker.scores("tea").tolist() == pytest.approx([expected(2, 3), expected(1, 5), 0.0])


def test_dense_ranks_by_cosine_and_rrf_rewards_agreement() -> None:
    assert Dense(TEXTS, HashEmbedder()).rank("Bob drinks tea")[0] == 1
    assert fuse([[0, 1, 2], [1, 2, 0]]) == [1, 0, 2]
    assert fuse([[], []]) == []


def test_only_the_wished_baselines_answer_and_rrf_takes_as_long_as_both() -> None:
    found = Baselines(["rrf"], TEXTS, HashEmbedder()).ask("Oslo")
    assert list(found) == ["rrf"]
    assert list(Baselines(["bm25"], TEXTS, None).ask("Oslo")) == ["bm25"]
    all_three = Baselines(["rrf", "dense", "bm25"], TEXTS, HashEmbedder()).ask("Oslo")
    assert list(all_three) == ["bm25", "dense", "rrf"]
    assert all_three["rrf"].took_ms >= all_three["bm25"].took_ms + all_three["dense"].took_ms


def test_documents_are_embedded_once_and_queries_every_time() -> None:
    inner = CountingEmbedder()
    shared = CachingEmbedder(inner)
    first = shared.embed(["a", "b", "a"], "document")
    again = shared.embed(["b", "c"], "document")
    assert inner.seen == [("document", 2), ("document", 1)]
    assert (first[1] == again[0]).all()
    assert (first[0] == first[2]).all()
    shared.embed(["a"], "query")
    shared.embed(["a"], "query")
    assert inner.seen[2:] == [("query", 1), ("query", 1)]
    assert (shared.name, shared.dimensions) == (inner.name, inner.dimensions)


def test_a_report_compares_with_the_best_baseline_of_each_category() -> None:
    ours = [answer("x", ["a"], ["a"]), answer("adversarial", ["a"], ["b"], 9.0)]
    bm25 = [answer("x", ["a"], ["b"]), answer("adversarial", ["a"], ["a"])]
    dense = [answer("x", ["a"], ["b", "a"]), answer("adversarial", ["a"], ["b"])]
    answers = {report.OURS: ours, "bm25": bm25, "dense": dense}
    made = report.build("n", 60, 3, answers, [100, 200])
    assert made.counts == {"all": 2, "all but adversarial": 1, "adversarial": 1, "x": 1}
    assert made.best_baseline("x")["MRR"] == 0.5
    assert made.best_baseline("adversarial")["MRR"] == 1.0
    document = made.to_dict()
    assert document["baselines"]["bm25"]["difference"]["adversarial"]["MRR"] == -1.0
    assert document["baselines"]["dense"]["difference"]["x"]["MRR"] == 0.5
    assert document["recall_ms_by_category"]["adversarial"] == {"p50": 9.0, "p95": 9.0}
    assert document["context_tokens"] == {"mean": 150.0, "max": 200, "questions": 2}
    assert document["left_out"] == 3


def test_the_worst_come_first_and_what_went_well_is_no_miss() -> None:
    well = answer("x", ["a"], ["a"])
    late = answer("x", ["a"], [*"bcdefghijkl", "a"])
    never = answer("x", ["a"], ["b"])
    assert report.worst([well, late, never], 5) == [never, late]
    assert report.worst([well, late, never], 1) == [never]
    assert (late.rank_of("a"), never.rank_of("a")) == (12, None)
