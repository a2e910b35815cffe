"""Reads a JSONL file of memories for `taishi remember --file`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError

_NUMBER = re.compile(r"item \d+: ")


class JsonlReader:
    """Yields the file's objects in order, and keeps the line number for error messages.

    An item without an id gets one derived from its line, so that reading a file again after an
    error leaves no copies.
    """

    def __init__(self, file: Path, report: Callable[[int, int], None]) -> None:
        self._file = file
        self._report = report
        self._line = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        try:
            total = self._file.stat().st_size
            with self._file.open("rb") as lines:
                bytes_read = 0
                for number, line in enumerate(lines, 1):
                    self._line = number
                    bytes_read += len(line)
                    if line.strip():
                        yield self._item(line)
                        self._report(bytes_read, total)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}; correct the path") from error

    def _item(self, line: bytes) -> dict[str, Any]:
        try:
            item = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON in UTF-8 ({error}); write one object a line") from error
        if not isinstance(item, dict):
            raise InputError(f"{type(item).__name__} instead of an object with a text")
        if item.get("id") is None:
            numbered = b"%d:%s" % (self._line, line.strip())
            item["id"] = hashlib.sha256(numbered).hexdigest()[:32]
        return item

    def located(self, error: InputError) -> InputError:
        """The error with its file and line."""
        what = _NUMBER.sub("", str(error), count=1)
        if not self._line:
            return InputError(f"{self._file}: {what}")
        return InputError(
            f"{self._file}, line {self._line}: {what}; then run it again, nothing is kept twice"
        )
