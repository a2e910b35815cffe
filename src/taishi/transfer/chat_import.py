"""`transfer.import_chats`: the exports of other programs become records, batch by batch.

Nothing is staged: what was read is stored, and an import that was interrupted is run again. Ids
follow from the ids of the export, so that whatever is there already counts as there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import InputError, RefusedError
from ..exported import ExportedRecord, Moved
from ..importers.formats import Format
from ..importers.source import Source, opened
from ..importers.values import BadEntry, Conversation, ImportedMessage, ReadOptions
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..runtime import Runtime
from ..types import Record, Scope
from .chat_ids import MessageIds
from .chat_learning import ChatLearning
from .chat_report import ChatTally, ImportedChats
from .chat_targets import ChatTargets
from .format import Header
from .importing import ImportRun
from .progress import Progress

MAX_NAMES = 10_000


@dataclass(frozen=True)
class ChatImportOptions:
    targets: ChatTargets
    reading: ReadOptions
    encoding: str | None = None
    replace: bool = False
    even_forgotten: bool = False
    dry_run: bool = False
    door: str = "python"


class ChatImport:
    """One import of one file."""

    header: Header | None = None
    count = 0

    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        format: Format,
        options: ChatImportOptions,
        learning: ChatLearning | None,
        progress: Progress,
    ) -> None:
        self._runtime = runtime
        self._builder = builder
        self._background = background
        self._format = format
        self._options = options
        self._learning = None if options.dry_run else learning
        self._progress = progress
        self._ids = MessageIds(format, options.reading.zone)
        self._tally = ChatTally()
        self._storing = _StoringRun(runtime, self, options, self._advance)
        self._files: list[Source] = []
        self._scopes: tuple[Conversation, Scope | None] | None = None
        self._names: dict[str | None, str | None] = {}
        self._failure: InputError | None = None

    def run(self, given: str | Path | BinaryIO) -> ImportedChats:
        options = self._options
        with opened(given, self._format.members, options.encoding) as files:
            self._files = files
            outcomes = self._storing.run()
        if self._learning is not None:
            self._learning.flush()
        if not options.dry_run:
            self._storing.record_brought_back()
            self._background.wake_embedding()
        counts = {name: sum(counted.values()) for name, counted in outcomes.items()}
        if self._failure is not None:
            raise self._stopped(counts["added"] + counts["same"]) from self._failure
        tally = self._tally
        return ImportedChats(
            format=self._format.name,
            messages=tally.messages,
            **counts,
            chats=tally.chat_counts(),
            speakers=dict(tally.speakers.most_common()),
            left_out=dict(tally.left_out),
            bad=tuple(tally.bad),
            bad_count=tally.bad_count,
            first=tally.first,
            last=tally.last,
            jobs=self._learning.jobs if self._learning else 0,
            dry_run=options.dry_run,
            suggested_user_prefix=tally.missing_prefix,
        )

    def _stopped(self, stored: int) -> InputError:
        if not stored or self._options.dry_run:
            return InputError(str(self._failure))
        return InputError(
            f"{self._failure}. The {stored} messages before that are imported; once it is "
            "corrected, run the import again: nothing is imported twice"
        )

    def _advance(self, done: int, total: int) -> None:
        self._progress(sum(one.done for one in self._files), sum(one.size for one in self._files))

    def items(self) -> Iterator[Moved]:
        """A damaged file ends it; what was read before is stored all the same."""
        try:
            for file in self._files:
                yield from self._of_file(file)
        except InputError as error:
            self._failure = error

    def _of_file(self, file: Source) -> Iterator[Moved]:
        for item in self._format.read(file, self._options.reading):
            if not isinstance(item, ImportedMessage):
                self._tally.leave_out(item)
                continue
            id = self._ids.record_id(item)
            scope = self._scope_of(item.conversation)
            if scope is None:
                self._tally.message(item, None)
                continue
            try:
                with self._runtime.recording_refusals(scope, "host", self._options.door):
                    record = self._record(item, id, scope)
            except RefusedError as error:
                self._tally.leave_out(BadEntry(item.place, str(error)))
                continue
            targets = self._options.targets
            self._tally.message(item, scope.home, targets.is_by_title(item.conversation, scope))
            self._tally.missing_prefix = self._tally.missing_prefix or targets.missing_prefix(
                item, scope
            )
            yield ExportedRecord(record)
            if self._learning is not None and self._is_learned(item, record):
                place = replace(scope, session=record.session)
                self._learning.add(place, self._said(item, record), record.data.get("chat"))

    def _scope_of(self, talk: Conversation) -> Scope | None:
        """Of the current chat, looked up once."""
        if self._scopes is None or self._scopes[0] != talk:
            scope = self._options.targets.scope_of(talk)
            if scope is not None and not self._runtime.is_on(scope):
                raise InputError(f"memory is off in {scope.home}; switch it on, or skip that chat")
            self._scopes = (talk, scope)
        return self._scopes[1]

    def _is_learned(self, item: ImportedMessage, record: Record) -> bool:
        """Not from what somebody else wrote, nor from what was forgotten."""
        is_own = record.session is not None and item.forwarded_from is None
        return is_own and not self._storing.was_forgotten

    def _record(self, item: ImportedMessage, id: str, scope: Scope) -> Record:
        builder, targets = self._builder, self._options.targets
        user = targets.user_of(item, scope)
        return Record(
            id=id,
            place=scope.home,
            kind=item.kind,
            text=builder.text(item.text, "the text"),
            time=item.time,
            created=self._runtime.clock(),
            user=user,
            speaker=self._name(item.speaker or (user if targets.is_self(item) else None)),
            session=self._ids.session(item),
            source=self._ids.source(item),
            redaction=builder.stamp,
            data=self._metadata(item),
        )

    def _name(self, given: str | None) -> str | None:
        """Of a speaker or a chat, redacted; there are few, and each is met often."""
        if given not in self._names:
            if len(self._names) >= MAX_NAMES:
                self._names.clear()
            self._names[given] = self._builder.name(given)
        return self._names[given]

    def _metadata(self, item: ImportedMessage) -> dict[str, Any]:
        data: dict[str, Any] = {"imported_from": self._format.name}
        if item.metadata:  # apart, as the engine counts on some names in a record's data
            data["metadata"] = self._builder.data(item.metadata)
        if title := self._name(item.conversation.title or None):
            data["chat"] = title
        if item.reply_to:
            data["reply_to"] = item.reply_to
        if item.forwarded_from:
            data["forwarded_from"] = self._name(item.forwarded_from)
        if self._options.targets.is_bot(item):
            data["is_bot"] = True
        return data

    def _said(self, item: ImportedMessage, record: Record) -> dict[str, Any]:
        """As it is appended to its session. In a private chat with the bot, the user speaks."""
        message: dict[str, Any] = {
            "role": "assistant" if self._options.targets.is_bot(item) else "user",
            "content": record.text,
            "speaker": record.speaker,
            "speaker_id": item.speaker_id and self._options.targets.user_id(item.speaker_id),
            "id": record.id,
        }
        if self._options.targets.is_self(item):
            message["speaker_id"] = record.user
        if item.time is not None:
            message["time"] = item.time
        return message


class _StoringRun(ImportRun):
    """An import whose records are as old as what they say: what was forgotten here is recognised
    by the time of the message, as every import of it is newer than the deletion."""

    def __init__(
        self,
        runtime: Runtime,
        chats: ChatImport,
        options: ChatImportOptions,
        advance: Callable[[int, int], None],
    ) -> None:
        super().__init__(
            runtime,
            chats,
            replace=options.replace,
            dry=options.dry_run,
            even_forgotten=options.even_forgotten,
            workspaces={},
            progress=advance,
        )
        self._has_deletions = runtime.parts.store.deletions.newest() is not None

        self.was_forgotten = False  # the last item

    def _is_forgotten(self, item: Moved) -> bool:
        self.was_forgotten = self._has_deletions and super()._is_forgotten(_dated(item))
        return self.was_forgotten

    def _left(self, item: Moved) -> Moved | None:
        return super()._left(item) if self._has_deletions else item


def _dated(item: Moved) -> Moved:
    assert isinstance(item, ExportedRecord)
    return replace(item, record=replace(item.record, created=item.record.time or 0.0))
