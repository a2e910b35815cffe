"""Routes for the clients that connected by OAuth: list them, withdraw one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from ..oauth.store import OAuthStore
from ..problems import not_found
from ..route import Once, RouteSpec, ServerAdmin, router
from ..schemas.connections import ConnectionOut, ConnectionsOut


def connection_routes() -> APIRouter:
    return router(
        "looking",
        (
            RouteSpec("GET", "/connections", list_connections, "Connected MCP clients"),
            RouteSpec(
                "DELETE",
                "/connections/{name}",
                revoke_connection,
                "Disconnect a client",
                missing=True,
            ),
        ),
    )


def list_connections(request: Request, caller: ServerAdmin) -> ConnectionsOut:
    """Clients that connected by OAuth, with the key that allowed each, oldest first."""
    store: OAuthStore = request.app.state.oauth_store
    return ConnectionsOut(connections=[ConnectionOut.of(one) for one in store.list()])


def revoke_connection(
    request: Request, name: Annotated[str, Path(max_length=100)], caller: ServerAdmin, once: Once
) -> ConnectionOut:
    """Revokes its tokens immediately, on every server of this memory."""
    store: OAuthStore = request.app.state.oauth_store
    if name not in {one.id for one in store.list()}:
        raise not_found("there is no connection with this id; list them first")
    return ConnectionOut.of(store.revoke(name))
