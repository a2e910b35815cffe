"""Normalises text for comparison: case, width, accents, look-alike letters (homoglyphs).

A statement that a person rejected must be known again however it is written: full width, a
mathematical alphabet, accents, characters that nobody sees, letters of another script that look
the same. Whatever compares statements, or keeps a hash of one, reads them through here.
"""

from __future__ import annotations

import re
import unicodedata

from .invisible_characters import UNSEEN

# Letters of other scripts by what they look like. A word of Greek has its capitals and its small
# letters alike only by their capitals; among Latin letters it is the shape that was meant.
_LIKE_LATIN = {
    "a": "аɑᴀꭺ",
    "b": "вьʙᏼ",
    "c": "сϲᴄꮯ",
    "d": "ԁɗᴅꭰ",
    "e": "еєҽᴇꭼ",
    "f": "ғϝꜰ",
    "g": "ɡԍɢ",
    "h": "һнҥʜ",
    "i": "іɩıɪӏ",
    "j": "јϳȷᴊ",
    "k": "кᴋ",
    "l": "ⅼʟ",
    "m": "мᴍ",
    "n": "пոɴ",
    "o": "оօᴏ",
    "p": "рᴘ",
    "q": "ԛզ",
    "r": "гʀ",
    "s": "ѕꜱ",
    "t": "тᴛ",
    "u": "սᴜ",
    "v": "ѵᴠ",
    "w": "ԝѡᴡ",
    "x": "х",
    "y": "уүʏ",
    "z": "ᴢ",
}
_GREEK = dict(zip("αβεζηικμνορςστυχ", "abezhikmnopsstyx", strict=True))
_GREEK_AMONG_LATIN = _GREEK | dict(zip("ηνυγωσ", "nvuywo", strict=True))
_CAPITALS_AMONG_LATIN = {"Η": "h", "Ν": "n", "Υ": "y", "Γ": "г", "Σ": "e"}
_LETTER_SIGNS = (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)  # squared, circled, negative, of flags

_SHAPES = {ord(other): latin for latin, others in _LIKE_LATIN.items() for other in others}
_SIGNS = {start + n: chr(ord("a") + n) for start in _LETTER_SIGNS for n in range(26)}
_PURE = _SHAPES | {ord(greek): latin for greek, latin in _GREEK.items()}
_MIXED = _SHAPES | {ord(greek): latin for greek, latin in _GREEK_AMONG_LATIN.items()}
_CAPITALS = str.maketrans(_CAPITALS_AMONG_LATIN)
_UNSEEN = re.compile(f"[{UNSEEN}]+")
_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_MARKED = re.compile("[\u00c0-\u052f\u1ab0-\u1aff\u1dc0-\u1fff\u20d0-\u20ff\ufe20-\ufe2f]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[A-Za-z]")
_FOREIGN = re.compile(
    "[\u0131\u0237\u0250-\u02af\u0370-\u058f\u13a0-\u13ff\u1d00-\u1d7f\ua700-\ua7ff\uab70-\uabbf]"
)


def canonical(text: str) -> str:
    """The text in one spelling and lower case; punctuation and spaces stay."""
    if text.isascii():
        return text.lower()
    plain = _UNSEEN.sub("", text).translate(_SIGNS)
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", plain))
    if _MARKED.search(plain):
        plain = unicodedata.normalize("NFC", _without_marks(plain))
    if _FOREIGN.search(plain):
        plain = _WORD.sub(_in_latin, plain)
    return plain.casefold()


def squeezed(text: str) -> str:
    """`canonical` without white space, which may be put between any two characters."""
    return "".join(canonical(text).split())


def _without_marks(text: str) -> str:
    """Accents of letters go; the marks that make another letter in other scripts stay."""
    return _MARKS.sub("", unicodedata.normalize("NFD", text))


def _in_latin(word: re.Match[str]) -> str:
    """The letters that look like Latin ones, as these."""
    found = word[0]
    if _LATIN.search(found):
        return found.translate(_CAPITALS).casefold().translate(_MIXED)
    return found.casefold().translate(_PURE)
