"""Reads the form that a request brings: small, and each name once."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from .errors import OAuthError

MAX_BYTES = 64 << 10
MAX_FIELDS = 40


async def form_of(request: Request) -> dict[str, str]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise OAuthError("invalid_request", "send a form: application/x-www-form-urlencoded")
    return single(parse(await limited_body(request)))


async def limited_body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            raise OAuthError("invalid_request", "the request is too large", 413)
    return body


def parse(data: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            data.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=MAX_FIELDS,
            errors="strict",
        )
    except ValueError as error:
        raise OAuthError("invalid_request", "the form cannot be read") from error


def single(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """A name that comes twice could mean one thing here and another elsewhere (RFC 6749, 3.1)."""
    given = dict(pairs)
    if len(given) != len(pairs):
        raise OAuthError("invalid_request", "a parameter is there more than once")
    return given
