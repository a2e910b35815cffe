"""Chooses which of the slower rules for spoken secrets, commands and SQL a text needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import trigger_words

_A_DIGIT = re.compile("[0-9]")


def find_all_said(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Secrets among words, in commands and in SQL. Rules are loaded by the first text that may
    need them, which keeps the import of the package short."""
    has = lowered.__contains__
    if any(map(has, trigger_words.ENGLISH)):
        from .spoken_english import find_said

        yield from find_said(text, lowered)
    if any(map(has, trigger_words.CHINESE)):
        from .spoken_chinese import find_said_chinese

        yield from find_said_chinese(text, lowered)
    yield from _find_locks_and_changes(text, lowered)
    if any(map(has, trigger_words.COMMANDS)):
        from .commands import find_in_commands

        yield from find_in_commands(text, lowered)


def _find_locks_and_changes(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    has = lowered.__contains__
    if not _A_DIGIT.search(text):
        return
    if any(map(has, trigger_words.LOCKS)):
        from .spoken_locks import find_lock_codes

        yield from find_lock_codes(text, lowered)
    if any(map(has, trigger_words.CHINESE_LOCKS)):
        from .spoken_locks import find_lock_codes_chinese

        yield from find_lock_codes_chinese(text)
    if any(map(has, trigger_words.CHANGES)):
        from .spoken_changes import find_changed

        yield from find_changed(text, lowered)
    if any(map(has, trigger_words.ROUTERS)):
        from .spoken_changes import find_router_pairs

        yield from find_router_pairs(text, lowered)
    if any(map(has, trigger_words.CHINESE_CHANGES)):
        from .spoken_changes import find_changed_chinese

        yield from find_changed_chinese(text, lowered)
