"""Hashes of a returned text: enough to recognise it again, too little to read it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from ..language.analyzer import CJK, terms
from ..language.lazy_regex import lazy_compile
from ..language.normalise import canonical
from .block_markup import unframed

HashWord = Callable[[str], int]
MARK = "h1."
MAX_CHARS = 4000
MOST_SENTENCES = 60
MOST_WORDS = 80  # of a sentence
HASH_BYTES = 3
KEY_BYTES = 12
SHORTEST = 3  # words: fewer say nothing by themselves
# Clauses, not only sentences: what one of them denies the next may not.
_END = lazy_compile(r"[;；。！？!?，]+|\.(?=\s|$)|,(?!\d)|\s[-–—]\s")
_WORD = lazy_compile(rf"[{CJK}]|[^\W_{CJK}]+(?:['’][^\W_{CJK}]+)?")
_SPEAKER = lazy_compile(r"[^:：\n]{1,40}?(?: said)?[:：]\s*")
_NOT = lazy_compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|cannot|neither|nor)\b|n['’]t\b"
    r"|[不没無无未别非勿]"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The hashed words of a sentence in order, and whether it contains a negation."""

    words: tuple[int, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class TextTerms:
    """`terms` are what the whole text is about, `sentences` what it says."""

    terms: frozenset[int]
    sentences: tuple[Sentence, ...]

    @classmethod
    def of(cls, text: str, hash_word: HashWord | None = None) -> TextTerms:
        """`hash_word` may remember words, for a batch of texts: a hash takes longer than most of
        the rest."""
        hashed = hash_word or word_hash
        cut = text[:MAX_CHARS]
        found = (_sentence(piece, hashed) for piece in pieces(cut))
        kept = tuple(one for one in found if one.words)[:MOST_SENTENCES]
        return cls(hashed_terms(cut, hashed), kept)

    @classmethod
    def read(cls, kept: str) -> TextTerms:
        """What `kept` says, be it hashes or, of an older version, the text itself."""
        return _read(kept) if kept.startswith(MARK) else cls.of(kept)

    def kept(self) -> str:
        """As text, for a job's file and for a row."""
        parts = [_packed(sorted(self.terms))]
        parts += [bytes([one.negated]) + _packed(one.words) for one in self.sentences]
        return MARK + ".".join(base64.b64encode(part).decode() for part in parts)

    def says(self, sentence: Sentence) -> bool:
        """Whether this sentence, or the beginning of a longer one, was handed out. Of a word or two
        the beginning says nothing."""
        size = len(sentence.words) if len(sentence.words) >= SHORTEST else MOST_WORDS
        return any(
            one.negated == sentence.negated and one.words[:size] == sentence.words
            for one in self.sentences
        )

    def denies_as(self, sentence: Sentence) -> bool:
        """Whether the sentence most like this one denies, or does not, just as this one does."""
        wanted = set(sentence.words)
        nearest = max(self.sentences, key=lambda one: len(wanted & set(one.words)), default=None)
        return nearest is None or nearest.negated == sentence.negated


def key_of(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=KEY_BYTES).hexdigest()


def sentences_of(text: str) -> list[Sentence]:
    found = (_sentence(piece, word_hash) for piece in pieces(text[:MAX_CHARS]))
    return [one for one in found if one.words]


def pieces(text: str) -> Iterator[str]:
    """The clauses of a text without the markup of a prompt block."""
    for line in text.splitlines():
        yield from (clause for clause in _END.split(unframed(line)) if clause.strip())


def word_hash(word: str) -> int:
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=HASH_BYTES).digest()
    return int.from_bytes(digest, "big")


def hashed_terms(text: str, hash_word: HashWord = word_hash) -> frozenset[int]:
    return frozenset(map(hash_word, terms(canonical(text[:MAX_CHARS]))))


def without_speaker(text: str) -> str:
    return _SPEAKER.sub("", text, count=1)


def _sentence(text: str, hash_word: HashWord) -> Sentence:
    plain = canonical(text)
    words = _WORD.findall(plain)[:MOST_WORDS]
    return Sentence(tuple(map(hash_word, words)), _NOT.search(plain) is not None)


def _packed(numbers: Iterable[int]) -> bytes:
    return b"".join(number.to_bytes(HASH_BYTES, "big") for number in numbers)


def _unpacked(data: bytes) -> tuple[int, ...]:
    starts = range(0, len(data) - HASH_BYTES + 1, HASH_BYTES)
    return tuple(int.from_bytes(data[at : at + HASH_BYTES], "big") for at in starts)


def _read(kept: str) -> TextTerms:
    """Parses stored hashes; an unreadable entry matches nothing."""
    try:
        parts = [base64.b64decode(part, validate=True) for part in kept[len(MARK) :].split(".")]
    except (binascii.Error, ValueError):
        return TextTerms(frozenset(), ())
    sentences = (Sentence(_unpacked(part[1:]), part[:1] == b"\x01") for part in parts[1:])
    return TextTerms(frozenset(_unpacked(parts[0])), tuple(sentences))
