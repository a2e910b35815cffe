"""Periodic maintenance: session summaries (W8), short-term memories that expire (F4), records with
an end (Q10), old tool runs that go to the archive (W7)."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from ..domain import short_term
from ..domain.facts import lock_name
from ..domain.forget_requests import messages_without_requests
from ..domain.rejections import rejected_in
from ..domain.session_summaries import summary_record
from ..errors import StorageError
from ..historian.historian import Historian
from ..ports import Locks, Sessions, Store
from ..settings import Settings
from ..times import to_datetime
from ..transfer.observation_archive import ObservationArchive
from ..types import Edit, Job, Message, Partition, Scope
from .learner import Shortlist

log = logging.getLogger("taishi.upkeep")
SUMMARISED_AT_ONCE = 200
ARCHIVED_AT_ONCE = 5000
EXPIRED_AT_ONCE = 1000
DAY_SECONDS = 86_400
KNOWN_FACTS = 5


class Upkeep:
    """Each verb may be called by any process at any time; what is done twice is done once."""

    def __init__(
        self,
        store: Store,
        sessions: Sessions,
        locks: Locks,
        historian: Historian,
        shortlist: Shortlist,
        settings: Settings,
        zone: tzinfo,
        clock: Callable[[], float],
        archive: ObservationArchive,
    ) -> None:
        self._archive = archive
        self._store = store
        self._sessions = sessions
        self._locks = locks
        self._historian = historian
        self._shortlist = shortlist
        self._settings = settings
        self._zone = zone
        self._clock = clock
        self._expirations: list[Callable[[], int]] = []

    def also_expire(self, expire: Callable[[], int]) -> None:
        """Something else that ends with its time; it says how many did."""
        self._expirations.append(expire)

    # -- sessions ----------------------------------------------------------------------------

    def buffer_turn(self, job: Job) -> None:
        """Keep a turn's messages for its session's next summary."""
        if job.session_id and job.recent_messages and not self._is_appended(job.scope):
            sender = (job.sender_name, job.sender_id)
            self.buffer(job.scope, job.recent_messages, sender)

    def _is_appended(self, scope: Scope) -> bool:
        """Whether the host appends the messages of this session itself: then they are there."""
        return self._store.working.count(scope.home, scope.session or "") > 0

    def buffer(
        self,
        scope: Scope,
        said: Sequence[Mapping[str, Any]],
        sender: tuple[str | None, str | None] = (None, None),
    ) -> int:
        """Keep these for the session's next summary; how many were new. `sender` is a name, and the
        id of whoever bears it."""
        messages = [_message(one, *sender) for one in said]
        return self._sessions.add_messages(scope.home, scope.session or "", messages)

    def summarise_due(self) -> int:
        settings = self._settings.summary
        due = self._sessions.due_sessions(
            self._clock(), settings.interval_seconds, settings.min_messages
        )
        return sum(self.summarise(session.place, session.session) for session in due)

    def summarise(self, place: Partition, session: str) -> bool:
        """Bring a session's summary up to date; False if nothing new was said."""
        with self._locks.hold(f"session {session} of {place}"):
            waiting = self._sessions.take_messages(place, session, SUMMARISED_AT_ONCE)
            if not waiting:
                return False
            before = self._sessions.session_summary(place, session)
            now = self._clock()
            local = to_datetime(now, self._zone)
            said = messages_without_requests([one.message for one in waiting])
            summary = self._historian.summarise(said, before, local) if said else before
            if said:
                record = summary_record(place, session, summary, now)
                noted = rejected_in(self._store, place).with_notes(record)
                self._store.apply([Edit("put", noted)], erases=False)
            numbers = [one.number for one in waiting]
            self._sessions.mark_summarised(place, session, numbers, summary, now)
        return bool(said)

    # -- short-term memory ---------------------------------------------------------------------

    def visited(self, place: Partition, ids: Sequence[str], session: str) -> None:
        """These were recalled in a session; what enough sessions needed becomes a fact."""
        with self._locks.hold(lock_name(place)):
            for id in ids:
                record = self._store.get(place, id)
                edit = short_term.visit(record, session) if record else None
                if edit is None or edit.record is None:
                    continue
                self._store.apply([edit], erases=False)
                if short_term.promotable(edit.record, self._settings.short_term):
                    known = self._shortlist(place, edit.record.text, ("fact",), KNOWN_FACTS)
                    tomb = rejected_in(self._store, place).saying(edit.record.text)
                    known += [tomb] if tomb else []
                    self._store.apply(
                        short_term.promote(edit.record, known, self._clock(), self._zone)
                    )

    def expire(self) -> int:
        """End the lives that are over, everywhere, and archive the tool runs that are too old."""
        ended, places = 0, [place for place, _ in self._store.places()]
        for place in places:
            with self._locks.hold(lock_name(place)):
                kept = self._store.find(place, ("short_term",))
                ended += self._store.apply(short_term.expired(kept, self._clock()))
        ended += self._delete_expired()
        ended += sum(expire() for expire in self._expirations)
        return ended + self._archive_old(places)

    def _delete_expired(self) -> int:
        """Records whose host gave them an end. What was put back or prolonged meanwhile stays."""
        ended, now = 0, self._clock()
        while due := self._store.expired(now, EXPIRED_AT_ONCE):
            deleted = 0
            for place in dict.fromkeys(place for place, _ in due):
                with self._locks.hold(lock_name(place)):
                    ids = [id for where, id in due if where == place]
                    records = [self._store.get(place, id) for id in ids]
                    over = [one for one in records if one and (one.expires or math.inf) <= now]
                    edits = [Edit("remove", place=place, id=one.id) for one in over]
                    deleted += self._store.apply(edits)
            ended += deleted
            if not deleted or len(due) < EXPIRED_AT_ONCE:
                break
        return ended

    def _archive_old(self, places: Sequence[Partition]) -> int:
        """In batches, so that whoever waits for a place does not wait long; some at a time, so
        that summaries have their turn. Without a place to put them they stay in the store."""
        days = self._settings.observation.max_age_days
        if not days:
            return 0
        before, archived = self._clock() - days * DAY_SECONDS, 0
        try:
            for place in places:
                while archived < ARCHIVED_AT_ONCE:
                    with self._locks.hold(lock_name(place)):
                        count = self._archive.archive(place, before)
                    archived += count
                    if not count:
                        break
        except StorageError as error:
            log.warning("tool runs older than %g days could not be archived: %s", days, error)
        if archived:
            log.info("%d tool runs older than %g days were archived", archived, days)
        return archived


def message_id(kept: Mapping[str, Any]) -> str:
    """The host's id or, without one, a hash of who said what when."""
    told = tuple(kept.get(key) for key in ("speaker", "time", "text"))
    return str(kept.get("id") or hashlib.sha256(repr(told).encode()).hexdigest()[:32])


def _message(kept: Mapping[str, Any], sender: str | None, sender_id: str | None) -> Message:
    """A message with an id, as turns overlap and the same message must not count twice; and with
    its speaker's, so that it goes when they are forgotten."""
    id = message_id(kept)
    is_sender = kept["speaker"] is not None and kept["speaker"] == sender
    speaker_id = kept["speaker_id"] or (sender_id if is_sender else None)
    return Message(str(kept["text"]), kept["speaker"], kept["time"], id, speaker_id)
