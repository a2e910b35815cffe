"""Looking for what was forgotten everywhere, and the proof that it is gone (O2)."""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from ..domain import events
from ..exported import ErasureProof, ExportScope, Remnant
from ..language.plurals import CountedNoun
from ..transfer.format import read_line
from ..transfer.service import Moving
from ..transfer.staging import place_of
from ..types import Edit, Job, Scope
from .phrase_scan import Phrases, file_holds, is_of_place, names_id, phrases_in

ID_BYTES = 6  # a shorter id is a part of anything
TEMP_SECONDS = 5.0
LINES_AT_ONCE = 500
IN_MEMORY = "memory: index, cache of embeddings, recent recalls, turns and tool runs on their way"


class ForgetProof(Moving):
    def prove_forgotten(self, scope: Scope, words: Iterable[str] = ()) -> ErasureProof:
        """Look for a forgotten scope everywhere: tables, every byte of every file of the folder,
        what is in memory. `words` are phrases that it left, from `traces` before it was forgotten.

        What other people said is theirs: a phrase that is in it, too, is under `elsewhere`.
        """
        self._check_scope(scope)
        given = (piece for word in words for piece in phrases_in(str(word)))
        phrases = Phrases(given)
        found = self._rows_left(scope)
        elsewhere, kept = self._live(scope, phrases)
        own = Phrases(text for text in phrases.texts if text not in kept)
        id = None if id_of(scope) in kept else id_of(scope)
        files, size, leaks = self._search(own, id)
        found += leaks
        found += [Remnant(IN_MEMORY, text) for text in sorted(own.within(self._memory_bytes()))]
        return ErasureProof(
            places=self._looked_at(),
            files=files,
            bytes=size,
            phrases=len(phrases),
            found=tuple(found),
            elsewhere=tuple(elsewhere),
        )

    def _land_again(self, job: Job) -> None:
        """A raw turn holds what its job held."""
        there = self._parts.store.get(job.scope.home, job.event_id)
        turn = events.land_turn(job).record
        if there is not None and there.kind == "turn" and turn is not None:
            gone = Edit("remove", place=turn.place, id=turn.id)
            self._parts.store.apply([Edit("put", turn) if turn.text.strip() else gone])

    def _forget_strays(self, scope: Scope, phrases: Phrases) -> None:
        """Files of writers that were killed, jobs that nobody can read, gaps in the database."""
        self._parts.leftovers.sweep_all()
        self._forget_stray_files(scope, phrases)
        id, left = id_of(scope), set()
        for path in self._database_files():
            left |= phrases.in_file(path)[0]
            if id is not None and file_holds(path, id.encode()):
                left.add(id)
        if left and left - self._live(scope, Phrases(left))[1]:
            self._parts.store.compact()

    def _forget_stray_files(self, scope: Scope | None, phrases: Phrases) -> None:
        """Those that hold these phrases; with a scope, also those that say that they are its."""

        def tells_of(data: bytes) -> bool:
            """Whether bytes that nobody can read hold their words, or say that they are theirs."""
            is_theirs = scope is not None and is_of_place(data, scope.home)
            return is_theirs or bool(phrases.within(data))

        files = self._parts.queue.transfer
        for found in files.files():
            if tells_of(found.data) and files.is_unreadable(found.data):
                files.remove(found.entry.id)
        for path in self._parts.folder.rglob("*.tmp"):
            try:
                old = time.time() - path.stat().st_mtime > TEMP_SECONDS
                if old and tells_of(path.read_bytes()):
                    path.unlink()
            except FileNotFoundError:
                continue  # its writer was alive after all

    def _database_files(self) -> list[Path]:
        path = self._parts.store.path
        return [one for one in path.parent.glob(f"{path.name}*") if one.is_file()]

    def _rows_left(self, scope: Scope) -> list[Remnant]:
        home = scope.home
        user = home.id if home.kind == "private" else None
        rows = self._parts.store.mentions(home.workspace, home, user)
        found = [
            Remnant(f"database: {table}", f"{CountedNoun(n):row|rows}")
            for table, n in rows.items()
            if n
        ]
        for page in self._parts.pages.entities(ExportScope(home.workspace, home)):
            found.append(Remnant("profiles", f"the page of {page.entity_type}:{page.entity_id}"))
        for moved in self._parts.queue.transfer.jobs()[0]:
            job = moved.job
            if job.scope.home == home or (
                user and user in (job.user_id, job.sender_id) and job.workspace == home.workspace
            ):
                found.append(Remnant("queue", f"the job {job.event_id}"))
        return found

    def _live(self, scope: Scope, phrases: Phrases) -> tuple[list[Remnant], set[str]]:
        """The phrases, and the id, in what is rightly kept; and who keeps them."""
        traces: list[Remnant] = []
        kept: set[str] = set()
        id = id_of(scope)
        lines = self.export()
        while some := list(islice(lines, LINES_AT_ONCE)):
            if not _held("".join(some), phrases, id):
                continue
            for line in some:
                texts = _held(line, phrases, id)
                kept |= texts
                if id in texts and not names_id(line.encode(), str(id).encode()):
                    texts.discard(str(id))  # a part of something longer
                traces += [Remnant(_described(line), text) for text in sorted(texts)]
        return traces, kept

    def _search(self, phrases: Phrases, id: str | None) -> tuple[int, int, list[Remnant]]:
        """Every byte of every file of the folder."""
        count = size = 0
        found = []
        home = self._parts.folder
        for path in sorted(home.rglob("*")):
            place = path.relative_to(home).as_posix()
            if not path.is_file():
                continue
            try:
                texts, length = phrases.in_file(path)
                if id is not None and file_holds(path, id.encode()):
                    texts.add(id)
            except FileNotFoundError:
                continue  # a job was done, a log was emptied
            count, size = count + 1, size + length
            found += [Remnant(place, text) for text in sorted(texts)]
        return count, size, found

    def _memory_bytes(self) -> bytes:
        held = [*self._echoes.texts(), *(self._embedder.texts() if self._embedder else ())]
        for job in self._keeper.waiting_jobs():
            held += [job.action_summary, *job.new_info, job.source_message]
        return "\n".join(held).encode("utf-8", "replace")

    def _looked_at(self) -> tuple[str, ...]:
        tables = "database: all tables, free pages and the write-ahead log"
        kept = sorted(path.name for path in self._parts.folder.iterdir())
        return (
            tables,
            "queue: pending, processing, failed",
            IN_MEMORY,
            *(f"every byte of {name}" for name in kept),
        )


def id_of(scope: Scope) -> str | None:
    id = scope.home.id
    return id if len(id.encode()) >= ID_BYTES else None


def _held(text: str, phrases: Phrases, id: str | None) -> set[str]:
    data = text.encode("utf-8", "replace")
    found = phrases.within(data)
    return found | {id} if id is not None and id.encode() in data else found


def _described(line: str) -> str:
    item: Any = read_line(line)
    place = place_of(item) if not hasattr(item, "counts") else None
    return f"{type(item).__name__.removeprefix('Exported').lower()} of {place}"
