"""Turns drafted facts and the decisions about them into edits (F1). Nothing here stores.

A rejected fact stays where it is, as the tombstone that stops it from being learned again (P5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any

from ..errors import InputError
from ..types import Edit, Job, Partition, Record
from .authority import of_model, rank, signed
from .drafts import ACTIONS, FactDraft, Reconciliation
from .fact_lifecycle import (
    SHARED,
    confirmed,
    ended_after,
    epoch_of,
    having,
    ids_in,
    moment,
    new_fact,
    restated,
    superseded,
)
from .own_facts import ABOUT_USER
from .text_identity import normal, quoted_by_person, same

STATES = ("candidate", "approved", "rejected", "superseded", "conflict")
QUERY_CHARS = 500
CLEARLY_MORE = 2


def lock_name(place: Partition) -> str:
    """The lock to hold from reading facts until they are written back."""
    return f"facts of {place}"


def shortlist_query(draft: FactDraft) -> str:
    """The search query for known facts that a draft may be about."""
    content = draft.content.strip()[:QUERY_CHARS]
    subject = draft.subject.strip()[:QUERY_CHARS]
    return content if subject in content else f"{subject} {content}"[:QUERY_CHARS]


def said_by_person(draft: FactDraft, job: Job) -> bool:
    """Whether the evidence is in a person's own message, not only in the bot's."""
    return quoted_by_person(draft.quote, job)


def is_models(draft: FactDraft, job: Job) -> bool:
    """Whether a model wrote this by itself: no message of a person in the turn says it."""
    return job.actor == "model" and not said_by_person(draft, job)


def to_edits(
    drafts: Sequence[FactDraft],
    decisions: Sequence[Reconciliation],
    known: Mapping[str, Record],
    event_id: str,
    place: Partition,
    now: float,
    user: str | None,
    *,
    by_model: Callable[[FactDraft], bool] = lambda draft: False,
    zone: tzinfo = UTC,
) -> list[Edit]:
    """The edits of one event, each record at most once. `now` is when it was said.

    `known` is what the decisions may refer to: approved, candidate, conflicting and rejected
    facts alike. What a person rejected stays rejected whoever says it again, and that is counted:
    only a person's approval takes it back. `by_model` tells drafts that a model wrote by itself:
    they are trusted less, and end nothing that a person said.
    """
    batch = _Batch(known, event_id, place, now, user, zone)
    for draft, decision in zip(drafts, decisions, strict=True):
        if normal(draft.content):
            batch.take(draft, decision, by_model(draft))
    return batch.edits()


class _Batch:
    """The facts of one event; later drafts see what earlier ones did."""

    def __init__(
        self,
        known: Mapping[str, Record],
        event_id: str,
        place: Partition,
        now: float,
        user: str | None,
        zone: tzinfo,
    ) -> None:
        # Facts that other places share with this one are theirs to change, and what was proposed
        # to shared memory is a coordinator's.
        mine = (one for one in known.values() if one.place == place and SHARED not in one.data)
        self._before = {record.id: record for record in mine}
        self._known = dict(self._before)
        self._event_id = event_id
        self._place = place
        self._now = now
        self._user = user
        self._zone = zone
        self._by_model = False  # the current draft

    def edits(self) -> list[Edit]:
        changed = (fact for id, fact in self._known.items() if self._before.get(id) != fact)
        return [Edit("put", record) for record in changed]

    def take(self, draft: FactDraft, decision: Reconciliation, by_model: bool = False) -> None:
        before = set(self._known)
        self._by_model = by_model
        self._decide(draft, decision)
        by = next((id for id in self._known if id not in before), decision.known_id)
        for id in decision.ends:
            self._end(id, by or self._event_id, draft)
        if decision.action == "confirm" and decision.known_id and decision.ends:
            self._without_rivals(decision.known_id)

    def _without_rivals(self, id: str) -> None:
        """What was in conflict, and is confirmed by what ended all that contradicted it, holds."""
        fact = self._known.get(id)
        if fact is None or fact.state != "conflict":
            return
        rivals = [self._known.get(rival) for rival in ids_in(fact, "conflict_with")]
        if not any(rival and rival.state in ("approved", "conflict") for rival in rivals):
            self._put(replace(having(fact, conflict_with=[]), state="approved"))

    def _end(self, id: str, by: str, draft: FactDraft) -> None:
        """No longer so, since the statement or its date; not by a turn that is older than it."""
        old = self._known.get(id)
        if old is None or old.state in ("superseded", "rejected") or old.source == self._event_id:
            return
        if self._may_end(old) and not self._is_older(old, moment(draft.valid_from, self._zone)):
            self._put(superseded(old, by, self._starts(draft), self._zone))

    def _may_end(self, old: Record) -> bool:
        return not self._by_model or rank(old) == 0

    def _decide(self, draft: FactDraft, decision: Reconciliation) -> None:
        action = decision.action
        if action not in ACTIONS:
            raise InputError(f"{action!r:.40} is not a decision; use one of {', '.join(ACTIONS)}")
        if self._is_past(draft.content):
            return
        target = self._current(self._known.get(decision.known_id or ""), action)
        twin = self._twin(draft.content)
        tomb = next((fact for fact in (twin, target) if _is_tomb(fact)), None)
        if tomb is not None and (twin is None or _is_tomb(twin)):
            self._put(restated(tomb, self._event_id))
        elif action == "ignore":
            return
        elif twin is not None:
            self._confirm(twin, draft)
            other = target is not None and target.id != twin.id and self._may_end(target)
            if action == "supersede" and target is not None and other:
                self._put(superseded(target, twin.id, self._starts(draft), self._zone))
        elif target is None or action == "add":
            self._add(draft)
        elif action == "confirm":
            self._confirm(target, draft)
        elif target.source != self._event_id:  # or this is a retry, and the event made it itself
            supersedes = action == "supersede" and self._may_end(target)
            (self._supersede if supersedes else self._conflict)(target, draft)

    def _current(self, fact: Record | None, action: str) -> Record | None:
        """What a decision is about: only what holds can be contradicted."""
        if action not in ("supersede", "conflict"):
            return fact
        visited = set()
        while fact is not None and fact.state == "superseded" and fact.id not in visited:
            visited.add(fact.id)
            fact = self._known.get(str(fact.data.get("superseded_by")))
        return None if _is_tomb(fact) or (fact and fact.state == "superseded") else fact

    def _twin(self, content: str) -> Record | None:
        """A known fact in the same words; a current one rather than a rejected one."""
        twins = [fact for fact in self._known.values() if same(fact.text, content)]
        twins = [fact for fact in twins if fact.state != "superseded"]
        return min(twins, key=lambda fact: fact.state == "rejected", default=None)

    def _is_past(self, content: str) -> bool:
        """Known, and ended since this was said: an old turn that comes late, or once more."""
        return any(
            same(fact.text, content)
            for fact in self._before.values()
            if ended_after(fact, self._now) and fact.source != self._event_id
        )

    def _put(self, record: Record) -> None:
        self._known[record.id] = record

    def _starts(self, draft: FactDraft) -> float:
        start = moment(draft.valid_from, self._zone)
        return self._now if start is None else start

    def _add(self, draft: FactDraft, state: str = "approved", **changes: Any) -> Record:
        data: dict[str, Any] = {
            "valid_from": moment(draft.valid_from, self._zone),
            "valid_to": moment(draft.valid_to, self._zone, end=True),
            "confidence": draft.confidence,
            "category": draft.category,
            "subject": draft.subject,
            "quote": draft.quote,
            "tags": draft.tags,
            **({"by_self": True, ABOUT_USER: draft.about_user} if draft.by_self else {}),
            **changes,
        }
        record = new_fact(
            draft.content,
            self._place,
            self._event_id,
            self._now,
            self._user,
            state=state,
            zone=self._zone,
            **data,
        )
        record = of_model(record) if self._by_model else record
        if record.id not in self._known:
            self._put(record)
        return self._known[record.id]

    def _confirm(self, known: Record, draft: FactDraft) -> None:
        if self._event_id in ids_in(known, "sources"):
            return
        if self._by_model:  # what a model says by itself is no evidence
            self._sort(known, draft)
            return
        known = signed(known, "host") if rank(known) == 0 else known
        grown = confirmed(known, self._event_id, self._now, draft.quote, self._zone)
        if draft.by_self:
            grown = having(grown, by_self=True)
        if draft.about_user and known.user is not None and known.user == self._user:
            grown = having(grown, **{ABOUT_USER: True})
        self._put(grown)
        self._weigh(known.id)

    def _sort(self, known: Record, draft: FactDraft) -> None:
        """What a model remembered in words alone belongs on a page as soon as a turn tells whom it
        is about."""
        if rank(known) == 0 and known.state == "approved":
            is_of_user = draft.about_user and known.user is not None and known.user == self._user
            category = known.data.get("category") or draft.category
            subject = known.data.get("subject") or draft.subject
            about = {ABOUT_USER: True} if is_of_user else {}
            self._put(having(known, category=category, subject=subject, **about))

    def _weigh(self, id: str) -> None:
        """New evidence for one side of a conflict: that side wins if it is now the stronger one."""
        fact = self._known[id]
        rivals = [self._known.get(rival) for rival in ids_in(fact, "conflict_with")]
        standing = [rival for rival in rivals if rival and rival.state in ("approved", "conflict")]
        if not standing or not all(is_stronger(fact, rival) for rival in standing):
            return
        self._put(replace(having(fact, conflict_with=[]), state="approved"))
        for rival in standing:
            self._put(superseded(rival, id, self._now, self._zone))

    def _supersede(self, old: Record, draft: FactDraft) -> None:
        if self._is_older(old, moment(draft.valid_from, self._zone)):
            if rank(old) == 0 and old.data.get("last_confirmed") is None:
                self._dispute(old, draft)
                return
            data = old.data
            until = epoch_of(data.get("valid_from")) or epoch_of(data.get("first_observed"))
            ended = moment(draft.valid_to, self._zone, end=True) or until
            self._add(draft, "superseded", superseded_by=old.id, valid_to=ended)
            return
        starts = self._starts(draft)
        new = self._add(draft, supersedes=[old.id], related=[old.id], valid_from=starts)
        self._put(superseded(old, new.id, starts, self._zone))

    def _dispute(self, kept: Record, draft: FactDraft) -> None:
        """A model kept something else since this was said: as if this had been known then."""
        new = self._add(draft, conflict_with=[kept.id])
        self._put(replace(having(kept, conflict_with=[new.id]), state="conflict"))

    def _is_older(self, old: Record, start: float | None) -> bool:
        """Jobs may be processed out of order: an older statement becomes history."""
        confirmed_at = epoch_of(old.data.get("last_confirmed")) or old.time
        if confirmed_at is not None and self._now < confirmed_at:
            return True
        began = epoch_of(old.data.get("valid_from"))
        return start is not None and began is not None and start < began

    def _conflict(self, old: Record, draft: FactDraft) -> None:
        new = self._add(draft, "conflict", conflict_with=[old.id])
        against = dict.fromkeys([*ids_in(old, "conflict_with"), new.id])
        self._put(having(old, conflict_with=list(against)))


def is_stronger(fact: Record, other: Record) -> bool:
    """What the person said of himself, before what others say; of equals, clearly more evidence."""
    own, others = (bool(record.data.get("by_self")) for record in (fact, other))
    if own != others:
        return own
    first, second = (record.data.get("evidence_count") for record in (fact, other))
    if not isinstance(first, int) or not isinstance(second, int):
        return False
    return first >= second + CLEARLY_MORE


def _is_tomb(record: Record | None) -> bool:
    return record is not None and record.state == "rejected"
