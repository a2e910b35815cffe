"""The application: routes, envelope, description. Nothing here listens; see `run`."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp

from .. import __version__
from ..api_keys import Keys
from ..errors import StorageError, TaishiError
from ..memory import Memory
from ..scope_headers import HEADERS as WHO_HEADERS
from ..scope_headers import RECORD, SPEAKER
from . import problems
from .access_log import watch
from .admission import Admission
from .auth import Authenticator
from .docs_page import docs_router
from .idempotency import HEADER as IDEMPOTENCY
from .idempotency import REPLAYED, IdempotencyStore
from .key_attempts import KeyAttempts
from .metrics import metrics_router
from .middleware import HEADER, Limits, Middleware
from .openai_proxy.app import proxy_router
from .openapi import PROBLEM_SCHEMA
from .rate_limit import RateLimiter
from .routes.admin import keeping
from .routes.facts import facts
from .routes.memories import memories
from .routes.profiles import profiles
from .routes.recall import recall_routes
from .routes.transfer import moving
from .routes.turns import turns

log = logging.getLogger("taishi.server")
THREADS = 64  # most wait for a disk or a model; what needs a processor is paced (BusyDoor)
ALLOWED_HEADERS = [
    "Authorization",
    "Content-Type",
    "X-API-Key",
    IDEMPOTENCY,
    HEADER,
    *WHO_HEADERS.values(),
    SPEAKER,
    RECORD,
]
IMPORT_PATH = "/v1/import"
TAGS = {
    "turns": "Writing: a conversation goes on.",
    "recall": "Reading: what matters for a question.",
    "memories": "Records, one by one or many at once.",
    "profiles": "Pages about users and groups, with their revisions.",
    "facts": "Lasting statements and ways of working, and a person's word on them.",
    "keeping": "Forgetting, links, jobs, costs, how it is going.",
    "moving": "The memory as a whole: export, import, backup; settings.",
}
DESCRIPTION = """
Memory for chatbots and agents. Every request says whom it is about with a `scope`; what is found
is only what that scope may see. Send the key as `Authorization: Bearer tsk_…` or `X-API-Key`.
"""


def create_app(
    memory: Memory,
    *,
    keys: Keys,
    mounts: Mapping[str, ASGIApp] | None = None,
    hosts: Collection[str] | None = None,
) -> FastAPI:
    """The door to an open memory. Whoever opened the memory closes it.

    `mounts` are other doors at a path of their own; one that has a `run` is run as long as the
    app is. `hosts`: while there are no keys, the names (besides this machine's own) by which the
    server may be called; None: any.
    """
    server = memory.settings.server
    origins = split(server.cors_origins)
    app = bare_app(_lifespan(mounts or {}))
    app.state.memory = memory
    app.state.keys = keys
    app.state.repeats = repeats = IdempotencyStore()
    with suppress(StorageError):  # a memory that could not be opened forgets nothing
        memory.deletions.register_cache("answers to idempotency keys", repeats)
    problems.install(app)
    app.include_router(proxy_router())
    app.include_router(metrics_router())
    app.include_router(docs_router())
    for path, mounted in (mounts or {}).items():
        app.router.routes.append(Route(path, mounted, include_in_schema=False))
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["*"],
            allow_headers=ALLOWED_HEADERS,
            expose_headers=[HEADER, REPLAYED, "Retry-After"],
        )
    limits = Limits(server.max_body_mb << 20, {IMPORT_PATH: server.max_import_mb << 20})
    app.add_middleware(Middleware, keys=keys, limits=limits, hosts=hosts, origins=origins)
    watch(app)
    refused = app.state.gauges.refused.add
    app.state.admission = Admission(os.cpu_count() or 2, refused)
    attempts = KeyAttempts(server.failed_keys_per_minute, refused)
    app.state.callers = Authenticator(keys, attempts, RateLimiter(server.rate_per_minute))
    return app


def bare_app(lifespan: Callable[[FastAPI], Any] | None = None) -> FastAPI:
    """The routes of /v1 and their description, on no memory yet."""
    app = FastAPI(
        title="Taishi",
        summary="A memory engine for chatbots and agents.",
        description=DESCRIPTION,
        version=__version__,
        openapi_tags=[{"name": name, "description": words} for name, words in TAGS.items()],
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # only the exact paths; a redirect would repeat the caller's Host
        lifespan=lifespan,
    )
    for made in (turns(), recall_routes(), memories(), profiles(), facts(), keeping(), moving()):
        app.include_router(made)
    app.openapi = _description(app)  # type: ignore[method-assign]
    return app


def split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _warm_up(memory: Memory) -> None:
    """The first question of a process would be late: it waits for models and rules to be read."""
    try:
        memory.warm_up()
    except TaishiError as error:
        log.warning("the first question may be answered in part: %s", error)


def _lifespan(mounts: Mapping[str, ASGIApp]) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="taishi-server")
        asyncio.get_running_loop().set_default_executor(pool)
        await asyncio.to_thread(_warm_up, app.state.memory)
        async with AsyncExitStack() as doors:
            for mounted in mounts.values():
                run = getattr(mounted, "run", None)
                if run is not None:
                    await doors.enter_async_context(run())
            yield

    return lifespan


def _description(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The OpenAPI description, with what FastAPI has no place for."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
            )
            parts = made.setdefault("components", {})
            parts.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
            parts["securitySchemes"] = {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A key: tsk_…"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            }
            made["security"] = [{"bearer": []}, {"key": []}, {}]
            app.openapi_schema = made
        return app.openapi_schema

    return openapi
