"""OpenAPI parts shared by all routes: the problem schema and the error responses."""

from __future__ import annotations

from typing import Any

from .problems import MEDIA_TYPE, TYPE_PREFIX

PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong (RFC 9457). Programs look at `type`, people read `detail`.",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string", "examples": [f"{TYPE_PREFIX}scope"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What to do next."},
        "request_id": {"type": "string", "description": "Finds the request in the log."},
        "errors": {
            "type": "array",
            "description": "Each thing that does not fit, where the type is `validation`.",
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
    400: "The scope, a time, an id or the JSON cannot be used.",
    401: "No key, or one that is not known, was revoked or has expired.",
    403: "The key does not reach that far, or lacks the right.",
    408: "The body did not arrive in time.",
    409: "Somebody else is writing, or wrote meanwhile. Try again.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "The request does not fit this description; `errors` says where. Also: an "
    "`Idempotency-Key` that another request had.",
    429: "Too many requests with this key, or too many wrong keys from this address; "
    "`Retry-After` says how long to wait.",
    503: "The data folder, the keys, the queue or a model cannot be used at the moment, or more "
    "is asked than can be answered in time; `Retry-After` says how long to wait.",
}
MISSING = "There is no such thing in the scope's own place."


def failures(missing: bool = False) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for the OpenAPI description."""
    words = {**FAILURES, **({404: MISSING} if missing else {})}
    content = {MEDIA_TYPE: {"schema": PROBLEM_REF}}
    return {status: {"description": words[status], "content": content} for status in sorted(words)}
