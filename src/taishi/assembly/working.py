"""Working memory and its parts."""

from __future__ import annotations

from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..ingest.request_numbers import RequestNumbers
from ..ingest.sessions import SessionService
from ..ingest.turns import TurnService
from ..runtime import Runtime
from ..working.compressor import Compressor
from ..working.foreground import Foreground
from ..working.learning import SessionLearning
from ..working.scratchpads import Scratchpads
from ..working.service import WorkingMemory


def new_working_memory(
    runtime: Runtime,
    builder: JobBuilder,
    background: BackgroundTasks,
    sessions: SessionService,
    scratchpads: Scratchpads,
    turns: TurnService,
    numbers: RequestNumbers,
) -> WorkingMemory:
    foreground = Foreground()
    return WorkingMemory(
        runtime,
        builder,
        background,
        sessions,
        scratchpads,
        Compressor(runtime, background, foreground),
        SessionLearning(runtime, background, turns, numbers),
        foreground,
    )
