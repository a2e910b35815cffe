"""What of mem0 says how memories are made: refused, as Taishi has prompts of its own for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError

PROMPTS = ("prompt", "custom_instructions", "custom_categories", "includes", "excludes")


def refuse_prompts(given: Mapping[str, Any]) -> None:
    for name in PROMPTS:
        if given.get(name) is not None:
            raise InputError(
                f"{name} cannot be given for one call: it is set in Taishi's prompts, see "
                f"docs/how-to/change-prompts.md; leave {name} out"
            )
