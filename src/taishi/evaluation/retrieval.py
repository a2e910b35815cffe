"""How well recall finds what answers a question, measured through the public door."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from taishi import Memory, Recall, Scope

from . import metrics
from .cases import CaseFile, Corpus, Question

TOP_K = {"turn": 60, "session": 200}
PATIENCE = 30.0  # a deadline would measure the machine, not the ranking
UNANSWERABLE = "adversarial"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Answer:
    corpus: str
    question: Question
    ranked: tuple[str, ...]
    scores: dict[str, float]
    took_ms: float
    level: str


@dataclass(frozen=True, slots=True)
class Report:
    name: str
    answers: tuple[Answer, ...] = field(repr=False)
    rows: dict[str, dict[str, float]]
    counts: dict[str, int]
    took_ms: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "metrics": self.rows, "questions": self.counts,
                "recall_ms": self.took_ms}  # fmt: skip


def evaluate(cases: CaseFile, folder: Path, progress: Progress, settings: Any = None) -> Report:
    answers: list[Answer] = []
    with Memory.open(folder, settings) as memory:
        for number, corpus in enumerate(cases.corpora):
            progress(corpus.name, number, len(cases.corpora))
            answers += _ask_all(memory, corpus, TOP_K[cases.unit])
    return _report(cases.name, answers)


def _ask_all(memory: Memory, corpus: Corpus, top_k: int) -> list[Answer]:
    scope = Scope(group=corpus.name)
    memory.remember_many(scope, [{**item, "kind": "event"} for item in corpus.items])
    memory.drain()
    answers = []
    for question in corpus.questions:
        found = memory.recall(
            scope, question.query, top_k=top_k, floor=0.0, now=question.time, deadline=PATIENCE
        )
        ranked = _sources(found)
        scores = metrics.measure(ranked, question.gold)
        answers.append(Answer(corpus.name, question, ranked, scores, found.took_ms, found.level))
    return answers


def _sources(found: Recall) -> tuple[str, ...]:
    """The callers' ids, best first; a session stands where its best turn stands."""
    return tuple(dict.fromkeys(hit.source for hit in found.hits if hit.source is not None))


def _report(name: str, answers: Sequence[Answer]) -> Report:
    if not answers:
        return Report(name, (), {}, {}, {})
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.question.category].append(answer)
    total = {"all": list(answers)}
    if UNANSWERABLE in groups:
        total[f"all but {UNANSWERABLE}"] = [
            answer for answer in answers if answer.question.category != UNANSWERABLE
        ]
    groups = {**total, **dict(sorted(groups.items()))}
    times = [answer.took_ms for answer in answers]
    return Report(
        name,
        tuple(answers),
        {group: metrics.mean([a.scores for a in members]) for group, members in groups.items()},
        {group: len(members) for group, members in groups.items()},
        {"p50": metrics.percentile(times, 0.5), "p95": metrics.percentile(times, 0.95)},
    )
