"""OpenAPI texts of the proxy's routes. Request bodies belong to the upstream: described, not
validated."""

from __future__ import annotations

from typing import Any

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}


def _error_response(what: str) -> dict[str, Any]:
    return {"description": what, "content": {"application/json": {"schema": _ERROR}}}


_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: _error_response("The body is not a JSON object, or a Taishi header is invalid"),
    401: _error_response("No key, or an unknown one"),
    403: _error_response("The key does not allow that user, group, agent or workspace"),
    404: _error_response("There is no such model"),
    413: _error_response("The request is too large"),
    415: _error_response("The body is not sent as JSON"),
    429: _error_response("Too many requests, here or upstream"),
    502: _error_response("The upstream cannot be reached"),
    503: _error_response("No upstream is set up"),
    504: _error_response("The upstream did not answer in time"),
    "default": {"description": "Whatever the upstream answered, unchanged"},
}


def _header(name: str, what: str) -> dict[str, Any]:
    schema = {"type": "string", "maxLength": 256}
    return {"name": name, "in": "header", "required": False, "description": what, "schema": schema}


_SCOPE_HEADERS = [
    _header("X-Taishi-User", "Who is speaking; without it, the field `user` of the body"),
    _header("X-Taishi-Group", "The group they speak in; without it, a private chat"),
    _header("X-Taishi-Agent", "The agent that is speaking, if it is not a user"),
    _header("X-Taishi-Session", "The conversation"),
    _header("X-Taishi-Workspace", "The workspace; without it, the key's own or `default`"),
    _header("X-Taishi-Group-Name", "The group's name in stored memories"),
    _header("X-Taishi-Speaker", "The speaker's name in stored memories"),
    _header("X-Taishi-Record", "`off`: nothing of this request is stored; recall still works"),
]


def _body(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "required": required, "properties": properties}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _responses(what: str, *types: str) -> dict[int | str, dict[str, Any]]:
    content: dict[str, Any] = {media_type: {} for media_type in ("application/json", *types)}
    return {200: {"description": what, "content": content}, **_ERROR_RESPONSES}


_PLAIN: dict[str, Any] = {"response_model": None}

CHAT: dict[str, Any] = {
    **_PLAIN,
    "summary": "A chat with memory",
    "description": "Like OpenAI's own, streaming included. What is known about the speaker is "
    "added to the last user message; every other field goes to the upstream unchanged. The header "
    "`X-Taishi-Memory` of the response says what recall did.",
    "responses": _responses("The upstream's answer, unchanged", "text/event-stream"),
    "openapi_extra": {
        "parameters": _SCOPE_HEADERS,
        "requestBody": _body(
            {
                "model": {"type": "string"},
                "messages": {"type": "array", "items": {"type": "object"}},
                "stream": {"type": "boolean"},
                "user": {"type": "string", "description": "Who is speaking"},
            },
            ["messages"],
        ),
    },
}
RESPONSES: dict[str, Any] = {
    **_PLAIN,
    "summary": "A response with memory",
    "description": "OpenAI's Responses API, streaming included. What is known is added to the "
    "last user message of `input`; every other field goes to the upstream unchanged.",
    "responses": _responses("The upstream's answer, unchanged", "text/event-stream"),
    "openapi_extra": {
        "parameters": _SCOPE_HEADERS,
        "requestBody": _body(
            {
                "model": {"type": "string"},
                "input": {"type": ["string", "array"]},
                "instructions": {"type": ["string", "null"]},
                "stream": {"type": "boolean"},
                "user": {"type": "string", "description": "Who is speaking"},
            },
            ["input"],
        ),
    },
}
MODELS: dict[str, Any] = {
    **_PLAIN,
    "summary": "The upstream's models",
    "responses": _responses("The upstream's list"),
}
MODEL: dict[str, Any] = {
    **_PLAIN,
    "summary": "One of the upstream's models",
    "responses": _responses("The upstream's description"),
}
EMBEDDINGS: dict[str, Any] = {
    **_PLAIN,
    "summary": "Vectors from the upstream",
    "description": "Passed on unchanged, without memory.",
    "responses": _responses("The upstream's vectors"),
    "openapi_extra": {
        "requestBody": _body({"model": {"type": "string"}, "input": {}}, ["input"]),
    },
}
