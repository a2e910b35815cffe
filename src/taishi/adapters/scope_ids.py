"""Ids of other frameworks as ids of a `Scope`: any text in, no two the same."""

from __future__ import annotations

import hashlib
import re

MAX_CHARS = 200
# No escaped text begins like these: after its "%" there is a hexadecimal digit.
BLANK = "%_"
LONG = "%~"
# "/" and "%" are escaped so that a workspace and a user, written one after the other, can be told
# apart; the rest is what `Scope` refuses.
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_ESCAPED = re.compile(f"{_CONTROL.pattern}|[%/]")


def safe_id(value: object) -> str:
    """The id itself if a `Scope` takes it as it is, else an escaped form, which differs for every
    other id. A very long one becomes its hash."""
    text = str(value)
    if text.strip():
        safe = _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)
    else:
        safe = BLANK + ".".join(f"{ord(char):X}" for char in text)
    if len(safe) <= MAX_CHARS:
        return safe
    return LONG + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def record_id(value: object) -> str:
    """An id for a record: unchanged if it can be stored, so that what a search gave back can be
    passed in again."""
    text = str(value)
    is_plain = text.strip() and len(text) <= MAX_CHARS and not _CONTROL.search(text)
    return text if is_plain else safe_id(text)
