"""Hands the rounds of a session to the historian, every few rounds or at the session's end.

For hosts that append messages and do not end turns one by one. Each round is handed over once, also
if the process is killed between the queue and the mark that it was.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo

from ..errors import TaishiError
from ..ingest.background import BackgroundTasks
from ..ingest.request_numbers import RequestNumbers
from ..ingest.turn import Turn
from ..ingest.turns import TurnService
from ..language.statements import statements
from ..ports import StoredMessage
from ..runtime import Runtime
from ..types import Message, Scope

log = logging.getLogger("taishi.working")
AT_ONCE = 500
BOT = "assistant"


class SessionLearning:
    def __init__(
        self,
        runtime: Runtime,
        background: BackgroundTasks,
        turns: TurnService,
        numbers: RequestNumbers,
    ) -> None:
        self._runtime = runtime
        self._background = background
        self._wanted: dict[Scope, None] = {}
        self._lock = threading.Lock()
        self._store = runtime.parts.store.working
        self._turns = turns
        self._numbers = numbers

    def want(self, scope: Scope) -> None:
        """Learn from this session soon, if enough was said."""
        with self._lock:
            is_new = scope not in self._wanted
            self._wanted[scope] = None
        if is_new:
            self._background.submit(self._run)

    def _run(self) -> None:
        with self._lock:
            wanted, self._wanted = self._wanted, {}
        for scope in wanted:
            try:
                self.learn(scope, self._runtime.settings.working.learn_every_rounds)
            except TaishiError as error:  # what was not handed over is still marked as new
                log.warning("a session was not learned from, later again: %s", error)

    def learn(
        self,
        scope: Scope,
        rounds: int = 1,
        zone: tzinfo | None = None,
        group_name: str | None = None,
    ) -> int:
        """Hand over what was said since the last time, if that is so many rounds; how many jobs."""
        place, session = scope.home, scope.session or ""
        handed = 0
        with self._runtime.parts.locks.hold(f"learn {session} of {place}"):
            while waiting := self._store.unlearned(place, session, AT_ONCE):
                if len(rounds_of(waiting)) < rounds:
                    break
                for batch in self._batches(waiting):
                    handed += self._hand_over(scope, batch, zone, group_name)
                    self._store.mark_learned(place, session, batch[-1].number)
        return handed

    def _batches(self, waiting: Sequence[StoredMessage]) -> list[list[StoredMessage]]:
        """A model reads as many whole rounds as a job keeps messages. Rules take each speaker's
        words for that speaker's: a job each."""
        most = max(1, self._runtime.settings.historian.recent_messages)
        batches: list[list[StoredMessage]] = []
        for part in rounds_of(waiting):
            for said in [part] if self._has_model else by_speaker(part):
                for start in range(0, len(said), most):
                    piece = said[start : start + most]
                    if self._has_model and batches and len(batches[-1]) + len(piece) <= most:
                        batches[-1].extend(piece)
                    else:
                        batches.append(list(piece))
        return batches

    @property
    def _has_model(self) -> bool:
        return self._runtime.parts.chat is not None

    def _hand_over(
        self,
        scope: Scope,
        batch: Sequence[StoredMessage],
        zone: tzinfo | None,
        group_name: str | None,
    ) -> int:
        """With a model, it decides what is worth keeping; without, every statement is kept."""
        asked = [one.message for one in batch if one.message.role == "user"]
        if not asked:
            return 0
        ids = "\x1f".join((str(scope.home), scope.session or "", *(m.message.id for m in batch)))
        request_id = f"session-{hashlib.sha256(ids.encode('utf-8', 'replace')).hexdigest()[:24]}"
        if self._numbers.last_turn(scope.home, request_id):
            return 0
        turn = Turn(
            scope,
            messages=[_message(one) for one in batch],
            request_id=request_id,
            time=batch[-1].message.time,
            sender_id=asked[-1].speaker_id,
            sender_name=asked[-1].speaker or asked[-1].speaker_id or scope.user,
            group_name=group_name,
            bot_name=BOT,
            zone=zone,
        )
        if self._has_model:
            return int(self._turns.consider(turn, "host", "python") is not None)
        told = [line for one in asked for line in statements(one.text)]
        turn = replace(turn, new_info=told)
        return int(self._turns.end_turn(turn, 0.0, "host", "python") is not None)


def rounds_of(messages: Sequence[StoredMessage]) -> list[list[StoredMessage]]:
    """A round begins with what a user says."""
    rounds: list[list[StoredMessage]] = []
    for one in messages:
        is_new = one.message.role == "user" and (
            not rounds or rounds[-1][-1].message.role != "user"
        )
        if is_new or not rounds:
            rounds.append([one])
        else:
            rounds[-1].append(one)
    return rounds


def by_speaker(part: Sequence[StoredMessage]) -> list[list[StoredMessage]]:
    """A round in pieces: what one user says in a row, the last with the answer."""
    pieces: list[list[StoredMessage]] = []
    for one in part:
        said = one.message
        is_other = said.role == "user" and pieces and pieces[-1][-1].message.role == "user"
        if not pieces or (is_other and pieces[-1][-1].message.speaker_id != said.speaker_id):
            pieces.append([one])
        else:
            pieces[-1].append(one)
    return pieces


def _message(one: StoredMessage) -> Message:
    said = one.message
    speaker = BOT if said.role == "assistant" else said.speaker
    return Message(said.text, speaker, said.time, said.id, said.speaker_id)
