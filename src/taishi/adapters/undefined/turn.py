"""One turn of the bot: the block before the reply, the tool calls in it, and what is kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ... import tools
from ...memory import Memory
from ...times import TimeLike
from ...types import Message, Scope
from ..agent_turns import record_messages
from .end_arguments import end_arguments

# How the bots spell a tool of their `cognitive` toolset towards a model.
PREFIXES = ("cognitive.", "cognitive-_-")
NOTHING_SENT = (
    "The turn is not over: action_summary says what was done, but nothing was sent. Send the reply "
    "first, or call end with force=true if there is none.",
    "本轮尚未结束：填写了 action_summary，但没有发送任何消息。请先发送回复；"
    "确实无需回复时，以 force=true 再次调用。",
)


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message as the chat platform delivers it; without `group_id` it is a private chat."""

    user_id: str | int
    user_name: str
    text: str
    group_id: str | int | None = None
    group_name: str = ""
    message_id: str | int | None = None
    time: TimeLike | None = None

    @property
    def scope(self) -> Scope:
        group = None if self.group_id is None else str(self.group_id)
        return Scope(user=str(self.user_id), group=group)

    def as_message(self) -> Message:
        id = None if self.message_id is None else str(self.message_id)
        return Message(self.text, self.user_name, self.time, id, str(self.user_id))


class BotTurn:
    """From a message to `end`. Awaited calls run in a thread: the bot goes on meanwhile."""

    def __init__(
        self,
        memory: Memory,
        message: IncomingMessage,
        earlier: Sequence[Message],
        names: Sequence[str],
        bot_name: str,
        language: str,
    ) -> None:
        """`earlier` are the messages of this chat before this one, oldest first."""
        self.message = message
        self.scope = message.scope
        self.ended = False
        self._memory = memory
        self._earlier = list(earlier)
        self._said = [message.as_message()]
        self._names = names
        self._bot_name = bot_name
        self._language = language
        self._has_sent = False
        self._request_id = str(message.message_id or uuid4().hex)

    async def block(self) -> str:
        """What is known that bears on the message, fenced; "" if nothing is. Ages are counted from
        the message's own time: it may be one that is replayed, or that came late."""
        sent = self.message
        return await asyncio.to_thread(self._memory.context, self.scope, sent.text, now=sent.time)

    async def user_message(self) -> dict[str, str]:
        """The message for the model, the block before its text (I1)."""
        block = await self.block()
        text = self.message.text
        return {"role": "user", "content": f"{block}\n\n{text}" if block else text}

    def sent(self, text: str) -> None:
        """The bot said this. It is context for the historian, and lets `end` end the turn."""
        self._has_sent = True
        self._said.append(Message(text, speaker=self._bot_name))

    def observe(self, tool: str, arguments: object = None, result: object = None) -> None:
        """Another tool of the bot ran."""
        self._memory.observe(self.scope, tool, arguments, result)

    async def call_tool(self, name: str, arguments: object) -> str:
        """Run `end` or a query tool for the model; the text to give back to it."""
        for prefix in PREFIXES:
            name = name.removeprefix(prefix)
        if name == "end":
            arguments = end_arguments(arguments)
            if self._must_send_first(arguments):
                return NOTHING_SENT[self._language == "zh"]
        answer = await asyncio.to_thread(self._call, name, arguments)
        self.ended = self.ended or (name == "end" and answer.ok)
        return answer.text

    async def finish(self) -> None:
        """The model never called `end`: the host stores what was said.

        Safe to call after every turn; it does nothing if `end` was called.
        """
        if not self.ended:
            self.ended = True
            await asyncio.to_thread(
                record_messages, self._memory, self.scope, self._said, **self._details()
            )

    def _must_send_first(self, arguments: object) -> bool:
        given = arguments if isinstance(arguments, Mapping) else {}
        has_summary = bool(str(given.get("action_summary") or "").strip())
        return has_summary and not self._has_sent and given.get("force") is not True

    def _call(self, name: str, arguments: object) -> tools.Answer:
        # `end` answers as soon as the turn is on disk: a chat does not wait for the index (W10).
        messages = [*self._earlier, *self._said]
        turn = {**self._details(), "messages": messages, "wait": 0.0}
        return tools.call(
            self._memory,
            name,
            arguments,
            self.scope,
            language=self._language,
            names=self._names,
            turn=turn,
            now=self.message.time,
        )

    def _details(self) -> dict[str, Any]:
        return {
            "request_id": self._request_id,
            "time": self.message.time,
            "sender_id": str(self.message.user_id),
            "sender_name": self.message.user_name or None,
            "group_name": self.message.group_name or None,
            "bot_name": self._bot_name,
        }
