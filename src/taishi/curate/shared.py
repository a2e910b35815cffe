"""`memory.shared`: what agents propose to everybody, and what a coordinator says to it (F5)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..domain import facts, shared_decisions, shared_memory
from ..domain.arguments import whole_number
from ..errors import InputError
from ..exported import AuditEntry
from ..historian.shared_contradictions import opposes
from ..runtime import Runtime
from ..types import Record, Scope, known_names
from .shared_entries import MOST, SharedEntries, missing_entry

Records = list[Record]  # inside the class, `list` is the verb
Pairs = list[tuple[Record, Record]]
Audit = tuple[AuditEntry, ...]


class SharedService:
    """Every verb takes the scope of whoever acts: its agent is the author, its workspace says whose
    shared memory it is. A `person` and the `host` itself are known by their `actor`."""

    def __init__(self, runtime: Runtime, entries: SharedEntries) -> None:
        self._runtime = runtime
        self._entries = entries

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
        """Propose a statement to everybody in the workspace; its id, or None where memory is off.

        It is recalled once a coordinator approves it. Two proposals with the same `topic` that
        differ contradict each other, and so do two of which one denies the other. Safe to repeat;
        the same text from another agent counts as support.

            memory.shared.propose(Scope(agent="coder"), "Indent with tabs", "convention")
        """
        if not self._runtime.is_on(scope):
            return None
        with self._entries.acting(scope, actor, actor_id, door) as act:
            new = self._entries.entry(scope, text, type, topic, confidence, act)
            return self._entries.propose(scope, new, act)

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
        """A coordinator approves it: from now on it is recalled in the whole workspace.

        Returns its new state. If it contradicts an approved entry, the newest and most confident
        one wins; if these are two different ones, it is a "conflict", and is not recalled until
        `resolve`.
        """
        with self._entries.acting(scope, actor, actor_id, door, reason) as act:
            shared_memory.check_decides(act.writer)
            record = self._entries.get(scope, id)
            if record.state == "approved":
                return record.state
            known = {one.id: one for one in self._entries.known(scope)}
            return self._entries.applied(shared_decisions.approval(record, known, act)).state

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
        """A coordinator rejects it, or whoever proposed it withdraws it. It is not recalled, and an
        agent that proposes it again is refused."""
        with self._entries.acting(scope, actor, actor_id, door, reason) as act:
            record = self._entries.get(scope, id)
            shared_memory.check_may_change(record, act.writer)
            if record.state != "rejected":
                self._entries.applied(shared_decisions.rejection(record, act))

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
        """Replace the text of an entry; returns the new entry's id.

        Takes effect immediately for a coordinator; its creator needs approval, and an approved
        entry is recalled until then. The old one stays as history.
        """
        with self._entries.acting(scope, actor, actor_id, door, reason) as act:
            old = self._entries.get(scope, id)
            shared_memory.check_may_change(old, act.writer)
            if old.state not in shared_memory.OPEN:
                raise InputError(f"{old.id[:80]} is {old.state}; propose the new text instead")
            if old.kind != "fact":
                raise InputError("a shared procedure is replaced by sharing its new steps")
            topic = shared_memory.topic_of(old)
            type = shared_memory.type_of(old)
            sure = old.confidence if confidence is None else confidence
            new = self._entries.entry(scope, text, type, topic, sure, act)
            new = replace(new, user=old.user or new.user)
            if shared_memory.says_the_same(new, old) or new.id == old.id:
                raise InputError(
                    "the new text says the same; approve the entry, or change the text"
                )
            self._entries.check_rejected(scope, new, act.writer)
            known = self._entries.known(scope)
            return self._entries.applied(
                shared_decisions.succession(old, new, known, act, opposes)
            ).id

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
        """The newest entries of the workspace's shared memory. Coordinators see all of them, others
        what was approved and what they proposed themselves."""
        states = known_names(states, facts.STATES, "states")
        types = known_names(types, shared_memory.LISTED_TYPES, "types")
        whole_number(limit, "limit", MOST)
        writer = self._entries.writer(scope, actor, actor_id, "")
        fitting = (
            one
            for one in self._entries.known(scope, states)
            if types is None or shared_memory.type_of(one) in types
        )
        return [one for one in fitting if shared_memory.may_see(one, writer)][:limit]

    def conflicts(self, scope: Scope, *, actor: str = "host", actor_id: str = "") -> Pairs:
        """Pairs that contradict each other and wait for `resolve`; the newer is second."""
        return shared_decisions.conflicts(
            self.list(scope, limit=MOST, actor=actor, actor_id=actor_id)
        )

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
        """A coordinator settles a conflict: the first holds and the second does not; with `both`,
        they do not contradict each other and both hold."""
        with self._entries.acting(scope, actor, actor_id, door, reason) as act:
            shared_memory.check_decides(act.writer)
            kept, dropped = self._entries.get(scope, keep_id), self._entries.get(scope, drop_id)
            decide = shared_decisions.reconciliation if both else shared_decisions.resolution
            self._entries.applied(decide(kept, dropped, act))

    def audit(self, scope: Scope, id: str, *, actor: str = "host", actor_id: str = "") -> Audit:
        """Who did what to an entry, when, through which interface, and why; oldest first."""
        writer = self._entries.writer(scope, actor, actor_id, "")
        record = self._entries.get(scope, id)
        if not shared_memory.may_see(record, writer):
            raise missing_entry(id, scope)
        return shared_memory.audit_of(record)
