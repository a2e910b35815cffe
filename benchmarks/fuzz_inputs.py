"""Made-up inputs for the fuzz run: the same number gives the same input on every machine."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache

from benchmarks.hostile_seeds import seeds
from benchmarks.sentences import tables

_SOUP = (
    *("\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\ufeff", "\u00ad", "\x00", "\x08", "\x1b"),
    *("\ud800", "\udfff", "\u0301", "\u20dd", "\ufe0f", "\U0001f3ff", "\U000e0061", "\uffff"),
    *("\ufffc", "\u2028", "\u2029", "\x85", "İ", "ß", "ﬁ", "ǆ", "Ａ", "１", "〇", "٣", "𝟗", "½"),
)
_BROKEN_JSON = (*'{}[]",:', "\\", "\\u", "\\ud800", "null", "true", "NaN", "1e999", "-", "```json")
_PAGE = ("---\n", "entity_id: ", "name: ", "tags: [", "]\n", "- ", ": ", "|\n", "&a ", "*a", "!!x ")
_SETTINGS = ("[query]\n", "[memory]\n", 'timezone = "', '"\n', "= ", "[[x]]\n", "'''", "#", "1_0")
_QUERY = ('"', "*", "NEAR(", ")", " OR ", " AND ", " NOT ", ":", "^", "--", "; DROP TABLE x", "%")
_PATHS = ("../", "..\\", "C:\\", "/etc/", "%2e%2e", "CON", "nul.txt", ".", "~", "\t", "a" * 300)
_LONGEST = 1_500
_LENGTHS = (30, 30, 60, 60, 100, 100, 200, 400, _LONGEST)  # most are short: there are many


@cache
def _pieces() -> tuple[str, ...]:
    rest = (*_SOUP, *_BROKEN_JSON, *_PAGE, *_SETTINGS, *_QUERY, *_PATHS)
    return (*seeds(pairs=200), *rest)


@cache
def _sentences() -> tuple[str, ...]:
    return tuple(row["text"] for rows in tables().values() for row in rows)


def _spliced(chance: random.Random) -> str:
    return "".join(chance.choices(_pieces(), k=chance.randint(1, 12)))


def _soup(chance: random.Random) -> str:
    runs = (chr(chance.choice((0x80, 0x2FF, 0xFFFF, 0x10FFFF))) for _ in range(3))
    letters = [chr(chance.randrange(0x110000)) for _ in range(chance.randint(1, 12))]
    return "".join([*letters, *chance.choices(_SOUP, k=6), *runs])


def _repeated(chance: random.Random) -> str:
    unit = "".join(chance.choices(_pieces(), k=chance.randint(1, 2)))
    return (unit * (chance.choice(_LENGTHS) // len(unit) + 1))[:_LONGEST]


def _mutated(chance: random.Random) -> str:
    """A sentence that people say, with something cut out, put in or swapped."""
    text = chance.choice(_sentences())
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(text))
        until = min(len(text), at + chance.randint(0, 6))
        text = text[:at] + chance.choice((*_pieces()[:400], *_SOUP, "")) + text[until:]
    return text


def _joined(chance: random.Random) -> str:
    """Halves of two sentences, so that one language runs into the other."""
    one, other = chance.choice(_sentences()), chance.choice(_sentences())
    return one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :]


def _document(chance: random.Random) -> str:
    """JSON that is nearly right: with a value too deep, a key too many, a mark missing."""
    value: object = chance.choice((None, True, 1e300, -1, "x", [], {}, _joined(chance)))
    for _ in range(chance.randint(0, 6)):
        key = chance.choice(("type", "text", "name", "id", "time", "tool_calls", "query", "a"))
        value = [value] if chance.random() < 0.4 else {key: value, "text": chance.choice(_pieces())}
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(("", "", *_BROKEN_JSON)) + text[at + chance.randint(0, 2) :]


_MAKERS: tuple[Callable[[random.Random], str], ...] = (
    _spliced, _soup, _repeated, _mutated, _mutated, _joined, _document,
)  # fmt: skip


def made(seed: int, number: int) -> str:
    """The input of this number in the run with this seed."""
    chance = random.Random(seed * 1_000_003 + number)
    return chance.choice(_MAKERS)(chance)
