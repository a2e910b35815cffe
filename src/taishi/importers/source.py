"""Opens what is imported: a file, a stream, or the right file in a zip. Nothing is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError
from .json_reader import JsonReader
from .text_stream import TextStream

ZIP = b"PK\x03\x04"
MAX_MEMBERS = 100_000
CHECKED_FROM = 1 << 28  # bytes: before that, a zip bomb does no harm
MAX_RATIO = 250  # text is packed to a tenth; a bomb to a thousandth


class Source:
    """One file of an export as it is read. `done` and `size` are bytes, for a progress bar."""

    def __init__(self, name: str, data: BinaryIO, size: int, encoding: str | None) -> None:
        self.name = name
        self.size = size
        self.done = 0
        self._data = data
        self._encoding = encoding

    def read(self, size: int, /) -> bytes:
        try:
            piece = self._data.read(size)
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise InputError(f"{self.name} is damaged ({error}); get the export again") from error
        self.done += len(piece)
        return piece

    def whole(self, most: int) -> bytes:
        """All of a small file."""
        data = b""
        while len(data) <= most and (piece := self.read(most)):
            data += piece
        if len(data) > most:
            raise InputError(f"{self.name} is larger than {most >> 20} MB, too large for a card")
        return data

    def text(self) -> TextStream:
        return TextStream(self, self._encoding)

    def json(self) -> JsonReader:
        return JsonReader(self.text())


class _ZipMember(Source):
    def __init__(
        self, name: str, data: BinaryIO, size: int, encoding: str | None, packed: int
    ) -> None:
        super().__init__(name, data, size, encoding)
        self._packed = max(packed, 1)

    def read(self, size: int, /) -> bytes:
        piece = super().read(size)
        if self.done > CHECKED_FROM and self.done > self._packed * MAX_RATIO:
            raise InputError(
                f"{self.name} unpacks to more than {MAX_RATIO} times its size, as a zip bomb does; "
                "unpack it yourself if you trust it, and import the file"
            )
        return piece


@contextmanager
def opened(
    given: str | Path | BinaryIO, members: tuple[str, ...], encoding: str | None
) -> Iterator[list[Source]]:
    """The files to read, in order. In a zip, those that are called like `members`."""
    if not isinstance(given, (str, Path)):
        with _open_stream(given, "the stream", members, encoding) as found:
            yield found
        return
    try:
        file = Path(given).expanduser().open("rb")
    except OSError as error:
        raise InputError(f"{given} cannot be read: {error.strerror}; correct the path") from error
    with file, _open_stream(file, Path(given).name, members, encoding) as found:
        yield found


@contextmanager
def _open_stream(
    data: BinaryIO, name: str, members: tuple[str, ...], encoding: str | None
) -> Iterator[list[Source]]:
    size = _size(data)
    buffered = data if isinstance(data, BufferedReader) else BufferedReader(data)  # type: ignore[type-var]
    try:
        if buffered.peek(len(ZIP))[: len(ZIP)] != ZIP:
            yield [Source(name, buffered, size, encoding)]
        elif not buffered.seekable():
            raise InputError("a zip cannot be read from a pipe; name its file")
        else:
            with _archive(buffered, name) as archive:
                yield list(_in_archive(archive, name, members, encoding))
    finally:
        if buffered is not data:
            buffered.detach()


@contextmanager
def _archive(data: BinaryIO, name: str) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(data)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(f"{name} is a damaged zip ({error}); get the export again") from error
    with archive:
        if len(archive.infolist()) > MAX_MEMBERS:
            raise InputError(f"{name} holds more than {MAX_MEMBERS} files; unpack it yourself")
        yield archive


def _in_archive(
    archive: zipfile.ZipFile, name: str, members: tuple[str, ...], encoding: str | None
) -> Iterator[Source]:
    wanted = [one for one in archive.infolist() if _matches(one.filename, members)]
    if not wanted:
        raise InputError(f"{name} holds no {' or '.join(members)}; is it an export of this format?")
    for info in sorted(wanted, key=lambda one: one.filename):
        if info.flag_bits & 1:
            raise InputError(f"{name} is encrypted; unpack it yourself and import {info.filename}")
        try:
            member = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
            raise InputError(f"{name} is a damaged zip ({error}); get it again") from error
        base = info.filename.rsplit("/", 1)[-1]
        yield _ZipMember(base, member, info.file_size, encoding, info.compress_size)  # type: ignore[arg-type]


def _matches(path: str, members: tuple[str, ...]) -> bool:
    from fnmatch import fnmatchcase

    base = path.rsplit("/", 1)[-1]
    is_hidden = base.startswith(".") or path.startswith("__MACOSX/")
    return not is_hidden and any(fnmatchcase(base.lower(), one) for one in members)


def _size(data: BinaryIO) -> int:
    try:
        here = data.tell()
        end = data.seek(0, 2)
        data.seek(here)
    except (OSError, ValueError, AttributeError):
        return 0
    return end - here
