"""`taishi oauth`: which clients connected to /mcp, and withdrawing one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from .context import CliContext, Group, common_options, pass_app
from .keys import open_keys
from .output import say, say_json, table

if TYPE_CHECKING:
    from ..api_keys import Key
    from ..server.oauth.state import Connection
    from ..server.oauth.store import OAuthStore


@click.group(cls=Group)
def oauth() -> None:
    """Clients that connected to /mcp by OAuth."""


@oauth.command(name="list")
@common_options
@pass_app
def show_all(app: CliContext, as_json: bool) -> None:
    """List the connected clients, without their tokens."""
    keys = open_keys(app)
    bound = {key.id: key for key in keys.list()}
    listed = _store(app).list()
    if as_json:
        say_json({"connections": [_shown(one, bound) for one in listed]})
    elif not listed:
        say(app.message("no_connections"))
    else:
        headings = (
            "connection_id",
            "name",
            "connection_key",
            "connection_user",
            "rights",
            "created",
        )
        rows = [
            [
                one.id,
                one.approval.client_name,
                one.approval.key,
                _whose(one, bound),
                one.approval.access,
                f"{datetime.fromtimestamp(one.created, UTC):%Y-%m-%d}",
            ]
            for one in listed
        ]
        table([app.message(name) for name in headings], rows, whole=(0, 2))


@oauth.command()
@click.argument("id")
@common_options
@pass_app
def revoke(app: CliContext, id: str, as_json: bool) -> None:
    """Disconnect the client ID immediately, on running servers as well."""
    gone = _store(app).revoke(id)
    if as_json:
        say_json({"connection": _shown(gone, {key.id: key for key in open_keys(app).list()})})
    else:
        say(app.message("connection_revoked", id=gone.id, name=gone.approval.client_name))


def _store(app: CliContext) -> OAuthStore:
    from ..server.oauth.store import OAuthStore

    return OAuthStore(open_keys(app))


def _whose(one: Connection, keys: Mapping[str, Key]) -> str:
    """Whose memory it opens: what its key is bound to comes before what was named."""
    key = keys.get(one.approval.key)
    if key is not None and key.is_narrow and not key.user:
        return f"group:{key.group}" if key.group else f"agent:{key.agent}"
    return (key.user if key is not None else None) or one.approval.user or ""


def _shown(one: Connection, keys: Mapping[str, Key]) -> dict[str, Any]:
    key = keys.get(one.approval.key)
    user = (key.user if key is not None else None) or one.approval.user
    approval = {**asdict(one.approval), "user": user}
    return {"id": one.id, **approval, "created": one.created, "renewed": one.renewed}
