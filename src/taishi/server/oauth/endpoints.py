"""The endpoints of the authorization server, as one router."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from ...errors import StorageError
from ...language.text import clean, one_line
from ..key_attempts import current_address
from ..rate_limit import TokenBuckets
from .consent import Consent
from .errors import OAuthError
from .form_body import form_of, limited_body
from .metadata import (
    AUTHORIZE,
    MCP_PATH,
    REGISTER,
    RESOURCE_METADATA,
    REVOKE,
    SERVER_METADATA,
    TOKEN,
    PublicAddress,
)
from .redirects import checked_uris
from .requests import check_resource, scope_of
from .state import Tokens
from .store import OAuthStore

MAX_NAME_CHARS = 100
REGISTRATIONS_PER_MINUTE = 20
# No cookie counts at these, so pages of any origin may call them, as clients in browsers do.
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type, Authorization, MCP-Protocol-Version",
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
}
Endpoint = Callable[[Request], Awaitable[Response]]


def oauth_router(address: PublicAddress, store: OAuthStore, consent: Consent) -> APIRouter:
    server = _Endpoints(address, store)
    router = APIRouter(include_in_schema=False)
    for path in (RESOURCE_METADATA, f"{RESOURCE_METADATA}{MCP_PATH}"):
        _add(router, path, "GET", server.resource)
    _add(router, SERVER_METADATA, "GET", server.metadata)
    _add(router, REGISTER, "POST", server.register)
    _add(router, TOKEN, "POST", server.token)
    _add(router, REVOKE, "POST", server.revoke)
    router.add_api_route(AUTHORIZE, consent.begin, methods=["GET"])
    router.add_api_route(AUTHORIZE, consent.go_on, methods=["POST"])
    return router


def _add(router: APIRouter, path: str, method: str, endpoint: Endpoint) -> None:
    async def answer(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=OPEN)
        try:
            return await endpoint(request)
        except OAuthError as error:
            body = {"error": error.code, "error_description": error.description}
            return JSONResponse(body, error.status, headers=OPEN)
        except StorageError:
            body = {"error": "temporarily_unavailable", "error_description": "try again later"}
            return JSONResponse(body, 503, headers=OPEN)

    router.add_api_route(path, answer, methods=[method, "OPTIONS"])


class _Endpoints:
    def __init__(self, address: PublicAddress, store: OAuthStore) -> None:
        self._address = address
        self._store = store
        self._registrations = TokenBuckets(REGISTRATIONS_PER_MINUTE)

    async def resource(self, request: Request) -> Response:
        return JSONResponse(self._address.resource_metadata(), headers=OPEN)

    async def metadata(self, request: Request) -> Response:
        return JSONResponse(self._address.server_metadata(), headers=OPEN)

    async def register(self, request: Request) -> Response:
        """RFC 7591. Every client is a public one: a secret that anybody can get proves nothing,
        and PKCE binds the code to whoever asked for it."""
        who = current_address.get()
        if self._registrations.wait(who):
            raise OAuthError("temporarily_unavailable", "too many registrations; wait", 429)
        self._registrations.take(who)
        given = _json(await limited_body(request))
        uris = checked_uris(given.get("redirect_uris"))
        _check_types(given)
        name = given.get("client_name", "")
        shown = one_line(clean(name), MAX_NAME_CHARS) if isinstance(name, str) else ""
        client = await asyncio.to_thread(self._store.register, shown, uris)
        body = {
            "client_id": client.id,
            "client_id_issued_at": int(client.created),
            "client_name": client.name,
            "redirect_uris": list(client.redirect_uris),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": scope_of("write"),
        }
        return JSONResponse(body, 201, headers=OPEN)

    async def token(self, request: Request) -> Response:
        form = await form_of(request)
        client, resource = _needed(form, "client_id"), self._address.resource
        check_resource(form.get("resource"), resource)
        work: Callable[[], Tokens]
        if form.get("grant_type") == "authorization_code":
            code, uri = _needed(form, "code"), _needed(form, "redirect_uri")
            verifier = _needed(form, "code_verifier")
            work = partial(self._store.exchange, code, client, uri, verifier, resource)
        elif form.get("grant_type") == "refresh_token":
            work = partial(self._store.renew, _needed(form, "refresh_token"), client, resource)
        else:
            message = "grant_type must be authorization_code or refresh_token"
            raise OAuthError("unsupported_grant_type", message)
        return JSONResponse(_token_body(await asyncio.to_thread(work)), headers=OPEN)

    async def revoke(self, request: Request) -> Response:
        form = await form_of(request)
        token, client = _needed(form, "token"), _needed(form, "client_id")
        await asyncio.to_thread(self._store.revoke_token, token, client)
        return Response(status_code=200, headers=OPEN)


def _token_body(tokens: Tokens) -> dict[str, Any]:
    return {
        "access_token": tokens.access_token,
        "token_type": "Bearer",
        "expires_in": tokens.seconds,
        "refresh_token": tokens.refresh_token,
        "scope": scope_of(tokens.access),
    }


def _needed(form: dict[str, str], name: str) -> str:
    if not form.get(name):
        raise OAuthError("invalid_request", f"{name} is missing")
    return form[name]


def _json(data: bytes) -> dict[str, Any]:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise OAuthError("invalid_client_metadata", "send a JSON object")
    return given


def _check_types(given: dict[str, Any]) -> None:
    for name, kept in (("grant_types", "authorization_code"), ("response_types", "code")):
        listed = given.get(name, [kept])
        if not isinstance(listed, list) or kept not in listed:
            raise OAuthError("invalid_client_metadata", f"{name} must hold {kept}")
