"""The redactor: removes secrets from all that is stored or shown (R1, R2, W3, W7).

A redacted span becomes `[redacted:label]`, where the label says what was there. Redaction is
idempotent: marks are recognised and left alone, and a text is scanned again until nothing is
found, since taking one secret out may uncover the next.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import PurePath
from typing import Any
from uuid import UUID

from ...errors import InputError
from .assignments import is_sensitive_key
from .patterns import Finding, find_sensitive

__all__ = ["Finding", "Redactor", "redacted_kinds"]

# Raise it whenever a rule finds more: what was stored before is then redacted when read.
VERSION = 4
MAX_ROUNDS = 8
MAX_DEPTH = 16
MAX_ITEMS = 1_000
MAX_NODES = 20_000
# Of data that is kept whole.
MAX_WHOLE_DEPTH = 60
MAX_WHOLE_NODES = 200_000
MAX_BITS = 10_000  # of an integer; Python reads no more than 4,300 digits
# A secret shown by a preview must have had this much of its text in view when it was judged.
LOOKAHEAD = 1_024
ELLIPSIS = "…"

_MARK = re.compile(r"\[redacted:([a-z0-9-]{1,24})\]")
_JSON = json.JSONEncoder(ensure_ascii=False)
_NAME_FIELDS = ("name", "key", "header")
_KEY_LABELS = (
    ("pass", "password"),
    ("pwd", "password"),
    ("密码", "password"),
    ("口令", "password"),
    ("cookie", "cookie"),
    ("auth", "authorization"),
    ("token", "token"),
    ("令牌", "token"),
)
_SEQUENCES = (list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class Redactor:
    """Secrets always go; e-mail addresses and phone numbers only when asked (R2)."""

    email: bool = False
    phone: bool = False

    @property
    def stamp(self) -> int:
        """Which rules have read a text; kept with it, so that it need not be read again."""
        return VERSION * 4 + self.email * 2 + self.phone

    def text(self, text: str) -> str:
        """The text with every secret replaced by its mark."""
        for _ in range(MAX_ROUNDS):
            findings = self.found(text)
            if not findings:
                break
            text = _replace(text, findings)
        return text

    def found(self, text: str) -> list[Finding]:
        """What is in the text that should not be, in order and without overlaps."""
        spans = [
            Finding(start, end, label)
            for start, end, label in find_sensitive(text, email=self.email, phone=self.phone)
            if start < end
        ]
        return _merged(text, spans) if spans else spans

    def value(self, value: object) -> object:
        """Any value as redacted, JSON-able data. Bounded in depth, width and size."""
        return _Walk(self, MAX_NODES).visit(value, 0)

    def whole(self, value: object) -> object:
        """The same without its bounds: what a caller wants back comes back, all of it. InputError
        if it is too large or too deep for that."""
        return _Walk(self, MAX_WHOLE_NODES, is_whole=True).visit(value, 0)

    def preview(self, value: object, limit: int = 500) -> str:
        """A short text of any value; redacted before it is cut (W7)."""
        if type(value) is str:
            return _cut(self.opening(value, limit), limit)
        data = _Walk(self, max(limit // 3, 16), limit).visit(value, 0)
        shown = data if type(data) is str else _JSON.encode(data)
        return _cut(shown, limit)

    def opening(self, text: str, limit: int) -> str:
        """At least `limit` characters of the redacted text, without reading a megabyte for them."""
        window = limit + LOOKAHEAD
        while len(text) > window:
            redacted = self.text(text[:window])
            if len(_MARK.sub("", redacted[limit:])) >= LOOKAHEAD // 2:
                return redacted
            window *= 4
        return self.text(text)


def redacted_kinds(*values: object) -> tuple[str, ...]:
    """What was taken out of these values, by the marks that stand in its place; each kind once."""
    found: dict[str, None] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if not value:  # most records have no data
            continue
        if isinstance(value, str):
            if "[redacted:" in value:
                found |= dict.fromkeys(mark[1] for mark in _MARK.finditer(value))
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple)):
            waiting += value
    return tuple(sorted(found))


def is_redacted_form(stored: str, given: str) -> bool:
    """Whether a stored text is the given one with something taken out."""
    first, *others = _MARK.split(stored)[::2]
    if not others or not given.startswith(first):
        return False
    at = len(first)
    for piece in others[:-1]:
        found = given.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(given) - len(others[-1]) >= at and given.endswith(others[-1])


def _cut(text: str, limit: int) -> str:
    """Cut, but never inside a mark: half a mark would read like text."""
    if len(text) <= limit:
        return text
    end = max(limit - len(ELLIPSIS), 0)
    opened = text.rfind("[redacted:", max(0, end - 40), end)
    if opened >= 0 and (mark := _MARK.match(text, opened)) and mark.end() > end:
        end = opened
    return text[:end] + ELLIPSIS if limit > 0 else ""


def _replace(text: str, findings: list[Finding]) -> str:
    pieces, position = [], 0
    for finding in findings:
        pieces += [text[position : finding.start], f"[redacted:{finding.label}]"]
        position = finding.end
    return "".join([*pieces, text[position:]])


def _merged(text: str, spans: list[Finding]) -> list[Finding]:
    """Overlapping spans as one, named by the longest. Marks join in, and alone they are no find."""
    marks = [Finding(m.start(), m.end(), "") for m in _MARK.finditer(text)]
    done = {(mark.start, mark.end) for mark in marks}
    ordered = sorted([*spans, *marks], key=lambda span: span.start)
    groups: list[Finding] = []
    longest = 0
    for span in ordered:
        size = (span.end - span.start) if span.label else 0
        if groups and span.start < groups[-1].end:
            last = groups[-1]
            label = span.label if size > longest else last.label
            longest = max(size, longest)
            groups[-1] = Finding(last.start, max(last.end, span.end), label)
        else:
            groups.append(span)
            longest = size
    return [g for g in groups if g.label and (g.start, g.end) not in done]


@dataclass(slots=True)
class _Walk:
    """One pass over a value. Only built-in containers are entered; the rest is asked its repr."""

    redactor: Redactor
    nodes_left: int
    text_limit: int | None = None
    path: set[int] = field(default_factory=set)
    is_whole: bool = False

    @property
    def most_items(self) -> int | None:
        return None if self.is_whole else MAX_ITEMS

    def left_out(self, why: str, instead: str) -> str:
        """What stands for something that is left out; where nothing may be, an error."""
        if self.is_whole:
            raise InputError(f"this data cannot be kept: {why}")
        return instead

    def visit(self, value: object, depth: int, key: str = "") -> object:
        self.nodes_left -= 1
        if self.nodes_left < 0 and self.is_whole:
            self.left_out(f"it has more than {MAX_WHOLE_NODES} values; split it", "")
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return self.leaf(value, key)  # type: ignore[arg-type]
        if kind is int:
            return self.number(value, key)  # type: ignore[arg-type]
        if isinstance(value, float):
            number = float.__float__(value)
            if math.isfinite(number):
                return number
            return self.left_out(f"{number} is no number in JSON; leave it out", str(number))
        if kind is bytes or kind is bytearray:
            return self.binary(bytes(value), key)  # type: ignore[call-overload]
        if issubclass(kind, (*_SEQUENCES, dict)) or hasattr(kind, "__dataclass_fields__"):
            return self.container(value, depth)
        if issubclass(kind, (datetime, date, time)):
            return value.isoformat()  # type: ignore[attr-defined]
        return self.leaf(_described(value), key)

    def container(self, value: object, depth: int) -> object:
        if id(value) in self.path:
            return self.left_out("it contains itself", "[cycle]")
        deepest = MAX_WHOLE_DEPTH if self.is_whole else MAX_DEPTH
        if depth >= deepest:
            return self.left_out(f"it is nested deeper than {deepest}; flatten it", "[too deep]")
        self.path.add(id(value))
        try:
            if issubclass(type(value), dict):
                return self.mapping(dict.items(value), dict.__len__(value), depth)  # type: ignore[arg-type]
            for sequence in _SEQUENCES:
                if issubclass(type(value), sequence):
                    return self.sequence(value, sequence, depth)
            return self.mapping(_fields(value), 0, depth)
        finally:
            self.path.discard(id(value))

    def mapping(self, items: Iterable[tuple[object, object]], size: int, depth: int) -> object:
        result: dict[str, object] = {}
        name_of_value = ""
        for key, value in list(islice(items, self.most_items)):
            if self.nodes_left <= 0 and not self.is_whole:
                break
            name = key if type(key) is str else _key_text(key)
            shown = name if len(name) < 16 and name.isidentifier() else self.leaf(name, "")
            secret = is_sensitive_key(name) or (name_of_value and name.lower() == "value")
            if name.lower() in _NAME_FIELDS and type(value) is str and is_sensitive_key(value):
                name_of_value = value
            result[shown] = (
                _withheld(name_of_value or name, value)
                if secret
                else self.visit(value, depth + 1, name)
            )
        if len(result) < size:
            result[ELLIPSIS] = f"{size - len(result)} more"
        return result

    def sequence(self, value: Any, kind: type[Any], depth: int) -> object:
        size = kind.__len__(value)
        items = list(islice(kind.__iter__(value), self.most_items))
        if size == 2 and (depth or kind is tuple) and (name := _pair_name(items)):
            return [name, _withheld(name, items[1])]
        result: list[object] = []
        for item in items:
            if self.nodes_left <= 0 and not self.is_whole:
                break
            result.append(self.visit(item, depth + 1))
        if len(result) < size:
            result.append(f"{ELLIPSIS} {size - len(result)} more")
        return result

    def leaf(self, text: str, key: str) -> str:
        """A string. Bare digits are judged with their key, which tells an id from a card."""
        if key and text.isdigit() and 10 <= len(text) <= 19:
            prefix = f"{key}: "
            return self.redactor.text(prefix + text).removeprefix(prefix)
        if self.text_limit is not None:
            return self.redactor.opening(text, self.text_limit)
        return self.redactor.text(text)

    def number(self, number: int, key: str) -> object:
        if -10_000_000_000 < number < 10_000_000_000:
            return number
        if number.bit_length() > MAX_BITS:
            bits = number.bit_length()
            return self.left_out(f"an integer has {bits} bits", f"<integer of {bits} bits>")
        if number.bit_length() > 128 and not self.is_whole:
            return f"<integer of {number.bit_length()} bits>"
        text = str(number)
        shown = self.leaf(text, key)
        return number if shown == text else shown

    def binary(self, data: bytes, key: str) -> str:
        if b"\0" in data[:256]:
            return f"<{len(data)} bytes>"
        try:
            return self.leaf(data.decode(), key)
        except UnicodeDecodeError:
            return (
                self.leaf(data.decode("latin-1"), key)
                if _mostly_text(data)
                else f"<{len(data)} bytes>"
            )


def _mostly_text(data: bytes) -> bool:
    sample = data[:256]
    return sum(byte >= 128 or (byte < 32 and byte not in b"\t\r\n") for byte in sample) * 4 < len(
        sample
    )


def _withheld(key: str, value: object) -> object:
    """What stands in place of a sensitive key's value; nothing to hide stays as it is."""
    kind = type(value)
    if value is None or kind is bool or (kind is str and not value):
        return value
    if key.lower() == "tokens" and kind in (int, float):
        return value
    return f"[redacted:{_key_label(key)}]"


def _key_label(key: str) -> str:
    lowered = key.lower()
    for part, label in _KEY_LABELS:
        if part in lowered:
            return label
    return "secret"


def _pair_name(items: list[object]) -> str:
    """The name in a (name, value) pair, as headers and settings are listed, if it is sensitive."""
    first = items[0]
    if type(first) is bytes:
        first = first.decode("latin-1")
    return first if type(first) is str and is_sensitive_key(first) else ""


def _key_text(key: object) -> str:
    if type(key) is bytes:
        return key.decode("utf-8", "replace")
    return _described(key)


def _fields(value: object) -> Iterator[tuple[str, object]]:
    for name in type(value).__dataclass_fields__:  # type: ignore[attr-defined]
        try:
            yield name, getattr(value, name)
        except Exception as error:  # a field may be a descriptor that fails; the rest still counts
            yield name, f"<unreadable: {type(error).__name__}>"


def _described(value: object) -> str:
    kind = type(value)
    try:
        return (
            str(value)
            if issubclass(kind, (str, int, float, PurePath, UUID, Decimal))
            else repr(value)
        )
    except Exception as error:  # anybody's code: it may raise anything, and must not stop a write
        return f"<{kind.__name__}: no repr, {type(error).__name__}>"
