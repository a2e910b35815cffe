"""Plays part of the story with a chat model as the historian, if one is configured. Prints nothing.

A model that is down or answers nonsense ends this part, not the demo.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from taishi import Memory, Settings

from .learned_facts import Learned, collect_learned
from .run import RecordedTurn, end_turn, recorded_turn
from .story import Story, Turn

FOLDER = "with-model"
MAX_TURNS = 16  # a few cents at most providers, and well under a minute
MAX_SECONDS = 30.0
WORKERS = 2
POLL_SECONDS = 0.05
MAX_FAILURES = 2  # give up after this many failed jobs without a success


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One turn as recorded by the rules and by the model."""

    by_rules: RecordedTurn
    by_model: RecordedTurn


@dataclass(frozen=True, slots=True)
class Gate:
    """Results of the gate for the model's records (H3)."""

    first_pass: int = 0
    after_revision: int = 0
    degraded: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """Model usage of one task."""

    task: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float


@dataclass(frozen=True, slots=True)
class ModelPart:
    """The result; `trouble` is why turns are missing, empty if the time ran out."""

    model: str
    host: str
    turns: int
    told: tuple[ModelComparison, ...]
    learned: Learned
    gate: Gate
    costs: tuple[Cost, ...]
    seconds: float
    trouble: str


def is_configured(settings: Settings) -> bool:
    return bool(settings.models.chat.for_task("rewrite").api_url)


def play_with_model(
    story: Story, folder: Path, settings: Settings, by_rules: Sequence[RecordedTurn]
) -> ModelPart:
    """Let the model record the turns marked for it; `by_rules` are the story's turns by rule."""
    started = time.perf_counter()
    model = settings.models.chat.for_task("rewrite")
    numbers = [n for n, turn in enumerate(story.turns) if turn.model][:MAX_TURNS]
    with _warnings() as warnings, Memory.open(folder, _interactive_settings(settings)) as memory:
        ids = _process(story, memory, numbers)
        trouble = _trouble(memory, warnings, len(numbers))
        comparisons = [
            ModelComparison(by_rules[n], recorded)
            for n, id in zip(numbers, ids, strict=True)
            if (recorded := _recorded(story, memory, story.turns[n], id))
        ]
        job_counts = memory.status()["jobs"]
        return ModelPart(
            model=model.model_name,
            host=urlsplit(model.api_url).netloc.rpartition("@")[2],
            turns=len(numbers),
            told=tuple(comparisons),
            learned=collect_learned(story, memory),
            gate=Gate(
                job_counts["first_pass"], job_counts["after_revision"], job_counts["degraded"]
            ),
            costs=_costs(memory.jobs.ledger()),
            seconds=round(time.perf_counter() - started, 1),
            trouble=trouble,
        )


def _interactive_settings(settings: Settings) -> Settings:
    """Settings for an interactive run: two workers, one retry per job."""
    historian = replace(settings.historian, workers=WORKERS, job_max_retries=1)
    return replace(settings, historian=historian)


def _process(story: Story, memory: Memory, numbers: Sequence[int]) -> list[str]:
    """Process the turns; returns their event ids once they are written or have failed."""
    end = time.monotonic() + MAX_SECONDS
    ids = [end_turn(story, memory, number) for number in numbers]
    memory.start_worker()
    while time.monotonic() < end and not _is_over(memory.status()["jobs"], len(ids)):
        time.sleep(POLL_SECONDS)
    memory.stop_worker()
    return ids


def _is_over(jobs: dict[str, int], turns: int) -> bool:
    if jobs["postponed"] or jobs["done"] + jobs["failed"] >= turns:
        return True
    return not jobs["done"] and jobs["failed"] + jobs["retried"] >= MAX_FAILURES


def _trouble(memory: Memory, warnings: Sequence[str], turns: int) -> str:
    if memory.status()["jobs"]["done"] >= turns:
        return ""
    return warnings[-1] if warnings else ""


def _recorded(story: Story, memory: Memory, turn: Turn, id: str) -> RecordedTurn | None:
    """The recorded turn; None while only the raw turn exists."""
    event = memory.get(story.scope(turn.chat, turn.who), id)
    is_written = event is not None and event.kind == "event"
    return recorded_turn(turn, event) if is_written else None


def _costs(ledger: Sequence[dict[str, Any]]) -> tuple[Cost, ...]:
    """The ledger by task, summed over days and modes."""
    costs: dict[str, Cost] = {}
    for row in ledger:
        total = costs.get(row["task"], Cost(row["task"], 0, 0, 0, 0, 0.0, 0.0))
        costs[row["task"]] = Cost(
            task=row["task"],
            calls=total.calls + row["calls"],
            failed=total.failed + row["failed"],
            tokens_in=total.tokens_in + row["prompt_tokens"],
            tokens_out=total.tokens_out + row["completion_tokens"],
            seconds=round(total.seconds + row["seconds"], 2),
            cost=round(total.cost + row["cost"], 6),
        )
    return tuple(costs.values())


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect worker warnings in a list instead of logging them."""
    collected: list[str] = []

    class CollectingHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.name == "taishi.worker" and isinstance(record.args, tuple):
                collected.append(str(record.args[-1]))  # the error alone, without the job's id

    log = logging.getLogger("taishi")
    handlers, propagate = log.handlers[:], log.propagate
    log.handlers, log.propagate = [CollectingHandler()], False
    try:
        yield collected
    finally:
        log.handlers, log.propagate = handlers, propagate
