"""Errors as HTTP responses: application/problem+json (RFC 9457), with stable types.

A program looks at `type`; a person reads `detail`, which says what to do next; `request_id` finds
the request in the log.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response

from .. import errors
from ..language.accept_language import language_of
from ..observe.repeated_trouble import RepeatedTrouble
from .mem0_api.paths import is_mem0_path
from .openai_proxy.errors import error_response, is_proxy_path
from .problem_messages import detail_of, title_of
from .validation_messages import field_errors

log = logging.getLogger("taishi.server")
MEDIA_TYPE = "application/problem+json"
PLAIN_JSON = "application/json"
TYPE_PREFIX = "urn:taishi:problem:"
MAX_ERRORS = 20

# Most specific first: the first matching class gives the status and the type.
ERROR_STATUS: tuple[tuple[type[errors.TaishiError], int, str, str], ...] = (
    (errors.UnknownKeyError, 401, "unauthenticated", "No valid API key"),
    (errors.ForbiddenError, 403, "forbidden", "This key does not allow that"),
    (errors.AuthorityError, 403, "forbidden", "This key does not allow that"),
    (errors.ScopeError, 400, "scope", "No scope, or one that contradicts itself"),
    (errors.VersionError, 409, "version", "It has changed since it was read"),
    (errors.OperationError, 409, "operation", "This operation id was already used"),
    (errors.TimeError, 400, "time", "Invalid time"),
    (errors.CursorError, 400, "cursor", "This cursor is from no page"),
    (errors.InputError, 400, "input", "Invalid request"),
    (errors.SettingsError, 400, "settings", "Invalid settings"),
    (errors.TakenError, 409, "taken", "This id is already taken"),
    (errors.BusyError, 409, "busy", "Somebody else is writing; try again"),
    (errors.CorruptError, 503, "corrupt", "A file is damaged"),
    (errors.StorageError, 503, "storage", "The storage cannot be used"),
    (errors.QueueError, 503, "queue", "The turn was not accepted; send it again"),
    (errors.ModelError, 503, "model", "A model does not answer"),
    (errors.UnsupportedError, 501, "unsupported", "This memory cannot do that"),
    (errors.MissingExtraError, 501, "missing-extra", "An optional package is not installed"),
    (errors.ClosedError, 503, "closing", "The server is shutting down"),
    (errors.TaishiError, 503, "failed", "This did not work"),
)
# Sending it again does not help before whoever runs the server has acted.
READ_ONLY = "The memory can only be read; sending it again helps when it was made writable"
READ_ONLY_SECONDS = "60"
NOT_LOGGED = ("overloaded",)  # counted in the metrics; logging each would add load during overload
HTTP_CODES = {404: "not-found", 405: "method-not-allowed", 413: "too-large", 415: "media-type"}


class Problem(errors.TaishiError):
    """An error of the HTTP layer, with its own status and type."""

    def __init__(
        self,
        status: int,
        code: str,
        title: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        reason: str = "",
        words: str = "",
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.headers = dict(headers or {})
        self.reason = reason  # of a write that the rules refused
        self.words = words or code  # under which the texts in other languages are


def not_found(what: str) -> Problem:
    return Problem(404, "not-found", "There is nothing here", what)


def problem_of(error: errors.TaishiError) -> Problem:
    """Map an error of the tree to a problem."""
    if isinstance(error, Problem):
        return error
    status, code, title = next(row[1:] for row in ERROR_STATUS if isinstance(error, row[0]))
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if status in (409, 503):
        headers["Retry-After"] = "1"
    reason = error.reason if isinstance(error, errors.RefusedError) else ""
    if isinstance(error, errors.ReadOnlyError) or isinstance(error.__cause__, errors.ReadOnlyError):
        headers["Retry-After"] = READ_ONLY_SECONDS
        return Problem(status, code, READ_ONLY, str(error), headers, reason, "read-only")
    return Problem(status, code, title, str(error), headers, reason)


def render(
    problem: Problem, request: HTTPConnection, extra: Mapping[str, Any] | None = None
) -> Response:
    """The error response: in OpenAI's format on the proxy's routes, problem+json on all others; in
    Chinese if the client prefers it. mem0's clients read `detail` of what is called plain JSON."""
    language = language_of(request.headers)
    detail = detail_of(problem.words, str(problem), problem.headers, language)
    if is_proxy_path(request.scope["path"]):
        return error_response(problem.status, problem.code, detail, problem.headers)
    body = {
        "type": TYPE_PREFIX + problem.code,
        "title": title_of(problem.words, problem.title, language),
        "status": problem.status,
        "detail": detail,
        "request_id": request_id_of(request),
        **({"reason": problem.reason} if problem.reason else {}),
        **(extra or {}),
    }
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    headers = {**problem.headers, "Content-Language": language, "Vary": "Accept-Language"}
    is_mem0 = is_mem0_path(request.scope["path"])
    return Response(content, problem.status, headers, PLAIN_JSON if is_mem0 else MEDIA_TYPE)


def request_id_of(request: HTTPConnection) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))


def install_error_handlers(app: FastAPI) -> None:
    """Register exception handlers, so that every failure becomes a problem response. Why a route
    fails is logged once a minute; each request has its line with the status anyway."""
    troubles: dict[tuple[str, str, str], RepeatedTrouble] = {}

    @app.exception_handler(errors.TaishiError)
    async def taishi_error(request: Request, error: errors.TaishiError) -> Response:
        problem = problem_of(error)
        if problem.status >= 500 and problem.code not in NOT_LOGGED:
            route = _route(request)
            trouble = troubles.setdefault(
                (request.method, route, problem.code), RepeatedTrouble(log)
            )
            trouble.met("%s %s: %s", request.method, route, error)
        return render(problem, request)

    @app.exception_handler(RequestValidationError)
    async def validation_error(request: Request, error: RequestValidationError) -> Response:
        language = language_of(request.headers)
        rows = field_errors(error.errors()[:MAX_ERRORS], error.body, request, language)
        detail = "; ".join(f"{row['where']}: {row['what']}" for row in rows[:3])
        problem = Problem(422, "validation", "The request does not fit the description", detail)
        return render(problem, request, {"errors": rows})

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        code = HTTP_CODES.get(error.status_code, "http")
        headers = dict(error.headers or {})
        problem = Problem(error.status_code, code, str(error.detail), _advice(error), headers)
        return render(problem, request)

    @app.exception_handler(ClientDisconnect)
    async def client_disconnected(request: Request, error: ClientDisconnect) -> Response:
        return render(Problem(400, "disconnected", "Gone", "send it again"), request)

    @app.exception_handler(Exception)
    async def unexpected_error(request: Request, error: Exception) -> Response:
        log.exception("%s %s failed", request.method, _route(request), exc_info=error)
        problem = Problem(500, "bug", "A mistake of ours", "see the server's log; report it")
        return render(problem, request)


def _route(request: Request) -> str:
    """The route's template, not the path: ids do not belong in the log."""
    return str(getattr(request.scope.get("route"), "path", "(none)"))


def _advice(error: HTTPException) -> str:
    if error.status_code == 404:
        return "no such path; see /docs for the paths there are"
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return f"this path takes {allowed or 'other methods'}; see /docs"
    return str(error.detail)
