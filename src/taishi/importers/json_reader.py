"""Reads JSON a value at a time: a file of any size in the memory of its largest value.

The caller walks the document: `members` gives the keys of an object, `elements` steps through an
array, and each of their values is taken with `value`, walked into, or passed over with `skip`.
Values are parsed by the standard library (ADR 14).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..errors import InputError
from .text_stream import TextStream

MAX_VALUE_CHARS = 16_000_000
ENDS = "the file ends here"
_SPACE = re.compile(r"[ \t\r\n]*")
_DIGITS = re.compile(r"[0-9eE+.-]*")
_NESTING = re.compile(r'["\[\]{}]')
_IN_STRING = re.compile(r'["\\]')


class JsonReader:
    def __init__(self, text: TextStream) -> None:
        self._text = text
        self._buffer = ""
        self._at = 0
        self._before = 0  # characters before the buffer
        self._decoder = json.JSONDecoder(strict=False)

    @property
    def position(self) -> int:
        return self._before + self._at

    def peek(self) -> str:
        """The character that the next value begins with; "" at the end."""
        while True:
            self._at = _SPACE.match(self._buffer, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._buffer) or not self._more():
                return self._buffer[self._at : self._at + 1]

    def members(self) -> Iterator[str]:
        """The keys of an object. Take or skip the value of each before going on."""
        for _ in self._inside("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise self._wrong("a key is missing")
            self._expect(":")
            yield key

    def elements(self) -> Iterator[int]:
        """The numbers of an array's elements, from 1. Take or skip each before going on."""
        yield from self._inside("[", "]")

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except RecursionError:
                raise self._wrong("it is nested too deeply") from None
            except json.JSONDecodeError as error:
                self._grow(error)
                continue
            except ValueError as error:  # a number of thousands of digits
                raise self._wrong(str(error)) from None
            size = end - self._at
            is_open = isinstance(value, (int, float)) and _DIGITS.fullmatch(self._buffer, end)
            if is_open and self._more():
                continue  # the number may go on
            self._at += size
            return value

    def skip(self) -> None:
        """Pass over a value of any size."""
        first = self.peek()
        if first in ("{", "["):
            self._skip_nested()
        elif first == '"':
            self._at += 1
            self._skip_string()
        else:
            self.value()

    def _inside(self, opening: str, closing: str) -> Iterator[int]:
        self._expect(opening)
        if self.peek() == closing:
            self._at += 1
            return
        number = 0
        while True:
            number += 1
            yield number
            mark = self.peek()
            if mark not in (",", closing) or not mark:
                raise self._wrong(f"a comma or {closing} is expected" if mark else ENDS)
            self._at += 1
            if mark == closing:
                return

    def _expect(self, mark: str) -> None:
        found = self.peek()
        if found != mark:
            raise self._wrong(f"{mark} is expected" if found else ENDS)
        self._at += 1

    def _skip_nested(self) -> None:
        depth = 0
        while True:
            found = _NESTING.search(self._buffer, self._at)
            if found is None:
                self._at = len(self._buffer)
                if not self._more():
                    raise self._wrong(ENDS)
                continue
            self._at = found.end()
            mark = found.group()
            if mark == '"':
                self._skip_string()
                continue
            depth += 1 if mark in "[{" else -1
            if depth == 0:
                return

    def _skip_string(self) -> None:
        while True:
            found = _IN_STRING.search(self._buffer, self._at)
            if found is None:
                self._at = len(self._buffer)
            elif found.group() == '"':
                self._at = found.end()
                return
            elif found.end() < len(self._buffer):
                self._at = found.end() + 1
                continue
            if not self._more():
                raise self._wrong(ENDS)

    def _grow(self, error: json.JSONDecodeError) -> None:
        """More text may complete a value; if there is none, it is wrong as it is."""
        size = len(self._buffer) - self._at
        if size > MAX_VALUE_CHARS:
            raise self._wrong(f"a value is longer than {MAX_VALUE_CHARS} characters, or damaged")
        ends = error.pos >= len(self._buffer.rstrip()) or "Unterminated" in error.msg
        at = self.position + error.pos - self._at
        if not self._more(size):
            raise self._wrong(ENDS if ends else f"{error.msg} at {at}") from None

    def _more(self, wanted: int = 1) -> bool:
        """Read so many characters more; whether there are any."""
        pieces = [self._buffer[self._at :]]
        self._before += self._at
        self._at = 0
        size = 0
        while size < wanted and (piece := self._text.read()):
            pieces.append(piece)
            size += len(piece)
        self._buffer = "".join(pieces)
        return size > 0

    def _wrong(self, reason: str) -> InputError:
        return InputError(f"the JSON is damaged at character {self.position}: {reason}")
