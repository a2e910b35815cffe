"""Keeps deleted content from coming back through a repeated turn or an old export.

A source is the same source if it bears the same id, or says the same and is not newer than its
deletion. What somebody says again later is a new source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC
from typing import Any

from ..errors import TimeError
from ..exported import ExportedProfile, ExportedRecord, Moved
from ..times import to_epoch
from ..types import Job, Partition, Record
from .deletion_marks import Marks
from .event_evidence import without_messages
from .evidence_withdrawal import LEARNED, NO_EVENTS, reweighed
from .fact_lifecycle import having, ids_in
from .forgotten_people import without_person
from .line_acl import Statement, groups_in, parse
from .profile_edits import places_of
from .profile_owners import ProfileOwner
from .profile_purge import says_something, unmarked
from .profile_records import GROUPS, SOURCE, indexed_groups
from .text_identity import normal

FRONT_CHARS = 64 * 1024
Since = Callable[[Collection[bytes]], Mapping[bytes, float]]
_UPDATED = re.compile(r'(?m)^updated_at:[ \t]*"?([0-9T:.+Z -]{10,40}?)"?[ \t]*$')
_TAGS = re.compile(r"(?m)^tags:[ \t]*\[([^\]\n]*)\][ \t]*$")


class ForgottenFilter:
    """`since(marks)` says which are known, and when that was deleted."""

    def __init__(self, marks: Marks, since: Since) -> None:
        self._marks = marks
        self._since = since

    def turn(self, job: Job, newest: float) -> Job | None:
        """The turn without deleted content; None if nothing is left.

        `newest` is when something was last deleted: in a turn that is later, as nearly all are,
        only messages that are shown once more can be meant.
        """
        place, marks = job.scope.home, self._marks
        is_old = job.epoch <= newest
        own = self._of_turn(job) if is_old else []
        said = {
            one: marks.statement(place, one)
            for one in (*job.new_info, job.action_summary)
            if is_old
        }
        heard = [
            (one, self._of_message(place, one, _time(one, job.epoch) <= newest))
            for one in job.recent_messages
        ]
        wanted = [*own, *said.values(), *(mark for _, some in heard for mark in some if mark)]
        known = self._since(wanted) if wanted else {}
        if not known:
            return job
        if any(job.epoch <= known.get(mark, -1.0) for mark in own):
            return None
        gone = [one for one, some in heard if self._is_gone(one, some, known, job.epoch)]
        words = [normal(str(one.get("text") or "")) for one in gone]
        news = tuple(
            text
            for text in job.new_info
            if not job.epoch <= known.get(said.get(text, b""), -1.0)
            and not any(normal(text) in one for one in words)
        )
        action = job.action_summary
        if job.epoch <= known.get(said.get(action, b""), -1.0) or (job.new_info and not news):
            action = ""
        if not news and not action and (job.new_info or job.action_summary or gone):
            return None
        return _without(job, news, action, gone) if gone or news != job.new_info else job

    def is_before(self, job: Job) -> bool:
        """Whether its person or place was forgotten after this turn."""
        people = dict.fromkeys(one for one in (job.sender_id, job.user_id) if one)
        marks = [self._marks.user(job.workspace, one) for one in people]
        marks.append(self._marks.place(job.scope.home))
        return any(job.epoch <= since for since in self._since(marks).values())

    def _of_turn(self, job: Job) -> list[bytes]:
        place, marks = job.scope.home, self._marks
        people = dict.fromkeys(one for one in (job.sender_id, job.user_id) if one)
        return [
            marks.record(place, job.event_id),
            marks.place(place),
            *(marks.user(job.workspace, one) for one in people),
        ]

    def _of_message(
        self, place: Partition, message: Mapping[str, Any], by_words: bool = True
    ) -> tuple[bytes, ...]:
        """The mark of its id (b"": it has none), then those of its words and of its speaker."""
        marks, id, who = self._marks, message.get("id"), message.get("speaker_id")
        own = marks.message(place, str(id)) if id else b""
        if not by_words:
            return (own,)
        spoken = [marks.user(place.workspace, str(who))] if who else []
        return (own, marks.statement(place, str(message.get("text") or "")), *spoken)

    @staticmethod
    def _is_gone(
        message: Mapping[str, Any],
        marks: tuple[bytes, ...],
        known: Mapping[bytes, float],
        now: float,
    ) -> bool:
        said = _time(message, now)
        return marks[0] in known or any(said <= known.get(mark, -1.0) for mark in marks[1:])

    def item(self, item: Moved) -> Moved | None:
        """The exported item without content that was deleted since; None if nothing is left."""
        if isinstance(item, ExportedProfile):
            return self._page(item)
        if not isinstance(item, ExportedRecord):
            return item
        record = item.record
        if record.kind == "event":
            return replace(item, record=self._event(record))
        if record.kind == "profile":
            page = self._page_record(record)
            return None if page is None else replace(item, record=page)
        if record.kind in LEARNED:
            kept = self._learned(record)
            return None if kept is None else replace(item, record=kept)
        return item

    def _event(self, event: Record) -> Record:
        created = event.created or event.time or 0.0

        def is_gone(message: Mapping[str, Any]) -> bool:
            some = self._of_message(event.place, message)
            return self._is_gone(message, some, self._since(some), created)

        def is_of_forgotten(message: Mapping[str, Any]) -> bool:
            if not (who := message.get("speaker_id")):
                return False
            mark = self._marks.user(event.place.workspace, str(who))
            return _time(message, created) <= self._since([mark]).get(mark, -1.0)

        event = without_person(event, is_of_forgotten, ()) or event
        return without_messages(event, is_gone) or event

    def _learned(self, record: Record) -> Record | None:
        """The record without deleted sources; None if it has no other."""
        sources = [one for one in ids_in(record, "sources") if one not in NO_EVENTS]
        marks = {self._marks.record(record.place, one): one for one in sources}
        gone = {marks[mark] for mark in self._since(list(marks))}
        if not gone:
            return record
        kept = [one for one in ids_in(record, "sources") if one not in gone]
        if not kept:
            return None
        count = record.data.get("evidence_count")
        left = having(record, sources=kept, quotes=[])
        if isinstance(count, int):
            left = having(left, evidence_count=max(count - len(gone), len(kept)))
        source = kept[0] if record.source in gone else record.source
        return replace(left, source=source, confidence=reweighed(record.confidence, len(gone)))

    def _page(self, moved: ExportedProfile) -> ExportedProfile | None:
        """None for a page that had nothing but what was learned in groups that were forgotten."""
        entity = _entity(moved.workspace, moved.entity_type, moved.entity_id)
        before = [*(text for _, text in moved.snapshots), *([moved.page] if moved.page else [])]
        pages = [self._without_groups(entity, text, _updated(text)) for text in before]
        if pages != before and not any(map(says_something, pages)):
            return None
        left = [self._page_text(entity, text) for text in pages]
        names = [name for name, _ in moved.snapshots]
        page = left.pop() if moved.page else moved.page
        return replace(moved, page=page, snapshots=tuple(zip(names, left, strict=True)))

    def _page_record(self, record: Record) -> Record | None:
        entity_type, _, entity_id = record.id.partition(":")
        entity = _entity(record.place.workspace, entity_type, entity_id)
        source = record.data.get(SOURCE)
        if isinstance(source, str):
            left = self._without_groups(entity, source, record.time)
            if left != source and not says_something(left):
                return None
            record = having(record, **{SOURCE: self._page_text(entity, left)})
        if listed := indexed_groups(record):
            gone = self._forgotten_groups(entity, listed, record.time)
            record = having(record, **{GROUPS: sorted(listed - gone)}) if gone else record
        return replace(record, text=self._page_text(entity, record.text))

    def _without_groups(self, entity: ProfileOwner, text: str, time: float | None) -> str:
        """The page without what was learned in groups that were forgotten after it was written."""
        groups = groups_in(parse(text)) if entity.entity_type == "user" and "<!--" in text else ()
        for group in sorted(self._forgotten_groups(entity, groups, time)):
            text = unmarked(text, f"group:{group}")
        return text

    def _forgotten_groups(
        self, entity: ProfileOwner, groups: Collection[str], time: float | None
    ) -> frozenset[str]:
        places = {one: Partition(entity.workspace, "group", one) for one in groups}
        marks = {self._marks.place(place): one for one, place in places.items()}
        since = self._since(list(marks)) if marks else {}
        return frozenset(marks[one] for one, at in since.items() if time is None or time <= at)

    def _page_text(self, entity: ProfileOwner, text: str) -> str:
        """Line by line. A page carries no time for a line: what was deleted since is known by its
        words, and a person who wants it back writes it again."""
        lines = text.replace("\r\n", "\n").split("\n")
        marks = [self._of_line(line, entity) for line in lines]
        known = self._since([mark for some in marks for mark in some])
        if not known:
            return text
        kept = [
            line
            for line, some in zip(lines, marks, strict=True)
            if not any(mark in known for mark in some)
        ]
        return _TAGS.sub(lambda found: self._tags(found[1], entity), "\n".join(kept))

    def _of_line(self, line: str, entity: ProfileOwner) -> list[bytes]:
        (statement, *_) = parse(line) or [Statement("")]
        if not statement.is_statement:
            return []
        return [self._marks.statement(one, statement.said) for one in places_of(statement, entity)]

    def _tags(self, listed: str, entity: ProfileOwner) -> str:
        tags = [one.strip() for one in listed.split(",")]
        marks = {self._marks.label(entity.place, one.strip("'\"")): one for one in tags}
        known = self._since(list(marks))
        return f"tags: [{', '.join(one for mark, one in marks.items() if mark not in known)}]"


def _updated(page: str) -> float | None:
    """When the text of a page says that it was written; None: it does not say."""
    found = _UPDATED.search(page[:FRONT_CHARS])
    try:
        return to_epoch(found[1], UTC) if found else None
    except TimeError:
        return None


def _time(message: Mapping[str, Any], turn: float) -> float:
    time = message.get("time")
    return float(time) if isinstance(time, (int, float)) else turn


def _entity(workspace: str, entity_type: str, entity_id: str) -> ProfileOwner:
    return ProfileOwner(workspace, "user" if entity_type == "user" else "group", entity_id)


def _without(
    job: Job, news: tuple[str, ...], action: str, gone: Collection[Mapping[str, Any]]
) -> Job:
    kept = tuple(one for one in job.recent_messages if one not in gone)
    source = job.source_message
    if any(source == one.get("text") for one in gone):
        source = str(kept[-1].get("text") or "") if kept else ""
    return replace(
        job,
        new_info=news,
        action_summary=action,
        recent_messages=kept,
        source_message=source,
        recalled=(),
    )
