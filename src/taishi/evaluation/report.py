"""Builds the evaluation report: figures by category for us and the baselines, and the worst
questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import metrics
from .cases import Question

OURS = "taishi"
UNANSWERABLE = "adversarial"

Row = dict[str, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """`top` and `wanted` hold (id, text): what came first, and what should have come."""

    corpus: str
    question: Question
    ranked: tuple[str, ...]
    scores: Row
    took_ms: float
    level: str = ""
    top: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    wanted: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def rank_of(self, id: str) -> int | None:
        return self.ranked.index(id) + 1 if id in self.ranked else None


@dataclass(frozen=True, slots=True)
class Figures:
    """One system's results by category."""

    metrics: dict[str, Row]
    recall_ms: dict[str, Row]


@dataclass(frozen=True, slots=True)
class Report:
    name: str
    depth: int  # how many records were asked for
    left_out: int
    counts: dict[str, int]
    ours: Figures
    baselines: dict[str, Figures]
    context_tokens: Row
    answers: tuple[Answer, ...] = field(repr=False)

    def best_baseline(self, category: str) -> Row:
        """The best value that any baseline reached, metric by metric."""
        rows = [figures.metrics[category] for figures in self.baselines.values()]
        return {name: max(row[name] for row in rows) for name in metrics.NAMES}

    def to_dict(self) -> dict[str, Any]:
        document = {
            "name": self.name,
            "questions": self.counts,
            "left_out": self.left_out,
            "metrics": self.ours.metrics,
            "recall_ms": self.ours.recall_ms.get("all", {}),
            "recall_ms_by_category": self.ours.recall_ms,
            "context_tokens": self.context_tokens,
        }
        if not self.baselines:
            return document
        return {
            **document,
            "baselines": {
                name: {
                    "metrics": figures.metrics,
                    "recall_ms_by_category": figures.recall_ms,
                    "difference": {
                        category: difference(self.ours.metrics[category], row)
                        for category, row in figures.metrics.items()
                    },
                }
                for name, figures in self.baselines.items()
            },
        }


def difference(ours: Row, other: Row) -> Row:
    """Above zero where ours is better."""
    return {name: ours[name] - other[name] for name in metrics.NAMES}


def build(
    name: str,
    depth: int,
    left_out: int,
    answers: Mapping[str, Sequence[Answer]],
    context_tokens: Sequence[int],
) -> Report:
    """`answers` by system; OURS is one of them, the others are baselines."""
    ours = answers[OURS]
    return Report(
        name,
        depth,
        left_out,
        {group: len(members) for group, members in _groups(ours).items()},
        _figures(ours),
        {
            system: _figures(system_answers)
            for system, system_answers in answers.items()
            if system != OURS
        },
        _context(context_tokens),
        tuple(ours),
    )


def worst(answers: Sequence[Answer], count: int) -> list[Answer]:
    """Questions whose answers came late or not at all, the worst first."""
    missed = [answer for answer in answers if answer.scores["R@10"] < 1]
    return sorted(missed, key=lambda answer: (answer.scores["R@20"], answer.scores["MRR"]))[:count]


def _figures(answers: Sequence[Answer]) -> Figures:
    groups = _groups(answers)
    return Figures(
        {group: metrics.mean([a.scores for a in members]) for group, members in groups.items()},
        {group: _latency([a.took_ms for a in members]) for group, members in groups.items()},
    )


def _groups(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    """All, all that can be answered, then each category."""
    by_category: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_category[answer.question.category].append(answer)
    groups = {"all": list(answers)} if answers else {}
    answerable = [a for a in answers if a.question.category != UNANSWERABLE]
    if 0 < len(answerable) < len(answers):
        groups[f"all but {UNANSWERABLE}"] = answerable
    return {
        **groups,
        **{name: members for name, members in sorted(by_category.items()) if name != "all"},
    }


def _latency(values: Sequence[float]) -> Row:
    return {"p50": metrics.percentile(values, 0.5), "p95": metrics.percentile(values, 0.95)}


def _context(tokens: Sequence[int]) -> Row:
    if not tokens:
        return {}
    return {"mean": sum(tokens) / len(tokens), "max": max(tokens), "questions": len(tokens)}
