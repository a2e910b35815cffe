"""`taishi keys`: create, list and revoke API keys of the server."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..disk.key_file import FILE
from ..errors import InputError
from ..settings.addresses import scheme_of, without_password
from .context import (
    TIME,
    CliContext,
    Group,
    common_options,
    folder_is_missing,
    pass_app,
    to_time,
)
from .output import note, one_line, say, say_json, table

if TYPE_CHECKING:
    from ..api_keys import Key, Keys

RIGHTS = ("read", "write", "admin")


@click.group(cls=Group)
def keys() -> None:
    """API keys for `taishi serve`."""


@keys.command()
@click.argument("name")
@click.option(
    "--rights",
    type=click.Choice(RIGHTS),
    default="write",
    show_default=True,
    help="What the key may do; each includes the ones before.",
)
@click.option(
    "--workspace",
    metavar="ID",
    default="default",
    show_default=True,
    help="The workspace it gives access to.",
)
@click.option(
    "--every-workspace",
    is_flag=True,
    help="All workspaces; for the operator of the server.",
)
@click.option("--user", metavar="ID", help="Only this user's private chat.")
@click.option("--group", metavar="ID", help="Only this group.")
@click.option("--agent", metavar="ID", help="Only this agent.")
@click.option("--expires", metavar=TIME, help="When it expires.")
@click.option(
    "--as-person/--as-model",
    "as_person",
    default=None,
    help="Whether what is written with it is a person's word; by default only with --rights admin.",
)
@common_options
@pass_app
def create(
    app: CliContext,
    name: str,
    rights: Any,
    workspace: str,
    every_workspace: bool,
    user: str | None,
    group: str | None,
    agent: str | None,
    expires: str | None,
    as_person: bool | None,
    as_json: bool,
) -> None:
    """Create a key called NAME. Its secret is shown only once."""
    from ..times import to_epoch

    until = to_time(expires)
    address = app.settings.memory.data
    is_new = folder_is_missing(address)
    key, secret = open_keys(app, create=True).create(
        name,
        None if every_workspace else workspace,
        rights,
        user=user,
        group=group,
        agent=agent,
        expires=None if until is None else to_epoch(until, app.settings.zone()),
        as_person=as_person,
    )
    if as_json:
        say_json({"key": asdict(key), "secret": secret, "data": _place(address)})
        return
    say(secret)
    note(app.message("key_created", id=key.id, name=key.name, place=_place(address)))
    if is_new:
        note(app.message("key_new_folder", folder=_place(address)))


@keys.command(name="list")
@common_options
@pass_app
def show_all(app: CliContext, as_json: bool) -> None:
    """List the keys, including revoked ones, without their secrets."""
    from time import time

    opened = open_keys(app)
    listed, command = opened.list(), app.command("keys create NAME")
    if as_json:
        say_json({"keys": [asdict(key) for key in listed]})
    elif not listed:
        say(app.message("no_live_key" if opened.set_up else "no_keys", command=command))
    else:
        headings = ("key_id", "name", "rights", "opens", "created", "state")
        now = time()
        rows = [
            [
                key.id,
                key.name,
                _rights(app, key),
                _key_scope(app, key),
                _minute(key.created),
                _state(app, key, now),
            ]
            for key in listed
        ]
        table([app.message(name) for name in headings], rows, whole=(0, 4))
        if not opened.any_live:
            note(app.message("no_live_key", command=command))


@keys.command()
@click.argument("id", required=False)
@click.option(
    "--as-in",
    "saved",
    metavar="FILE",
    help="Every key that is revoked in FILE: a saved `keys list --json`, or an old keys.json.",
)
@common_options
@pass_app
def revoke(app: CliContext, id: str | None, saved: str | None, as_json: bool) -> None:
    """Revoke the key ID immediately, on running servers as well."""
    if (id is None) == (saved is None):
        raise InputError(app.message("key_or_list"))
    opened = open_keys(app)
    listed = opened.list()
    if saved is not None:
        _revoke_as_in(app, opened, saved, as_json)
        return
    assert id is not None
    if all(key.id != id for key in listed):
        named = [key.id for key in listed if key.name == id and key.revoked is None]
        if named:
            raise InputError(app.message("key_by_name", name=id, ids=", ".join(named)))
    key = opened.revoke(id)
    if as_json:
        say_json({"key": asdict(key)})
    else:
        say(app.message("key_revoked", id=key.id, name=key.name))
        note(app.message("key_in_backups"))


def _revoke_as_in(app: CliContext, opened: Keys, saved: str, as_json: bool) -> None:
    """After a restore: a backup has every key as it was when it was made, also those that were
    revoked since. What the list does not have is left alone and named: it may have gone with a
    person who was forgotten, or the list is older than the key."""
    revoked_there = _saved_keys(app, saved)
    known = [key for key in opened.list() if key.revoked is None]
    revoked = [opened.revoke(key.id) for key in known if revoked_there.get(key.id)]
    unlisted = [key for key in known if key.id not in revoked_there]
    if as_json:
        say_json({"revoked": [asdict(k) for k in revoked], "unlisted": [k.id for k in unlisted]})
        return
    for key in revoked:
        say(app.message("key_revoked", id=key.id, name=key.name))
    if not revoked:
        say(app.message("keys_as_in_list", file=one_line(saved)))
    for key in unlisted:
        command = app.command(f"keys revoke {key.id}")
        note(app.message("key_not_listed", id=key.id, name=key.name, command=command))


def _saved_keys(app: CliContext, saved: str) -> dict[str, bool]:
    """Of each key in the file, by its id, whether it is revoked there."""
    try:
        rows = json.loads(Path(saved).expanduser().read_bytes())["keys"]
        return {str(row["id"]): row["revoked"] is not None for row in rows}
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(app.message("key_list_unreadable", file=saved, why=why)) from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(app.message("key_list_no_list", file=saved)) from error


def open_keys(app: CliContext, create: bool = False) -> Keys:
    from ..api_keys import Keys

    app.need_engine()
    address = app.settings.memory.data
    # Keys may be there before the memory is.
    if not create and (scheme_of(address) or not (Path(address).expanduser() / FILE).exists()):
        app.need_memory()
    return Keys(address)


def _place(address: str) -> str:
    """Whose keys they are: a folder in full, as one may be in the wrong place."""
    if scheme_of(address):
        return without_password(address)
    return str(Path(address).expanduser().absolute())


def _key_scope(app: CliContext, key: Key) -> str:
    parts = [key.workspace or app.message("every_workspace")]
    limits = (("user", key.user), ("group", key.group), ("agent", key.agent))
    return " ".join(parts + [f"{field}={id}" for field, id in limits if id])


def _rights(app: CliContext, key: Key) -> str:
    may_write = key.rights != "read"
    return (
        app.message("rights_as_person", rights=key.rights)
        if may_write and key.as_person
        else key.rights
    )


def _state(app: CliContext, key: Key, now: float) -> str:
    if key.revoked is not None:
        return app.message("key_is_revoked", day=_day(key.revoked))
    if key.expires is None:
        return app.message("key_is_good")
    return app.message("key_until" if now < key.expires else "key_expired", day=_day(key.expires))


def _minute(epoch: float) -> str:
    return f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d %H:%M} UTC"


def _day(epoch: float) -> str:
    return datetime.fromtimestamp(epoch, UTC).date().isoformat()
