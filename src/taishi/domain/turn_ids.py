"""The ids of turns: `REQUEST:NUMBER`; `REQUEST.KEY:NUMBER` if it came with an idempotency key."""

from __future__ import annotations

import re

_KEY = r"[0-9a-f]{32}"  # as server/idempotency.py makes it


def number_of(turn_id: str, request_id: str) -> int:
    """Of a turn under exactly this request id; 0: it is another's."""
    found = re.fullmatch(rf"{re.escape(request_id)}:(\d+)", turn_id, re.ASCII)
    return int(found[1]) if found else 0


def has_key(turn_id: str, request_id: str) -> bool:
    """Whether it is a turn under this request id, with a key."""
    keyed = rf"{re.escape(request_id)}\.{_KEY}:\d+"
    return re.fullmatch(keyed, turn_id, re.ASCII) is not None
