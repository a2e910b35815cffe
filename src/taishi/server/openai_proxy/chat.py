"""A chat request as OpenAI's clients send it: what was said last, where the memory block goes, and
what the answer said. Pure functions; anything may arrive, and nothing that is odd is an error here:
what cannot be read is passed on as it came, for the upstream to judge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...context_block.block import without_blocks
from ...language.text import one_line, sentences
from .housekeeping import is_housekeeping

MAX_STATEMENTS = 12
MAX_STATEMENT_CHARS = 400
MAX_READ_CHARS = 20_000
SHORTEST_STATEMENT = 3

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUESTION = re.compile(
    r"[?？]\W*$|[吗呢么嘛]\W*$"
    r"|^(?:what|where|when|who|whose|why|how|which|is|are|am|do|does|did|can|could|would|will"
    r"|shall|should|may)\b",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"\W*(?:hi|hello|hey|thanks|thank you|thx|ok|okay|yes|no|sure|please|bye|goodbye"
    r"|good (?:morning|afternoon|evening|night)|你好|您好|早|早上好|晚上好|晚安|谢谢|多谢|好的?|嗯+"
    r"|哦|是的?|不是|再见|拜拜)(?: there| you| so much| very much|啊|呀|了|你|您)*\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Chat:
    """A request that holds something a person said; `place` is where among the messages."""

    body: Mapping[str, Any]
    place: int

    @property
    def messages(self) -> Sequence[Any]:
        found: Sequence[Any] = self.body["messages"]
        return found

    @property
    def is_housekeeping(self) -> bool:
        """Whether the client asks on its own account: for a title, tags, a summary."""
        return is_housekeeping(
            [
                {"role": str(one["role"]), "text": text_of(one.get("content"))}
                for one in self.messages
                if isinstance(one, dict) and one.get("role")
            ]
        )

    @property
    def said(self) -> str:
        """What the person said last, without any block that memory put there before."""
        text = without_blocks(text_of(self.messages[self.place].get("content")))
        return own_words(text).strip()

    @property
    def name(self) -> str | None:
        """What the person is called, where the client says so."""
        name = self.messages[self.place].get("name")
        return name if isinstance(name, str) else None

    @property
    def before(self) -> str:
        """What the assistant said just before: a "yes" is an answer to something."""
        previous = self.messages[self.place - 1] if self.place else {}
        is_assistant = isinstance(previous, dict) and previous.get("role") == "assistant"
        return text_of(previous.get("content")) if is_assistant else ""

    @property
    def is_fresh(self) -> bool:
        """Whether it is news: after a tool's result, or on a retry of ours, it was said before."""
        return self.place == len(self.messages) - 1

    def with_block(self, block: str) -> bytes:
        """The request with the block at the head of that message: user role, never system (I1)."""
        return json.dumps({**self.body, "messages": self.with_head(block, "text")}).encode()

    def with_head(self, block: str, part_type: str) -> list[Any]:
        """The messages, the block at the head of what the person said last."""
        messages = list(self.messages)
        message = dict(messages[self.place])
        content = message.get("content")
        if isinstance(content, list):
            message["content"] = [{"type": part_type, "text": block}, *content]
        else:
            message["content"] = f"{block}\n\n{content or ''}"
        messages[self.place] = message
        return messages

    def answer(self, raw: bytes, is_stream: bool) -> Answer:
        """What came back for it."""
        return read_answer(raw, is_stream)


def read_chat(body: object) -> Chat | None:
    """None: not a chat that we understand."""
    messages = body.get("messages") if isinstance(body, dict) else None
    place = last_of_the_user(messages)
    return Chat(body, place) if isinstance(body, dict) and place is not None else None


def last_of_the_user(messages: object) -> int | None:
    """Where the person spoke last; None if that cannot be told."""
    if not isinstance(messages, list):
        return None
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if not isinstance(message, dict):
            return None
        if message.get("role") == "user":
            return place
    return None


def text_of(content: object) -> str:
    """The words of a message's content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def own_words(text: str) -> str:
    """What the person said, where the client put it into a template with documents (Open WebUI's
    retrieval): neither the template nor the documents are theirs."""
    if not text.lstrip().startswith("### Task"):
        return text
    _, asked, query = text.rpartition("<user_query>")
    if asked:
        return query.partition("</user_query>")[0]
    _, ended, rest = text.rpartition("</context>")
    return rest if ended else text


def statements(text: str) -> list[str]:
    """What a person told, sentence by sentence: no questions, no greetings, no pasted code."""
    plain = _FENCED.sub("\n", text[:MAX_READ_CHARS])
    told: dict[str, None] = {}
    for sentence in map(one_line, sentences(plain)):
        if len(sentence) < SHORTEST_STATEMENT or _SMALL_TALK.fullmatch(sentence):
            continue
        if not _QUESTION.search(sentence):
            told[sentence[:MAX_STATEMENT_CHARS]] = None
    return list(told)[:MAX_STATEMENTS]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: its words, and whether it is an answer at all."""

    text: str
    ok: bool


def read_answer(raw: bytes, is_stream: bool) -> Answer:
    """A chat completion, whole or in pieces; a stream that was cut, as far as it got."""
    pieces, where = (events(raw), "delta") if is_stream else (iter([to_json(raw)]), "message")
    words: list[str] = []
    for piece in pieces:
        if not isinstance(piece, dict):
            continue  # half an answer, or one that we cannot read: the person spoke all the same
        if piece.get("error"):
            return Answer("", False)
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                message = choice.get(where)
                words.append(text_of(message.get("content")) if isinstance(message, dict) else "")
    return Answer("".join(words), True)


def events(raw: bytes) -> Iterator[Any]:
    for line in raw.splitlines():
        if line.startswith(b"data:"):
            data = line[5:].strip()
            # The last piece of a stream that was cut off is half a piece.
            if data != b"[DONE]" and (event := to_json(data)) is not None:
                yield event


def to_json(raw: bytes) -> Any:
    """None for what cannot be read."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
