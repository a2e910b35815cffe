"""Evidence: follows a record, or each line of a page, back to its sources.

A fact, a way of working or a summary rests on events, an event on the messages of its turn, a line
of a page on the facts that it says. What a person wrote or decided has the person as its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain import line_acl, profile_lines
from ..domain.event_evidence import own_messages
from ..domain.fact_lifecycle import epoch_of, ids_in
from ..domain.line_acl import Statement
from ..domain.profile_owners import ProfileOwner
from ..domain.profile_records import former_names
from ..domain.profiles import Profiles
from ..domain.shared_memory import is_entry, was_approved
from ..errors import InputError
from ..exported import Evidence, Source
from ..recall.access import visible_partitions
from ..runtime import Runtime
from ..types import Partition, Profile, Record, Scope, VisiblePartition, clean_id

MOST_FACTS = 20_000
MOST_EVENTS = 1000
PAGES = ("user:", "group:")
WRITERS = ("model", "host")


class EvidenceService:
    def __init__(self, runtime: Runtime, profiles: Profiles) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._profiles = profiles

    def evidence(self, scope: Scope, id: str) -> Evidence:
        """What a record rests on, as far as this scope may see it. A page's id is `user:ann` or
        `group:club`: each of its lines is followed back by itself."""
        self._runtime.check_scope(scope)
        wanted = clean_id(id, "id") or ""
        partitions = visible_partitions(scope, self._store)
        if wanted.startswith(PAGES):
            entity_type, _, entity_id = wanted.partition(":")
            page = self._profiles.read(scope, entity_type, entity_id)
            if page is not None:
                return self._of_page(page, partitions)
        for visible in partitions:
            found = self._store.get(visible.place, wanted)
            if found is not None and _may_see(visible, found):
                return self._of_record(found, visible)
        raise InputError(f"this scope sees no record {str(id)[:80]!r}; list them, or recall")

    def _of_record(self, record: Record, visible: VisiblePartition) -> Evidence:
        sources = tuple(self._sources(record, visible))
        return Evidence(record.id, record.kind, self._seen(record), sources)

    def _sources(self, record: Record, visible: VisiblePartition) -> Iterator[Source]:
        ids = ids_in(record, "sources")
        if record.kind in ("event", "turn"):
            yield from self._of_event(record, visible)
        elif record.kind == "observation":
            yield Source("tool", record.id, "", record.time, record.speaker)
        elif record.kind == "summary" and not ids:
            yield from self._of_session(record, visible)
        elif not ids:
            yield Source("host", record.source or "", "", record.created, record.speaker)
        for id in ids:
            yield self._source(record, id, visible)
        if record.data.get("decided_by") == "person":
            yield Source("person", "", "", epoch_of(record.data.get("decided_at")), "person")

    def _source(self, record: Record, id: str, visible: VisiblePartition) -> Source:
        if id in ("person", "profile"):
            return Source("person", id, "", epoch_of(record.data.get("first_observed")), "person")
        if id in WRITERS:  # no record: whoever wrote it
            return Source(id, id, "", epoch_of(record.data.get("first_observed")))
        found = self._store.get(record.place, id)
        if found is None:
            return Source("missing", id)
        text = self._seen(found) if _may_see(visible, found) else ""
        return Source(found.kind, id, text, found.time, found.speaker)

    def _of_event(self, event: Record, visible: VisiblePartition) -> Iterator[Source]:
        """The messages of its turn; without any, what the host told of it."""
        messages = own_messages(event)
        for one in messages:
            speaker, said = one.get("speaker"), str(one.get("text") or "")
            own = visible.only_user is None or one.get("speaker_id") == visible.only_user
            time = one.get("time")
            yield Source(
                "message",
                str(one.get("id") or ""),
                self._runtime.redactor.text(said) if own else "",
                float(time) if isinstance(time, (int, float)) else event.time,
                str(speaker) if speaker else event.speaker,
            )
        if not messages:
            yield Source("host", event.source or "", "", event.created, event.speaker)

    def _of_session(self, summary: Record, visible: VisiblePartition) -> Iterator[Source]:
        told = self._store.find(summary.place, ("event", "turn"), None, MOST_EVENTS)
        own = [one for one in told if summary.session and one.session == summary.session]
        for one in reversed(own):
            if "perspective_of" not in one.data:
                yield self._source(summary, one.id, visible)
        if not own:  # messages that no turn ended with
            yield Source("host", summary.session or "", "", summary.time, None)

    # -- pages --------------------------------------------------------------------------------

    def _of_page(self, page: Profile, partitions: Sequence[VisiblePartition]) -> Evidence:
        entity = ProfileOwner(page.workspace, page.entity_type, page.entity_id)
        names = [name for name in (page.name, *former_names(page), page.entity_id) if name]
        facts = [
            (one, visible)
            for visible in partitions
            if _may_hold(visible, entity)
            for one in self._facts_there(visible)
        ]
        lines = [one for one in line_acl.parse(page.body) if one.is_statement]
        claims = tuple(self._of_line(line, facts, names, page) for line in lines)
        body = self._runtime.redactor.text(page.body)
        return Evidence(entity.record_id, "profile", body, (), claims)

    def _facts_there(self, visible: VisiblePartition) -> list[Record]:
        found = self._store.find(visible.place, ("fact",), None, MOST_FACTS)
        return [one for one in found if one.state != "rejected" and _may_see(visible, one)]

    def _of_line(
        self,
        line: Statement,
        facts: Sequence[tuple[Record, VisiblePartition]],
        names: Sequence[str],
        page: Profile,
    ) -> Evidence:
        """A line that a model put in other words rests on the fact that it shares most with."""
        said = [(one, at) for one, at in facts if profile_lines.says(line, one.text, names)]
        if not said:
            near = [(profile_lines.likeness(line, one.text, names), one, at) for one, at in facts]
            best = max((share for share, _, _ in near), default=0.0)
            said = [(one, at) for share, one, at in near if share == best >= profile_lines.LIKE]
        text = self._runtime.redactor.text(line.said)
        sources = [one for fact, at in said for one in self._sources(fact, at)]
        if not sources:
            sources = [
                Source(
                    "page", f"{page.entity_type}:{page.entity_id}", "", epoch_of(page.updated_at)
                )
            ]
        ids = ",".join(fact.id for fact, _ in said)
        return Evidence(ids, "line", text, tuple(dict.fromkeys(sources)))

    def _seen(self, record: Record) -> str:
        read = record.redaction == self._runtime.redactor.stamp
        return record.text if read else self._runtime.redactor.text(record.text)


def _may_see(visible: VisiblePartition, record: Record) -> bool:
    if is_entry(record) and not was_approved(record):
        return False  # `shared.audit` is for those who decide about it
    return visible.only_user is None or record.user == visible.only_user


def _may_hold(visible: VisiblePartition, entity: ProfileOwner) -> bool:
    """Facts of what all share are on nobody's page."""
    place: Partition = visible.place
    return place.kind in ("private", "group") and place.workspace == entity.workspace
