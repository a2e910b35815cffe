"""Possessive repetition of a group, `(?:…)*+`, that is right on every Python from 3.11 on.

Before 3.11.5 (Debian 12 has 3.11.2) the engine keeps what the last, failed round had read so far,
where the group looks ahead or repeats inside: a quoted value then ends behind its closing quote.
"""

from __future__ import annotations

import sys

HAS_FAULT = sys.version_info < (3, 11, 5)


def possessive(body: str, has_fault: bool = HAS_FAULT) -> str:
    """The pattern that reads `body` as often as it can and gives nothing back. The atomic group
    says the same, but remembers every round, which costs memory."""
    return f"(?>(?:{body})*)" if has_fault else f"(?:{body})*+"
