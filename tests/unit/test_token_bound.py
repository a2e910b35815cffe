"""The upper bound on tokens, against counts taken once from the o200k and cl100k vocabularies."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from taishi.language.token_bound import fit_within, token_bound
from taishi.language.token_count import ELLIPSIS

TABLE = Path(__file__).parents[1] / "tables" / "token_counts.jsonl"
ROWS = [json.loads(line) for line in TABLE.read_text("ascii").splitlines()]
COUNTERS: dict[str, Callable[[str], int]] = {
    "bound": token_bound, "characters": len, "words": lambda text: len(text.split()),
    "bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
}  # fmt: skip


def ratios(start: str) -> list[float]:
    rows = [row for row in ROWS if row["kind"].startswith(start)]
    return [token_bound(row["text"]) / max(row["o200k"], row["cl100k"]) for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_Q1_no_vocabulary_counts_more_than_the_bound(row: dict[str, str]) -> None:
    assert token_bound(row["text"]) >= int(row["o200k"])
    assert token_bound(row["text"]) >= int(row["cl100k"])


@pytest.mark.parametrize(("kind", "most"), [("en ", 1.25), ("zh ", 1.5), ("code", 1.5)])
def test_Q1_the_bound_is_not_wasteful(kind: str, most: float) -> None:
    assert len(ratios(kind)) > 5
    assert statistics.median(ratios(kind)) <= most


def test_the_table_would_tell_a_bound_that_is_too_low() -> None:
    """The positive control: the average, which was taken before, is exceeded in the table."""
    from taishi.language.token_count import estimate_tokens

    assert any(estimate_tokens(row["text"]) < row["cl100k"] for row in ROWS)


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("budget", [0, 1, 3, 17, 60])
@pytest.mark.parametrize("row", ROWS[::6], ids=lambda row: row["kind"])
def test_what_is_fitted_fits_by_any_counter(row: dict[str, str], budget: int, counter: str) -> None:
    text, count = row["text"], COUNTERS[counter]
    kept = fit_within(text, budget, count)
    assert count(kept) <= budget or kept == ""
    assert kept == text or text.startswith(kept.removesuffix(ELLIPSIS))


def test_words_stay_whole_and_most_of_the_room_is_used() -> None:
    text = "The harbour library keeps umbrellas for everybody. " * 40
    kept = fit_within(text, 100, token_bound)
    assert 85 <= token_bound(kept) <= 100
    assert kept.removesuffix(ELLIPSIS).split()[-1].strip(".") in text.replace(".", "").split()
    assert token_bound(fit_within("港口图书馆为每个人保管雨伞。" * 40, 100, token_bound)) >= 85


@pytest.mark.parametrize("cluster", ["e\u0301", "👍🏽", "👨\u200d👩\u200d👧", "🇳🇴", "की"])
def test_no_visible_character_is_cut(cluster: str) -> None:
    for budget in range(8, 40, 5):
        kept = fit_within(cluster * 100, budget, token_bound).removesuffix(ELLIPSIS)
        assert len(kept) % len(cluster) == 0


@pytest.mark.parametrize("unit", ["hello world ", "你好，世界。", "=-", "\ud800", "a", " ", "xq"])
def test_a_long_text_is_linear(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    token_bound(text[:1000])
    started = time.thread_time()
    token_bound(text)
    fit_within(text, 100, token_bound)
    assert time.thread_time() - started < 3
