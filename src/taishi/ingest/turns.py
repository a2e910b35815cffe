"""The verbs that write. None of them waits for a model, an index or another process."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..domain import authority
from ..domain.observations import Observation
from ..domain.write_checks import WriteChecks
from ..errors import InputError, RefusedError
from ..runtime import Core
from ..times import TimeLike
from ..types import Edit, Job, Message, Partition, Profile, Scope, clean_id
from . import job_builder
from .job_builder import Turn, new_id
from .records import to_record

REQUESTS_REMEMBERED = 10_000
IMPORT_BATCH = 1000


class Writing(Core):
    def end_turn(
        self,
        scope: Scope,
        action_summary: str = "",
        new_info: str | Iterable[str] = "",
        messages: Sequence[Message | Mapping[str, Any]] = (),
        force: bool = False,
        *,
        summary: str = "",
        request_id: str | None = None,
        wait: float = 0.0,
        actor: str = "host",
        door: str = "python",
        **details: Any,
    ) -> str | None:
        """A turn ended. Returns the job's id once it is durable, None if there is nothing to keep.

        With `wait`, returns when the turn can also be recalled, or when that many seconds are over.
        `summary` is the old name of `action_summary`. Details: time, sender_id, sender_name,
        group_name, bot_name, location. By the `actor` "model", only what a message of a person says
        counts as a person's word.
        """
        self._check_scope(scope)
        who = authority.checked(actor)
        seconds = job_builder.number(wait, "wait")
        is_on = self.is_on(scope)
        if not is_on and not self.settings.memory.legacy_end_summaries:
            return None
        details = {
            "action_summary": action_summary or summary,
            "new_info": new_info,
            "messages": messages,
            "force": force,
            "actor": who,
            **details,
        }
        with self._refusing(scope, who, door):
            if is_on:
                self._turn_begun = time.monotonic()
                try:
                    return self._enqueue(scope, request_id, details, seconds)
                finally:
                    self._turn_ended = time.monotonic()
            self._to_old_list(scope, request_id, details)
            return None

    def consider(
        self,
        scope: Scope,
        messages: Sequence[Message | Mapping[str, Any]],
        *,
        request_id: str | None = None,
        actor: str = "host",
        door: str = "python",
        **details: Any,
    ) -> str | None:
        """For hosts without an `end` tool: was anything said that is worth keeping (W9)?

        Decided in the background. Returns the job's id once it is durable; `actor`, `door` and the
        further details are those of `end_turn`.
        """
        if not self.is_on(scope):
            return None
        who = authority.checked(actor)
        details = {"messages": messages, "task": "consider", "actor": who, **details}
        with self._refusing(scope, who, door):
            return self._enqueue(scope, request_id, details)

    def add_messages(self, scope: Scope, messages: Sequence[Message | Mapping[str, Any]]) -> int:
        """Messages of a session, for its summaries alone (W8): no turn ends and no job is queued.

        Durable when this returns; how many were new. A message with a known id counts once.
        """
        is_on = self.is_on(scope)
        if scope.session is None:
            raise InputError("which session? pass Scope(…, session=…)")
        if not is_on:
            return 0
        with self._refusing(scope, "host", "python"):
            said = self._intake.messages(messages)
        added = self._tending.buffer(scope, said)
        self._keeper.wake_tending()
        return added

    def end_session(self, scope: Scope) -> bool:
        """A session is over: summarise what is not summarised yet. True if there was something."""
        is_on = self.is_on(scope)
        if scope.session is None:
            raise InputError("which session? pass Scope(…, session=…)")
        if not is_on:
            return False
        while self._keeper.land_some():
            pass
        return self._tending.summarise(scope.home, scope.session)

    def _enqueue(
        self,
        scope: Scope,
        request_id: str | None,
        details: Mapping[str, Any],
        wait: float = 0.0,
    ) -> str | None:
        begun = time.perf_counter()
        given_id = clean_id(request_id, "request_id")
        job = self._job(scope, given_id, details)
        if job is None:
            return None
        if given_id is not None:
            job = replace(job, end_seq=self._next_end_seq(scope.home, given_id))
        newest = self._parts.store.deletions.newest()
        if newest is not None:
            left = self._forgotten().turn(job, newest)  # told again, it does not come back
            if left is None:
                return None
            job = left
        self._parts.queue.put(job)
        self._gauges.end_turn.observe(time.perf_counter() - begun)
        self._keeper.land(job)
        if job.task == "turn" and self.settings.memory.legacy_end_summaries:
            self._legacy.add_later(job)
            self._keeper.errand(self._legacy.flush)
        for loop in self._workers:
            loop.wake()
        if wait:
            self._keeper.wait_landed(job, wait)
        return job.event_id

    def _job(self, scope: Scope, id: str | None, details: Mapping[str, Any]) -> Job | None:
        try:
            turn = Turn(scope, recalled=self._echoes.told(scope.home), **details)
        except TypeError as error:
            raise InputError(f"end_turn: {error}") from None
        return self._intake.job(turn, 1, id or new_id(), self._clock())

    def _to_old_list(self, scope: Scope, id: str | None, details: Mapping[str, Any]) -> None:
        """Memory is off: the list is all there is, so it is written before this returns (C3)."""
        job = self._job(scope, clean_id(id, "request_id"), details)
        if job is not None:
            self._legacy.add_later(job)
            self._legacy.flush()

    def _next_end_seq(self, home: Partition, request_id: str) -> int:
        key = (home, request_id)
        with self._lock:
            known = self._parts.store.last_end_seq(home, request_id)
            last = max(known, self._requests.get(key, 0))
            self._requests[key] = last + 1
            self._requests.move_to_end(key)
            if len(self._requests) > REQUESTS_REMEMBERED:
                self._requests.popitem(last=False)
            return last + 1

    def observe(
        self, scope: Scope, tool: str, arguments: object = None, result: object = None
    ) -> None:
        """A tool ran. Costs microseconds; the oldest is dropped when too many wait."""
        if self.is_on(scope):
            self._observations.add(Observation(scope, tool, arguments, result, self._clock()))
            self._keeper.wake_landing()

    def remember(
        self,
        scope: Scope,
        text: str,
        kind: str = "fact",
        time: TimeLike | None = None,
        source: str | int | None = None,
        *,
        actor: str = "host",
        door: str = "python",
        **details: Any,
    ) -> str | None:
        """Keep one record, verbatim (but redacted); its id, or None where memory is off. Details:
        speaker, session, id, user, confidence, metadata. `actor` and `door`: see `remember_many`.
        """
        item = {"text": text, "kind": kind, "time": time, "source": source, **details}
        kept = self.remember_many(scope, [item], actor=actor, door=door)
        return next(iter(kept), None)

    def remember_many(
        self,
        scope: Scope,
        items: Iterable[Mapping[str, Any]],
        *,
        actor: str = "host",
        door: str = "python",
    ) -> list[str]:
        """Keep many records, verbatim, a transaction a batch; their ids, in order. Where memory is
        off nothing is kept, and there are no ids.

        `actor` says who writes: a "person", the "host", or a "model", which is trusted less. What
        a person rejected is refused (RefusedError); a person who says it takes that back.
        """
        if not self.is_on(scope):
            return []
        who = authority.checked(actor)
        with self._refusing(scope, who, door):
            return self._remember(scope, items, who)

    def _remember(
        self, scope: Scope, items: Iterable[Mapping[str, Any]], actor: authority.Actor
    ) -> list[str]:
        store = self._parts.store
        gate = WriteChecks(store, scope.home, actor)
        ids: list[str] = []
        batch: list[Edit] = []
        for number, item in enumerate(items):
            try:
                record = to_record(scope, item, self._intake, self._clock())
                edits = gate.edits(record, named=item.get("id") is not None)
            except RefusedError as error:
                raise type(error)(f"item {number}: {error}", error.reason) from None
            except InputError as error:
                raise type(error)(f"item {number}: {error}") from None
            batch += edits
            ids.append(edits[0].record.id if edits[0].record else record.id)
            if len(batch) >= IMPORT_BATCH:
                self._keep(batch)
                batch = []
        self._keep(batch)
        return ids

    def _keep(self, batch: list[Edit]) -> None:
        if batch:
            self._parts.store.apply(batch)
            self._keeper.wake_embedding()

    def set_profile(
        self,
        scope: Scope,
        body: str,
        name: str = "",
        tags: Iterable[str] = (),
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        """Write the profile of this scope's user (in private) or group; the old one is kept."""
        self._check_scope(scope)
        text = self._intake.text
        with self._refusing(scope, actor, door):
            authority.check_person(actor)
            labels = tuple(text(tag, "a tag") for tag in tags)
            title, page = text(name, "name"), text(body, "body")
        profile = self._profiles.write(scope, title, labels, page)
        self._keeper.wake_embedding()
        return profile
