"""Shortens what takes much room in a message: tool results, arguments, pictures (M2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..language.analyzer import has_cjk
from ..language.token_bound import Counter, fit_within
from ..language.token_count import visible_boundary
from ..ports.chat_message import IMAGE_DATA, ChatMessage

MESSAGE_TOKENS = 4  # what a chat template puts around a message
CALL_TOKENS = 8
REPLY_TOKENS = 3
IMAGE_TOKENS = 1105  # a large picture in high detail, as vision models count it
LOW_DETAIL_TOKENS = 85
CHARS_PER_TOKEN = 16  # no tokenizer makes fewer tokens of a long text
_TAIL_SHARE = 3
_URL_CHARS = 200


class MessageCost:
    """Counts the tokens of messages. Of a text that is far too long only as much is counted as
    says so: `ceiling` tokens."""

    def __init__(self, count: Counter, ceiling: int | None = None) -> None:
        self._count = count
        self._ceiling = ceiling

    def text(self, text: str) -> int:
        if self._ceiling is not None and len(text) > CHARS_PER_TOKEN * self._ceiling:
            return self._ceiling + 1
        return self._count(text) if text else 0

    def of(self, message: ChatMessage) -> int:
        cost = MESSAGE_TOKENS + self.text(message.text)
        for part in message.parts or ():
            if part["type"] == "image_url":
                low = part["image_url"].get("detail") == "low"
                cost += LOW_DETAIL_TOKENS if low else IMAGE_TOKENS
            else:
                cost += 1  # the joint between two texts
        for call in message.tool_calls:
            function = call["function"]
            cost += CALL_TOKENS + self.text(call["id"])
            cost += self.text(function["name"]) + self.text(function["arguments"])
        for label in (message.name, message.tool_call_id):
            cost += self.text(label) if label else 0
        return cost


def shortened(text: str, tokens: int, cost: MessageCost, where: str = "") -> str:
    """The text if it fits, else its beginning and its end, and between them how much is missing.
    `where` says where the whole is."""
    if cost.text(text) <= tokens:
        return text
    note = _note(text, where)
    room = tokens - cost.text(note) - 2
    while room >= 8:
        head = fit_within(text, room - room // _TAIL_SHARE, cost.text)
        tail = _tail(text, room // _TAIL_SHARE, cost)
        joined = f"{head.rstrip('…')}\n{note}\n{tail}" if tail else f"{head}\n{note}"
        if cost.text(joined) <= tokens:
            return joined
        room -= max(4, room // 8)
    return fit_within(note, tokens, cost.text)


def _note(text: str, where: str) -> str:
    if has_cjk(text[:2000]):
        return f"[……已缩短，全文 {len(text)} 字{f'，见 {where}' if where else ''}……]"
    return f"[… shortened, {len(text)} characters in all{f'; see {where}' if where else ''} …]"


def _tail(text: str, tokens: int, cost: MessageCost) -> str:
    """As much of the end as fits."""
    fits, over = 0, min(len(text), tokens * CHARS_PER_TOKEN) + 1
    while over - fits > 1:
        middle = (fits + over) // 2
        if cost.text(text[-middle:]) <= tokens:
            fits = middle
        else:
            over = middle
    start = visible_boundary(text, len(text) - fits)
    tail = text[start:].lstrip() if fits else ""
    return tail if cost.text(tail) <= tokens else ""


def without_pictures(message: ChatMessage) -> ChatMessage:
    """Its pictures as words, and its content as one text."""
    if message.parts is None:
        return message
    texts = [
        part["text"] if part["type"] == "text" else _picture(part["image_url"]["url"])
        for part in message.parts
    ]
    return replace(message, text="\n".join(text for text in texts if text), parts=None)


def _picture(url: str) -> str:
    if url.startswith(IMAGE_DATA):
        return f"[image, {max(1, len(url) * 3 // 4096)} KB]"
    return f"[image: {url[:_URL_CHARS]}]"


def shorter(message: ChatMessage, tokens: int, cost: MessageCost) -> ChatMessage:
    """The message within about so many tokens of text: a tool's result, or its arguments."""
    plain = without_pictures(message)
    where = f'get("{plain.id}")' if plain.id else ""
    text = shortened(plain.text, tokens, cost, where)
    calls = tuple(_shorter_call(call, tokens, cost) for call in plain.tool_calls)
    return replace(plain, text=text, tool_calls=calls)


def _shorter_call(call: Mapping[str, Any], tokens: int, cost: MessageCost) -> Mapping[str, Any]:
    function = call["function"]
    arguments = function["arguments"]
    if cost.text(arguments) <= tokens:
        return call
    return {**call, "function": {**function, "arguments": _shorter_json(arguments, tokens, cost)}}


def _shorter_json(arguments: str, tokens: int, cost: MessageCost) -> str:
    """Still JSON: long texts in it are cut, or all of it stands in one."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, dict) and values:
        each = max(8, tokens // len(values) - 4)
        cut = {
            key: fit_within(value, each, cost.text) if isinstance(value, str) else value
            for key, value in values.items()
        }
        text = json.dumps(cut, ensure_ascii=False)
        if cost.text(text) <= tokens:
            return text
    for room in (tokens - 12, tokens // 2, tokens // 4):
        text = json.dumps({"shortened": fit_within(arguments, room, cost.text)}, ensure_ascii=False)
        if cost.text(text) <= tokens:
            return text
    return "{}"
