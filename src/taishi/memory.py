"""`Memory`: every public verb. Each calls one service; the services are built in `assembly`."""

from __future__ import annotations

import time as clocks
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from .assembly.service_list import Services
from .assembly.services import open_services
from .context_block.block import Form
from .errors import InputError
from .ingest.job_builder import Turn
from .language.token_bound import Counter
from .ports import Embedder, PartitionInfo
from .settings import Settings, load
from .times import TimeLike
from .types import Brief, Hit, Message, Profile, Recall, Scope
from .working.session import Session

Messages = Sequence[Message | Mapping[str, Any]]


class Memory:
    """Open one per data folder; share it between threads.

    What a bot needs is here. What a person who looks after a memory needs is under its nouns:
    `facts`, `procedures`, `shared`, `profiles`, `records`, `sessions`, `jobs`, `knowledge`,
    `notes`, `deletions`, `transfer`, `maintenance` and `configuration`.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self.facts = services.facts
        self.procedures = services.procedures
        self.shared = services.shared
        self.profiles = services.profiles
        self.records = services.records
        self.jobs = services.jobs
        self.knowledge = services.knowledge
        self.notes = services.notes
        self.sessions = services.sessions
        self.deletions = services.deletions
        self.transfer = services.transfer
        self.maintenance = services.maintenance
        self.configuration = services.configuration

    # -- opening and closing --------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        address: str | Path | None = None,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = clocks.time,
        count_tokens: Counter | None = None,
        on_error: Literal["raise", "off"] = "raise",
    ) -> Memory:
        """Open the data folder at `address` (default: the settings' own), made if need be.

        `count_tokens` is the model's own count, by which prompt blocks keep to their budget.
        `on_error="off"`: if that fails, a memory that is switched off, so that the chat goes on
        (C4); the reason is in the log and in `status()`.

            with Memory.open("./data") as memory: ...
        """
        if on_error not in ("raise", "off"):
            raise InputError(f"on_error {on_error!r:.40} is not known; use raise or off")
        settings = load() if settings is None else settings
        folder = settings.memory.data if address is None else address
        try:
            return cls(open_services(folder, settings, embedder, clock, count_tokens))
        except Exception as error:
            if on_error == "raise":
                raise
            from .unavailable_memory import UnavailableMemory

            reason = f"{error}" or type(error).__name__
            return UnavailableMemory(folder, settings, reason, clock)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the background work and let go of the files. What waits, waits durably."""
        self._services.lifecycle.close()

    def start_worker(self) -> Memory:
        """Start the historian in the background: `with memory.start_worker(): …` works too.

        The settings file is followed from now on, if the settings were read from one.
        """
        self._services.lifecycle.start_worker()
        return self

    def stop_worker(self) -> None:
        """End the historian's threads with the job at hand; the others wait durably."""
        self._services.lifecycle.stop_worker()

    def drain(self, timeout: float = 600.0) -> bool:
        """Work until no turn, job or text waits; True if that is so. Jobs held elsewhere are waited
        for. It ends with `timeout` seconds, whatever hangs."""
        return self._services.lifecycle.drain(timeout)

    # -- writing --------------------------------------------------------------------------------

    def end_turn(
        self,
        scope: Scope,
        action_summary: str = "",
        new_info: str | Iterable[str] = "",
        messages: Messages = (),
        force: bool = False,
        *,
        summary: str = "",
        request_id: str | None = None,
        time: TimeLike | None = None,
        sender_id: str | None = None,
        sender_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        location: str | None = None,
        wait: float = 0.0,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        """A turn ended. Returns the job's id once it is durable, None if there is nothing to keep.

        With `wait`, returns when the turn can also be recalled, or when that many seconds are over.
        `summary` is the old name of `action_summary`. By the `actor` "model", only what a message
        of a person says counts as a person's word.

            memory.end_turn(Scope(user="u7"), new_info="I moved to Oslo", sender_name="Ann")
        """
        said, names = action_summary or summary, (sender_id, sender_name, group_name, bot_name)
        turn = Turn(scope, said, new_info, messages, request_id, time, *names, location, force)
        return self._services.turns.end_turn(turn, wait, actor, door)

    def consider(
        self,
        scope: Scope,
        messages: Messages,
        *,
        request_id: str | None = None,
        time: TimeLike | None = None,
        sender_id: str | None = None,
        sender_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        location: str | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        """For hosts without an `end` tool: was anything said that is worth keeping (W9)?

        Decided in the background. Returns the job's id once it is durable.

            memory.consider(Scope(user="u7"), [{"speaker": "Ann", "text": "I moved to Oslo"}])
        """
        names = (sender_id, sender_name, group_name, bot_name)
        turn = Turn(scope, "", "", messages, request_id, time, *names, location)
        return self._services.turns.consider(turn, actor, door)

    def observe(
        self, scope: Scope, tool: str, arguments: object = None, result: object = None
    ) -> None:
        """A tool ran. Costs microseconds; the oldest is dropped when too many wait."""
        self._services.turns.observe(scope, tool, arguments, result)

    def remember(
        self,
        scope: Scope,
        text: str,
        kind: str = "fact",
        time: TimeLike | None = None,
        source: str | int | None = None,
        *,
        speaker: str | None = None,
        session: str | None = None,
        id: str | int | None = None,
        user: str | int | None = None,
        confidence: float = 1.0,
        metadata: Mapping[str, Any] | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        """Keep one record, verbatim (but redacted); its id, or None where memory is off.

        memory.remember(Scope(user="u7"), "Ann moved to Oslo")
        """
        item: dict[str, Any] = {
            "text": text,
            "kind": kind,
            "time": time,
            "source": source,
            "speaker": speaker,
        }
        item |= {"session": session, "id": id, "user": user}
        item |= {"confidence": confidence, "metadata": metadata}
        return next(iter(self.remember_many(scope, [item], actor=actor, door=door)), None)

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
        return self._services.remember.remember_many(scope, items, actor, door)

    def forget(
        self,
        scope: Scope,
        id: str | None = None,
        *,
        actor: str = "",
        door: str = "python",
        actor_id: str = "",
    ) -> int:
        """Remove one record of this scope's partition, or (no id) the whole of it; how many went.

        `Scope(user=…)` forgets that person in the whole workspace: the private chat, what they
        said in groups, their jobs and profile. `Scope(group=…)` forgets that group. `deletions`
        lists afterwards that it was done, by which actor and door, but never what was deleted.
        What a person rejected is not the `actor` "model"'s to forget by its id. `actor_id` names
        the actor more closely in that list, as by the id of a key.
        """
        return self._services.forgetting.forget(scope, id, actor, door, actor_id)

    def session(self, scope: Scope) -> Session:
        """The working memory of a session (M1–M3): append messages, get what to send.

        memory.session(Scope(user="u7", session="s1")).messages(max_tokens=8000).messages
        """
        self._services.working.check(scope)
        return Session(scope, self._services.working)

    def set_link(self, scope: Scope, on: bool) -> None:
        """Let this user's private chat and groups know each other (S2); off by default."""
        self._services.turns.set_link(scope, on)

    # -- reading --------------------------------------------------------------------------------

    def recall(
        self,
        scope: Scope,
        query: str,
        top_k: int | None = None,
        kinds: Collection[str] | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        now: TimeLike | None = None,
        deadline: float | None = None,
        floor: float | None = None,
        *,
        explain: bool = False,
    ) -> Recall:
        """The few records that matter for `query`, from what this scope may see.

        With `explain`, also why each was chosen and why others were not; that takes longer.

            memory.recall(Scope(user="u7"), "where does Ann live?").hits[0].text
        """
        return self._services.recall.recall(
            scope, query, top_k, kinds, time_from, time_to, now, deadline, floor, explain
        )

    def search_events(
        self,
        scope: Scope,
        query: str,
        target_user_id: str | None = None,
        target_group_id: str | None = None,
        top_k: int | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        deadline: float | None = None,
    ) -> Recall:
        """Events this scope may see, narrowed to a user or a group; never wider than the scope."""
        return self._services.recall.search_events(
            scope, query, target_user_id, target_group_id, top_k, time_from, time_to, deadline
        )

    def search_profiles(
        self,
        scope: Scope,
        query: str,
        entity_type: str | None = None,
        entity_id: str | None = None,
        top_k: int | None = None,
        deadline: float | None = None,
    ) -> Recall:
        """Profiles this scope may see, by meaning: its own page; in a group the group's, and of
        its members' pages what the group may know of them."""
        return self._services.recall.search_profiles(
            scope, query, entity_type, entity_id, top_k, deadline
        )

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        """A profile, or None if there is none that this scope may see."""
        return self._services.recall.get_profile(scope, entity_type, entity_id)

    def get(self, scope: Scope, id: str) -> Hit | None:
        """One record of this scope's own partition, by its id, as recall would give it."""
        return self._services.recall.get(scope, id)

    def context(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None = None,
        form: Form = "text",
        now: TimeLike | None = None,
        deadline: float | None = None,
        language: str | None = None,
        *,
        count_tokens: Counter | None = None,
    ) -> str:
        """The prompt block for this turn; empty when nothing is known.

        prompt = memory.context(Scope(user="u7"), question, max_tokens=800) + question
        """
        rest = (max_tokens, form, now, deadline, language, count_tokens)
        return self._services.context.brief(scope, query, *rest).text

    def brief(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None = None,
        form: Form = "text",
        now: TimeLike | None = None,
        deadline: float | None = None,
        language: str | None = None,
        *,
        count_tokens: Counter | None = None,
    ) -> Brief:
        """The same block, the recall it was made from, and why it is empty, if it is.

        The block has at most `max_tokens` as `count_tokens` counts them: a model's own tokenizer,
        for this call; else that of `Memory.open`, of `query.tokenizer`, or our own upper bound.
        """
        rest = (max_tokens, form, now, deadline, language, count_tokens)
        return self._services.context.brief(scope, query, *rest)

    def warm_up(self, scope: Scope | None = None, seconds: float = 10.0) -> bool:
        """Load the embedder and the index of `scope` before the first question, which would be
        late otherwise. Returns when they are loaded, True, or when the seconds are over, False."""
        return self._services.recall.warm_up(scope, seconds)

    # -- the state of it ------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """Those in force; `configuration` changes them."""
        return self._services.runtime.settings

    def is_on(self, scope: Scope) -> bool:
        """Whether memory works in this scope: `memory.enabled` and the lists of scopes (C3, C4)."""
        return self._services.runtime.is_on(scope)

    def partitions(self, workspace: str = "default") -> list[PartitionInfo]:
        """The chats, groups and agents of a workspace that hold anything: how many records, and
        when the newest was stored."""
        return self._services.status.partitions(workspace)

    def status(self, records: bool = True) -> dict[str, Any]:
        """What is kept, what waits, how fast, in all processes. Without `records` these are not
        counted: that reads the whole table, and a probe that asks every second should not."""
        return self._services.status.status(records)

    def metrics(self) -> dict[str, Any]:
        """Everything that is counted and measured, by name: kind, help, labels, samples.

        Jobs, workers and tool runs are those of this process: a monitor adds processes up itself.
        """
        return self._services.status.metrics()
