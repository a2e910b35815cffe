"""Groups the messages of a conversation: a tool call and its results are one unit (M1).

A chat model's server refuses a result without its call and a call without all of its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..ports import StoredMessage


@dataclass(frozen=True, slots=True)
class Unit:
    """One message, or an assistant's tool calls with all of their results."""

    messages: tuple[StoredMessage, ...]

    @property
    def first(self) -> int:
        return self.messages[0].number

    @property
    def last(self) -> int:
        return max(one.number for one in self.messages)

    @property
    def is_pair(self) -> bool:
        return bool(self.messages[0].message.tool_calls)

    @property
    def role(self) -> str:
        return self.messages[0].message.role

    def __len__(self) -> int:
        return len(self.messages)


def units_of(messages: Sequence[StoredMessage]) -> tuple[list[Unit], list[StoredMessage]]:
    """The units in order, and the messages that belong to none: results without a call, calls
    without all of their results. Of such a call, the text beside it is kept."""
    drafts: list[list[StoredMessage]] = []
    waiting: dict[str, list[StoredMessage]] = {}  # the unit that waits for the result of a call
    loose: list[StoredMessage] = []
    for one in messages:
        message = one.message
        if message.role == "tool":
            draft = waiting.pop(message.tool_call_id or "", None)
            if draft is None:
                loose.append(one)
            else:
                draft.append(one)
            continue
        drafts.append([one])
        for id in message.call_ids:
            waiting[id] = drafts[-1]
    units = []
    for draft in drafts:
        head, results = draft[0], draft[1:]
        if len(results) == len(head.message.tool_calls):
            units.append(Unit(tuple(draft)))
            continue
        loose += results
        if head.message.text:
            said = replace(head.message, tool_calls=())
            units.append(Unit((StoredMessage(head.number, said),)))
        else:
            loose.append(head)
    return units, loose


def latest_messages(units: Sequence[Unit], count: int) -> int:
    """Where the last units with together at least `count` messages begin: an index."""
    left, index = count, len(units)
    while index > 0 and left > 0:
        index -= 1
        left -= len(units[index])
    return index


def next_segment(messages: Sequence[StoredMessage], size: int, keep: int) -> list[StoredMessage]:
    """The oldest messages that make a segment: `size` of them or, as no unit is cut, some more;
    none of the last `keep`. Empty if there are too few."""
    units, _ = units_of(messages)
    spans = [(unit.first, unit.last) for unit in units if len(unit) > 1]
    for end in range(size, len(messages) - keep + 1):
        at = messages[end - 1].number
        if not any(first <= at < last for first, last in spans):
            return list(messages[:end])
    return []
