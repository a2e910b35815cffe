"""The header that an event's text begins with: its time and where it was. A line of a block shows
the time itself, and the reader is in the place."""

from __future__ import annotations

import re

MAX_HEADER_CHARS = 400
_TIME_EN = r"\d{4}-\d\d-\d\d \d\d:\d\d \([\w/+-]{1,40}\)"
_TIME_ZH = r"\d{1,4}年\d{1,2}月\d{1,2}日\d\d:\d\d（[\w/+-]{1,40}）"
_HEADER = re.compile(rf"{_TIME_EN}(?:, [^:\n]{{0,300}})?: |{_TIME_ZH}(?:，[^：\n]{{0,300}})?：")
_GROUP = re.compile(
    rf"(?P<en>{_TIME_EN}, group) [^,:\n]{{1,300}}(?=[,:])"
    rf"|(?P<zh>{_TIME_ZH}，群)(?:「[^」\n]{{1,300}}」|[^，：\n]{{1,300}})(?=[，：])"
)


def without_header(text: str) -> str:
    """The text as it is, if it does not begin with a header or is nothing else."""
    found = _HEADER.match(text, 0, MAX_HEADER_CHARS)
    return text[found.end() :] or text if found else text


def without_group_name(text: str) -> str:
    """The text without the name of the group in its header: each event of the group has it, and in
    a short one it is most of what the text would mean."""
    found = _GROUP.match(text, 0, MAX_HEADER_CHARS)
    return f"{found['en'] or found['zh']}{text[found.end() :]}" if found else text
