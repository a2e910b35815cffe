"""Facts, procedures and shared memory of a server. Its key says who decides, not an argument; only
the actor "model" is passed on, as it is trusted less."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..exported import AuditEntry
from ..times import TimeLike
from ..types import Record, Scope
from .answers import Audit, State, SuccessRate
from .noun import Noun
from .server import Route, sendable_time
from .wire import Conflicts, Done, Entries, Facts, Id, Procedures, RecordAnswer

Records = list[Record]  # inside a class, `list` is the verb
Pairs = list[tuple[Record, Record]]
Fields = dict[str, Any]

FACTS = Route("GET", "/facts", Facts)
FACT_CONFLICTS = Route("GET", "/facts/conflicts", Conflicts)
RESOLVE_FACTS = Route("POST", "/facts/conflicts/resolve", Done, once=True)
APPROVE_FACT = Route("POST", "/facts/{}/approve", Done, once=True)
REJECT_FACT = Route("POST", "/facts/{}/reject", Done, once=True)
CORRECT_FACT = Route("POST", "/facts/{}/correct", Id, once=True)

PROCEDURES = Route("GET", "/procedures", Procedures)
PROCEDURE = Route("GET", "/procedures/{}", RecordAnswer)
REVIEW = Route("GET", "/procedures/review", Procedures)
USED = Route("POST", "/procedures/{}/used", RecordAnswer, once=True)
FEEDBACK = Route("POST", "/procedures/{}/feedback", SuccessRate, once=True)
SHARE = Route("POST", "/procedures/{}/share", Id, once=True)

SHARED = Route("GET", "/shared", Entries)
PROPOSE = Route("POST", "/shared", Id, once=True)
SHARED_CONFLICTS = Route("GET", "/shared/conflicts", Conflicts)
RESOLVE_SHARED = Route("POST", "/shared/conflicts/resolve", Done, once=True)
APPROVE_SHARED = Route("POST", "/shared/{}/approve", State, once=True)
REJECT_SHARED = Route("POST", "/shared/{}/reject", Done, once=True)
SUPERSEDE = Route("POST", "/shared/{}/supersede", Id, once=True)
AUDIT = Route("GET", "/shared/{}/audit", Audit)


class RemoteFacts(Noun):
    def list(
        self, scope: Scope, states: Collection[str] | None = None, limit: int = 1000
    ) -> Records:
        found = self._server.call(FACTS, scope, states=states, limit=limit)
        return self._records(scope, found.facts)

    def approve(
        self, scope: Scope, id: str, *, actor: str = "person", door: str = "python"
    ) -> None:
        self._server.call(APPROVE_FACT, scope, id, actor=actor)

    def reject(self, scope: Scope, id: str, *, actor: str = "person", door: str = "python") -> None:
        self._server.call(REJECT_FACT, scope, id, actor=actor)

    def correct(
        self,
        scope: Scope,
        id: str,
        text: str,
        *,
        time: TimeLike | None = None,
        actor: str = "person",
        door: str = "python",
    ) -> str:
        given: dict[str, Any] = {"text": text}
        given |= {} if time is None else {"time": sendable_time(time)}
        return self._server.call(CORRECT_FACT, scope, id, actor=actor, **given).id or ""

    def conflicts(self, scope: Scope) -> Pairs:
        return self._server.call(FACT_CONFLICTS, scope).pairs(self._server.home(scope))

    def resolve(
        self,
        scope: Scope,
        keep_id: str,
        drop_id: str,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> None:
        self._server.call(RESOLVE_FACTS, scope, actor=actor, keep=keep_id, drop=drop_id)


class RemoteProcedures(Noun):
    def list(self, scope: Scope, limit: int = 1000) -> Records:
        found = self._server.call(PROCEDURES, scope, limit=limit)
        return self._records(scope, found.procedures)

    def get(self, scope: Scope, id: str) -> Record | None:
        found = self._server.find(PROCEDURE, scope, id)
        return None if found is None else found.record(self._server.home(scope))

    def used(self, scope: Scope, id: str, worked: bool | None = None) -> Record:
        found = self._server.call(USED, scope, id, worked=worked)
        return found.record(self._server.home(scope))

    def feedback(self, scope: Scope, id: str, worked: bool) -> float:
        return self._server.call(FEEDBACK, scope, id, worked=worked).success_rate

    def review(self, scope: Scope) -> Records:
        return self._records(scope, self._server.call(REVIEW, scope).procedures)

    def share(
        self,
        scope: Scope,
        id: str,
        *,
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str | None:
        return self._server.call(SHARE, scope, id, actor=actor).id


class RemoteShared(Noun):
    def propose(
        self,
        scope: Scope,
        text: str,
        type: str = "project_context",
        *,
        topic: str = "",
        confidence: float | None = None,
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str | None:
        fields: Fields = {"text": text, "type": type, "topic": topic, "confidence": confidence}
        return self._server.call(PROPOSE, scope, actor=actor, **fields).id

    def approve(
        self,
        scope: Scope,
        id: str,
        *,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str:
        return self._server.call(APPROVE_SHARED, scope, id, actor=actor, reason=reason).state

    def reject(
        self,
        scope: Scope,
        id: str,
        *,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> None:
        self._server.call(REJECT_SHARED, scope, id, actor=actor, reason=reason)

    def supersede(
        self,
        scope: Scope,
        id: str,
        text: str,
        *,
        confidence: float | None = None,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str:
        fields: Fields = {"text": text, "confidence": confidence, "reason": reason}
        return self._server.call(SUPERSEDE, scope, id, actor=actor, **fields).id or ""

    def list(
        self,
        scope: Scope,
        states: Collection[str] | None = None,
        types: Collection[str] | None = None,
        limit: int = 1000,
        *,
        actor: str = "host",
        actor_id: str = "",
    ) -> Records:
        fields: Fields = {"states": states, "types": types, "limit": limit}
        return self._records(scope, self._server.call(SHARED, scope, actor=actor, **fields).entries)

    def conflicts(self, scope: Scope, *, actor: str = "host", actor_id: str = "") -> Pairs:
        found = self._server.call(SHARED_CONFLICTS, scope, actor=actor)
        return found.pairs(self._server.home(scope))

    def resolve(
        self,
        scope: Scope,
        keep_id: str,
        drop_id: str,
        *,
        both: bool = False,
        reason: str = "",
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> None:
        fields: Fields = {"keep": keep_id, "drop": drop_id, "both": both, "reason": reason}
        self._server.call(RESOLVE_SHARED, scope, actor=actor, **fields)

    def audit(
        self, scope: Scope, id: str, *, actor: str = "host", actor_id: str = ""
    ) -> tuple[AuditEntry, ...]:
        return self._server.call(AUDIT, scope, id, actor=actor).audit
