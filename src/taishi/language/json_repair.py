"""Parses the almost-JSON that language models write.

Models wrap JSON in prose, fences and thoughts; they use single quotes, Python's words, full-width
punctuation and raw line breaks; they leave commas behind or stop in the middle. What they meant is
read, and what was cut off is left out: half a value is no value, so that a caller who checks for
the keys it needs never takes half a sentence for a whole one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .lazy_regex import lazy_compile

MAX_DEPTH = 64
# Reading starts again at each bracket of the prose; together the tries stay linear in the text.
MAX_PASSES = 4
MAX_STARTS = 500

_STRUCTURE = str.maketrans("｛｝［］：，", "{}[]:,")
_OPEN = lazy_compile(r"[\[{［｛]")
_SPACE = lazy_compile(r"[\s\ufeff\u200b]*")
_NUMBER = lazy_compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_TOKEN = lazy_compile(r"[\w.+-]+")
_WORD = lazy_compile(r"[^\W\d][\w.-]*")
_WORDS = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
    "undefined": None,
    "NaN": None,
    "Infinity": None,
}
# What may close a string that was opened with the key.
_CLOSERS = {'"': '"', "'": "'", "＂": '＂"', "“": '”"', "‘": "’'"}
_IN_STRING = {quote: lazy_compile(f"[\\\\{closers}]") for quote, closers in _CLOSERS.items()}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_THOUGHTS = lazy_compile(r"<(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_THOUGHTS_END = lazy_compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)


def parse_json(text: str) -> Any:
    """The JSON that a model meant. Raises ValueError where there is none to be found.

    A whole text that is plain JSON is taken as it is. Otherwise the longest object in it is, or
    the longest list where there is no object.
    """
    stripped = text.strip().lstrip("\ufeff").strip()
    try:
        value = _strict(stripped)
    except ValueError:
        return _search(stripped)
    if isinstance(value, str) and _OPEN.search(value):
        return parse_json(value)  # JSON that was packed into a JSON string
    return value


def _strict(text: str) -> Any:
    try:
        # Not strict about control characters: a raw line break in a string is what models write.
        return json.loads(text, strict=False, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("JSON that is nested too deeply") from None


def _search(text: str) -> Any:
    for part in _without_thoughts(text):
        found = max(_candidates(part), key=lambda found: found.rank, default=None)
        if found is not None:
            return found.value
    raise ValueError("there is no JSON in the text")


def _without_thoughts(text: str) -> Iterator[str]:
    """First what follows the last thought; then all of it, unless it is nothing but a thought."""
    ends = [found.end() for found in _THOUGHTS_END.finditer(text)]
    if ends:
        yield text[ends[-1] :]
    if not _THOUGHTS.match(text):
        yield text


@dataclass(frozen=True, slots=True)
class _Found:
    value: Any
    length: int
    whole: bool

    @property
    def rank(self) -> tuple[bool, bool, int]:
        return isinstance(self.value, dict) and bool(self.value), self.whole, self.length


def _candidates(text: str) -> Iterator[_Found]:
    at, budget = 0, MAX_PASSES * len(text)
    for _ in range(MAX_STARTS):
        opening = _OPEN.search(text, at)
        if not opening or budget < 0:
            return
        start = opening.start()
        reader = _Reader(text, start)
        try:
            value = reader.value(0)
        except _TooDeepError:
            at = reader.at
        except ValueError:
            at = start + 1
        else:
            if value or not reader.cut:
                yield _Found(value, reader.at - start, not reader.cut)
            at = max(reader.at, start + 1)
        budget -= reader.at - start + 1


class _TooDeepError(ValueError):
    """Nested as no answer is."""


class _CutError(Exception):
    """The text ended inside a value that is worthless when it is not whole."""


class _Reader:
    """Reads one value from a position on, forgiving what can only mean one thing."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self.cut = False

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _TooDeepError
        sign = self._peek()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in _CLOSERS:
            return self._string(sign)
        return self._scalar()

    def _object(self, depth: int) -> dict[str, Any]:
        self.at += 1
        members: dict[str, Any] = {}
        try:
            while not self._closed("}"):
                key = self._key()
                if self._peek() != ":":
                    raise ValueError("a key without a value")
                self.at += 1
                members[key] = self._bare_word() or self.value(depth + 1)
                if self.cut:
                    break
        except _CutError:
            self.cut = True
        return members

    def _list(self, depth: int) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        try:
            while not self._closed("]"):
                item = self.value(depth + 1)
                if self.cut:
                    break  # an item that was cut off is not known to be what it seems
                items.append(item)
        except _CutError:
            self.cut = True
        return items

    def _closed(self, end: str) -> bool:
        """Past commas, wanted or not; True when the container ends here."""
        while self._peek() == ",":
            self.at += 1
        if self._peek() != end:
            return False
        self.at += 1
        return True

    def _key(self) -> str:
        sign = self._peek()
        if sign in _CLOSERS:
            return self._string(sign)
        word = _WORD.match(self._text, self.at)
        if not word:
            raise ValueError("an object without a key")
        self.at = word.end()
        return word[0]

    def _bare_word(self) -> str | None:
        """A word without quotes as a member's value, where it is one word and no literal."""
        self._peek()
        word = _WORD.match(self._text, self.at)
        if not word or word[0] in _WORDS:
            return None
        after = _SPACE.match(self._text, word.end())
        end = after.end() if after else word.end()
        if self._text[end : end + 1].translate(_STRUCTURE) not in (",", "}"):
            return None
        self.at = end
        return word[0]

    def _scalar(self) -> Any:
        found = _TOKEN.match(self._text, self.at)
        if not found:
            raise ValueError("something that is no JSON")
        self.at = found.end()
        token = found[0]
        if self.at == len(self._text):
            raise _CutError
        if token in _WORDS:
            return _WORDS[token]
        if not _NUMBER.fullmatch(token):
            raise ValueError("a word without quotes")
        return int(token) if token.lstrip("+-").isdigit() else float(token)

    def _string(self, quote: str) -> str:
        self.at += 1
        pieces: list[str] = []
        pattern = _IN_STRING[quote]
        while found := pattern.search(self._text, self.at):
            pieces.append(self._text[self.at : found.start()])
            self.at = found.end()
            if found[0] == "\\":
                pieces.append(self._escape())
            elif self._ends_here():
                return "".join(pieces)
            else:
                pieces.append(found[0])
        self.at = len(self._text)
        raise _CutError

    def _ends_here(self) -> bool:
        """A quote ends a string where structure follows; otherwise it belongs to the words."""
        space = _SPACE.match(self._text, self.at)
        end = space.end() if space else self.at
        follows = self._text[end : end + 1].translate(_STRUCTURE)
        if not follows or follows in ",:}]`":
            return True
        return follows in _CLOSERS and "\n" in self._text[self.at : end]

    def _escape(self) -> str:
        letter = self._text[self.at : self.at + 1]
        self.at += 1
        if letter != "u":
            return _ESCAPES.get(letter, letter)
        code = self._hexadecimal(self.at)
        if code is None:
            return "u"
        self.at += 4
        if 0xD800 <= code < 0xDC00 and self._text[self.at : self.at + 2] == "\\u":
            low = self._hexadecimal(self.at + 2)
            if low is not None and 0xDC00 <= low < 0xE000:
                self.at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        return chr(code)

    def _hexadecimal(self, at: int) -> int | None:
        digits = self._text[at : at + 4]
        return int(digits, 16) if re.fullmatch("[0-9A-Fa-f]{4}", digits) else None

    def _peek(self) -> str:
        """The next sign that is not space, in its plain form; _CutError where the text ends."""
        space = _SPACE.match(self._text, self.at)
        self.at = space.end() if space else self.at
        if self.at >= len(self._text) or self._text.startswith("```", self.at):
            raise _CutError
        return self._text[self.at].translate(_STRUCTURE)
