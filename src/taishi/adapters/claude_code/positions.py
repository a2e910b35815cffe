"""How far each transcript was read, in small files that name nobody."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ...disk.durable_io import make_folder, write_durably
from ...disk.file_locks import held
from ...errors import StorageError

LOCK_SECONDS = 1.0
OLD_SECONDS = 60 * 86400


@dataclass(frozen=True, slots=True)
class Position:
    """`offset`: up to where the transcript was read. `answer`: the hash of an answer that was kept
    before its line was in the file."""

    offset: int = 0
    answer: str = ""


class Positions:
    """The positions of one memory. For several processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def held(self, transcript: Path) -> Iterator[Path]:
        """The file of this transcript's position, for one process at a time."""
        mark = hashlib.sha256(str(transcript).encode("utf-8", "replace")).hexdigest()[:32]
        path = self._folder / f"{mark}.json"
        with held(path.with_suffix(".lock"), LOCK_SECONDS, "the transcript"):
            yield path

    def load(self, path: Path) -> Position:
        """From the beginning, if nothing is known: turns that were kept are recognised."""
        try:
            given = json.loads(path.read_bytes()[:1000])
            offset, answer = given["offset"], given["answer"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return Position()
        is_whole = type(offset) is int and offset >= 0 and isinstance(answer, str)
        return Position(offset, answer) if is_whole else Position()

    def save(self, path: Path, position: Position) -> None:
        try:
            make_folder(path.parent)
            write_durably(path, json.dumps(asdict(position)).encode())
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error}") from error

    def remove_old(self) -> None:
        """Those of sessions that nobody went on with for two months."""
        oldest = time.time() - OLD_SECONDS
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def answer_hash(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:32]
