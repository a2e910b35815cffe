"""Tokenises and stems text into index terms, in the same way for documents and queries.

English words are stemmed and stop words dropped; Chinese and Japanese runs become single
characters and pairs, so that a two-character word is found inside any sentence without a
dictionary; numbers and ids stay whole and are also split at their joints. Any string is safe:
terms never reach a query language.
"""

from __future__ import annotations

import struct
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import chain, pairwise

import Stemmer

from .common_words import common_words
from .lazy_regex import lazy_compile

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_TOKEN = lazy_compile(
    rf"(?P<cjk>[{CJK}]+)|(?P<word>[^\W_{CJK}]+(?:['’][^\W_{CJK}]+)?)(?P<joint>[-._@:/]?(?=[^\W_]))?"
)
_JOINED = lazy_compile(r"[A-Za-z0-9][-.@:/][A-Za-z0-9]|_")
_PLAIN_WORD = lazy_compile(r"[a-z0-9]+(?:'[a-z0-9]+)?")
_HAS_CJK = lazy_compile(f"[{CJK}]")
_CONTRACTION = lazy_compile(r"['’](?:s|t|d|m|ll|re|ve)$|['’]")
_ASKS = lazy_compile(r"[?？]\W{0,8}(?:\[[^\]]{0,250}\])?\W{0,8}$")
MAX_ENDING = 300
# A term that no query contains: it marks texts that ask a question.
ASKING = "?"
# Between the packed terms of two passages: no term is there zero times.
NEXT_PASSAGE = bytes(5)
MAX_WORD_CHARS = 64
# Beyond this a text is kept but not indexed; one character may normalise to eighteen.
MAX_CHARS = 2_000_000

STOP_WORDS = frozenset(
    """a an and are as at be been being but by can could did do does doing done for from had has
    have having he her hers him his how i if in into is it its just me my of on or our ours she
    should so some such than that the their theirs them then there these they this those to too
    us very was we were what when where which while who whom whose why will with would you your
    yours am not no nor about also any because before after during both each few more most other
    own same s t d ll m re ve don didn doesn isn aren wasn weren won wouldn couldn shouldn hasn
    haven hadn""".split()
)


class _Stemmer(threading.local):
    """PyStemmer objects are not thread-safe, hence one per thread."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("porter", 0).stemWord


_stemmer = _Stemmer()


@cache
def _common_stems() -> dict[str, str]:
    """The stems of common words. No cache of the words that texts have: it would outlive them, and
    be shared by all memories of the process."""
    stem = _stemmer.stem
    return {word: stem(word) for word in common_words().parts}


def has_cjk(text: str) -> bool:
    return _HAS_CJK.search(text) is not None


def terms(text: str) -> list[str]:
    """Index terms of a text, in order, with repeats."""
    text = text[:MAX_CHARS]
    if text.isascii() and not _JOINED.search(text):
        return _plain_terms(text.lower())
    return _terms(unicodedata.normalize("NFKC", text)[:MAX_CHARS].lower())


def _plain_terms(text: str) -> list[str]:
    """A faster `_terms` for plain English words and spaces."""
    common, stem = _common_stems().get, _stemmer.stem
    found: list[str] = []
    for word in _PLAIN_WORD.findall(text):
        word = word[:MAX_WORD_CHARS]
        if not word.isalnum():
            word = _CONTRACTION.sub("", word)
        if word not in STOP_WORDS:
            found.append((common(word) or stem(word)) if word.isalpha() else word)
    return found


def _terms(text: str) -> list[str]:
    common, stem = _common_stems().get, _stemmer.stem
    found: list[str] = []
    joined: list[str] = []
    # On the path of every write and query: no match objects, no generator.
    for run, word, joint in _TOKEN.findall(text):
        if run:
            found += run
            found += map("".join, pairwise(run))
            joined.clear()  # what follows is no part of an id that ended before this
            continue
        word = word[:MAX_WORD_CHARS]
        if not word.isalnum():
            word = _CONTRACTION.sub("", word)
        if word and word not in STOP_WORDS:
            is_english = word.isascii() and word.isalpha()
            found.append((common(word) or stem(word)) if is_english else word)
        # Ids such as v1.2.3 or ann@example.org are also one term, whole.
        if joint:
            joined += (word, joint)
        elif joined:
            joined.append(word)
            if len(whole := "".join(joined)) <= MAX_WORD_CHARS:
                found.append(whole)
            joined.clear()
    return found


def asks(text: str) -> bool:
    """Whether a text ends by asking something; what a picture shows may follow in brackets."""
    return _ASKS.search(text[-MAX_ENDING:]) is not None


def number_of(term: str) -> int:
    """A term as the 32-bit number it is stored by."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def pack(words: Iterable[str]) -> bytes:
    """Terms as they are stored: five bytes each, number and how often (at most 255)."""
    # As number_of, without its call: every write goes through here.
    counts = Counter([zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words])
    if max(counts.values(), default=0) > 255:
        counts = Counter({number: min(count, 255) for number, count in counts.items()})
    return struct.pack("<" + "IB" * len(counts), *chain.from_iterable(counts.items()))
