"""Keeps the document small: anybody may register a client, and most codes are used at once."""

from __future__ import annotations

from dataclasses import replace

from .state import Client, State

MAX_CLIENTS = 1000
MAX_CONNECTIONS = 5000
UNUSED_SECONDS = 86400.0
USED_CODE_SECONDS = 3600.0


def pruned(state: State, now: float) -> State:
    codes = {
        mark: code
        for mark, code in state.codes.items()
        if now < code.expires + (USED_CODE_SECONDS if code.connection else 0.0)
    }
    live = {id: one for id, one in state.connections.items() if now < one.refresh_until}
    newest = sorted(live.values(), key=lambda one: one.renewed)[-MAX_CONNECTIONS:]
    connections = {one.id: one for one in newest}
    in_use = {one.approval.client for one in newest} | {c.approval.client for c in codes.values()}
    clients = _clients(state, in_use, now)
    return replace(state, clients=clients, codes=codes, connections=connections)


def _clients(state: State, in_use: set[str], now: float) -> dict[str, Client]:
    """Those in use, and the newest of the others: whoever registers thousands pushes out their own
    first, and nobody who is connected."""
    used = {id: client for id, client in state.clients.items() if id in in_use}
    waiting = [
        client
        for id, client in state.clients.items()
        if id not in in_use and now - client.created < UNUSED_SECONDS
    ]
    room = max(MAX_CLIENTS - len(used), 1)
    newest = sorted(waiting, key=lambda client: client.created)[-room:]
    return {**used, **{client.id: client for client in newest}}
