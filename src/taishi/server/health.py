"""Health checks: liveness and readiness. Both are open to anybody and reveal no data."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import State
from starlette.responses import JSONResponse

from ..api_keys import Keys
from ..assembly import unwritable_folder
from ..errors import ClosedError, TaishiError, UnreachableError
from ..memory import Memory
from ..observe.process_status import worker_patience
from ..observe.repeated_trouble import RepeatedTrouble
from ..settings import waits_for_restart
from ..settings.addresses import is_postgres
from ..types import Scope

log = logging.getLogger("taishi.health")
CACHE_SECONDS = 1.0
CHECK_SECONDS = 5.0
DEGRADED_SECONDS = 300.0  # so long recall goes on from memory, and known keys are let in
STARTING = {"starting": "what is remembered is still being read; recall may be late until then"}
PROBE_SCOPE = Scope(agent="health", workspace="health")  # read to see whether the store answers

AWAY = {
    "": "the database server does not answer; check that it runs",
    "no password": "the database server wants a password and none was given",
    "password": "the database server refuses the role or its password; correct them",
    "database": "the database server has no such database; correct the address, or create it",
    "role": "the database server has no such role; correct the address, or create it",
    "machine": "the database server does not let this machine in; see its pg_hba.conf",
}

Reasons = dict[str, str]
Tell = Callable[[str, Exception], None]  # what is wrong, for the log, and the error
REASONS = ("disk", "database", "queue", "keys", "worker", "starting", "closing")


def _log(what: str, error: Exception) -> None:
    log.warning("%s: %s", what, error)


def not_ready_reasons(memory: Memory, tell: Tell = _log) -> Reasons:
    """Why the server is not ready; empty: it is. Contains neither paths nor record counts, because
    anybody may ask. Raises UnreachableError while a database server is away."""
    try:
        memory.get(PROBE_SCOPE, "nothing")
        status = memory.status(records=False)
    except ClosedError:
        return {"closing": "the server is shutting down"}
    except UnreachableError:
        raise
    except Exception as error:
        tell("the store does not answer", error)
        return {"database": "the database cannot be read; run `taishi doctor`"}
    if status["read_only"]:
        return _read_only(status["data"])
    problems = _disk(memory, Path(status["folder"]), tell)
    if status["enabled"]:
        problems |= _queue(memory, status)
    return problems


def _read_only(address: str) -> Reasons:
    """Recall works, but every turn would be refused: another server may take them."""
    if is_postgres(address):
        return {
            "database": "the database can only be read; make it writable, or connect to the "
            "primary server"
        }
    return {"disk": "the data folder can only be read; make it writable, then restart the server"}


def _disk(memory: Memory, folder: Path, tell: Tell) -> Reasons:
    try:
        free = shutil.disk_usage(folder).free
        fault = unwritable_folder(folder, memory.settings)
        if fault is not None:
            raise fault[1]
    except OSError as error:
        tell("the data folder cannot be written", error)
        return {"disk": "the data folder cannot be written; look at its rights and its disk"}
    if free < memory.settings.monitoring.min_free_mb << 20:
        return {"disk": "the disk is nearly full; make room, or lower monitoring.min_free_mb"}
    return {}


def _switched_on(memory: Memory) -> Reasons:
    """Off while the settings say on: turns that are sent here are not kept."""
    if not waits_for_restart(memory.settings):
        return {}
    return {"memory": "memory was switched on in the settings; restart the server to apply it"}


def key_reasons(keys: Keys, tell: Tell = _log) -> Reasons:
    try:
        keys.list()
    except UnreachableError as error:
        tell("nobody is let in", error)
        return {"keys": "the keys are in the database, which cannot be read now"}
    except TaishiError as error:
        tell("nobody is let in", error)
        return {"keys": "the file of keys cannot be read; run `taishi doctor`"}
    return {}


def _queue(memory: Memory, status: dict[str, Any]) -> Reasons:
    problems, settings = {}, memory.settings
    oldest = status["queue"].get("oldest_seconds", 0.0)
    max_age = settings.monitoring.queue_max_age_seconds
    if max_age and oldest > max_age:
        problems["queue"] = "a job has waited too long; is a worker running? does its model answer?"
    patience = worker_patience(settings.historian)
    process = next(row for row in status["processes"] if row["own"])
    if process["workers"]["idle_seconds"] > patience:
        problems["worker"] = "the worker is stuck in a job; restart the server"
    return problems


@dataclass(frozen=True, slots=True)
class Ready:
    """`reasons` why no requests should be sent here; `degraded`: why not everything works."""

    reasons: Reasons = field(default_factory=dict)
    degraded: Reasons = field(default_factory=dict)


class Readiness:
    """Caches the readiness check, as load balancers ask every second and anybody else may: one
    thread checks at most once per second, and a disk that hangs counts as not ready.

    A database server that is away is away for all servers of a fleet. Taking all of them out of
    their load balancer would end recall too, which goes on from memory (Q3): so for as long as it
    does, they are ready, but degraded.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._checked_at = 0.0
        self._away_since: float | None = None
        self._troubles: dict[str, RepeatedTrouble] = {}
        self._told: set[str] = set()  # in this check
        self.last = Ready()

    def _tell(self, what: str, error: Exception) -> None:
        self._told.add(what)
        self._troubles.setdefault(what, RepeatedTrouble(log)).met("%s: %s", what, error)

    async def check(self, memory: Memory, keys: Keys) -> Ready:
        async with self._lock:
            if time.monotonic() - self._checked_at > CACHE_SECONDS or not self._checked_at:
                self._told.clear()
                found = await self._check_with_timeout(memory)
                reasons = found.reasons | key_reasons(keys, self._tell)
                self.last = replace(found, reasons=reasons)
                self._checked_at = time.monotonic()
                for what in self._troubles.keys() - self._told:
                    self._troubles[what].over("no longer so: %s", what)
            return self.last

    async def _check_with_timeout(self, memory: Memory) -> Ready:
        reasons = asyncio.to_thread(not_ready_reasons, memory, self._tell)
        try:
            found = Ready(await asyncio.wait_for(reasons, CHECK_SECONDS))
        except TimeoutError:
            if is_postgres(memory.settings.memory.data):
                return self._away("")
            return Ready({"disk": "the data folder does not answer; look at its disk"})
        except UnreachableError as error:
            return self._away(error.refusal)
        self._away_since = None
        return replace(found, degraded=_switched_on(memory))

    def _away(self, refusal: str) -> Ready:
        now = time.monotonic()
        self._away_since = now if self._away_since is None else self._away_since
        reasons = {"database": AWAY.get(refusal, AWAY[""])}
        if now - self._away_since < DEGRADED_SECONDS:
            return Ready(degraded=reasons)
        return Ready(reasons)


def reasons_now(state: State) -> Reasons:
    """Of an application, as last checked."""
    starting = STARTING if state.warming.is_under_way else {}
    reasons: Reasons = state.readiness.last.reasons | starting
    return reasons


def health_router() -> APIRouter:
    router = APIRouter(prefix="/health", tags=["health"])

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
        found = await state.readiness.check(state.memory, state.keys)
        if reasons := reasons_now(state):
            reasons = found.degraded | reasons
            return JSONResponse({"status": "not ready", "reasons": reasons}, 503)
        if found.degraded:
            return JSONResponse({"status": "degraded", "reasons": found.degraded})
        return JSONResponse({"status": "ready"})

    return router
