"""Regular expressions that are compiled on first use, so that importing is fast.

There are hundreds of them and most processes need few: compiled on import they took a tenth of a
second of every start.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """A proxy for a compiled pattern that keeps the methods it was asked for as attributes."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "_compiled":
            self._compiled = re.compile(self._source, self._flags)
            return self._compiled
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def lazy_compile(source: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, at the first use. Call its methods: `re.sub` does not take it."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
