"""`memory.records`: looking through what is kept, record by record, and putting it right."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from types import EllipsisType
from typing import Any

from ..domain import authority
from ..domain.arguments import whole_number
from ..domain.edited_events import edited, retellings
from ..domain.event_evidence import RETAINED
from ..domain.fact_labels import relabelled
from ..domain.fact_lifecycle import epoch_of, ids_in
from ..domain.facts import lock_name
from ..domain.metadata_checks import check_metadata
from ..domain.own_names import EARLIER, OURS
from ..domain.pending_edits import PendingEdits
from ..domain.profile_records import KEPT_BACK, heading_chars
from ..domain.shared_memory import is_entry
from ..domain.write_checks import KEPT_AS_SAID, check_not_rejected
from ..errors import InputError
from ..exported import Evidence, MeaningMap, Page, Version
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..ingest.records import checked_confidence, checked_expiry
from ..ports import GrowthCounts, PartitionDigest
from ..recall.hit_builder import HitBuilder
from ..recall.related import RelatedRecords
from ..runtime import Runtime
from ..times import TimeLike, to_epoch
from ..transfer.redact import ExportRedactor
from ..types import Edit, Hit, Partition, Record, Scope, checked_kinds, clean_id
from .browse import MAX_PAGE, Browser
from .cursors import cursor_of, position_of
from .evidence import EvidenceService

SCAN = 1000
SCANS_A_PAGE = 20  # so that looking for a rare kind in a large place does not take for ever
EARLIER_KEPT = 5
CHAIN = 100
MAX_RELATED = 50
MAX_DAYS = 400
CORRECTED_ELSEWHERE = {
    "fact": "use facts.correct, which keeps what it said before and stops it from coming back; "
    "only metadata and expires of a fact can be updated",
    "profile": "use profiles.edit",
    "document": "use knowledge.add with the same name, or notes.write",
    "turn": "wait until the historian has made an event of it",
}


class RecordService:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        evidence: EvidenceService,
        related: RelatedRecords,
        hits: HitBuilder,
    ) -> None:
        self._runtime = runtime
        self._evidence = evidence
        self._store, self._locks = runtime.parts.store, runtime.parts.locks
        self._builder = builder
        self._background = background
        self._browser = Browser(runtime, self._redacted)
        self._related, self._hits = related, hits

    def list(
        self,
        scope: Scope,
        kinds: Collection[str] | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page:
        """A page of this scope's partition, in the order the records were stored.

        Pass a page's `next` as `after` to get the following one.
        """
        self._runtime.check_scope(scope)
        whole_number(limit, "limit", MAX_PAGE)
        kinds = checked_kinds(kinds)
        kept: list[Record] = []
        last, more = position_of(after).number, True
        for number, record in self._scanned(scope.home, last, limit):
            if len(kept) == limit:
                break
            last = number
            if (kinds is None or record.kind in kinds) and not self._is_expired(record):
                kept.append(self._redacted(record))
        else:
            more = bool(self._store.scan(scope.home, last, 1))
        return Page(tuple(kept), cursor_of(last) if more else None)

    def newest(
        self,
        scope: Scope,
        kinds: Collection[str] | None = None,
        states: Collection[str] | None = None,
        user: str | int | None = None,
        tag: str | None = None,
        text: str | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        min_confidence: float | None = None,
        expired: bool = False,
        after: str | None = None,
        limit: int = 100,
        *,
        session: str | int | None = None,
        filters: Mapping[str, Any] | None = None,
        order_by: str = "arrival",
    ) -> Page:
        """A page of this scope's partition, newest first, narrowed as asked (Q10).

        By "arrival", the last stored is the first; or by the time "created" or "updated". In every
        state, also replaced or rejected ones, unless `states` says otherwise.
        `expired`: only what is still in force by its state, but has expired.
        """
        times = (time_from, time_to, min_confidence, expired)
        only = self._browser.filter(
            kinds, states, user, tag, text, *times, session, filters, order_by
        )
        return self._browser.newest(scope, only, after, limit)

    def map(
        self, scope: Scope, kinds: Collection[str] | None = None, limit: int = 2000
    ) -> MeaningMap:
        """The newest records of this scope's partition as points on a plane: near one another if
        they say similar things. Without an embedder there is none."""
        return self._browser.map(scope, kinds, limit)

    def digest(self, scope: Scope) -> PartitionDigest:
        """What this scope's partition contains: counts by kind and state, mean confidence, how many
        have expired, growth by day."""
        return self._browser.digest(scope)

    def growth(self, scope: Scope, days: int = 30) -> dict[str, dict[str, int]]:
        """What was stored in this scope's partition and is still there: by kind, then by the day
        (UTC) it was stored. Empty if the store does not know."""
        self._runtime.check_scope(scope)
        whole_number(days, "days", MAX_DAYS)
        browse = self._store.browse
        if not isinstance(browse, GrowthCounts):
            return {}
        return browse.growth(scope.home, self._runtime.clock(), days)

    def change_count(self, scope: Scope) -> int:
        """Counts every write to this scope's partition; if it is equal, nothing changed."""
        return self._browser.change_count(scope)

    def get(self, scope: Scope, id: str) -> Record | None:
        """One record of this scope's partition, whole; `memory.get` gives it as recall would."""
        self._runtime.check_scope(scope)
        found = self._store.get(scope.home, clean_id(id, "id") or "")
        return None if found is None or self._is_expired(found) else self._redacted(found)

    def update(
        self,
        scope: Scope,
        id: str,
        text: str | None = None,
        time: TimeLike | None = None,
        speaker: str | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        expires: TimeLike | EllipsisType | None = ...,
        actor: str = "host",
        door: str = "python",
    ) -> Record:
        """Update a record; omitted fields are unchanged (`expires=None`: it never expires).
        Earlier texts are in `versions`.

        Of facts only metadata and `expires`; their words, profiles and raw turns are changed by
        other methods; the error says which. With the
        `actor` "model", only a model's own records can be changed, and what a person rejected is
        refused.
        """
        self._runtime.check_scope(scope)
        who = authority.checked(actor)
        with (
            self._runtime.recording_refusals(scope, who, door),
            self._locks.hold(lock_name(scope.home)),
        ):
            old = self._own(scope, id)
            is_label = text is None and time is None and speaker is None and confidence is None
            if old.kind in CORRECTED_ELSEWHERE and not (old.kind == "fact" and is_label):
                raise InputError(f"{old.kind}s are not updated: {CORRECTED_ELSEWHERE[old.kind]}")
            if is_entry(old):
                raise InputError(
                    "this was proposed to shared memory; use the verbs of memory.shared"
                )
            authority.check_update(old, who)
            if metadata is not None:
                metadata = self._builder.data(metadata)
                check_metadata(metadata, old.kind, who, old.data)
            new = self._changed(old, text, metadata)
            if time is not None:
                new = replace(new, time=to_epoch(time, self._runtime.zone))
            if speaker is not None:
                new = replace(new, speaker=self._builder.name(speaker))
            if confidence is not None:
                new = replace(new, confidence=checked_confidence(confidence))
            if not isinstance(expires, EllipsisType):
                now = self._runtime.clock()
                new = replace(new, expires=checked_expiry(expires, self._runtime.zone, now))
            new = authority.let_in(new, who) if who == "model" else new
            if text is not None and who != "person" and old.kind not in KEPT_AS_SAID:
                check_not_rejected(self._store, scope.home, new.text)
            retold: Iterator[Edit] = iter(())
            if text is not None and old.kind == "event":
                retold = retellings(PendingEdits(self._store), old, new.text)
            self._store.apply([Edit("put", new), *retold])
        self._background.wake_embedding()
        return self._store.get(scope.home, new.id) or new

    def versions(self, scope: Scope, id: str) -> tuple[Version, ...]:
        """What this record says and said, newest first: earlier texts, facts it replaced."""
        self._runtime.check_scope(scope)
        found: list[Version] = []
        seen: set[str] = set()
        waiting = [self._own(scope, id)]
        while waiting and len(found) < CHAIN:
            one = waiting.pop(0)
            if one.id in seen:
                continue
            seen.add(one.id)
            ended = one.until if one.state == "superseded" else None
            if one.state == "rejected":
                ended = epoch_of(one.data.get("rejected_at"))
            found.append(Version(one.id, self._redacted(one).text, one.state, ended))
            found.extend(self._earlier(one))
            before = ids_in(one, "supersedes")
            records = (self._store.get(scope.home, id) for id in before)
            waiting.extend(record for record in records if record is not None)
        return tuple(found)

    def related(self, scope: Scope, id: str, limit: int = 5) -> tuple[Hit, ...]:
        """The records of this scope's partition that say something similar, by their vectors; the
        score is the cosine. Without an embedder there are none."""
        self._runtime.check_scope(scope)
        whole_number(limit, "limit", MAX_RELATED)
        one = self._own(scope, id)
        least = self._runtime.settings.query.min_similarity
        near = self._related.near(one, self._redacted(one).text, limit, least)
        return tuple(self._hits.hit(record, min(score, 1.0)) for record, score in near)

    def evidence(self, scope: Scope, id: str) -> Evidence:
        """What a record rests on, as far as this scope may see it. A page's id is `user:ann` or
        `group:club`: the evidence is then given line by line."""
        return self._evidence.evidence(scope, id)

    def _scanned(self, place: Partition, after: int, limit: int) -> Iterator[tuple[int, Record]]:
        size = min(SCAN, limit + 1)
        for _ in range(SCANS_A_PAGE):
            rows = self._store.scan(place, after, size)
            yield from rows
            if len(rows) < size:
                return
            after, size = rows[-1][0], SCAN

    def _own(self, scope: Scope, id: str) -> Record:
        found = self._store.get(scope.home, clean_id(id, "id") or "")
        if found is None or self._is_expired(found):
            raise InputError(
                f"there is no record {str(id)[:80]!r} in {scope.home}; list the records"
            )
        return found

    def _is_expired(self, record: Record) -> bool:
        return record.expires is not None and record.expires <= self._runtime.clock()

    def _changed(self, old: Record, text: str | None, metadata: Mapping[str, Any] | None) -> Record:
        data = dict(old.data)
        if metadata is not None:
            kept = {key: data[key] for key in OURS if key in data}
            data = relabelled(data, metadata) if old.kind == "fact" else {**metadata, **kept}
        if text is None:
            return replace(old, data=data)
        words = self._builder.text(text, "text")
        if not words.strip():
            raise InputError("text is empty; to take the record out, forget it")
        if words != old.text:
            before = {"text": self._redacted(old).text, "until": self._runtime.clock()}
            known = data.get(EARLIER)
            data[EARLIER] = [before, *(known if isinstance(known, list) else [])][:EARLIER_KEPT]
        new = replace(old, text=words, redaction=self._builder.stamp, data=data)
        is_anew = old.kind == "event" and EARLIER in data
        return edited(replace(new, text=old.text), words) if is_anew else new

    def _earlier(self, record: Record) -> Iterator[Version]:
        known = record.data.get(EARLIER)
        for one in known if isinstance(known, list) else []:
            if isinstance(one, Mapping):
                until = one.get("until")
                ended = float(until) if isinstance(until, (int, float)) else None
                words = self._runtime.redactor.text(str(one.get("text") or ""))
                yield Version(record.id, words, "superseded", ended)

    def _redacted(self, record: Record) -> Record:
        hidden = KEPT_BACK if record.kind == "profile" else {RETAINED}
        if not hidden.isdisjoint(record.data):
            shown = {key: one for key, one in record.data.items() if key not in hidden}
            record = replace(record, data=shown)
        if record.redaction != self._runtime.redactor.stamp:
            record = ExportRedactor(self._runtime.redactor, trusting=True).record_alone(record)
        before_page = heading_chars(record)
        return replace(record, text=record.text[before_page:]) if before_page else record
