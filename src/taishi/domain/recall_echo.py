"""The recall-echo guard (H6): text that recall returned is not evidence for new facts.

What recall handed out is known again by its hashes, place by place, in this process and, through
the store, in every other one and after a restart.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Protocol

from ..errors import TaishiError
from ..observe.repeated_trouble import RepeatedTrouble
from ..types import HandedOut, Job, Partition
from .block_markup import is_frame
from .text_identity import by_bot, by_people, normal, quoted_by_person
from .text_terms import (
    MAX_CHARS,
    SHORTEST,
    TextTerms,
    hashed_terms,
    key_of,
    pieces,
    sentences_of,
    without_speaker,
    word_hash,
)

log = logging.getLogger("taishi.echo")
COVERED = 0.8
SUPPORTED = 0.5
PER_PLACE = 200
PLACES = 1000


class RecalledStore(Protocol):
    """The store that keeps hashes of returned texts across processes and restarts."""

    def add(self, place: Partition, rows: Sequence[tuple[str, str]], most: int) -> None: ...
    def since(self, place: Partition, number: int) -> list[HandedOut]: ...
    def forget(self, workspace: str) -> None: ...


class RecallEchoes:
    """Recently returned texts by partition; bounded and thread-safe."""

    def __init__(
        self, store: RecalledStore | None = None, per_place: int = PER_PLACE, places: int = PLACES
    ) -> None:
        self._store = store
        self._not_read, self._not_written = RepeatedTrouble(log), RepeatedTrouble(log)
        self._per_place = per_place
        self._most = places
        self._places: OrderedDict[Partition, OrderedDict[str, TextTerms]] = OrderedDict()
        self._read_to: dict[Partition, int] = {}
        self._waiting: dict[Partition, OrderedDict[str, str]] = {}  # texts that are not hashed yet
        self._being_hashed: dict[Partition, OrderedDict[str, str]] = {}
        self._unwritten: dict[Partition, list[tuple[str, TextTerms]]] = {}
        self._lock = threading.Lock()
        self._hashing = threading.Lock()  # taken before `_lock`, which a recall must not wait for

    def add(self, place: Partition, texts: Iterable[str]) -> bool:
        """Notes returned texts; cheap. True if there is something to `flush`.

        Hashing takes longer than many a recall. So texts wait for it, and of a busy place those
        that would be pushed out by later ones are never hashed.
        """
        keyed = [(key_of(text), text) for text in texts]
        with self._lock:
            hashed_texts = self._places.get(place) or OrderedDict()
            for key, text in keyed:
                if key in hashed_texts:
                    hashed_texts.move_to_end(key)
                else:
                    waiting = self._waiting.setdefault(place, OrderedDict())
                    waiting[key] = text
                    waiting.move_to_end(key)
                    if len(waiting) > self._per_place:
                        waiting.popitem(last=False)
            return bool(self._waiting)

    def flush(self) -> None:
        """Writes the new hashes to the store."""
        self._hash()
        with self._lock:
            unwritten, self._unwritten = self._unwritten, {}
        for place, rows in unwritten.items():
            if self._store is not None:
                encoded = [(key, terms.kept()) for key, terms in rows]
                self._write(partial(self._store.add, place, encoded, self._per_place))

    def told(self, place: Partition) -> tuple[TextTerms, ...]:
        """What was returned in a partition by any process, oldest first."""
        self._hash()
        self._catch_up(place)
        with self._lock:
            return tuple((self._places.get(place) or {}).values())

    def texts(self) -> list[str]:
        with self._lock:
            unhashed = (*self._being_hashed.values(), *self._waiting.values())
            return [text for texts in unhashed for text in texts.values()]

    def cached_texts(self) -> Iterable[str]:
        return self.texts()

    def clear_text(self) -> None:
        """What was handed out is still known by its hashes."""
        self._hash()

    def forget(self, workspace: str) -> None:
        """All of a workspace: nobody can tell from a hash whose words they were."""
        with self._hashing, self._lock:
            for place in [place for place in self._places if place.workspace == workspace]:
                del self._places[place]
            for place in [place for place in self._waiting if place.workspace == workspace]:
                del self._waiting[place]
            for place in [place for place in self._unwritten if place.workspace == workspace]:
                del self._unwritten[place]
        if self._store is not None:
            self._store.forget(workspace)

    def _hash(self) -> None:
        """Hashes the waiting texts. It is slow, so it is not done during a recall."""
        with self._hashing:
            with self._lock:
                waiting, self._waiting = self._waiting, {}
                self._being_hashed = waiting
            hashed = cache(word_hash)
            by_place = {
                place: [(key, TextTerms.of(text, hashed)) for key, text in texts.items()]
                for place, texts in waiting.items()
            }
            with self._lock:
                self._being_hashed = {}
                for place, hashed_texts in by_place.items():
                    self._take(place, hashed_texts)
                    self._unwritten.setdefault(place, []).extend(hashed_texts)

    def _catch_up(self, place: Partition) -> None:
        if self._store is None:
            return
        since = partial(self._store.since, place, self._read_to.get(place, 0))
        rows = self._read(since)
        if rows:
            with self._lock:
                hashed_texts = self._places.get(place) or OrderedDict()
                new = [
                    (row.key, TextTerms.read(row.told))
                    for row in rows
                    if row.key not in hashed_texts
                ]
                self._take(place, new)
                self._read_to[place] = rows[-1].number

    def _read(self, ask: Callable[[], list[HandedOut]]) -> list[HandedOut]:
        """A store that cannot be read must not fail a turn or a recall."""
        try:
            found = ask()
        except TaishiError as error:
            text = "what recall of other processes returned is not known here, and may be learned"
            self._not_read.met(f"{text} as new: %s", error)
            return []
        self._not_read.over("what recall of other processes returned is known here again")
        return found

    def _write(self, write: Callable[[], None]) -> None:
        """Nor one that cannot be written. That it can be read says nothing about that."""
        try:
            write()
        except TaishiError as error:
            text = "what recall returns here is not known to other processes, which may learn it"
            self._not_written.met(f"{text} as new: %s", error)
            return
        self._not_written.over("what recall returns here is known to other processes again")

    def _take(self, place: Partition, rows: Iterable[tuple[str, TextTerms]]) -> None:
        """With the lock held."""
        hashed_texts = self._places.setdefault(place, OrderedDict())
        self._places.move_to_end(place)
        for key, terms in rows:
            hashed_texts[key] = terms
            hashed_texts.move_to_end(key)
        while len(hashed_texts) > self._per_place:
            hashed_texts.popitem(last=False)
        while len(self._places) > self._most:
            evicted, _ = self._places.popitem(last=False)
            self._read_to.pop(evicted, None)


def is_echo(text: str, quote: str, recalled: Sequence[str], job: Job) -> bool:
    """Whether a statement or its evidence was returned by recall or said only by the bot, and no
    person said it again."""
    if quoted_by_person(quote, job):
        return False
    claims = [(hashed_terms(claim), claim) for claim in (text, quote)]
    if any(_covers(TextTerms.read(text_terms), claims) for text_terms in recalled):
        return True
    by_the_bot = [TextTerms.of(text_terms) for text_terms in by_bot(job)]
    return any(_covers(text_terms, claims) for text_terms in by_the_bot) and not _is_supported(
        text, job
    )


def without_echoes(job: Job, told: Sequence[TextTerms]) -> Job | None:
    """The job without sentences that repeat what recall returned; None if nothing is left."""
    action = "" if _is_repeated(job.action_summary, told, job) else job.action_summary
    news = tuple(item for item in job.new_info if not _is_repeated(item, told, job))
    if not action and not news and job.task != "consider":
        return None
    return replace(job, action_summary=action, new_info=news)


def news_of(items: Iterable[str], job: Job) -> tuple[str, ...]:
    """Of the items that were found worth keeping, those that a person said (W9)."""
    returned = [TextTerms.read(stored) for stored in job.recalled]
    bot = [normal(text) for text in by_bot(job)]
    return tuple(
        item
        for item in items
        if not _is_repeated(item, returned, job)
        and (quoted_by_person(item, job) or not any(normal(item) in text for text in bot))
    )


def _is_repeated(text: str, told: Sequence[TextTerms], job: Job) -> bool:
    if not told or not text.strip() or len(text) > MAX_CHARS:
        return False
    if is_frame(text):
        return True
    if sum(len(sentence.words) for sentence in sentences_of(text)) < SHORTEST:
        return False
    repeated = all(_was_said(piece, told) for piece in pieces(text))
    return repeated and not _is_supported(text, job)


def _was_said(piece: str, told: Sequence[TextTerms]) -> bool:
    """Also with the speaker's name that a block puts before it."""
    spoken = dict.fromkeys((piece, without_speaker(piece)))
    forms = [sentence for form in spoken for sentence in sentences_of(form)]
    return any(sentence.says(form) for sentence in told for form in forms)


def _is_supported(text: str, job: Job) -> bool:
    """Whether a person says about the same in this turn, in words of their own."""
    wanted = hashed_terms(text)
    return quoted_by_person(text, job) or (
        bool(wanted)
        and any(
            len(wanted & hashed_terms(said)) >= SUPPORTED * len(wanted) for said in by_people(job)
        )
    )


def _covers(told: TextTerms, claims: Sequence[tuple[frozenset[int], str]]) -> bool:
    """Whether nearly all words of one of these were told, and not to deny it."""
    for wanted, text in claims:
        if wanted and len(wanted & told.terms) >= COVERED * len(wanted):
            return all(told.denies_as(sentence) for sentence in sentences_of(text))
    return False
