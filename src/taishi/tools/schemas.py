"""Tool definitions as JSON schemas, in the formats of OpenAI and Anthropic."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, Literal

from ..errors import InputError
from ..language.analyzer import has_cjk
from .definitions import AGENT_TOOLS, CATALOGUE, MAX_TOP_K, Argument, Tool

_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)\s*|[。！？；]|$)", re.DOTALL)
SchemaForm = Literal["openai", "anthropic"]
_TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "statement": {"type": "string"},
    "id": {"type": "string"},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_TOP_K},
    "number": {"type": "integer", "minimum": 0},
    "time": {"type": "string"},
    "expiry": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "flag": {"type": "boolean"},
    "object": {"type": "object", "additionalProperties": True},
}


def tool_schemas(
    form: SchemaForm = "openai", language: str = "en", names: Iterable[str] = AGENT_TOOLS
) -> list[dict[str, Any]]:
    """The schemas to hand to a model. `language` is en or zh; the names never change."""
    if language not in ("en", "zh"):
        raise InputError(f"unknown language {language!r:.40}; use en or zh")
    if form not in ("openai", "anthropic"):
        raise InputError(f"unknown form {form!r:.40}; use openai or anthropic")
    build = _openai if form == "openai" else _anthropic
    return [build(tool_named(name), language) for name in names]


def tool_named(name: str) -> Tool:
    if name not in CATALOGUE:
        raise InputError(f"there is no tool {name!r:.40}; use some of {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def description(tool: Tool, language: str, offered: Collection[str] | None = None) -> str:
    """With `offered`, without sentences that name a tool which the model cannot call."""
    text = tool.description[language == "zh"]
    if offered is None:
        return text
    kept = [one for one in _SENTENCE.findall(text) if not _names(one) - {tool.name, *offered}]
    return re.sub("；$", "。", "".join(kept).strip()) or text


def _names(sentence: str) -> set[str]:
    """The tools that a sentence names: in English between backticks, as many are plain words."""
    words = re.findall(r"`([a-z_]+)`", sentence)
    if has_cjk(sentence):
        words += re.findall(r"(?<![a-z_])[a-z_]+(?![a-z_])", sentence)
    return {word for word in words if word in CATALOGUE}


def parameters(tool: Tool, language: str) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {argument.name: _property(argument, language) for argument in tool.arguments},
        "required": [argument.name for argument in tool.arguments if argument.required],
        "additionalProperties": False,
    }


def _property(argument: Argument, language: str) -> dict[str, Any]:
    choices = {"enum": list(argument.choices)} if argument.choices else {}
    text = argument.description[language == "zh"]
    items = {key: _copy(value) for key, value in _TYPES[argument.form].items()}
    return {**items, **choices, "description": text}


def _copy(value: Any) -> Any:
    """A copy, because callers may modify what they get."""
    return dict(value) if isinstance(value, dict) else value


def _openai(tool: Tool, language: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": description(tool, language),
            "parameters": parameters(tool, language),
        },
    }


def _anthropic(tool: Tool, language: str) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": description(tool, language),
        "input_schema": parameters(tool, language),
    }
