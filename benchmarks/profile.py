"""Where the time of a recall goes: `python -m benchmarks recall --profile`."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.corpus import Corpus, FakeEmbedder
from benchmarks.library import HERE, opened
from taishi.recall.deadline import BoundedExecutor, Pending

RECALLS = 500
LINES = 25


def profile_recall(folder: Path, many: int) -> None:
    """Print the top of a profile. Executors run in the caller's thread, where it sees them."""
    questions = Corpus(seed=8).questions(RECALLS)
    with (
        mock.patch.object(BoundedExecutor, "start", _start_here),
        opened(folder, FakeEmbedder()) as memory,
    ):
        for top_k, floor in ((5, None), (many, 0.0)):
            profiler = cProfile.Profile()
            profiler.enable()
            for question in questions:
                memory.recall(HERE, question, top_k=top_k, floor=floor, deadline=60.0)
            profiler.disable()
            print(f"\n{RECALLS} recalls, top_k={top_k}")
            pstats.Stats(profiler).sort_stats("tottime").print_stats(LINES)


def _start_here(_: BoundedExecutor, work: Callable[[], Any]) -> Pending[Any]:
    pending = Pending(work, "profile")
    pending.do()
    return pending
