"""`remember` and `remember_many`: records kept word for word, but redacted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from ..domain import arguments, authority
from ..domain.metadata_checks import check_metadata
from ..domain.write_checks import WriteChecks
from ..errors import InputError, RefusedError
from ..language.text import well_formed
from ..runtime import Runtime
from ..times import TimeLike, to_epoch
from ..types import KINDS, Edit, Record, Scope, clean_id
from .background import BackgroundTasks
from .job_builder import JobBuilder, new_id
from .remembered_facts import compared
from .remembered_instructions import as_instruction

BATCH = 1000


class RememberService:
    def __init__(self, runtime: Runtime, builder: JobBuilder, background: BackgroundTasks) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._builder = builder
        self._background = background

    def remember_many(
        self, scope: Scope, items: Iterable[Mapping[str, Any]], actor: str, door: str
    ) -> list[str]:
        if not self._runtime.is_on(scope):
            return []
        who = authority.checked(actor)
        with self._runtime.recording_refusals(scope, who, door):
            return self._remember(scope, items, who)

    def _remember(
        self, scope: Scope, items: Iterable[Mapping[str, Any]], actor: authority.Actor
    ) -> list[str]:
        checks = WriteChecks(self._store, scope.home, actor)
        is_alone = isinstance(items, Sequence) and len(items) == 1
        ids: list[str] = []
        batch: list[Edit] = []
        may_replace = False
        for number, item in enumerate(arguments.each(items, "items")):
            try:
                record = to_record(scope, item, self._builder, self._runtime.clock())
                check_metadata(record.data, record.kind, actor)
                edits = checks.edits(record, named=item.get("id") is not None)
                if actor == "model":
                    is_new = item.get("id") is None
                    edits = [self._compared(edit, is_new) for edit in edits]
            except InputError as error:
                raise error if is_alone else _numbered(error, number) from None
            batch += edits
            ids.append(edits[0].record.id if edits[0].record else record.id)
            may_replace = may_replace or item.get("id") is not None
            if len(batch) >= BATCH:
                self._apply(batch, may_replace)
                batch = []
        self._apply(batch, may_replace)
        return ids

    def _compared(self, edit: Edit, is_new: bool) -> Edit:
        """What a model keeps does not stand beside what contradicts it. What a person wants done
        from now on is a standing instruction; one that has an id of the caller's stays a fact."""
        new = edit.record
        if edit.op != "put" or new is None or new.kind != "fact" or new.state != "approved":
            return edit
        asked = as_instruction(new, self._store) if is_new else None
        return Edit("put", asked or compared(new, self._store))

    def _apply(self, batch: list[Edit], may_replace: bool) -> None:
        if batch:
            self._store.apply(batch, erases=may_replace)
            self._background.wake_embedding()


def _numbered(error: InputError, number: int) -> InputError:
    """The error with which of many items it is about."""
    text = f"item {number}: {error}"
    if isinstance(error, RefusedError):
        return type(error)(text, error.reason, error.limit)
    return type(error)(text)


def to_record(scope: Scope, item: Mapping[str, Any], builder: JobBuilder, now: float) -> Record:
    arguments.item(item)
    text = builder.text(item.get("text"), "text")
    arguments.need_text(text)
    kind = item.get("kind") or "note"
    if kind not in KINDS:
        raise InputError(f"unknown kind {kind!r:.40}; use one of {', '.join(KINDS)}")
    if kind == "document":
        raise InputError("a document is added with knowledge.add, which cuts it into chunks")
    return Record(
        id=clean_id(item.get("id"), "id") or new_id(),
        place=scope.home,
        kind=kind,
        text=text,
        time=_time(item.get("time"), builder, now),
        created=now,
        expires=checked_expiry(item.get("expires"), builder.zone, now),
        user=clean_id(item.get("user"), "user") or scope.user,
        speaker=builder.name(item.get("speaker")),
        session=clean_id(item.get("session"), "session") or scope.session,
        source=_source(item.get("source")),
        redaction=builder.stamp,
        confidence=checked_confidence(1.0 if (sure := item.get("confidence")) is None else sure),
        data=builder.data(item.get("metadata")),
    )


def _time(value: TimeLike | None, builder: JobBuilder, now: float) -> float:
    return now if value is None else to_epoch(value, builder.zone)


def checked_expiry(value: TimeLike | None, zone: tzinfo, now: float) -> float | None:
    """When a record is to be deleted; None: never."""
    if value is None:
        return None
    expires = to_epoch(value, zone)
    if expires <= now:
        raise InputError("expires is in the past; to delete a record now, forget it")
    return expires


def _source(value: object) -> str | None:
    """The caller's own id: it comes back untouched."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"source must be a string or an integer, not {type(value).__name__}")
    return well_formed(str(value))


def checked_confidence(value: object) -> float:
    return arguments.share(value, "confidence")
