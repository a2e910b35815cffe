"""Compresses a segment of a conversation (M2): its summary, and an overview of all that came before
it with decisions, to-dos and agreements; with a model, or by selecting sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from ..errors import ModelError
from ..language.text import one_line, sentences
from ..ports import ChatModel, Overview, Tool
from ..ports.chat_message import ChatMessage
from ..types import Message
from .coerce import text_of, texts_of
from .evidence import Evidence
from .participants import is_chinese
from .prompt_loader import Prompts
from .summarise import SUMMARY_CHARS, supported_sentences, truncate_at_sentence
from .transcript import format_time, transcript

SEGMENT_CHARS = 600
ITEM_CHARS = 200
MOST_ITEMS = 12
SENTENCES = 6
OVERVIEW_SENTENCES = 2
MESSAGE_CHARS = 4000
TOOL_CHARS = 300
TOOL = "tool"
KINDS = ("decision", "todo", "agreement")

COMPRESS = Tool(
    "compress",
    "Keep what matters of the conversation.",
    {
        "type": "object",
        "properties": {
            "segment": {"type": "string"},
            "overview": {"type": "string"},
            "decisions": {"type": "array", "items": {"type": "string"}},
            "todos": {"type": "array", "items": {"type": "string"}},
            "agreements": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["segment", "overview", "decisions", "todos", "agreements"],
    },
)


def compress(
    model: ChatModel,
    prompts: Prompts,
    messages: Sequence[ChatMessage],
    previous: Overview,
    now: datetime,
) -> tuple[str, Overview]:
    """The summary of a segment, and the overview of everything up to its end, in one call.

    What the messages and the overview before do not support is dropped (H7).
    """
    said = spoken(messages)
    if not said:
        return "", previous
    lines = transcript(said, now.tzinfo)
    language = "zh" if is_chinese("".join(one.text for one in said)) else "en"
    data: dict[str, Any] = {
        "now": format_time(now, now.tzinfo),
        "previous": {
            "overview": previous.summary,
            "decisions": previous.decisions,
            "todos": previous.todos,
            "agreements": previous.agreements,
        },
        "messages": lines,
    }
    chat = prompts.messages("compress", language, data=data)
    answer = model.structured("compress", chat, COMPRESS)
    known = "\n".join((previous.summary, *previous.decisions, *previous.todos))
    evidence = Evidence.of_messages(said, "\n".join((known, *previous.agreements)), now)

    def supported(name: str, most: int) -> str:
        text = supported_sentences(text_of(answer.get(name), most * 4), evidence)
        return truncate_at_sentence(text, most)

    def items(name: str) -> tuple[str, ...]:
        found = map(one_line, texts_of(answer.get(name), MOST_ITEMS * 2, ITEM_CHARS))
        return tuple(one for one in found if not evidence.invented(one))[:MOST_ITEMS]

    segment, summary = supported("segment", SEGMENT_CHARS), supported("overview", SUMMARY_CHARS)
    if not segment and not summary:
        raise ModelError("the model's summary is empty or says what nobody said; asked again later")
    overview = Overview(summary, items("decisions"), items("todos"), items("agreements"))
    return segment or summary, overview


def compress_by_rule(
    messages: Sequence[ChatMessage], previous: Overview, breathe: Callable[[], None]
) -> tuple[str, Overview]:
    """The most telling sentences, as they were said. `breathe` is called between sentences, so that
    other threads have their turn."""
    told: list[tuple[float, int, str]] = []
    items: dict[str, list[str]] = {kind: [] for kind in KINDS}
    listed: set[str] = set()  # what does not go into the overview's own text
    for message in spoken(messages):
        for sentence in map(one_line, sentences(message.text)):
            breathe()
            if len(sentence) < 2:
                continue
            line = f"{message.speaker}: {sentence[:ITEM_CHARS]}"
            told.append((_telling(sentence), len(told), line))
            if message.speaker_id == TOOL:
                listed.add(line)
            elif kind := next((kind for kind in KINDS if _cues()[kind].search(sentence)), None):
                items[kind].append(line)
                listed.add(line)
    best = sorted(told, key=lambda one: (-one[0], one[1]))
    others = [one for one in best if one[2] not in listed]
    newest = _in_order(others, OVERVIEW_SENTENCES, SEGMENT_CHARS)
    overview = Overview(
        _newest_lines(f"{previous.summary}\n{newest}", SUMMARY_CHARS),
        _newest(previous.decisions, items["decision"]),
        _newest(previous.todos, items["todo"]),
        _newest(previous.agreements, items["agreement"]),
    )
    return _in_order(best, SENTENCES, SEGMENT_CHARS), overview


def spoken(messages: Sequence[ChatMessage]) -> list[Message]:
    """What was said, with who said it; of a tool's result the beginning. System prompts are not
    said by anybody."""
    text = "".join(one.text[:200] for one in messages if one.role != "system")
    names = _ZH_NAMES if is_chinese(text) else _EN_NAMES
    return [
        Message(
            one.text[: TOOL_CHARS if one.role == TOOL else MESSAGE_CHARS],
            one.speaker or one.name or names[one.role],
            one.time,
            speaker_id=TOOL if one.role == TOOL else None,
        )
        for one in messages
        if one.role != "system" and one.text.strip()
    ]


_EN_NAMES = {"user": "User", "assistant": "Assistant", "tool": "Tool"}
_ZH_NAMES = {"user": "用户", "assistant": "助手", "tool": "工具"}


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    """Patterns of one word each, so that they run in linear time."""
    return {
        "decision": re.compile(
            r"\b(?:decided?|decision|chose|go with|settled on|we(?:'ll| will) use)\b"
            r"|决定|选定|定下|敲定|采用",
            re.IGNORECASE,
        ),
        "agreement": re.compile(
            r"\b(?:agreed?|agreement|promised?|deal|confirmed|appointment|booked)\b"
            r"|约定|说好|答应|同意|约好|确认|订了",
            re.IGNORECASE,
        ),
        "todo": re.compile(
            r"\b(?:todo|to-do|need to|must|have to|remember to|don['’]t forget|deadline|due|"
            r"remind me|next step)\b|待办|需要|必须|记得|别忘|截止|提醒我|下一步|要做",
            re.IGNORECASE,
        ),
        "telling": re.compile(
            r"\b(?:is|are|because|prefer|like|name|called|live|lives|moved|born|works?|use|uses|"
            r"will|plan|want)\b|叫|住|喜欢|因为|打算|计划|想要|搬|工作|生日|是",
            re.IGNORECASE,
        ),
    }


def _telling(sentence: str) -> float:
    """Decisions, figures and statements count; questions and pleasantries do not."""
    cues = _cues()
    score = 2.0 * sum(
        bool(cues[name].search(sentence)) for name in ("decision", "agreement", "todo")
    )
    score += bool(cues["telling"].search(sentence)) + any(char.isdigit() for char in sentence)
    score += min(len(sentence), 80) / 80
    return score - (2.0 if sentence.endswith(("?", "？")) else 0.0)


def _in_order(best: Sequence[tuple[float, int, str]], most: int, chars: int) -> str:
    chosen: list[tuple[int, str]] = []
    for _, position, line in best:
        if len(chosen) < most and len(line) <= chars:
            chosen.append((position, line))
            chars -= len(line) + 1
    return "\n".join(dict.fromkeys(line for _, line in sorted(chosen)))


def _newest_lines(text: str, chars: int) -> str:
    lines = list(dict.fromkeys(line for line in text.splitlines() if line))
    while lines and sum(map(len, lines)) + len(lines) > chars:
        lines.pop(0)
    return "\n".join(lines)


def _newest(before: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *new)))[-MOST_ITEMS:]
