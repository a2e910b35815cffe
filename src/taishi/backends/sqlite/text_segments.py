"""Substring search in the texts of a partition, newest record first.

Texts are searched as they stand, without regard to case: any part of a word, two Chinese
characters, punctuation. An index of words does not find these, and `instr` over a table of 100,000
rows takes a third of a second. Here the lower-case texts of 4,096 records are one string of bytes
in memory.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass

import apsw

SEPARATOR = "\0"  # in no text that is searched for


@dataclass(frozen=True, slots=True)
class TextSegment:
    """`starts` are the offsets in `texts` of the text of each number; both ascend."""

    numbers: array[int]
    starts: array[int]
    texts: bytes

    @staticmethod
    def load(connection: apsw.Connection, low: int, high: int) -> TextSegment:
        rows = connection.execute(
            "SELECT number, text FROM records WHERE number >= ? AND number < ? ORDER BY number",
            (low, high),
        ).fetchall()
        starts, parts, at = array("q"), [], 0
        for _, text in rows:
            part = searchable(text)
            starts.append(at)
            parts.append(part)
            at += len(part) + 1
        return TextSegment(array("q", [number for number, _ in rows]), starts, b"\0".join(parts))

    @property
    def nbytes(self) -> int:
        return len(self.texts) + 16 * len(self.numbers)

    def newest_with(self, words: bytes) -> list[int]:
        """The numbers of the records that have these words, the last to come first."""
        # Not rfind: only find takes linear time whatever the words are.
        starts, find, numbers = self.starts, self.texts.find, list[int]()
        at = find(words)
        while at >= 0:
            row = bisect_right(starts, at)
            numbers.append(self.numbers[row - 1])
            at = find(words, starts[row]) if row < len(starts) else -1
        numbers.reverse()
        return numbers

    def split(self) -> list[str]:
        return self.texts.decode("utf-8", "replace").split(SEPARATOR)


def searchable(text: str) -> bytes:
    return text.lower().replace(SEPARATOR, " ").encode("utf-8", "surrogatepass")
