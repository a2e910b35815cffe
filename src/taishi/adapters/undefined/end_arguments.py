"""The arguments of `end` as the bots' versions name them, under the names that we use.

First there was one field, `summary`; then `action_summary` and `new_info`; later bots call the same
two `memo` and `observations`. A prompt or a cached schema may still ask for any of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# In the order in which they count: the first that says something wins.
_ACTION = ("action_summary", "memo", "summary")
_INFO = ("new_info", "observations")
# For several historians at work side by side; here one event keeps every view.
_IGNORED = ("perspective",)


def end_arguments(arguments: object) -> object:
    """With today's names; what is not an object is left to the tool, which says what is wrong."""
    given = _object(arguments)
    if given is None:
        return arguments
    old = {*_ACTION, *_INFO, *_IGNORED}
    renamed = {key: value for key, value in given.items() if key not in old}
    for name, spellings in (("action_summary", _ACTION), ("new_info", _INFO)):
        value = next((given[key] for key in spellings if given.get(key)), None)
        if value is not None:
            renamed[name] = value
    return renamed


def _object(arguments: object) -> Mapping[str, Any] | None:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    return arguments if isinstance(arguments, Mapping) else None
