"""Errors of the proxy's routes in OpenAI's format."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

PREFIX = "/openai/"
# OpenAI's own codes, which clients check by name.
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_TYPES = {429: "rate_limit_error"}


def is_proxy_path(path: str) -> bool:
    """Whether clients of this path expect errors in OpenAI's format."""
    return path.startswith(PREFIX)


def error_body(status: int, code: str, message: str, param: str | None = None) -> bytes:
    kind = "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")
    name = _CODES.get(status, code.replace("-", "_"))
    error = {"message": message, "type": kind, "param": param, "code": name}
    return json.dumps({"error": error}, ensure_ascii=False).encode("utf-8", "replace")


def error_response(
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    param: str | None = None,
) -> Response:
    body = error_body(status, code, message, param)
    return Response(body, status, dict(headers or {}), "application/json")
