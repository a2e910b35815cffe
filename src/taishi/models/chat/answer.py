"""What a completion holds: the tool's arguments, or words that are none, and the tokens spent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...language.json_repair import parse_json
from ...language.text import storable
from ...ports import Tool
from .schema import MismatchError, fit, unwrap

LONGEST_WORDS = 500


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """One completion, read.

    `arguments` are what the tool's schema wants, or None; then `fault` says why: nothing came
    ("empty"), words without data ("words"), or data that does not fit ("misfit", `complaint`).
    `called`: it came as a call of a tool, not as content.
    """

    arguments: dict[str, Any] | None
    fault: str
    complaint: str
    words: str
    prompt_tokens: int | None
    completion_tokens: int | None
    called: bool = False


def read(text: str, tool: Tool) -> ParsedAnswer:
    """Whatever the server sent as a success; a body that is no completion is an empty one."""
    try:
        return _read(json.loads(text), tool)
    except (ValueError, RecursionError):
        return _nothing(f"the server's answer is no JSON: {storable(text[:200])}", {})


def _read(payload: Any, tool: Tool) -> ParsedAnswer:
    usage = _mapping(payload).get("usage")
    message = _message(payload)
    raw = _called(message, tool.name)
    called = raw is not None
    if not called:
        raw = _content(message.get("content"))
    if raw is None or raw == "":
        return _nothing(_reason(payload), usage)
    words = storable(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    try:
        value = parse_json(raw) if isinstance(raw, str) else raw
    except ValueError:
        # Broken data is worth a correction; words without any are a mode that is not understood.
        fault = "misfit" if "{" in words or "｛" in words else "words"
        return _fault(fault, "the answer holds no JSON that can be read", words, usage, called)
    try:
        arguments = fit(unwrap(value, tool.name, tool.parameters), tool.parameters)
    except MismatchError as mismatch:
        return _fault("misfit", str(mismatch), words, usage, called)
    if not isinstance(arguments, dict):
        return _fault("misfit", "the answer must be an object", words, usage, called)
    return ParsedAnswer(arguments, "", "", words, *_tokens(usage), called)


def _fault(
    fault: str, complaint: str, words: str, usage: Any, called: bool = False
) -> ParsedAnswer:
    return ParsedAnswer(None, fault, complaint, words, *_tokens(usage), called)


def _nothing(complaint: str, usage: Any) -> ParsedAnswer:
    return _fault("empty", complaint, "", usage)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first(value: Any) -> Mapping[str, Any]:
    return _mapping(value[0]) if isinstance(value, list) and value else {}


def _message(payload: Any) -> Mapping[str, Any]:
    choice = _first(_mapping(payload).get("choices"))
    message = _mapping(choice.get("message"))
    return message or {"content": choice.get("text")}


def _called(message: Mapping[str, Any], name: str) -> Any:
    """The arguments of the call to this tool, or of the first call; None: there was no call."""
    calls = message.get("tool_calls")
    functions = [_mapping(_mapping(call).get("function")) for call in _items(calls)]
    functions.append(_mapping(message.get("function_call")))  # the older form
    functions = [function for function in functions if "arguments" in function]
    for function in functions:
        if function.get("name") == name:
            return function["arguments"]
    return functions[0]["arguments"] if functions else None


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _content(content: Any) -> Any:
    """Text, the texts of a list of parts, or data that a provider has already taken apart."""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else _mapping(part).get("text") for part in content]
        return "".join(part for part in parts if isinstance(part, str)).strip()
    return content if isinstance(content, Mapping) else None


def _reason(payload: Any) -> str:
    choices = _mapping(payload).get("choices")
    if not choices:
        error = _mapping(payload).get("error")  # some gateways report errors as successes
        said = str(_mapping(error).get("message", error))[:LONGEST_WORDS] if error else ""
        return "the answer has no choice in it" + (f": {storable(said)}" if said else "")
    reason = _first(choices).get("finish_reason")
    refusal = _mapping(_first(choices).get("message")).get("refusal")
    if isinstance(refusal, str) and refusal:
        return f"the model refused: {storable(refusal[:LONGEST_WORDS])}"
    return f"the answer is empty (finish_reason {str(reason)[:40]})"


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    counts = _mapping(usage)
    prompt = _count(counts.get("prompt_tokens", counts.get("input_tokens")))
    return prompt, _count(counts.get("completion_tokens", counts.get("output_tokens")))


def _count(value: Any) -> int | None:
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9
    return value if counted else None
