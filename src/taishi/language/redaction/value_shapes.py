"""Judges whether a string looks like a secret: random, or an ordinary word."""

from __future__ import annotations

import re

_TECHNICAL = re.compile(
    r"(?i)(?:sha|md|aes|rsa|utf|base|oauth|wpa|http|pbkdf|argon|python|windows|win|ios|ipv|mp|h|x|v|"
    r"q|covid|ps|usb|gpt|tls|ssl|id|no|top|day|week|level|part|step|room|section|chapter)[-_ ]?"
    r"[0-9]{1,4}(?:\.[0-9]+)*[a-z]?"
)
_COUNTED = re.compile(r"[0-9]{1,4}(?:st|nd|rd|th|[a-z]{1,3}|-[a-z]+(?:-[a-z]+)?)", re.I)
_CLOCK_OR_RANGE = re.compile(r"[0-9.,:/%+-]+")
_SYMBOLS = re.compile(r"[!@#$^&*+=~_]")
_ADDRESS = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?|ftp)://.*|www\..*|[\w-]+\.(?:com|org|net|py|js|md|txt|html|json|cn)"
)
_DIGIT, _LETTER = re.compile("[0-9]"), re.compile("[A-Za-z]")
_TURN = re.compile(r"(?<=[0-9])(?=[^0-9])|(?<=[^0-9])(?=[0-9])|(?<=[a-z])(?=[A-Z])")
_WORDED = re.compile(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)+")


def looks_random(value: str) -> bool:
    """Digits in a word, digits alone, or signs that no word has."""
    if len(value) < 4:
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    if value.isdigit():
        return True
    if _CLOCK_OR_RANGE.fullmatch(value):
        return False  # a date, a range, an amount
    if has_digit and has_letter:
        return not re.fullmatch(r"[0-9]{1,4}(?:st|nd|rd|th|[a-z]{1,3}|-[a-z]+)", value)
    return bool(_SYMBOLS.search(value)) and has_letter


def looks_chosen(value: str, least: int = 5) -> bool:
    """A password as people make them: letters with digits or signs, and nothing else."""
    if len(value) < least or not any(c.isalpha() for c in value):
        return False
    if _TECHNICAL.fullmatch(value) or _COUNTED.fullmatch(value) or _ADDRESS.fullmatch(value):
        return False
    core = value.strip("!?.,*_:`")
    if len(core) < least - 1:
        return False
    if any(c.isdigit() for c in core):
        return True
    return bool(re.search(r"[!@#$^&*+=~_%]", core)) and not _WORDED.fullmatch(core)


_NUMBERED_THING = re.compile(
    r"(?i)(?:user|server|host|node|db|test|group|team|account|client|laptop|pc|box|site|app|v)"
    r"[-_]?[0-9.]{1,3}"
)


def is_numbered_thing(value: str) -> bool:
    """`user1`, `server3`: told apart where the words around a value say little."""
    return _NUMBERED_THING.fullmatch(value) is not None


def looks_mixed(value: str) -> bool:
    """Capitals and small letters in no order, with a digit or none: only beside a vendor's name."""
    if not 20 <= len(value) <= 128 or not value.isalnum():
        return False
    humps = len(_TURN.findall(value))  # in a name made of words they are longer
    return humps >= 4 and (humps * 3 >= len(value) or len(re.findall("[A-Z]{2}", value)) >= 2)


def looks_like_key(value: str, least: int = 16) -> bool:
    """A long run of letters and digits without the words that names and paths are made of."""
    if len(value) < least or _ADDRESS.fullmatch(value) or _WORDED.fullmatch(value):
        return False
    body = value.removeprefix("0x")
    if len(_DIGIT.findall(body)) < 2 or len(_LETTER.findall(body)) < 2:
        return False
    return len(_TURN.findall(body)) >= max(4, len(body) // 8)
