"""`Memory`: every public verb. Each calls one service; the services are built in `assembly`."""

from __future__ import annotations

import time as clocks
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from .errors import InputError, needs_packages
from .ingest.turn import Turn
from .ports import PartitionInfo, SharedState
from .settings import Settings, given_or_loaded
from .settings.addresses import checked_address, is_server
from .times import TimeLike
from .types import Brief, Hit, Message, Profile, Recall, Scope
from .working.session import Session

if TYPE_CHECKING:  # what opens a folder is imported when one is opened
    from .assembly.service_list import Services
    from .context_block.block import Form
    from .language.token_bound import Counter
    from .ports import Embedder

Messages = Sequence[Message | Mapping[str, Any]]
Filters = Mapping[str, Any] | None  # see docs/how-to/filters.md


class Memory:
    """Open one per data folder or server; share it between threads. What looks after a memory is in
    its attributes."""

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

    @classmethod
    def open(
        cls,
        address: str | PathLike[str] | None = None,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = clocks.time,
        count_tokens: Counter | None = None,
        on_error: Literal["raise", "off"] = "raise",
        api_key: str | None = None,
        resume_copy: bool = False,
    ) -> Memory:
        """Open the data folder at `address` (default: the one in the settings), or create it; or a
        database; or, with `api_key` (else TAISHI_API_KEY), a server at http(s)://….

        `with Memory.open("./data") as memory: …`. `count_tokens` is your model's tokenizer, so that
        prompt blocks keep exactly to their budget. With `on_error="off"`, a memory that cannot be
        opened is replaced by one that is switched off (C4); `status()` says why. `resume_copy`
        opens also a copy that is not complete.
        """
        if on_error not in ("raise", "off"):
            raise InputError(f"unknown on_error {on_error!r:.40}; use raise or off")
        settings = given_or_loaded(settings)
        folder = checked_address(settings.memory.data if address is None else address)
        if is_server(folder):
            from .remote.services import open_server

            return cls(open_server(folder, settings, api_key, (embedder, count_tokens), on_error))
        with needs_packages("a memory that is not on a server"):
            from .assembly.services import open_services
        try:
            return cls(open_services(folder, settings, embedder, clock, count_tokens, resume_copy))
        except Exception as error:
            if on_error == "raise":
                raise
            from .unavailable_memory import UnavailableMemory

            return UnavailableMemory(folder, settings, f"{error}" or type(error).__name__, clock)

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
        """Stop the background work and close the files. Queued work stays on disk."""
        self._services.lifecycle.close()

    def start_worker(self) -> Memory:
        """Start the historian in the background; `with memory.start_worker(): …` works, too.

        If the settings came from a file, changes to it are picked up from now on.
        """
        self._services.lifecycle.start_worker()
        return self

    def stop_worker(self, seconds: float = 10.0) -> None:
        """Stop the historian after its current job, waited for so long; the others stay queued."""
        self._services.lifecycle.stop_worker(seconds)

    def drain(self, timeout: float = 600.0) -> bool:
        """Process everything that is queued, and wait for jobs of other processes. False if
        something was still waiting after `timeout` seconds."""
        return self._services.lifecycle.drain(timeout)

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
        metadata: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        """Report a finished turn. Returns the job's id once it is on disk; None: nothing to store.

        With `wait`, returns once the turn can be recalled, or after that many seconds. `summary` is
        the old name of `action_summary`. If the `actor` is "model", only what people say in
        `messages` counts as said by a person.

            memory.end_turn(Scope(user="u7"), new_info="I moved to Oslo", sender_name="Ann")
        """
        said, names = action_summary or summary, (sender_id, sender_name, group_name, bot_name)
        told = (scope, said, new_info, messages, request_id, time, *names, location, force)
        return self._services.turns.end_turn(Turn(*told, metadata=metadata), wait, actor, door)

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
        metadata: Mapping[str, Any] | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        """For bots without an `end` tool: let the historian decide, in the background, whether the
        messages (`Message` or dict) tell what is worth keeping (W9). Returns the stored job's id.

            memory.consider(Scope(user="u7"), [{"speaker": "Ann", "text": "I moved to Oslo"}])
        """
        names = (sender_id, sender_name, group_name, bot_name)
        turn = Turn(scope, "", "", messages, request_id, time, *names, location, metadata=metadata)
        return self._services.turns.consider(turn, actor, door)

    def observe(
        self, scope: Scope, tool: str, arguments: object = None, result: object = None
    ) -> None:
        """Report a tool run. Takes microseconds; if too many are waiting, the oldest is dropped."""
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
        expires: TimeLike | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> str | None:
        """Store one record word for word, without secrets; its id, or None if memory is off.

        memory.remember(Scope(user="u7"), "Ann moved to Oslo")
        """
        item: dict[str, Any] = {"text": text, "kind": kind, "time": time, "source": source}
        item |= {"speaker": speaker, "session": session, "id": id, "user": user}
        item |= {"confidence": confidence, "metadata": metadata, "expires": expires}
        return next(iter(self.remember_many(scope, [item], actor=actor, door=door)), None)

    def remember_many(
        self,
        scope: Scope,
        items: Iterable[Mapping[str, Any]],
        *,
        actor: str = "host",
        door: str = "python",
    ) -> list[str]:
        """Store many records word for word, one transaction per batch; returns their ids in order,
        or none if memory is off.

        `actor` says who writes: a "person", the "host", or a "model", which is trusted less. What a
        person has rejected is refused (RefusedError), unless a person writes it again.
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
        """Delete one record of this scope's partition, or (without id) all; returns the count.

        `Scope(user=…)` forgets that person in the whole workspace: the private chat, what they
        said in groups, their jobs and profile. `Scope(group=…)` forgets that group, and what
        its people's pages say from there. `deletions` then lists who deleted how much, and through
        which interface (`door`), but never what. The `actor` "model" may not delete what a person
        rejected. `actor_id` identifies the actor in that list, for example by the id of a key.
        """
        return self._services.forgetting.forget(scope, id, actor, door, actor_id)

    def session(self, scope: Scope) -> Session:
        """The working memory of a session (M1–M3): append messages, and get what to send.

        memory.session(Scope(user="u7", session="s1")).messages(max_tokens=8000).messages
        """
        self._services.working.check(scope)
        return Session(scope, self._services.working)

    def set_link(self, scope: Scope, on: bool) -> None:
        """Let this user's private chat and groups share memories (S2); off by default."""
        self._services.turns.set_link(scope, on)

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
        filters: Filters = None,
    ) -> Recall:
        """The few records that matter for `query`, among those that this scope may see and that
        match `filters`. With `explain`, also why each was chosen or left out; that takes longer.

            memory.recall(Scope(user="u7"), "where does Ann live?").hits[0].text
        """
        times = (time_from, time_to, now, deadline)
        return self._services.recall.recall(
            scope, query, top_k, kinds, *times, floor, explain, filters
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
        now: TimeLike | None = None,
    ) -> Recall:
        """Search the events this scope may see, or only those of one user or group among them."""
        return self._services.recall.search_events(
            scope, query, target_user_id, target_group_id, top_k, time_from, time_to, now, deadline
        )

    def search_profiles(
        self,
        scope: Scope,
        query: str,
        entity_type: str | None = None,
        entity_id: str | None = None,
        top_k: int | None = None,
        deadline: float | None = None,
        now: TimeLike | None = None,
    ) -> Recall:
        """Search the profiles this scope may see: the user's own page, or in a group the group's
        page and the parts of its members' pages that the group may know."""
        return self._services.recall.search_profiles(
            scope, query, entity_type, entity_id, top_k, now, deadline
        )

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        """One profile, or None if it does not exist or this scope may not see it."""
        return self._services.recall.get_profile(scope, entity_type, entity_id)

    def get(self, scope: Scope, id: str) -> Hit | None:
        """One record of this scope's own partition, by its id, as recall would return it."""
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
        filters: Filters = None,
    ) -> str:
        """The prompt block for this turn; empty when nothing is known.

        prompt = memory.context(Scope(user="u7"), question, max_tokens=800) + question
        """
        rest = (max_tokens, form, now, deadline, language, count_tokens, False, filters)
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
        explain: bool = False,
        filters: Filters = None,
    ) -> Brief:
        """Like `context`, with the recall behind the block and, if it is empty, the reason.

        The block has at most `max_tokens`, counted by `count_tokens` of this call, that of
        `Memory.open`, `query.tokenizer`, or our own upper bound. With `explain`, `tokens` says what
        each section costs, and `recall.stages` what took how long.
        """
        rest = (max_tokens, form, now, deadline, language, count_tokens, explain, filters)
        return self._services.context.brief(scope, query, *rest)

    def warm_up(self, scope: Scope | None = None, seconds: float = 10.0) -> bool:
        """Load the embedder and the index of `scope`, or of all large chats, within `seconds`."""
        return self._services.recall.warm_up(scope, seconds)

    @property
    def settings(self) -> Settings:
        return self._services.runtime.settings  # those in force; `configuration` changes them

    @property
    def shared_state(self) -> SharedState | None:
        """What several servers share, for the server itself; None without `storage.cache`."""
        return self._services.shared_state

    def is_on(self, scope: Scope) -> bool:
        """Whether memory is on in this scope: `memory.enabled` and the lists of scopes (C3, C4)."""
        return self._services.runtime.is_on(scope)

    def partitions(self, workspace: str = "default") -> list[PartitionInfo]:
        """Chats, groups and agents of a workspace that have records: how many, and the newest."""
        return self._services.status.partitions(workspace)

    def status(self, records: bool = True) -> dict[str, Any]:
        """What is stored, what is waiting and how fast it is, over all processes. `records=False`
        does not count records, which reads the whole table: use it for frequent probes."""
        return self._services.status.status(records)

    def metrics(self) -> dict[str, Any]:
        """All counters and measurements by name: kind, help, labels, samples.

        Jobs, workers and tool runs are those of this process; a monitor adds up processes itself.
        """
        return self._services.status.metrics()
