"""ChatGPT: `conversations.json` of the data export, or the zip with it.

A conversation is a tree: every edit and every "regenerate" is a branch. The branch that the user
saw last leads from `current_node` to the root; the others are not imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .fields import ident, items, name, obj, text, with_files
from .message_times import moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

BOT = "ChatGPT"
SPOKEN = ("text", "multimodal_text")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    reader = source.json()
    for number in reader.elements():
        chat = reader.value()
        if not isinstance(chat, Mapping) or not isinstance(chat.get("mapping"), Mapping):
            yield BadEntry(f"conversation {number}", "it has no mapping of messages")
            continue
        yield from _conversation(chat, number, options)


def _conversation(chat: Mapping[str, Any], number: int, options: ReadOptions) -> Iterator[Item]:
    id = ident(chat.get("conversation_id"), chat.get("id"), chat.get("create_time"))
    if id is None:
        yield BadEntry(f"conversation {number}", "it has no id")
        return
    talk = Conversation(id, name(chat.get("title")) or "")
    for count, node in enumerate(_branch(chat), 1):
        place = f"conversation {number}, message {count}"
        yield _message(talk, place, obj(node.get("message")), node.get("id"), options)


def _branch(chat: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The nodes from the root to the current one; a loop in a damaged file ends it."""
    nodes = chat["mapping"]
    at = chat.get("current_node")
    if at not in nodes:
        at = _newest_leaf(nodes)
    seen: dict[str, Mapping[str, Any]] = {}
    while isinstance(at, str) and at in nodes and at not in seen:
        seen[at] = obj(nodes[at])
        at = seen[at].get("parent")
    return [node for node in reversed(seen.values()) if node.get("message")]


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    leaves = [key for key, node in nodes.items() if not items(obj(node).get("children"))]
    times = {key: obj(obj(nodes[key]).get("message")).get("create_time") for key in leaves}
    dated = {key: at for key, at in times.items() if isinstance(at, (int, float))}
    return max(dated, key=lambda key: dated[key]) if dated else next(iter(leaves), None)


def _message(
    talk: Conversation,
    place: str,
    message: Mapping[str, Any],
    node: object,
    options: ReadOptions,
) -> Item:
    role = obj(message.get("author")).get("role")
    if role == "system":
        return LeftOut(place, "system")
    if role == "tool" or message.get("recipient") not in (None, "all"):
        return LeftOut(place, "tool")
    if role not in ("user", "assistant"):
        return BadEntry(place, f"unknown role {role!r:.40}")
    content = obj(message.get("content"))
    if obj(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return LeftOut(place, "hidden")
    if content.get("content_type") not in SPOKEN:
        return LeftOut(place, "hidden")  # thoughts, code for a tool, the user's own instructions
    said = _said(content, message)
    if not said.strip():
        return LeftOut(place, "empty")
    is_bot = role == "assistant"
    return ImportedMessage(
        talk,
        place,
        said,
        ident(message.get("id"), node),
        moment(message.get("create_time"), options.zone),
        BOT if is_bot else options.self_name or None,
        is_bot=is_bot,
        is_self=not is_bot,
    )


def _said(content: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    spoken = [_part(part) for part in items(content.get("parts"))]
    files = items(obj(message.get("metadata")).get("attachments"))
    names = [found for one in files if (found := name(obj(one).get("name")))]
    return with_files("\n".join(part for part in spoken if part), names)


def _part(part: object) -> str:
    """A text, or what was said in a voice message."""
    return part if isinstance(part, str) else text(obj(part).get("text"))
