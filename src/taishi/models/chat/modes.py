"""The ways to make a model answer with data, the strictest first, and which one an endpoint knows.

A provider may refuse a parameter, or take it and ignore it. Either way the next mode is tried, and
what worked is remembered for the endpoint and model: only the first call pays for the search.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ...language.text import storable
from ...ports import Tool

Messages = Sequence[Mapping[str, str]]
# A mode that worked before is given up after this many answers in a row without data.
PATIENCE = 3


class Mode(Enum):
    TOOL = "tool"
    REQUIRED = "required"
    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"

    @property
    def next(self) -> Mode | None:
        modes = list(Mode)
        after = modes.index(self) + 1
        return modes[after] if after < len(modes) else None

    @property
    def by_tool(self) -> bool:
        return self in (Mode.TOOL, Mode.REQUIRED)


# The words by which a refusal names what it refuses.
PARAMETERS: Mapping[Mode, tuple[str, ...]] = {
    Mode.TOOL: ("tool", "function"),
    Mode.REQUIRED: ("tool", "function"),
    Mode.SCHEMA: ("response_format", "response format", "json_schema", "schema"),
    Mode.OBJECT: ("response_format", "response format", "json_object", "json mode"),
    Mode.TEXT: (),
}
UNSUPPORTED = (
    "not support",
    "unsupported",
    "unknown parameter",
    "unrecognized",
    "extra inputs",
    "extra fields",
    "不支持",
)


def body(mode: Mode, model: str, messages: Messages, tool: Tool) -> dict[str, Any]:
    """The request in this mode."""
    cleaned = [{key: storable(text) for key, text in message.items()} for message in messages]
    request: dict[str, Any] = {"model": model, "messages": cleaned, "stream": False}
    match mode:
        case Mode.TOOL | Mode.REQUIRED:
            function = {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            }
            request["tools"] = [{"type": "function", "function": function}]
            named = {"type": "function", "function": {"name": tool.name}}
            request["tool_choice"] = named if mode is Mode.TOOL else "required"
        case Mode.SCHEMA:
            schema = {"name": tool.name, "schema": tool.parameters}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        case Mode.OBJECT:
            request["response_format"] = {"type": "json_object"}
    if mode in (Mode.SCHEMA, Mode.OBJECT, Mode.TEXT):
        request["messages"] = _instructed(cleaned, tool)
    return request


def _instructed(messages: list[dict[str, str]], tool: Tool) -> list[dict[str, str]]:
    """What a tool would have said, in the system message: some templates allow only one.

    The schema is there even where the server enforces it: few servers show it to the model.
    """
    words = (
        f"Answer with one JSON object, the arguments of the function `{tool.name}`, and nothing "
        f"else.\n{tool.name}: {tool.description}\n"
        f"Its JSON schema: {json.dumps(tool.parameters, ensure_ascii=False)}"
    )
    if messages and messages[0].get("role") == "system":
        first = {**messages[0], "content": f"{messages[0].get('content', '')}\n\n{words}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": words}, *messages]


def names_the_mode(mode: Mode, words: str) -> bool:
    """Whether a refusal is about this mode's parameters, and not about the request as such."""
    said = words.lower()
    return any(name in said for name in (*PARAMETERS[mode], *UNSUPPORTED))


def after_refusal(mode: Mode, words: str) -> Mode | None:
    """The mode to try next: who does not know tools at all need not be asked for them twice."""
    said = words.lower()
    if mode is Mode.TOOL and "choice" not in said and ("tool" in said or "function" in said):
        return Mode.SCHEMA
    return mode.next


@dataclass(frozen=True, slots=True)
class ModeRecord:
    """What is known of one model at one endpoint."""

    mode: Mode = Mode.TOOL
    proven: bool = False
    misses: int = 0
    takes_temperature: bool = True


class ModeRecords:
    """Remembers, for as long as the process lives, what each (endpoint, model) understands."""

    def __init__(self, known: Mapping[tuple[str, str], Mode] | None = None) -> None:
        self._lock = threading.Lock()
        self._known = {key: ModeRecord(mode, proven=True) for key, mode in (known or {}).items()}

    def of(self, key: tuple[str, str]) -> ModeRecord:
        with self._lock:
            return self._known.get(key, ModeRecord())

    def worked(self, key: tuple[str, str], mode: Mode) -> None:
        with self._lock:
            habit = self._known.get(key, ModeRecord())
            self._known[key] = replace(habit, mode=mode, proven=True, misses=0)

    def refused(self, key: tuple[str, str], mode: Mode, following: Mode) -> None:
        """Said in so many words: not asked for again."""
        with self._lock:
            self._leave(key, mode, following)

    def missed(self, key: tuple[str, str], mode: Mode) -> None:
        """An answer without data in a mode that worked before."""
        with self._lock:
            habit = self._known.get(key, ModeRecord())
            if habit.mode is not mode:
                return
            self._known[key] = replace(habit, misses=habit.misses + 1)
            if habit.misses + 1 >= PATIENCE and mode.next:
                self._leave(key, mode, mode.next)

    def no_temperature(self, key: tuple[str, str]) -> None:
        with self._lock:
            habit = self._known.get(key, ModeRecord())
            self._known[key] = replace(habit, takes_temperature=False)

    def _leave(self, key: tuple[str, str], mode: Mode, following: Mode) -> None:
        habit = self._known.get(key, ModeRecord())
        if habit.mode is mode:
            self._known[key] = replace(habit, mode=following, proven=False, misses=0)
