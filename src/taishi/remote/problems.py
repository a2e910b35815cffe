"""Responses that are errors → our own errors: the problem's `type` tells which."""

from __future__ import annotations

from typing import NoReturn

import msgspec

from .. import errors

TYPE_PREFIX = "urn:taishi:problem:"
PROBLEM_MEDIA_TYPE = "application/problem+json"
LONGEST_DETAIL = 2000

ERRORS: dict[str, type[errors.TaishiError]] = {
    "unauthenticated": errors.UnknownKeyError,
    "wrong-keys": errors.UnknownKeyError,
    "forbidden": errors.ForbiddenError,
    "host": errors.ForbiddenError,
    "scope": errors.ScopeError,
    "time": errors.TimeError,
    "cursor": errors.CursorError,
    "version": errors.VersionError,
    "operation": errors.OperationError,
    "settings": errors.SettingsError,
    "taken": errors.TakenError,
    "busy": errors.BusyError,
    "too-many-requests": errors.BusyError,
    "overloaded": errors.BusyError,
    "corrupt": errors.CorruptError,
    "storage": errors.StorageError,
    "keys": errors.StorageError,
    "queue": errors.QueueError,
    "model": errors.ModelError,
    "unsupported": errors.UnsupportedError,
    "missing-extra": errors.UnsupportedError,
    "closing": errors.UnreachableError,
    "timeout": errors.UnreachableError,
    "disconnected": errors.UnreachableError,
    "failed": errors.TaishiError,
    "bug": errors.TaishiError,
}
# All others say that what was sent cannot be used.
INPUT = (
    "input",
    "validation",
    "json",
    "not-found",
    "method-not-allowed",
    "too-large",
    "media-type",
    "idempotency-key",
    "idempotency-mismatch",
    "idempotency-cleared",
    "framing",
    "header",
    "http",
)
# The same request may well succeed a moment later.
TRANSIENT = ("too-many-requests", "overloaded", "storage", "queue", "closing", "timeout")


class Problem(msgspec.Struct):
    """The body of an error (RFC 9457), as far as a program needs it."""

    type: str
    detail: str = ""
    title: str = ""
    reason: str = ""  # of a write that the rules refused

    @property
    def code(self) -> str:
        return self.type.removeprefix(TYPE_PREFIX)


def problem_in(content_type: str, body: bytes) -> Problem | None:
    """None if the response is not one of ours: a proxy's page, for example."""
    if content_type.partition(";")[0].strip().lower() != PROBLEM_MEDIA_TYPE:
        return None
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return problem if problem.type.startswith(TYPE_PREFIX) else None


def raise_problem(problem: Problem) -> NoReturn:
    words = (problem.detail or problem.title or problem.code)[:LONGEST_DETAIL]
    if problem.reason:
        refused = problem.code == "forbidden"
        raise (errors.AuthorityError if refused else errors.RefusedError)(words, problem.reason)
    raise ERRORS.get(problem.code, errors.InputError)(words)
