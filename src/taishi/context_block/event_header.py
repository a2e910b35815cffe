"""The header that an event's text begins with: its time and where it was. A line of a block shows
the time itself, and the reader is in the place."""

from __future__ import annotations

import re

MAX_HEADER_CHARS = 400
_HEADER = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d \([\w/+-]{1,40}\)(?:, [^:\n]{0,300})?: "
    r"|\d{1,4}年\d{1,2}月\d{1,2}日\d\d:\d\d（[\w/+-]{1,40}）(?:，[^：\n]{0,300})?："
)


def without_header(text: str) -> str:
    """The text as it is, if it does not begin with a header or is nothing else."""
    found = _HEADER.match(text, 0, MAX_HEADER_CHARS)
    return text[found.end() :] or text if found else text
