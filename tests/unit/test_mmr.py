"""Variety among hits: near-repetitions step back, and nothing else moves (Q1, mmr_lambda)."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from taishi.recall.mmr import ALIKE, cosines, most_varied
from taishi.recall.vector_codec import encode

Matrix = NDArray[np.float64]


def pairs(count: int, **likeness: float) -> Matrix:
    """Cosines with 1 on the diagonal, the named pairs (`p02=0.95`) and 0.3 elsewhere."""
    matrix = np.full((count, count), 0.3)
    np.fill_diagonal(matrix, 1.0)
    for name, value in likeness.items():
        one, other = int(name[1]), int(name[2])
        matrix[one, other] = matrix[other, one] = value
    return matrix


def scored(*scores: float) -> Matrix:
    return np.array(scores)


def random_case(seed: int, count: int) -> tuple[Matrix, Matrix]:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, 8)) + 2 * random.normal(size=(1, 8))
    return np.sort(random.random(count))[::-1].copy(), np.array(cosines(rows), np.float64)


def test_Q1_a_repetition_steps_back_behind_what_is_new() -> None:
    likeness = pairs(4, p01=1.0)
    assert most_varied(scored(0.9, 0.89, 0.7, 0.1), likeness, 3, 0.7) == [0, 2, 1]


def test_Q1_a_repetition_does_not_step_behind_what_is_beside_the_point() -> None:
    likeness = pairs(4, p01=1.0)
    assert most_varied(scored(0.9, 0.89, 0.6, 0.1), likeness, 4, 0.7) == [0, 1, 2, 3]


def test_Q1_the_most_that_is_lost_is_what_lambda_says() -> None:
    """Twins: the second has 0.8 · λ of value, beside a stranger of 0.5."""
    scores, likeness = scored(0.8, 0.8, 0.5), pairs(3, p01=1.0)
    assert most_varied(scores, likeness, 3, 0.65) == [0, 1, 2]  # 0.52
    assert most_varied(scores, likeness, 3, 0.60) == [0, 2, 1]  # 0.48


def test_Q1_less_alike_loses_less() -> None:
    scores = scored(0.9, 0.89, 0.7)
    half = (1 + ALIKE) / 2  # loses 15 % of 0.89: still more than 0.7
    assert most_varied(scores, pairs(3, p01=half), 3, 0.7) == [0, 1, 2]
    assert most_varied(scores, pairs(3, p01=half), 3, 0.5) == [0, 2, 1]


def test_Q1_likeness_below_the_limit_changes_nothing() -> None:
    scores = scored(0.9, 0.899, 0.898, 0.897)
    likeness = pairs(4, p01=ALIKE, p02=0.85, p12=0.6)
    assert most_varied(scores, likeness, 4, 0.0) == [0, 1, 2, 3]
    assert most_varied(scores, likeness, 4, 0.0, alike=0.5) != [0, 1, 2, 3]


def test_Q1_likeness_is_to_those_taken_not_to_those_left_out() -> None:
    likeness = pairs(4, p23=1.0)
    assert most_varied(scored(0.9, 0.8, 0.2, 0.19), likeness, 2, 0.7) == [0, 1]


def test_Q1_likeness_to_several_counts_once() -> None:
    """Only the nearest counts: three twins do not bury the third below its λ share."""
    likeness = pairs(4, p01=1.0, p02=1.0, p12=1.0)
    assert most_varied(scored(1.0, 1.0, 1.0, 0.69), likeness, 4, 0.7) == [0, 1, 2, 3]
    assert most_varied(scored(1.0, 1.0, 1.0, 0.71), likeness, 4, 0.7) == [0, 3, 1, 2]


@pytest.mark.parametrize("seed", range(20))
def test_Q1_lambda_one_is_the_plain_order(seed: int) -> None:
    scores, likeness = random_case(seed, 30)
    likeness[:] = 1.0
    assert most_varied(scores, likeness, 10, 1.0) == list(range(10))
    shuffled = np.random.default_rng(seed).permutation(30)
    plain = np.argsort(-scores[shuffled], kind="stable")[:10].tolist()
    assert most_varied(scores[shuffled], likeness, 10, 1.0) == plain


@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_Q1_ties_go_to_the_earlier(lam: float) -> None:
    scores = np.full(6, 0.5)
    assert most_varied(scores, pairs(6), 6, lam) == list(range(6))
    everyone = np.ones((6, 6))
    assert most_varied(scores, everyone, 6, lam) == list(range(6))


@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize("lam", [0.0, 0.3, 0.7, 0.95])
def test_Q1_same_as_the_rule_in_plain_words(seed: int, lam: float) -> None:
    scores, likeness = random_case(seed, 20)
    alike = 0.6

    def value(row: int, taken: list[int]) -> float:
        nearest = max((likeness[row, one] for one in taken), default=0.0)
        return float(scores[row] * (1 - (1 - lam) * max(0.0, nearest - alike) / (1 - alike)))

    taken: list[int] = []
    while len(taken) < 12:
        left = [row for row in range(20) if row not in taken]
        taken.append(max(left, key=lambda row: (round(value(row, taken), 9), -row)))
    assert most_varied(scores, likeness, 12, lam, alike) == taken


def test_Q1_the_first_is_always_the_best() -> None:
    for seed in range(50):
        scores, likeness = random_case(seed, 15)
        assert most_varied(scores, likeness, 1, 0.0, alike=0.1) == [0]


@pytest.mark.parametrize("count", [0, 1, 3, 9])
def test_Q1_as_many_as_there_are_and_none_twice(count: int) -> None:
    chosen = most_varied(scored(0.3, 0.2, 0.1), np.ones((3, 3)), count, 0.7)
    assert len(chosen) == len(set(chosen)) == min(3, count)


def test_Q1_nothing_to_choose_from() -> None:
    assert most_varied(np.zeros(0), np.zeros((0, 0)), 5, 0.7) == []
    assert cosines(np.zeros((0, 384), np.int8)).shape == (0, 0)


def test_Q1_scores_below_zero_are_not_raised_by_being_alike() -> None:
    likeness = pairs(3, p01=1.0)
    assert most_varied(scored(-0.1, -0.1, -0.12), likeness, 3, 0.7) == [0, 2, 1]


def test_Q1_what_has_no_vector_is_like_nothing() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]], np.float32)
    likeness = cosines(rows)
    assert likeness[0, 0] == 1 and not likeness[1:].any()
    broken = np.full((3, 3), np.nan)
    assert most_varied(scored(0.3, 0.2, 0.1), broken, 3, 0.7) == [0, 1, 2]


def test_Q1_codes_are_as_good_as_full_vectors() -> None:
    random = np.random.default_rng(5)
    full = random.normal(size=(40, 384)).astype(np.float32) + 1
    full[20:] = full[:20] + 0.2 * random.normal(size=(20, 384)).astype(np.float32)
    full /= np.linalg.norm(full, axis=1, keepdims=True)
    codes = np.stack([np.frombuffer(encode(row), np.int8, 384, 4) for row in full])
    assert np.abs(cosines(codes) - full @ full.T).max() < 0.005


def test_Q1_cosines_of_any_numbers_and_layout() -> None:
    rows = np.random.default_rng(6).normal(size=(8, 64)) * 7
    expected = np.corrcoef(rows - rows.mean(axis=1, keepdims=True))
    centred = rows - rows.mean(axis=1, keepdims=True)
    for form in (centred, centred.astype(np.float32), np.asfortranarray(centred)):
        assert np.abs(cosines(form) - expected).max() < 1e-5
    assert np.abs(cosines(centred[::2]) - expected[::2, ::2]).max() < 1e-5


def test_Q1_many_recalls_do_not_use_up_the_references_to_None() -> None:
    codes = np.ones((3, 16), np.int8)
    before = sys.getrefcount(None)
    for _ in range(1000):
        cosines(codes)
    assert sys.getrefcount(None) > before - 500


def test_Q1_the_inputs_are_left_as_they_were() -> None:
    scores, likeness = random_case(1, 10)
    before = scores.copy(), likeness.copy()
    most_varied(scores, likeness, 5, 0.5, alike=0.2)
    assert (scores == before[0]).all() and (likeness == before[1]).all()


def test_Q1_costs_next_to_nothing() -> None:
    """The aim is 100 µs of one core; the bound leaves room for a slow or busy machine."""
    scores, likeness = random_case(3, 30)
    likeness[:] = np.maximum(likeness, 0.95)
    fastest = float("inf")
    for _ in range(200):
        began = time.perf_counter()
        most_varied(scores, likeness, 5, 0.7)
        fastest = min(fastest, time.perf_counter() - began)
    assert fastest < 500e-6


def test_P5_a_newer_text_loses_nothing_to_an_older_one_that_it_resembles() -> None:
    scores = np.array([1.0, 0.95, 0.9], np.float32)
    likeness = np.array([[1, 0.97, 0], [0.97, 1, 0], [0, 0, 1]], np.float32)
    assert most_varied(scores, likeness, 3, 0.7) == [0, 2, 1]
    newer_second = np.array([100.0, 200.0, 0.0])
    assert most_varied(scores, likeness, 3, 0.7, times=newer_second) == [0, 1, 2]
    older_second = np.array([200.0, 100.0, np.nan])
    assert most_varied(scores, likeness, 3, 0.7, times=older_second) == [0, 2, 1]
