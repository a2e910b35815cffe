"""Replaces words for a place that only the participants know: "here", 本群."""

from __future__ import annotations

import re

from .text_edits import Edit, capital_like, has_han

_GROUP_WORDS = ["本群", "这个群", "本频道", "这个频道", "this group", "this channel", "this chat"]
_HERE_WORDS = [*"这里 这儿 这边 此处 此地 這裡 這邊 這兒".split(), "here", "here's", "here’s"]
_LOCAL_WORDS = ["本地", "locally"]
_PREPOSITION = (
    r"\b(?:on|in|at|by|since|until|till|from|before|after|of|for|to|during|between|through|around"
    r"|near|over|than|the) $"
)
_TOWARDS = (  # moved here is moved to, not moved in
    r"\b(?:mov(?:e|es|ed|ing)|relocat(?:e|es|ed|ing)|c[ao]mes?|coming|go(?:es|ing)?|went|travel(?:s|l?ed)?"
    r"|fl(?:y|ies|ew)|dr(?:ive|ives|ove)|return(?:s|ed)?|bring|brings|brought|sen[dt]|gets?|got)"
    r"(?: (?:back|over|down|up))? $"
)


def place_edits(
    text: str, start: int, end: int, location: str | None, group: str | None
) -> list[Edit]:
    """The place's name for the word at `start`: "here" only if a location was given.

    In a group, "here" may be the chat, a town or a table; the group's name would be a guess.
    """
    said = text[start:end]
    word = said.lower()
    place = group if word in _GROUP_WORDS else None
    if word in _HERE_WORDS or word in _LOCAL_WORDS:
        place = location
    if place is None:
        return []
    if has_han(word) and word in _HERE_WORDS and place == location:
        ours = re.search(r"(?:我们|咱们|俺们|我們|咱們|我|咱)$", text[max(0, start - 2) : start])
        start -= len(ours[0]) if ours else 0  # 我们这儿 is one place, not a place of ours
    if not has_han(word) and word not in _GROUP_WORDS:
        before = text[max(0, start - 24) : start]
        link = "to" if re.search(_TOWARDS, before, re.I) else "in"
        if not re.search(_PREPOSITION, before, re.I):
            place = capital_like(said, f"{link} {place}")
        place += " is" if word.endswith("s") else ""
    return [Edit(start, end, place)]
