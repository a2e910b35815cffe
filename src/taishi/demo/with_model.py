"""A part of the story once more, with a chat model as the historian. Shows nothing.

Only where one is configured. A model that is down or talks nonsense ends this part, not the demo.
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

from .learned_facts import Learned, what_was_learned
from .run import Told, end_turn, told_of
from .story import Story, Turn

FOLDER = "with-model"
MOST_TURNS = 16  # a handful of cents at most providers, and well under a minute
MOST_SECONDS = 30.0
WORKERS = 2
LOOK_AGAIN = 0.05
HOPELESS = 2  # so many jobs gone wrong, and none gone well


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One turn, as the rules told it and as the model did."""

    by_rules: Told
    by_model: Told


@dataclass(frozen=True, slots=True)
class Gate:
    """What the check for relative words said of the model's records (H3)."""

    first_pass: int = 0
    after_revision: int = 0
    degraded: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """A line of the ledger."""

    task: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float


@dataclass(frozen=True, slots=True)
class ModelPart:
    """`trouble` is why turns are missing, in the engine's words; empty: there was no time left."""

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


def perform_with_model(
    story: Story, folder: Path, settings: Settings, by_rules: Sequence[Told]
) -> ModelPart:
    """Let the model write the turns that are meant for it; `by_rules` are all of the story's."""
    begin = time.perf_counter()
    model = settings.models.chat.for_task("rewrite")
    numbers = [n for n, turn in enumerate(story.turns) if turn.model][:MOST_TURNS]
    with _warnings() as warned, Memory.open(folder, _in_haste(settings)) as memory:
        ids = _work(story, memory, numbers)
        trouble = _trouble(memory, warned, len(numbers))
        told = [
            ModelComparison(by_rules[n], one)
            for n, id in zip(numbers, ids, strict=True)
            if (one := _written(story, memory, story.turns[n], id))
        ]
        tally = memory.status()["jobs"]
        return ModelPart(
            model=model.model_name,
            host=urlsplit(model.api_url).netloc.rpartition("@")[2],
            turns=len(numbers),
            told=tuple(told),
            learned=what_was_learned(story, memory),
            gate=Gate(tally["first_pass"], tally["after_revision"], tally["degraded"]),
            costs=_costs(memory.jobs.ledger()),
            seconds=round(time.perf_counter() - begin, 1),
            trouble=trouble,
        )


def _in_haste(settings: Settings) -> Settings:
    """Somebody is looking: two workers, and no job is tried for long."""
    historian = replace(settings.historian, workers=WORKERS, job_max_retries=1)
    return replace(settings, historian=historian)


def _work(story: Story, memory: Memory, numbers: Sequence[int]) -> list[str]:
    """The ids of the turns' events, once they are written or cannot be."""
    end = time.monotonic() + MOST_SECONDS
    ids = [end_turn(story, memory, number) for number in numbers]
    memory.start_worker()
    while time.monotonic() < end and not _is_over(memory.status()["jobs"], len(ids)):
        time.sleep(LOOK_AGAIN)
    memory.stop_worker()
    return ids


def _is_over(jobs: dict[str, int], turns: int) -> bool:
    if jobs["postponed"] or jobs["done"] + jobs["failed"] >= turns:
        return True
    return not jobs["done"] and jobs["failed"] + jobs["retried"] >= HOPELESS


def _trouble(memory: Memory, warned: Sequence[str], turns: int) -> str:
    if memory.status()["jobs"]["done"] >= turns:
        return ""
    return warned[-1] if warned else ""


def _written(story: Story, memory: Memory, turn: Turn, id: str) -> Told | None:
    """None while only the raw turn is there."""
    event = memory.get(story.scope(turn.chat, turn.who), id)
    is_written = event is not None and event.kind == "event"
    return told_of(turn, event) if is_written else None


def _costs(ledger: Sequence[dict[str, Any]]) -> tuple[Cost, ...]:
    """The ledger by task alone: the day and the mode are of no interest here."""
    costs: dict[str, Cost] = {}
    for row in ledger:
        before = costs.get(row["task"], Cost(row["task"], 0, 0, 0, 0, 0.0, 0.0))
        costs[row["task"]] = Cost(
            task=row["task"],
            calls=before.calls + row["calls"],
            failed=before.failed + row["failed"],
            tokens_in=before.tokens_in + row["prompt_tokens"],
            tokens_out=before.tokens_out + row["completion_tokens"],
            seconds=round(before.seconds + row["seconds"], 2),
            cost=round(before.cost + row["cost"], 6),
        )
    return tuple(costs.values())


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """What the engine warns of goes into a list: it is told in the show, in one line."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.name == "taishi.worker" and isinstance(record.args, tuple):
                heard.append(str(record.args[-1]))  # the error alone, without the job's id

    log = logging.getLogger("taishi")
    handlers, propagate = log.handlers[:], log.propagate
    log.handlers, log.propagate = [Ear()], False
    try:
        yield heard
    finally:
        log.handlers, log.propagate = handlers, propagate
