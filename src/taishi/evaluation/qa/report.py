"""The report of a run: figures by category and system, and every question with its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cases import Corpus, Question
from ..metrics import percentile
from . import scores
from .run_log import RunLog
from .runner import Plan
from .usage import by_role

ABSTENTION = "abstention"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as one system answered it; what is missing was not reached or refused."""

    question: Question
    corpus: str
    system: str
    answer: Mapping[str, Any] | None
    verdict: str | None
    said: str = ""

    @property
    def f1(self) -> float:
        return scores.f1(self.answer["answer"], self.question.answer) if self.answer else 0.0

    @property
    def is_exact(self) -> bool:
        return bool(self.answer) and scores.is_exact(
            self.answer["answer"] if self.answer else "", self.question.answer
        )


def asked_by(plan: Plan, log: RunLog, system: str) -> list[Asked]:
    return [_asked(log, corpus, one, system) for corpus, one in plan.selection.questions]


def document(plan: Plan, log: RunLog, measured: Mapping[str, Any]) -> dict[str, Any]:
    """Everything, for a program or for whoever wants to check a verdict."""
    by_system = {system: asked_by(plan, log, system) for system in plan.systems}
    verdicts = [one.verdict for asked in by_system.values() for one in asked]
    return {
        "name": plan.selection.name,
        "run": dict(measured),
        "complete": all(verdicts),
        "left_out": plan.selection.without_answer,
        "turns": sum(entry["turns"] for entry in log.corpora.values()),
        "failed_turns": sum(entry["failed_turns"] for entry in log.corpora.values()),
        "systems": {
            system: {name: figures(group) for name, group in groups(asked).items()}
            for system, asked in by_system.items()
        },
        "usage": by_role(log.calls, [entry["ledger"] for entry in log.corpora.values()]),
        "questions": [
            _question(corpus, question, [asked[number] for asked in by_system.values()])
            for number, (corpus, question) in enumerate(plan.selection.questions)
        ],
    }


def groups(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    """All, those that have an answer, each category, and those that have none."""
    unanswerable = [one for one in asked if one.question.unanswerable]
    found = {"all": list(asked)}
    if 0 < len(unanswerable) < len(asked):
        found["answerable"] = [one for one in asked if not one.question.unanswerable]
    for name in sorted({one.question.category for one in asked} - {"all"}):
        found[name] = [one for one in asked if one.question.category == name]
    if unanswerable and unanswerable not in found.values():
        found[ABSTENTION] = unanswerable
    return found


def figures(asked: Sequence[Asked]) -> dict[str, Any]:
    """Accuracy is of the questions that were judged; an unparsable verdict is not a right one."""
    judged = [one for one in asked if one.verdict]
    right = sum(one.verdict == "right" for one in judged)
    answered = [one for one in asked if one.answer]
    compared = [one for one in answered if not one.question.unanswerable]
    low, high = scores.wilson(right, len(judged))
    return {
        "questions": len(asked),
        "judged": len(judged),
        "right": right,
        "unparsable": sum(one.verdict == "unparsable" for one in judged),
        "accuracy": right / len(judged) if judged else None,
        "interval_95": [low, high] if judged else None,
        "f1": _mean([one.f1 for one in compared]),
        "exact": _mean([float(one.is_exact) for one in compared]),
        "context_tokens": _mean([one.answer["context_tokens"] for one in answered if one.answer]),
        "answer_tokens": _mean([_tokens(one.answer) for one in answered if one.answer]),
        "recall_ms": _latency(answered),
        "cut": sum(bool(one.answer and one.answer["left_out"]) for one in answered),
    }


def _asked(log: RunLog, corpus: Corpus, question: Question, system: str) -> Asked:
    key = (question.id, system)
    verdict = log.verdicts.get(key, {})
    answer, said = log.answers.get(key), verdict.get("said", "")
    return Asked(question, corpus.name, system, answer, verdict.get("verdict"), said)


def _question(corpus: Corpus, question: Question, asked: Sequence[Asked]) -> dict[str, Any]:
    return {
        "id": question.id,
        "corpus": corpus.name,
        "category": question.category,
        "question": question.query,
        "reference": question.answer,
        "unanswerable": question.unanswerable,
        "systems": {one.system: _answer(one) for one in asked},
    }


def _answer(one: Asked) -> dict[str, Any]:
    fields = {name: value for name, value in (one.answer or {}).items() if name not in _KEYS}
    compared = one.answer is not None and not one.question.unanswerable
    overlap = {"f1": one.f1, "exact": one.is_exact} if compared else {}
    return {**fields, **overlap, "verdict": one.verdict, "judge_said": one.said}


_KEYS = frozenset({"type", "question", "system"})


def _tokens(answer: Mapping[str, Any]) -> float:
    return float(answer["prompt_tokens"] + answer["completion_tokens"])


def _latency(answered: Sequence[Asked]) -> dict[str, float] | None:
    times = [
        one.answer["recall_ms"]
        for one in answered
        if one.answer and one.answer["recall_ms"] is not None
    ]
    if not times:
        return None
    return {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
