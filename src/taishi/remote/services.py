"""The services of a memory that is on a server, as `Memory` calls them."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ForbiddenError, InputError, TaishiError
from ..settings import Settings
from ..times import Deadline
from ..types import Scope
from .address import key_of, parse_address
from .administration import (
    RemoteConfiguration,
    RemoteDeletions,
    RemoteJobs,
    RemoteMaintenance,
    RemoteStatus,
    RemoteTransfer,
)
from .curation import RemoteFacts, RemoteProcedures, RemoteShared
from .documents import RemoteKnowledge
from .notes import RemoteNotes
from .pages import RemoteProfiles
from .records import SUMMARY, RemoteRecords
from .searches import RemoteContext, RemoteRecall
from .server import Route, Server
from .transport import Transport
from .wire import Who
from .working import RemoteSessions, RemoteWorking
from .writes import RemoteForgetting, RemoteRemember, RemoteTurns

log = logging.getLogger("taishi.remote")
OPEN_SECONDS = 10.0
IS_ON_SECONDS = 30.0  # that an answer of `is_on` holds
POLL_SECONDS = 0.2
WHOAMI = Route("GET", "/whoami", Who)


@dataclass(frozen=True, slots=True)
class RemoteServices:
    """By the names that `assembly.service_list.Services` has."""

    facts: RemoteFacts
    procedures: RemoteProcedures
    shared: RemoteShared
    profiles: RemoteProfiles
    records: RemoteRecords
    sessions: RemoteSessions
    working: RemoteWorking
    jobs: RemoteJobs
    knowledge: RemoteKnowledge
    notes: RemoteNotes
    deletions: RemoteDeletions
    transfer: RemoteTransfer
    maintenance: RemoteMaintenance
    configuration: RemoteConfiguration
    recall: RemoteRecall
    context: RemoteContext
    turns: RemoteTurns
    remember: RemoteRemember
    forgetting: RemoteForgetting
    status: RemoteStatus
    lifecycle: RemoteLifecycle
    runtime: RemoteRuntime
    shared_state: None = None


def open_server(
    address: str | Path,
    settings: Settings,
    api_key: str | None,
    parts: tuple[object, object],
    on_error: str,
) -> Any:
    """The services of the server at `address`, once it has answered and knows the key; if it has
    not, and `on_error` is "off", of a memory that is switched off. `parts` are the embedder and the
    counter of tokens, which only a memory of one's own can be given.

    They are `RemoteServices`, which `Memory` uses as if they were its own.
    """
    if parts != (None, None):
        raise InputError(
            "embedder and count_tokens belong to the server: set models.embedding and "
            "query.tokenizer there, and leave them out here"
        )
    language = settings.memory.language.replace("auto", "")
    transport = Transport(parse_address(str(address)), key := key_of(api_key), language)
    if key and not transport.address.is_encrypted and not transport.address.is_local:
        log.warning("the key goes to %s unencrypted; use https", transport.address.url)
    who, reason = None, ""
    try:
        who = Server(transport, None).call(WHOAMI, seconds=OPEN_SECONDS)
    except TaishiError as error:
        if on_error != "off":
            transport.close()
            raise
        reason = str(error) or type(error).__name__
        log.error("memory is off and the chat goes on without it: %s", reason)
    return _services(Server(transport, who, reason), settings)


def _services(server: Server, settings: Settings) -> RemoteServices:
    turns = RemoteTurns(server)
    status = RemoteStatus(server)
    return RemoteServices(
        facts=RemoteFacts(server),
        procedures=RemoteProcedures(server),
        shared=RemoteShared(server),
        profiles=RemoteProfiles(server),
        records=RemoteRecords(server),
        sessions=RemoteSessions(server),
        working=RemoteWorking(server),
        jobs=RemoteJobs(server, turns),
        knowledge=RemoteKnowledge(server),
        notes=RemoteNotes(server),
        deletions=RemoteDeletions(server),
        transfer=RemoteTransfer(server),
        maintenance=RemoteMaintenance(server),
        configuration=RemoteConfiguration(server),
        recall=RemoteRecall(server),
        context=RemoteContext(server),
        turns=turns,
        remember=RemoteRemember(server),
        forgetting=RemoteForgetting(server),
        status=status,
        lifecycle=RemoteLifecycle(server, turns, status),
        runtime=RemoteRuntime(server, settings),
    )


class RemoteRuntime:
    """`settings` are those of this side: the server has its own, see `GET /v1/settings`."""

    def __init__(self, server: Server, settings: Settings) -> None:
        self._server = server
        self.settings = settings
        self._known: dict[Scope, tuple[float, bool]] = {}

    def is_on(self, scope: Scope) -> bool:
        """As the server says; its answer holds for half a minute."""
        if self._server.is_off(scope):
            return False
        until, is_on = self._known.get(scope, (0.0, False))
        if time.monotonic() >= until:
            is_on = self._server.call(SUMMARY, scope).enabled
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[scope] = (time.monotonic() + IS_ON_SECONDS, is_on)
        return is_on


class RemoteLifecycle:
    """The server works by itself, so nothing is started or stopped here."""

    def __init__(self, server: Server, turns: RemoteTurns, status: RemoteStatus) -> None:
        self._server = server
        self._turns = turns
        self._status = status

    def start_worker(self) -> None:
        self._server.check()

    def stop_worker(self, seconds: float) -> None:
        """There is none here."""

    def drain(self, timeout: float) -> bool:
        """Wait until the server says that nothing waits; True if it does. It tells that to a key of
        the whole server only."""
        if self._server.is_off():
            return False
        deadline = Deadline(timeout, time.monotonic)
        self._turns.observations.flush(deadline.left)
        while (idle := self._is_idle()) is False and deadline.left:
            time.sleep(min(POLL_SECONDS, deadline.left))
        return idle

    def _is_idle(self) -> bool:
        status = self._status.status()
        if "queue" not in status:
            raise ForbiddenError(
                "a server's queue is shown only to keys of the whole server; "
                "end_turn(…, wait=…) returns when a turn can be recalled"
            )
        queue = status["queue"]
        waiting = int(queue["pending"]) + int(queue["processing"])
        waiting += int(status.get("observations", {}).get("waiting", 0))
        if status["embedder"].get("on"):
            waiting += int(status["records"].get("unembedded", 0))
        return not waiting

    def close(self) -> None:
        self._turns.observations.close()
        self._server.transport.close()
