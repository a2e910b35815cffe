"""OpenAPI parts shared by all routes: the problem schema and the error responses."""

from __future__ import annotations

from typing import Any

from fastapi.routing import APIRoute

from .problems import MEDIA_TYPE, TYPE_PREFIX

PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong (RFC 9457). `type` is for programs, `detail` for people.",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string", "examples": [f"{TYPE_PREFIX}scope"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What to do next."},
        "request_id": {"type": "string", "description": "Finds the request in the log."},
        "reason": {
            "type": "string",
            "description": "Why a write was refused: too_long, rejected (a person said that it is "
            "not so), authority or claim (metadata name what is Taishi's own).",
        },
        "errors": {
            "type": "array",
            "description": "Each invalid field, if the type is `validation`.",
            "items": {
                "type": "object",
                "properties": {
                    "where": {"type": "string", "examples": ["scope.usr"]},
                    "what": {"type": "string"},
                    "code": {"type": "string"},
                },
            },
        },
    },
}
PROBLEM_REF = {"$ref": "#/components/schemas/Problem"}
FAILURES = {
    400: "The scope, a time, an id or the JSON is invalid.",
    401: "No key, or a key that is unknown, revoked or expired.",
    403: "The key does not allow this: wrong scope, or a missing right.",
    408: "The body did not arrive in time.",
    409: "Another request is writing, or wrote in the meantime. Try again.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "The request does not match this description; `errors` says where. Or the "
    "`Idempotency-Key` was used for another request.",
    429: "Too many requests with this key, or too many wrong keys from this address; "
    "`Retry-After` says how long to wait.",
    503: "The data folder, the keys, the queue or a model is unavailable right now, or there are "
    "more requests than can be answered in time; `Retry-After` says how long to wait.",
}
MISSING = "It is not in the scope's partition."


def operation_id(route: APIRoute) -> str:
    """What generators call a route's function: its handler's name, in camel case."""
    first, *others = route.name.split("_")
    return first + "".join(word.capitalize() for word in others)


def failures(missing: bool = False) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for the OpenAPI description."""
    words = {**FAILURES, **({404: MISSING} if missing else {})}
    content = {MEDIA_TYPE: {"schema": PROBLEM_REF}}
    return {status: {"description": words[status], "content": content} for status in sorted(words)}
