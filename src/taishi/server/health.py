"""Is it alive, and may requests be sent here? Both are open to anybody and give nothing away."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from ..api_keys import Keys
from ..errors import ClosedError, TaishiError
from ..memory import Memory
from ..types import Scope

log = logging.getLogger("taishi.health")
FRESH_SECONDS = 1.0
CHECK_SECONDS = 5.0
PROBE_BYTES = 4096
MISSED_POLLS = 3
NOBODY = Scope(agent="health", workspace="health")  # looked up to see whether the store answers

Reasons = dict[str, str]


def reasons(memory: Memory) -> Reasons:
    """Why no request should be sent here; empty: it is ready. Without paths and without numbers
    of anybody's records, as anybody may ask."""
    try:
        memory.get(NOBODY, "nothing")
        status = memory.status(records=False)
    except ClosedError:
        return {"closing": "the server is shutting down"}
    except Exception as error:
        log.warning("the store does not answer: %s", error)
        return {"database": "the database cannot be read; run `taishi doctor`"}
    if status["read_only"]:
        return {}  # it answers from what is there, and refuses to write by itself
    found = _disk(memory, Path(status["folder"]))
    if status["enabled"]:
        found |= _queue(memory, status)
    return found


def _disk(memory: Memory, folder: Path) -> Reasons:
    try:
        free = shutil.disk_usage(folder).free
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE_BYTES))
    except OSError as error:
        log.warning("the data folder cannot be written: %s", error)
        return {"disk": "the data folder cannot be written; look at its rights and its disk"}
    if free < memory.settings.monitoring.min_free_mb << 20:
        return {"disk": "the disk is nearly full; make room, or lower monitoring.min_free_mb"}
    return {}


def key_reasons(keys: Keys) -> Reasons:
    try:
        keys.list()
    except TaishiError as error:
        log.warning("nobody is let in: %s", error)
        return {"keys": "the file of keys cannot be read; run `taishi doctor`"}
    return {}


def _queue(memory: Memory, status: dict[str, Any]) -> Reasons:
    found, settings = {}, memory.settings
    oldest, most = status["queue"]["oldest_seconds"], settings.monitoring.queue_max_age_seconds
    if most and oldest > most:
        found["queue"] = "a job has waited too long; is a worker running? does its model answer?"
    historian = settings.historian
    patience = max(
        historian.stale_job_timeout_seconds, MISSED_POLLS * historian.poll_interval_seconds
    )
    own = next(one for one in status["processes"] if one["own"])
    if own["workers"]["idle_seconds"] > patience:
        found["worker"] = "the worker is stuck in a job; restart the server"
    return found


class Readiness:
    """Asked by a balancer every second, and by anybody else as often as they like: looked at
    once in a while, by one thread, and a disk that hangs is an answer, too."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._at = 0.0
        self._last: Reasons = {}

    async def ask(self, memory: Memory, keys: Keys) -> Reasons:
        async with self._lock:
            if time.monotonic() - self._at > FRESH_SECONDS or not self._at:
                self._last = await self._look(memory) | key_reasons(keys)
                self._at = time.monotonic()
            return self._last

    async def _look(self, memory: Memory) -> Reasons:
        try:
            return await asyncio.wait_for(asyncio.to_thread(reasons, memory), CHECK_SECONDS)
        except TimeoutError:
            return {"disk": "the data folder does not answer; look at its disk"}


def health_router() -> APIRouter:
    router = APIRouter(prefix="/health", tags=["health"])
    readiness = Readiness()

    @router.get("/live", summary="Whether the process answers")
    async def live() -> dict[str, str]:
        return {"status": "alive"}

    @router.get(
        "/ready",
        summary="Whether requests may be sent here",
        responses={503: {"description": "Not now; the reasons say why"}},
        response_model=None,
    )
    async def ready(request: Request) -> JSONResponse:
        state = request.app.state
        found = await readiness.ask(state.memory, state.keys)
        if found:
            return JSONResponse({"status": "not ready", "reasons": found}, 503)
        return JSONResponse({"status": "ready"})

    return router
