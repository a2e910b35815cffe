"""Searches files for somebody's phrases: the proof that they were forgotten (O2).

Words travel as whole phrases: a short or common word is found in anybody's text and proves
nothing. Every phrase is looked for as UTF-8 and as JSON writes it with escapes.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..language.text import sentence_spans
from ..types import Partition

WINDOW = 16  # bytes that must be equal before a phrase is compared as a whole
PIECE_CHARS = 40
CHUNK = 4 << 20
TABLE_BITS = 22
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
OWNER_FIELDS = {
    "private": ("user_id", "sender_id", "speaker_id", "entity_id"),
    "group": ("group_id", "entity_id"),
    "agent": ("agent_id",),
}
_DATED = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", re.ASCII)
Words = NDArray[np.uint64]


def phrases_in(text: str) -> Iterator[str]:
    """The phrases of a text that are long enough to be nobody else's by chance.

    Long sentences go in pieces, so that half a text that is left somewhere is found, too.
    """
    for span in sentence_spans(text):
        whole = text[span.start : span.stop].rstrip("…")
        for start in range(0, len(whole), PIECE_CHARS):
            piece = whole[start : start + PIECE_CHARS].strip()
            if len(piece.encode("utf-8", "replace")) >= WINDOW and not _is_figure(piece):
                yield piece


def _is_figure(text: str) -> bool:
    """A time or a number: many texts hold the same one."""
    return sum(c.isalpha() for c in text) < 4 or _DATED.search(text) is not None


class Phrases:
    """Many phrases, looked for at once: each byte is read once, however many there are."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self.texts = tuple(dict.fromkeys(phrases))
        self._forms: dict[bytes, str] = {}
        for text in self.texts:
            for form in forms_of(text):
                if len(form) >= WINDOW:
                    self._forms[form] = text

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def longest(self) -> int:
        return max(map(len, self._forms), default=0)

    @cached_property
    def _lengths(self) -> dict[int, list[int]]:
        """For each window that a phrase begins with: how long such phrases are."""
        found: defaultdict[int, set[int]] = defaultdict(set)
        for form in self._forms:
            found[int(_hashes(np.frombuffer(form[:WINDOW], np.uint64))[0])].add(len(form))
        return {key: sorted(lengths) for key, lengths in found.items()}

    @cached_property
    def _keys(self) -> Words:
        return np.array(sorted(self._lengths), np.uint64)

    @cached_property
    def _table(self) -> NDArray[np.bool_]:
        table = np.zeros(1 << TABLE_BITS, np.bool_)
        table[self._keys >> np.uint64(64 - TABLE_BITS)] = True
        return table

    def within(self, data: bytes) -> set[str]:
        """The phrases that occur in these bytes."""
        found: set[str] = set()
        if not self._forms:
            return found
        for start in range(min(8, len(data) - WINDOW + 1)):
            count = (len(data) - start) // 8
            words = np.frombuffer(data, np.uint64, count, start)
            hashes = _hashes(words)
            maybe = np.flatnonzero(self._table[hashes >> np.uint64(64 - TABLE_BITS)])
            nearest = np.searchsorted(self._keys, hashes[maybe]).clip(max=len(self._keys) - 1)
            for index in maybe[self._keys[nearest] == hashes[maybe]].tolist():
                at = start + index * 8
                for length in self._lengths[int(hashes[index])]:
                    text = self._forms.get(data[at : at + length])
                    if text is not None:
                        found.add(text)
        return found

    def in_file(self, path: Path) -> tuple[set[str], int]:
        """The phrases in a file, and its bytes."""
        with path.open("rb") as file:
            return self.in_chunks(iter(lambda: file.read(CHUNK), b""))

    def in_chunks(
        self, chunks: Iterable[bytes], id: SoughtId | None = None
    ) -> tuple[set[str], int]:
        """The phrases, and the id if there is one, in a stream of bytes; and its length."""
        found: set[str] = set()
        size = 0
        kept = unsearched = b""
        for read in chunks:
            size += len(read)
            data = kept + read
            found |= self.within(data)
            kept = data[-self.longest :] if self.longest else b""
            if id is not None:
                is_there, unsearched = id.search(unsearched + read)
                found |= {id.id} if is_there else set()
        if id is not None and id.is_in(unsearched):
            found.add(id.id)
        return found, size


@dataclass(frozen=True, slots=True)
class SoughtId:
    """An id that is looked for among raw bytes, where it touches its neighbours. `longer` are ids
    of others that contain it: in them it does not count."""

    id: str
    longer: tuple[str, ...] = ()

    @classmethod
    def among(cls, id: str, others: Iterable[str]) -> SoughtId:
        """The longest first: one of them may contain another."""
        longer = {other for other in others if id in other and id != other}
        return cls(id, tuple(sorted(longer, key=len, reverse=True)))

    def is_in(self, data: bytes) -> bool:
        return self.id.encode() in self._without_longer(data)

    def search(self, data: bytes) -> tuple[bool, bytes]:
        """Whether it is there, and the end of the bytes, which belongs before those that follow:
        what is in it may be a part of a longer id. After the last of them, ask `is_in`."""
        sought = self.id.encode()
        longest = max(len(one.encode()) for one in (self.id, *self.longer))
        data = self._without_longer(data)
        decided = len(data) - (longest - len(sought))
        return data.find(sought, 0, max(decided, 0)) >= 0, data[1 - longest :]

    def is_in_file(self, path: Path) -> bool:
        rest = b""
        with path.open("rb") as file:
            while read := file.read(CHUNK):
                is_there, rest = self.search(rest + read)
                if is_there:
                    return True
        return self.is_in(rest)

    def _without_longer(self, data: bytes) -> bytes:
        if self.id.encode() in data:
            for other in self.longer:
                data = data.replace(other.encode(), b"\0")
        return data


def _hashes(words: Words) -> Words:
    """One for each word and the one after it."""
    mixed: Words = words[:-1] * _FACTORS[0]
    mixed ^= words[1:] * _FACTORS[1]
    mixed ^= mixed >> np.uint64(29)
    mixed *= _FACTORS[0]
    return mixed


def forms_of(text: str) -> set[bytes]:
    raw = text.encode("utf-8", "replace")
    escaped = json.dumps(text)[1:-1].encode()
    half = json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    return {raw, escaped, half}


def is_of_place(data: bytes, place: Partition) -> bool:
    """Whether a job or a page, whole or half written, says that it belongs to this place."""
    fields = OWNER_FIELDS.get(place.kind, ())
    if not any(_has_field(data, name, place.id) for name in fields):
        return False
    return b'"workspace"' not in data or _has_field(data, "workspace", place.workspace)


def _has_field(data: bytes, name: str, value: str) -> bool:
    forms = {json.dumps(value, ensure_ascii=escaped) for escaped in (True, False)}
    written = (f'"{name}":{form}' for form in forms), (f'"{name}": {form}' for form in forms)
    as_yaml = (f"\n{name}: {form}\n" for form in forms)
    return any(one.encode("utf-8", "replace") in data for one in chain(*written, as_yaml))


def names_id(data: bytes, id: bytes) -> bool:
    """Whether an id stands in these bytes on its own, not as a part of a longer word."""
    at = data.find(id)
    while at >= 0:
        before, after = data[at - 1 : at], data[at + len(id) : at + len(id) + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        at = data.find(id, at + 1)
    return False
