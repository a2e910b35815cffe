"""The proof that something was forgotten: tables, every byte of every file, memory (O2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from ..domain.forgotten_people import names_in
from ..domain.profiles import Profiles
from ..exported import ErasureProof, ExportScope, Remnant
from ..ingest.background import BackgroundTasks
from ..knowledge.originals import Originals
from ..language.plurals import CountedNoun
from ..runtime import Runtime
from ..transfer.observation_archive import ObservationArchive
from ..transfer.service import TransferService
from ..types import Scope
from .group_lines import GroupLines
from .kept_elsewhere import Kept, kept_elsewhere
from .phrase_scan import Phrases, SoughtId, phrases_in

ID_BYTES = 6  # a shorter id is a part of anything
IN_MEMORY = "memory: index, cache of embeddings, recent recalls, turns and tool runs on their way"


class ErasureSearch:
    def __init__(
        self,
        runtime: Runtime,
        transfer: TransferService,
        background: BackgroundTasks,
        profiles: Profiles,
        archive: ObservationArchive,
    ) -> None:
        self._runtime = runtime
        self._vectors = runtime.vectors
        self._archive = archive
        parts = runtime.parts
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages
        self._transfer = transfer
        self._group_lines = GroupLines(parts.store, parts.pages, profiles)
        self._background = background

    def prove(self, scope: Scope, words: Iterable[str]) -> ErasureProof:
        self._runtime.check_scope(scope)
        words = [str(word) for word in words]
        phrases = Phrases(piece for word in words for piece in phrases_in(word))
        found = self._rows_left(scope)
        kept = self.kept_elsewhere(phrases, id_of(scope))
        found += self._names_left(scope, [word for word in words if _may_be_left(word, kept.texts)])
        found += kept.on_pages
        own = Phrases(text for text in phrases.texts if text not in kept.texts)
        files, size, leaks = self._search(own, self.sought_id(scope, kept.texts))
        found += leaks
        found += [Remnant(IN_MEMORY, text) for text in sorted(own.within(self._memory_bytes()))]
        return ErasureProof(
            places=self._looked_at(),
            files=files,
            bytes=size,
            phrases=len(phrases),
            found=tuple(found),
            elsewhere=tuple(kept.traces),
        )

    def sought_id(self, scope: Scope, kept: Collection[str] = ()) -> SoughtId | None:
        """The id to look for, unless it is rightly kept."""
        id = id_of(scope)
        if id is None or id in kept:
            return None
        return SoughtId.among(id, (place.id for place, _ in self._store.places()))

    def _rows_left(self, scope: Scope) -> list[Remnant]:
        home = scope.home
        user = home.id if home.kind == "private" else None
        rows = self._store.erasure.mentions(home.workspace, home, user)
        found = [
            Remnant(f"database: {table}", f"{CountedNoun(n):row|rows}")
            for table, n in rows.items()
            if n
        ]
        for page in self._pages.entities(ExportScope(home.workspace, home)):
            found.append(Remnant("profiles", f"the page of {page.entity_type}:{page.entity_id}"))
        for owner in self._group_lines.owners(home):
            found.append(
                Remnant("profiles", f"lines of the group on the page of {owner.record_id}")
            )
        if kept := Originals(self._runtime.parts.originals).count(home):
            found.append(Remnant("originals", f"{CountedNoun(kept):file|files}"))
        if archived := len(list(self._archive.of_scope(scope))):
            found.append(Remnant("archive", f"{CountedNoun(archived):record|records}"))
        if vectors_left := self._vectors.remnants():
            found.append(Remnant(f"vectors: {self._vectors.address}", vectors_left))
        for moved in self._queue.transfer.jobs()[0]:
            job = moved.job
            if job.scope.home == home or (
                user and user in (job.user_id, job.sender_id) and job.workspace == home.workspace
            ):
                found.append(Remnant("queue", f"the job {job.event_id}"))
        return found

    def _names_left(self, scope: Scope, names: Sequence[str]) -> Iterator[Remnant]:
        """The name, or the id, as of one who took part in what others told."""
        home = scope.home
        if home.kind != "private":
            return
        for event in self._store.erasure.naming(home.workspace, home.id, names):
            for name in sorted(names_in(event, home.id, names)):
                yield Remnant(f"record of {event.place}", name)

    def kept_elsewhere(self, phrases: Phrases, id: str | None) -> Kept:
        """The phrases, and the id, in what is rightly kept; and who keeps them."""
        return kept_elsewhere(
            lambda: chain(self._transfer.export(), self._archive.lines()), phrases, id
        )

    def _search(self, phrases: Phrases, id: SoughtId | None) -> tuple[int, int, list[Remnant]]:
        """Every byte of every file of the folder, and of every table that is not in one."""
        count = size = 0
        found = []
        home = self._runtime.parts.folder
        for path in sorted(home.rglob("*")):
            place = path.relative_to(home).as_posix()
            if not path.is_file():
                continue
            try:
                texts, length = phrases.in_file(path)
                if id is not None and id.is_in_file(path):
                    texts.add(id.id)
            except FileNotFoundError:
                continue  # a job was done, a log was emptied
            count, size = count + 1, size + length
            found += [Remnant(place, text) for text in sorted(texts)]
        for table, chunks in self._runtime.parts.stored_bytes.tables():
            texts, length = phrases.in_chunks(chunks, id)
            size += length
            found += [Remnant(f"database: {table}", text) for text in sorted(texts)]
        for place, data in self._files_elsewhere():
            texts = phrases.within(data)
            if id is not None and id.is_in(data):
                texts.add(id.id)
            count, size = count + 1, size + len(data)
            found += [Remnant(place, text) for text in sorted(texts)]
        return count, size, found

    def _files_elsewhere(self) -> Iterator[tuple[str, bytes]]:
        """The originals, if they are not in the folder."""
        files = self._runtime.parts.originals
        if files.where:
            for key in files.list():
                if (data := files.get(key)) is not None:
                    yield f"{files.where}/{key}", data

    def _memory_bytes(self) -> bytes:
        held = list(self._runtime.text_caches.texts())
        for job in self._background.unstored_jobs():
            held += [job.action_summary, *job.new_info, job.source_message]
        return "\n".join(held).encode("utf-8", "replace")

    def _looked_at(self) -> tuple[str, ...]:
        kept = sorted(path.name for path in self._runtime.parts.folder.iterdir())
        files = self._runtime.parts.originals.where
        elsewhere = (f"every byte of {files}",) if files else ()
        return (
            self._runtime.parts.stored_bytes.note,
            "queue: pending, processing, failed",
            IN_MEMORY,
            *([f"vectors: {self._vectors.address}"] if self._vectors.address else []),
            *(f"every byte of {name}" for name in kept),
            *elsewhere,
        )


def id_of(scope: Scope) -> str | None:
    id = scope.home.id
    return id if len(id.encode()) >= ID_BYTES else None


def _may_be_left(word: str, kept: Collection[str]) -> bool:
    """Whether it has to be looked for as a name: it is too short for a phrase, or it is kept."""
    pieces = list(phrases_in(word))
    return not pieces or any(piece in kept for piece in pieces)
