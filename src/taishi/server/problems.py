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
from .languages import language_of
from .openai_proxy.errors import error_response, is_proxy_path
from .problem_messages import detail_of, title_of
from .validation_messages import field_errors

log = logging.getLogger("taishi.server")
MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:taishi:problem:"
MAX_ERRORS = 20

# Most specific first: the first matching class gives the status and the type.
ERROR_STATUS: tuple[tuple[type[errors.TaishiError], int, str, str], ...] = (
    (errors.UnknownKeyError, 401, "unauthenticated", "Who is asking?"),
    (errors.ForbiddenError, 403, "forbidden", "This key does not reach that far"),
    (errors.AuthorityError, 403, "forbidden", "This key does not reach that far"),
    (errors.ScopeError, 400, "scope", "No scope, or one that contradicts itself"),
    (errors.VersionError, 409, "version", "It was changed since it was read"),
    (errors.TimeError, 400, "time", "A time that cannot be read"),
    (errors.InputError, 400, "input", "This cannot be used"),
    (errors.SettingsError, 400, "settings", "Settings that cannot be used"),
    (errors.TakenError, 409, "taken", "Somebody else wrote that"),
    (errors.BusyError, 409, "busy", "Somebody else is writing; try again"),
    (errors.CorruptError, 503, "corrupt", "A file is damaged"),
    (errors.StorageError, 503, "storage", "The data folder cannot be used"),
    (errors.QueueError, 503, "queue", "The turn was not accepted; send it again"),
    (errors.ModelError, 503, "model", "A model does not answer"),
    (errors.MissingExtraError, 501, "missing-extra", "An optional package is not installed"),
    (errors.ClosedError, 503, "closing", "The server is shutting down"),
    (errors.TaishiError, 503, "failed", "This did not work"),
)
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
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.headers = dict(headers or {})


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
    return Problem(status, code, title, str(error), headers)


def render(
    problem: Problem, request: HTTPConnection, extra: Mapping[str, Any] | None = None
) -> Response:
    """The error response: in OpenAI's format on the proxy's routes, problem+json on all others; in
    Chinese if the client prefers it."""
    language = language_of(request.headers)
    detail = detail_of(problem.code, str(problem), problem.headers, language)
    if is_proxy_path(request.scope["path"]):
        return error_response(problem.status, problem.code, detail, problem.headers)
    body = {
        "type": TYPE_PREFIX + problem.code,
        "title": title_of(problem.code, problem.title, language),
        "status": problem.status,
        "detail": detail,
        "request_id": request_id_of(request),
        **(extra or {}),
    }
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    headers = {**problem.headers, "Content-Language": language, "Vary": "Accept-Language"}
    return Response(content, problem.status, headers, MEDIA_TYPE)


def request_id_of(request: HTTPConnection) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))


def install_error_handlers(app: FastAPI) -> None:
    """Register exception handlers, so that every failure becomes a problem response."""

    @app.exception_handler(errors.TaishiError)
    async def taishi_error(request: Request, error: errors.TaishiError) -> Response:
        problem = problem_of(error)
        if problem.status >= 500 and problem.code not in NOT_LOGGED:
            log.warning("%s %s: %s", request.method, _route(request), error)
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
