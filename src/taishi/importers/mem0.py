"""mem0: what `get_all` returns (`{"results": […]}`), or a list of memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InputError
from .fields import ident, items, obj, text
from .message_times import moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    reader = source.json()
    first = reader.peek()
    if first == "[":
        for number in reader.elements():
            yield _memory(reader.value(), number, options)
        return
    if first != "{":
        raise InputError("this is no mem0 export; save what get_all returns as JSON")
    found = False
    for key in reader.members():
        if key in ("results", "memories") and reader.peek() == "[":
            found = True
            for number in reader.elements():
                yield _memory(reader.value(), number, options)
        else:
            reader.skip()
    if not found:
        raise InputError('this is no mem0 export: it has no "results"; save what get_all returns')


def _memory(raw: object, number: int, options: ReadOptions) -> Item:
    place = f"memory {number}"
    memory = obj(raw)
    said = text(memory.get("memory")) or text(memory.get("text"))
    if not memory.keys() & {"memory", "text"}:
        return BadEntry(place, "it is no object with a memory")
    if not said.strip():
        return LeftOut(place, "empty")
    return ImportedMessage(
        _owner(memory),
        place,
        said,
        ident(memory.get("id"), memory.get("hash")),
        moment(memory.get("created_at"), options.zone),
        speaker_id=ident(memory.get("user_id")),
        kind="fact",
        metadata=_metadata(memory),
    )


def _owner(memory: Mapping[str, Any]) -> Conversation:
    user, agent = ident(memory.get("user_id")), ident(memory.get("agent_id"))
    if user is None and agent is not None:
        return Conversation("mem0", kind="agent", owner=agent)
    return Conversation("mem0", owner=user)


def _metadata(memory: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(obj(memory.get("metadata")))
    if labels := [one for one in items(memory.get("categories")) if isinstance(one, str)]:
        kept["categories"] = labels
    if run := ident(memory.get("run_id")):
        kept["run_id"] = run
    return kept
