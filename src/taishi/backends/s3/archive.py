"""Files of lines in a bucket, where nothing can be appended to.

A file is a few objects: `NAME/GENERATION-START`, each with the bytes from START on, up to where the
next one starts. So appending writes one object with only what is new. A rewrite makes a new
generation of one object, streamed; the highest generation counts, and others are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .bucket import S3Bucket

TAIL_BYTES = 64 * 1024
_OURS = re.compile(r"(observations-\d{4}-\d\d)/(\d{8})-(\d{15})", re.ASCII)
ATTRIBUTES = {"Content-Type": "application/x-ndjson"}


@dataclass(frozen=True, slots=True, order=True)
class _Segment:
    start: int
    end: int  # as far as it counts
    path: str


@dataclass(frozen=True, slots=True)
class _File:
    generation: int = 0
    segments: tuple[_Segment, ...] = ()
    old: tuple[str, ...] = ()  # paths of earlier generations


class S3Archive:
    """Implements ports.ArchiveStore. Callers hold a lock while they write."""

    def __init__(self, bucket: S3Bucket, folder: str) -> None:
        self._bucket = bucket
        self._folder = folder

    @property
    def where(self) -> str:
        return f"{self._bucket.address}/{self._folder}"

    def names(self) -> list[str]:
        files = self._files(self._folder)
        # What a killed rewrite left: it may hold what has to be forgotten.
        self._bucket.delete(path for file in files.values() for path in file.old)
        return sorted(files)

    def lines(self, name: str) -> Iterator[bytes]:
        """Each with its line feed; a last one without was cut short."""
        rest = b""
        for segment in self._file(name).segments:
            for piece in self._bucket.stream(segment.path, segment.end - segment.start):
                *whole, rest = (rest + piece).split(b"\n")
                yield from (line + b"\n" for line in whole)
        if rest:
            yield rest

    def last_line(self, name: str) -> tuple[int, bytes]:
        segments = self._file(name).segments
        size = segments[-1].end if segments else 0
        tail = b""
        for segment in reversed(segments):
            missing = TAIL_BYTES - len(tail)
            if missing <= 0:
                break
            length = segment.end - segment.start
            part = self._bucket.read_range(segment.path, max(0, length - missing), length)
            tail = part + tail
        before = tail.rfind(b"\n", 0, len(tail) - 1) + 1
        return size - len(tail) + before, tail[before:]

    def append(self, name: str, after: int, data: bytes) -> None:
        """One object; what followed `after` no longer counts from the moment it is there."""
        file = self._file(name)
        self._bucket.delete(one.path for one in file.segments if one.start > after)
        self._bucket.put(self._path(name, file.generation, after), data, ATTRIBUTES)
        self._bucket.delete(file.old)

    def replace(self, name: str, lines: Iterable[bytes]) -> None:
        """Replace the file atomically, without holding all of it in memory."""
        file = self._file(name)
        path = self._path(name, file.generation + 1, 0)
        self._bucket.put_stream(path, lines, ATTRIBUTES)
        self._bucket.delete((*(one.path for one in file.segments), *file.old))

    def remove(self, name: str) -> None:
        self._bucket.delete(path for path, _ in self._bucket.list(f"{self._folder}/{name}"))

    def _path(self, name: str, generation: int, start: int) -> str:
        return f"{self._folder}/{name}/{generation:08}-{start:015}"

    def _file(self, name: str) -> _File:
        return self._files(f"{self._folder}/{name}").get(name, _File())

    def _files(self, below: str) -> dict[str, _File]:
        found: dict[str, dict[int, list[tuple[int, int, str]]]] = {}
        for path, size in self._bucket.list(below):
            match = _OURS.fullmatch(path.removeprefix(f"{self._folder}/"))
            if match is not None:
                generations = found.setdefault(match[1], {})
                generations.setdefault(int(match[2]), []).append((int(match[3]), size, path))
        return {name: _newest(generations) for name, generations in found.items()}


def _newest(generations: dict[int, list[tuple[int, int, str]]]) -> _File:
    newest = max(generations)
    rows = sorted(generations[newest])
    ends = [*(start for start, _, _ in rows[1:]), rows[-1][0] + rows[-1][1]]
    segments = [
        _Segment(start, end, path) for (start, _, path), end in zip(rows, ends, strict=True)
    ]
    old = [row[2] for number, some in generations.items() if number != newest for row in some]
    return _File(newest, tuple(segments), tuple(old))
