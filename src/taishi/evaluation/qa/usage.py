"""Tokens, time and cost by role: historian, answerer, judge and embedding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

ROLES = ("historian", "embedding", "answerer", "judge")
SUMS = ("calls", "failed", "prompt_tokens", "completion_tokens", "seconds", "cost")
_TASKS = {"eval_answer": "answerer", "eval_judge": "judge"}


def role_of(task: str) -> str:
    if task in _TASKS:
        return _TASKS[task]
    return "embedding" if task.startswith("embed") else "historian"


def by_role(
    calls: Iterable[Mapping[str, Any]], ledgers: Iterable[Iterable[Mapping[str, Any]]]
) -> dict[str, dict[str, float]]:
    """`calls` are single ones, `ledgers` the rows of the memories' own ledgers."""
    totals: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(SUMS, 0))
    for call in calls:
        counted = {**call, "calls": 1, "failed": int(not call["ok"])}
        _add(totals[role_of(call["task"])], counted)
    for rows in ledgers:
        for row in rows:
            _add(totals[role_of(row["task"])], row)
    return {role: totals[role] for role in ROLES if role in totals}


def _add(total: dict[str, float], row: Mapping[str, Any]) -> None:
    for name in SUMS:
        total[name] += row[name]
