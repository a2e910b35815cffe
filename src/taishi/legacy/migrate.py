"""Migrates an old `end_summaries.json`, once, however often it is run (C3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..domain.events import put_event
from ..domain.rejections import rejected_in
from ..errors import InputError
from ..historian import rule_writer
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..ingest.turn import Turn
from ..language.gate import check
from ..runtime import Runtime
from ..transfer.progress import Progress
from ..types import Edit, Record, Scope
from . import entries
from .entries import Entry

BATCH = 200
NO_TIME = "the time is not known"


@dataclass(frozen=True, slots=True)
class Migrated:
    """`broken` holds the number of each entry that could not be used (from 1), and why."""

    total: int = 0
    added: int = 0
    already: int = 0
    without_time: int = 0
    not_absolute: int = 0
    broken: tuple[tuple[int, str], ...] = ()


class MigrationService:
    def __init__(self, runtime: Runtime, builder: JobBuilder, background: BackgroundTasks) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._builder = builder
        self._background = background

    def migrate(
        self,
        file: str | Path,
        scope: Scope | None,
        workspace: str,
        dry_run: bool,
        progress: Progress | None,
    ) -> Migrated:
        self._runtime.check_open()
        if not self._runtime.settings.memory.enabled:
            raise InputError("memory is off (memory.enabled = false); switch it on, then migrate")
        home = scope.workspace if scope is not None else workspace
        good, broken = self._read_entries(Path(file), scope, home)
        done = Migrated(total=len(good) + len(broken), broken=tuple(broken))
        for begin in range(0, len(good), BATCH):
            done = self._bring_in(good[begin : begin + BATCH], done, dry_run)
            if progress is not None:
                progress(done.added + done.already, len(good))
        return done

    def _read_entries(
        self, file: Path, scope: Scope | None, workspace: str
    ) -> tuple[list[tuple[Scope, Entry]], list[tuple[int, str]]]:
        try:
            content = file.read_bytes()
        except (OSError, ValueError) as error:
            raise InputError(f"{str(file)!r} cannot be read ({error}); correct the path") from error
        good: list[tuple[Scope, Entry]] = []
        broken: list[tuple[int, str]] = []
        for number, raw in enumerate(entries.parse(content, str(file)), 1):
            try:
                entry = entries.read(raw, self._runtime.zone)
                good.append((_whose(entry, scope, workspace), entry))
            except InputError as error:
                broken.append((number, str(error)))
        named = entries.identified([entry for _, entry in good])
        return [(home, entry) for (home, _), entry in zip(good, named, strict=True)], broken

    def _bring_in(
        self, batch: Sequence[tuple[Scope, Entry]], done: Migrated, dry_run: bool
    ) -> Migrated:
        new = [(s, e) for s, e in batch if self._store.get(s.home, e.id or "") is None]
        records = [self._event(scope, entry) for scope, entry in new]
        records = [rejected_in(self._store, one.place).with_notes(one) for one in records]
        if records and not dry_run:
            self._store.apply([Edit("land", record) for record in records])
            self._background.wake_embedding()
        return replace(
            done,
            added=done.added + len(new),
            already=done.already + len(batch) - len(new),
            without_time=done.without_time + sum(record.time is None for record in records),
            not_absolute=done.not_absolute
            + sum(not record.data["is_absolute"] for record in records),
        )

    def _event(self, scope: Scope, entry: Entry) -> Record:
        turn = Turn(
            scope,
            action_summary=entry.text,
            new_info=entry.news,
            time=entry.time,
            sender_id=entry.sender_id,
            sender_name=entry.sender_name,
        )
        request, _, number = (entry.id or "").rpartition(":")
        end_seq = int(number) if number.isdecimal() and len(number) < 10 else 1
        job = self._builder.job(turn, end_seq, request, self._runtime.clock())
        assert job is not None  # an entry has a text
        if entry.time is None:
            return self._timeless(put_event(replace(job, job_id=""), "", False, {}), entry)
        draft = rule_writer.write(job)
        extra = {
            "did_what": draft.did_what,
            "new_info": list(draft.new_info),
            "warnings": list(draft.warnings),
            "original": self._builder.text(entry.whole, "text"),
        }
        edit = put_event(replace(job, job_id=""), draft.canonical_text, draft.is_absolute, extra)
        return self._marked(edit, entry)

    def _timeless(self, edit: Edit, entry: Entry) -> Record:
        """Word for word: "yesterday" cannot be dated, and the day of the import is not the day."""
        record = self._marked(edit, entry)
        text = self._builder.text(entry.whole, "text")
        unknown = {
            "timestamp_utc": "",
            "timestamp_local": "",
            "epoch": None,
            "is_absolute": not check(text),
            "warnings": [NO_TIME],
            "odd_time": self._builder.text(entry.odd_time, "time"),
        }
        return replace(record, text=text, time=None, data={**record.data, **unknown})

    def _marked(self, edit: Edit, entry: Entry) -> Record:
        assert edit.record is not None
        record = edit.record
        data = {**record.data, "migrated_from": "end_summaries"}
        return replace(record, id=entry.id or record.id, created=self._runtime.clock(), data=data)


def _whose(entry: Entry, given: Scope | None, workspace: str) -> Scope:
    """Its own ids come first; a scope is never guessed (S3)."""
    own = entry.scope(workspace)
    if own is not None:
        return own
    if given is None:
        raise InputError("it does not say whose it is; pass a user, a group, an agent or shared")
    return given
