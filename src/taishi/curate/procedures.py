"""`memory.procedures`: ways of working in use: how often, how well, and shared with others (F3)."""

from __future__ import annotations

from dataclasses import replace

from ..domain import procedures
from ..domain.arguments import whole_number
from ..domain.facts import lock_name
from ..domain.shared_memory import shared_procedure
from ..errors import InputError
from ..ingest.background import BackgroundTasks
from ..recall.access import visible_partitions
from ..runtime import Runtime
from ..types import Edit, Record, Scope, clean_id
from .shared_entries import SharedEntries

Records = list[Record]  # inside the class, `list` is the verb
MOST = 10_000


class ProcedureService:
    """Sees what recall sees: the scope's own procedures, those of an agent that works for the user,
    and the approved ones of the workspace."""

    def __init__(
        self, runtime: Runtime, background: BackgroundTasks, entries: SharedEntries
    ) -> None:
        self._runtime = runtime
        self._store, self._locks = runtime.parts.store, runtime.parts.locks
        self._background = background
        self._entries = entries

    def list(self, scope: Scope, limit: int = 1000) -> Records:
        """The procedures that this scope may use, newest first."""
        whole_number(limit, "limit", MOST)
        return sorted(self._visible(scope), key=lambda one: -(one.time or 0.0))[:limit]

    def get(self, scope: Scope, id: str) -> Record | None:
        """One procedure, with its trigger, steps and outcomes, in `data`."""
        wanted = clean_id(id, "id") or ""
        return next((one for one in self._visible(scope) if one.id == wanted), None)

    def used(self, scope: Scope, id: str, worked: bool | None = None) -> Record:
        """Record that a procedure was applied, and whether it worked, if that is known.

        memory.procedures.used(Scope(agent="ops"), hit.id, worked=True)
        """
        return self._changed(scope, id, worked, is_use=True)

    def feedback(self, scope: Scope, id: str, worked: bool) -> float:
        """Report the outcome of a use that was counted before; returns the new success rate."""
        return procedures.success_rate(self._changed(scope, id, worked, is_use=False))

    def review(self, scope: Scope) -> Records:
        """Procedures that failed more often than they worked, with at least three outcomes, worst
        first: correct or forget them."""
        return sorted(
            filter(procedures.is_failing, self._visible(scope)), key=procedures.success_rate
        )

    def share(
        self,
        scope: Scope,
        id: str,
        *,
        actor: str = "host",
        actor_id: str = "",
        door: str = "python",
    ) -> str | None:
        """Propose a procedure to the workspace's shared memory, with its steps: others find it once
        a coordinator approves it. The id of the proposal; None where memory is off."""
        if not self._runtime.is_on(scope):
            return None
        found = self._found(scope, id)
        if found.place == scope.commons:
            raise InputError("this procedure is shared already; see `shared.list`")
        with self._entries.acting(scope, actor, actor_id, door) as act:
            mine = replace(found, user=scope.user)
            return self._entries.propose(scope, shared_procedure(mine, scope.commons, act), act)

    def _changed(self, scope: Scope, id: str, worked: bool | None, is_use: bool) -> Record:
        place = self._found(scope, id).place
        with self._locks.hold(lock_name(place)):
            record = self._found(scope, id)
            if is_use:
                record = procedures.used(record, self._runtime.clock(), self._runtime.zone)
            if worked is not None:
                record = procedures.feedback(record, bool(worked))
            self._store.apply([Edit("put", record)])
        self._background.wake_embedding()
        return record

    def _found(self, scope: Scope, id: str) -> Record:
        found = self.get(scope, id)
        if found is None:
            raise InputError(
                f"there is no procedure {str(id)[:80]!r} that {scope.home} may use; list them"
            )
        return found

    def _visible(self, scope: Scope) -> Records:
        """In the user's groups, which a link shows, there is nothing to report on from here."""
        self._runtime.check_scope(scope)
        return [
            record
            for visible in visible_partitions(scope, self._store)
            if visible.only_user is None
            for record in self._store.find(visible.place, ("procedure",), ("approved",), MOST)
        ]
