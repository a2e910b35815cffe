"""Common English words, read once from `token_words.txt`: a constant table, nobody's text."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class CommonWords(NamedTuple):
    """In lower case: those that are one token after a space, one token without, and all of them."""

    spaced: frozenset[str]
    bare: frozenset[str]
    parts: frozenset[str]


@cache
def common_words() -> CommonWords:
    text = files(__package__).joinpath("token_words.txt").read_text("ascii")
    both, spaced, bare = (frozenset(part.split()) for part in re.split(r"\[\w+\]", text)[1:])
    return CommonWords(both | spaced, both | bare, both | spaced | bare)
