"""`memory.deletions`: what was deleted or refused, and the proof that it is gone."""

from __future__ import annotations

from collections.abc import Iterable

from ..exported import Deletion, ErasureProof, Refusal
from ..runtime import Runtime
from ..types import Scope
from .proof import ErasureSearch
from .service import ForgetService

Deletions = list[Deletion]  # inside the class, `list` is the verb
Refusals = list[Refusal]


class DeletionService:
    def __init__(self, runtime: Runtime, forgetting: ForgetService, search: ErasureSearch) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._forgetting = forgetting
        self._search = search

    def list(self, limit: int = 100) -> Deletions:
        """What was deleted of late, the newest first: who, when, by which door, how many."""
        self._runtime.check_open()
        return [Deletion(*row) for row in self._store.deletions.list(limit)]

    def refusals(self, limit: int = 100) -> Refusals:
        """Writes that were not let in of late, the newest first: who, when, by which door, why;
        never what was to be written."""
        self._runtime.check_open()
        return [Refusal(*row) for row in self._store.refusals.list(limit)]

    def traces(self, scope: Scope) -> tuple[str, ...]:
        """The phrases by which this scope's words would be known again: take them before you
        forget it, and give them to `prove`."""
        return self._forgetting.traces(scope)

    def prove(self, scope: Scope, words: Iterable[str] = ()) -> ErasureProof:
        """Look for a forgotten scope everywhere: tables, every byte of every file of the folder,
        what is in memory. `words` are phrases that it left, from `traces` before it was forgotten.

        What other people said is theirs: a phrase that is in it, too, is under `elsewhere`.
        """
        return self._search.prove(scope, words)
