"""Decodes the bytes of a text file piece by piece, in the encodings that people have."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from ...errors import DocumentError
from ...language.text import without_hidden

SLICE = 1 << 20
SAMPLE = 1 << 18
# More control characters than this share: no text in any encoding.
MOST_CONTROLS = 0.02
MOST_DAMAGED = 0.05

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")
_LONELY = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def tidy(text: str) -> str:
    """The text with line feeds for all line breaks, without control and invisible characters."""
    return without_hidden(_LINE_BREAKS.sub("\n", text))


def decoded(name: str, data: bytes) -> Iterator[str]:
    """The text in pieces, tidied. Raises DocumentError at once if it is no text."""
    encoding, errors = _encoding(name, data)
    return _pieces(data, encoding, errors)


def head(name: str, data: bytes) -> str:
    """The first characters, to recognise the format by."""
    encoding, _ = _encoding(name, data[:SAMPLE])
    return data[:SAMPLE].decode(encoding, "ignore")


def _pieces(data: bytes, encoding: str, errors: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    held = ""  # a CR whose LF may come in the next piece
    for start in range(0, len(data), SLICE):
        last = start + SLICE >= len(data)
        text = held + decoder.decode(data[start : start + SLICE], last)
        held = "\r" if text.endswith("\r") and not last else ""
        yield tidy(text[:-1] if held else text)


def _encoding(name: str, data: bytes) -> tuple[str, str]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding, "replace"
    sample = data[:SAMPLE]
    if wide := _utf16_without_bom(sample):
        return wide, "replace"
    if len(_CONTROLS.findall(sample)) > max(1, MOST_CONTROLS * len(sample)):
        raise DocumentError(
            f"{name!r:.120} is not text, or in an encoding that is not known. "
            "Save it as UTF-8 text, PDF or DOCX and add it again."
        )
    if _is_valid(data, "utf-8"):
        return "utf-8", "strict"
    if _is_damaged_utf8(sample):
        return "utf-8", "replace"
    return _legacy(data, sample), "replace"


def _utf16_without_bom(sample: bytes) -> str | None:
    """Half of the bytes of ASCII text in UTF-16 are zero, all at even or all at odd places."""
    if len(sample) < 4:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.1 * half else None


def _is_valid(data: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        for start in range(0, len(data), SLICE):
            decoder.decode(data[start : start + SLICE], start + SLICE >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(sample: bytes) -> bool:
    """UTF-8 with a broken character here and there, such as one that was cut in half."""
    text = sample.decode("utf-8", "replace")
    beyond_ascii = sum(char > "\x7f" for char in text)
    return text.count("\ufffd") <= max(1, MOST_DAMAGED * beyond_ascii)


def _legacy(data: bytes, sample: bytes) -> str:
    """Chinese characters are pairs of high bytes; accents in Western words stand alone."""
    high = len(_HIGH.findall(sample))
    if len(_LONELY.findall(sample)) * 2 > high:
        return "cp1252"
    return "gb18030" if _is_valid(data, "gb18030") or high else "cp1252"
