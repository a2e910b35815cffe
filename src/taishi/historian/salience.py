"""Decides whether a conversation contains anything worth remembering (W9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..ports import ChatModel, Tool
from ..types import Message
from .coerce import bool_of, line_of, texts_of
from .evidence import Evidence
from .fact_patterns.instructions import instruction_in
from .fact_patterns.own_events import tells_of_event
from .prompt_loader import Prompts
from .transcript import said_sentences, transcript

MAX_ITEMS = 8
_ITEM_CHARS = 400

DECIDE = Tool(
    "decide",
    "Say whether there is something to remember, and what.",
    {
        "type": "object",
        "properties": {
            "should_remember": {"type": "boolean"},
            "reason": {"type": "string"},
            "new_info": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["should_remember", "reason", "new_info"],
    },
)


@dataclass(frozen=True, slots=True)
class SalienceDecision:
    """Whether to remember, why, and what."""

    should_remember: bool
    reason: str
    new_info: tuple[str, ...] = ()


def decide(
    model: ChatModel, prompts: Prompts, language: str, messages: Sequence[Message]
) -> SalienceDecision:
    """The decision and the items to keep, in one model call. Invented items are dropped."""
    if not any(message.text.strip() for message in messages):
        return SalienceDecision(False, "nothing was said")
    chat = prompts.messages("decide", language, data={"messages": transcript(messages)})
    answer = model.structured("decide", chat, DECIDE)
    reason = line_of(answer.get("reason"), 300)
    if not bool_of(answer.get("should_remember")):
        return SalienceDecision(False, reason)
    evidence = Evidence.of_messages(messages, "", None)
    items = texts_of(answer.get("new_info"), MAX_ITEMS, _ITEM_CHARS)
    supported = tuple(item for item in items if not evidence.invented(item))
    supported = supported or decide_by_rule(messages).new_info
    return (
        SalienceDecision(True, reason, supported)
        if supported
        else SalienceDecision(False, "nothing of it was said")
    )


_KEYWORDS = {
    "preference": (
        r"\b(?:like|likes|love|loves|prefer|prefers|hate|hates|favou?rite|allergic"
        r"|can['’]t stand|don['’]t like)\b|喜欢|讨厌|偏爱|最爱|爱吃|爱喝|不吃|过敏|受不了|习惯"
    ),
    "appointment": (
        r"\b(?:appointment|meeting|meet (?:at|on|me|you)|at \d{1,2}(?::\d\d)? ?(?:am|pm)|deadline"
        r"|due|book(?:ed)?|reserv\w+|remind me|don['’]t forget)\b"
        r"|约好|约在|预约|开会|会议|截止|见面|提醒我|别忘了|记得"
    ),
    "plan": (
        r"\b(?:plan(?:s|ning)? to|going to|will (?:go|move|start|travel|visit|call|send)"
        r"|next (?:week|month|year)|decided|want to learn|goal)\b"
        r"|打算|计划|准备|决定|下周|下个月|明年|目标|想学"
    ),
    "relationship": (
        r"\bmy (?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister"
        r"|brother|son|daughter|friend|boss|colleague|dog|cat)\b|\b(?:married|engaged|broke up)\b"
        r"|我的?(?:妈|爸|老婆|老公|女朋友|男朋友|儿子|女儿|哥|姐|弟|妹|朋友|同事|老板|猫|狗)"
        r"|结婚|订婚|分手|离婚"
    ),
    "fact": (
        r"\b(?:i am a|i['’]m a|i live|i work|i moved|my name is|call me|my birthday|i was born"
        r"|i have an?|i own|i speak|my (?:phone|address|email)|remember (?:this|that))\b"
        r"|我叫|我是|我住|我家|搬到|我在\S{1,12}(?:上班|工作)|生日|电话是|邮箱|我有一?[只条辆个]|我养|记住"
    ),
}


@cache
def _keywords() -> dict[str, re.Pattern[str]]:
    return {kind: re.compile(words, re.IGNORECASE) for kind, words in _KEYWORDS.items()}


def decide_by_rule(messages: Sequence[Message]) -> SalienceDecision:
    """By keywords: sentences about a person, a wish, a date or a plan, and what happened to the
    speaker."""
    kinds_by_sentence: dict[str, str] = {}
    for _, sentence in said_sentences(messages):
        if sentence.endswith(("?", "？")) or len(sentence) < 4:
            continue
        kind = next((kind for kind, words in _keywords().items() if words.search(sentence)), None)
        kind = kind or ("instruction" if instruction_in(sentence) else None)
        kind = kind or ("event" if tells_of_event(sentence) else None)
        if kind:
            kinds_by_sentence.setdefault(sentence[:_ITEM_CHARS], kind)
    if not kinds_by_sentence:
        return SalienceDecision(
            False, "no preference, fact, appointment, plan or relationship was told"
        )
    selected = list(kinds_by_sentence)[-MAX_ITEMS:]
    kinds = ", ".join(dict.fromkeys(kinds_by_sentence[sentence] for sentence in selected))
    return SalienceDecision(True, f"tells of: {kinds}", tuple(selected))
