"""Builds the FastAPI application: routes, middleware, OpenAPI description. Listening is in
`run`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from .. import __version__
from ..api_keys import Keys
from ..errors import MissingExtraError, StorageError
from ..memory import Memory
from ..scope_headers import HEADERS as SCOPE_HEADERS
from ..scope_headers import RECORD, SPEAKER
from ..settings import ServerSettings

try:
    from fastapi import FastAPI
    from fastapi.openapi.utils import get_openapi
    from starlette.middleware.cors import CORSMiddleware
    from starlette.types import ASGIApp
except ImportError as error:
    raise MissingExtraError("taishi.server", "server") from error

from . import problems
from .access_log import install_access_log
from .admission import Admission
from .auth import Authenticator
from .docs_page import docs_router
from .fleet import Fleet
from .fleet_metrics import FleetMetrics
from .health import Readiness
from .idempotency import HEADER as IDEMPOTENCY
from .idempotency import REPLAYED, IdempotencyStore
from .key_attempts import KeyAttempts
from .mem0_api.paths import Mem0Paths
from .mem0_api.routes import mem0_router
from .metrics import metrics_router, registry_of
from .middleware import HEADER, Limits, Middleware
from .mounted import MountedRoute
from .oauth.access import TokenKeys
from .oauth.consent import Consent
from .oauth.endpoints import oauth_router
from .oauth.metadata import PublicAddress
from .oauth.seal import Seal
from .oauth.store import OAuthStore
from .openai_proxy.app import proxy_router
from .openapi import PROBLEM_SCHEMA, operation_id
from .pages import pages_router
from .rate_limit import RateLimiter
from .routes.admin import admin_routes
from .routes.browse import browse_routes
from .routes.connections import connection_routes
from .routes.facts import fact_routes
from .routes.knowledge import knowledge_routes
from .routes.memories import memory_routes
from .routes.notes import notes_routes
from .routes.procedures import procedure_routes
from .routes.profiles import profile_routes
from .routes.recall import recall_routes, warming_routes
from .routes.sessions import session_routes
from .routes.shared import shared_routes
from .routes.transfer import transfer_routes
from .routes.turns import turn_routes
from .session_secret import SessionSecret
from .sessions import Sessions
from .warming import Warming
from .worker_board import SharedBuckets, WorkerPlace

WARM_SECONDS = 10.0  # that requests wait at the start; then they are answered as far as it goes
THREADS = 64  # most wait for a disk or a model; recalls are limited by `admission`
ALLOWED_HEADERS = [
    "Authorization",
    "Content-Type",
    "X-API-Key",
    IDEMPOTENCY,
    HEADER,
    *SCOPE_HEADERS.values(),
    SPEAKER,
    RECORD,
]
IMPORT_PATH = "/v1/import"
DOCUMENTS_PATH = "/v1/documents"
TAGS = {
    "turns": "Writing: report what happens in a conversation.",
    "sessions": "Working memory: messages, which of them to send, scratchpads.",
    "recall": "Reading: what matters for a question.",
    "memories": "Records, one by one or many at once.",
    "profiles": "Pages about users and groups, with their revisions.",
    "documents": "The knowledge base: documents and notes.",
    "facts": "Lasting statements, and people's decisions about them.",
    "shared": "What agents propose to the whole workspace, and a coordinator's decisions.",
    "procedures": "Ways of working: how often they are used, and how well they work.",
    "keeping": "Forgetting, links, jobs, costs, status.",
    "looking": "For the web pages: listings, counts, chats; settings as a form, keys.",
    "moving": "The memory as a whole: export, import, backup; settings.",
}
DESCRIPTION = """
Memory for chatbots and agents. Every request says with a `scope` who is speaking, and where; it
finds only what that scope may see. Send the key as `Authorization: Bearer tsk_…` or `X-API-Key`.
"""


def create_app(
    memory: Memory,
    *,
    keys: Keys,
    mounts: Mapping[str, ASGIApp] | None = None,
    hosts: Collection[str] | None = None,
    place: WorkerPlace | None = None,
) -> FastAPI:
    """The HTTP application for an open memory. The caller closes the memory.

    `mounts` are further ASGI apps by path; one that has a `run` context manager is run for the
    app's lifetime. `hosts`: the Host names (besides this machine's own) that are accepted while
    no key is set up; None: any. `place`: which of several worker processes this is.
    """
    server = memory.settings.server
    origins = split(server.cors_origins)
    app = bare_app(_lifespan(mounts or {}))
    app.state.memory = memory
    app.state.keys = keys
    app.state.readiness = readiness = Readiness()
    app.state.warming = Warming()
    fleet = Fleet(memory.shared_state)
    app.state.idempotency = idempotency = IdempotencyStore(fleet=fleet)
    with suppress(StorageError):  # a memory that could not be opened forgets nothing
        memory.deletions.register_cache("answers to idempotency keys", idempotency)
    problems.install_error_handlers(app)
    app.include_router(proxy_router())
    if server.mem0_api:
        app.include_router(mem0_router())
    app.include_router(metrics_router())
    app.include_router(docs_router())
    app.include_router(pages_router())
    app.state.oauth_store = store = OAuthStore(keys)
    app.state.token_keys = _add_oauth(app, server.oauth_url, store, keys)
    for path, mounted in (mounts or {}).items():
        app.router.routes.append(MountedRoute(path, mounted))
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["*"],
            allow_headers=ALLOWED_HEADERS,
            expose_headers=[HEADER, REPLAYED, "Retry-After"],
        )
    limits = Limits(
        server.max_body_mb << 20,
        {IMPORT_PATH: server.max_import_mb << 20, DOCUMENTS_PATH: server.max_document_mb << 20},
    )
    app.add_middleware(Middleware, keys=keys, limits=limits, hosts=hosts, origins=origins)
    install_access_log(app)
    if server.mem0_api:
        app.add_middleware(Mem0Paths)
    refused = app.state.metrics.refused.add
    slots = os.cpu_count() or 2
    app.state.admission = Admission(slots if place is None else place.share(slots), refused)
    app.state.authenticator = _authenticator(keys, server, refused, place, fleet)
    if place is not None:
        app.state.fleet_metrics = FleetMetrics(
            place, lambda: registry_of(app), lambda: readiness.check(memory, keys)
        )
    return app


def _add_oauth(app: FastAPI, url: str, store: OAuthStore, keys: Keys) -> TokenKeys | None:
    """Its endpoints, and what finds the key behind a token; None where it is off."""
    if not url:
        return None
    address = PublicAddress(url)
    consent = Consent(store, keys, Seal(SessionSecret(keys.sessions)), address)
    app.include_router(oauth_router(address, store, consent))
    return TokenKeys(store, keys, address)


def _authenticator(
    keys: Keys,
    server: ServerSettings,
    refused: Callable[[str], None],
    place: WorkerPlace | None,
    fleet: Fleet,
) -> Authenticator:
    failures = rates = None
    if place is not None:
        failures = SharedBuckets(place.folder / "failed-keys", server.failed_keys_per_minute or 1)
        rates = SharedBuckets(place.folder / "rates", server.rate_per_minute or 1)
    attempts = KeyAttempts(server.failed_keys_per_minute, refused, failures=failures)
    limiter = RateLimiter(server.rate_per_minute, buckets=rates)
    sessions = Sessions(SessionSecret(keys.sessions))
    return Authenticator(keys, attempts, limiter, sessions, fleet)


def bare_app(lifespan: Callable[[FastAPI], Any] | None = None) -> FastAPI:
    """The routes of /v1 and their OpenAPI description, without a memory."""
    app = FastAPI(
        title="Taishi",
        summary="A memory engine for chatbots and agents.",
        description=DESCRIPTION,
        version=__version__,
        openapi_tags=[{"name": name, "description": words} for name, words in TAGS.items()],
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
        redirect_slashes=False,  # a redirect would repeat the caller's Host header
        lifespan=lifespan,
    )
    for router in (
        turn_routes(),
        session_routes(),
        recall_routes(),
        warming_routes(),
        memory_routes(),
        profile_routes(),
        fact_routes(),
        shared_routes(),
        procedure_routes(),
        admin_routes(),
        transfer_routes(),
        *knowledge_routes(),
        *notes_routes(),
        browse_routes(),
        connection_routes(),
    ):
        app.include_router(router)
    app.openapi = _openapi_builder(app)  # type: ignore[method-assign]
    return app


def split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _lifespan(mounts: Mapping[str, ASGIApp]) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="taishi-server")
        asyncio.get_running_loop().set_default_executor(pool)
        warming: Warming = app.state.warming
        warming.start(app.state.memory)
        await asyncio.to_thread(warming.wait, WARM_SECONDS)
        async with AsyncExitStack() as stack:
            for mounted in mounts.values():
                run = getattr(mounted, "run", None)
                if run is not None:
                    await stack.enter_async_context(run())
            yield

    return lifespan


def _openapi_builder(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The OpenAPI description, with the parts that FastAPI does not generate."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            description = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
            )
            components = description.setdefault("components", {})
            components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
            components["securitySchemes"] = {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A key: tsk_…"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            }
            description["security"] = [{"bearer": []}, {"key": []}, {}]
            app.openapi_schema = description
        return app.openapi_schema

    return openapi
