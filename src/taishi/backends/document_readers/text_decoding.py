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
    fault = _first_fault(data)
    if fault is None:
        return "utf-8", "strict"
    around = data[max(0, fault - SAMPLE // 2) : fault + SAMPLE // 2]
    if _is_damaged_utf8(around, fault >= len(data) - 3):
        return "utf-8", "replace"
    return _legacy(around), "replace"


def _utf16_without_bom(sample: bytes) -> str | None:
    """Half of the bytes of ASCII text in UTF-16 are zero, all at even or all at odd places."""
    if len(sample) < 4:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.1 * half else None


def _first_fault(data: bytes) -> int | None:
    """Where UTF-8 ends; None if all of it is valid."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    for start in range(0, len(data), SLICE):
        try:
            decoder.decode(data[start : start + SLICE], start + SLICE >= len(data))
        except UnicodeDecodeError as error:
            return min(len(data) - 1, start + error.start)
    return None


def _is_damaged_utf8(around: bytes, is_at_end: bool) -> bool:
    """UTF-8 with a broken character here and there, or cut off in the middle of the last one."""
    text = around.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(char > "\x7f" for char in text) - broken
    return broken <= MOST_DAMAGED * whole or (is_at_end and broken == 1 and whole > 0)


def _legacy(around: bytes) -> str:
    """Chinese characters are pairs of high bytes; accents in Western words stand alone."""
    lonely = len(_LONELY.findall(around))
    return "cp1252" if lonely * 2 > len(_HIGH.findall(around)) else "gb18030"
