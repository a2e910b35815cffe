"""What GitHub reads and Python-Markdown does not; the pages are written for GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator

FENCE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ \t]*$)", re.MULTILINE | re.DOTALL)
PARAGRAPH_THEN_LIST = re.compile(r"^((?![ \t#>|]|[-*] |\d+\. ).+\n)(?=(?:[-*]|1\.) )", re.MULTILINE)
NUMBERED = re.compile(r"\d\. ")


def heading_id(title: str, separator: str = "-") -> str:
    """As GitHub names the place of a heading, so that links to it work in both."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


def adapt(text: str) -> str:
    """The same page with an empty line before each list, and four spaces under a numbered item."""
    parts = FENCE.split(text)
    for number in range(0, len(parts), 2):
        apart = PARAGRAPH_THEN_LIST.sub(r"\1\n", parts[number])
        parts[number] = "\n".join(_indented(apart.split("\n")))
    return "".join(parts)


def _indented(lines: list[str]) -> Iterator[str]:
    """GitHub takes what stands under the words of `1. ` for a part of it: three spaces. The next
    item may follow it without an empty line."""
    inside, before = False, ""
    for line in lines:
        numbered = bool(NUMBERED.match(line))
        if numbered and inside and before.startswith("   "):
            yield ""
        if line.strip():
            inside = numbered or (inside and line.startswith("   "))
        yield f" {line}" if inside and line.startswith("   ") else line
        before = line
