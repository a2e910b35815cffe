"""Detects requests that a chat client sends for itself: a title, tags, a summary, follow-up
questions, autocompletion.

Clients send these to the same endpoint as chats. They contain nothing new, and memory would spoil
the result. They are recognised by their form, as every client has its own wording and changes it:
an instruction about *the conversation*, which asks for a title or the like, and which either limits
the form of the answer or comes with the conversation quoted. A person who asks for a title of an
essay, or what was talked about, does not write like that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

HEAD_CHARS = 700
TAIL_CHARS = 400

# What it is about: the conversation itself, as an object.
_TALK = (
    r"(?:conversation|chat(?: history)?|chat thread|thread|session|discussion|dialogue|dialog"
    r"|story so far|first message|user requests?|user'?s? (?:query|message|prompt))"
)
_PRODUCT = (
    r"(?:title|header|heading|name|topic|tags?|labels?|summary|follow[- ]?ups?(?: questions?)?"
    r"|search queries|emoji|keywords)"
)
# An instruction; "I created a title" and "I will write a summary" are a person's news.
_WORK = (
    r"(?<!\bI )(?<!\bwe )(?<!\bI'll )(?<!\bI will )(?<!\bI must )(?<!\bI can )(?<!\bhave to )"
    r"(?<!\bI should )(?<!\bwant to )(?:generat(?:e|ing)|creat(?:e|ing)|write|provide|give|suggest"
    r"|summari[sz](?:e|ing)|name|reply|respond|extract(?:ing)?|condense|output)"
)
_GAP = r"[^.!?\n]{0,160}?"
_ASKS = re.compile(
    rf"\b{_WORK}\b{_GAP}\b{_PRODUCT}\b{_GAP}\b{_TALK}\b"
    rf"|\b{_WORK}\b{_GAP}\b{_TALK}\b{_GAP}\b{_PRODUCT}\b"
    rf"|(?<!\bI )(?<!\bI will )(?<!\bI must )\bsummari[sz](?:e|ing)\b{_GAP}\b{_TALK}\b"
    rf"|\b{_WORK}\b[^.!?\n]{{0,60}}?\b(?:word|concise|short)\b[^.!?\n]{{0,40}}?\b(?:title|header)\b"
    r"|(?:总结|概括|归纳|生成|返回|取|起)[^。！？\n]{0,40}?(?:标题|主题|标签|摘要)"
    r"|(?:总结|概括|归纳)[^。！？\n]{0,20}?(?:对话|会话|聊天)",
    re.IGNORECASE,
)
# How the answer's form is limited, in words that people do not use in a chat.
_LIMITS = re.compile(
    r"\b(?:\d+|two|three|four|five|six|ten)(?:\s?(?:-|–|to)\s?(?:\d+|four|five|six|seven))?"
    r"[- ](?:words?|characters?|tokens?)\b|\bwords? or (?:less|fewer)\b|-or-less\b"
    r"|\bmax(?:imum)? \d+|\bnot more than \d+|\blimited? to \d+"
    r"|\b(?:only|just) (?:return|output|provide|respond|give|the title)"
    r"|\b(?:respond|reply|output) only\b|\btitle only\b|\bnothing (?:but|else)\b"
    r"|\bno (?:additional text|punctuation|quotes|explanation)"
    r"|\b(?:without|omitting)\b[^.\n]{0,40}\bpunctuation|\bto use as a prompt\b"
    r"|\bJSON format\b|\bnew lines into\b"
    r"|字以内|个字|不要(?:使用)?标点|不需要包含标点|只返回|上下文提示",
    re.IGNORECASE,
)
# The conversation, quoted as one text.
_QUOTED = re.compile(
    r"<chat_history>|<conversation>|^#+ ?chat history|\|\|>\s?user:|^here'?s the conversation"
    r"|^\W*(?:user|用户|human)\W{0,2}\s*[:：].*\n(?:.*\n){0,3}\W*(?:assistant|ai|bot|助手)\W{0,2}\s*[:：]"
    r"|^\s*\[\{\"role\"",
    re.IGNORECASE | re.MULTILINE,
)
# Openings that only programs write, whatever follows.
_OPENINGS = re.compile(
    r"\W*(?:task:?\s*)?(?:"
    r"pause your roleplay\b|you are an autocompletion system\b"
    r"|you are a (?:chat )?title generator\b|you are a chat thread titling\b"
    r"|you are a summarization ai\b"
    r"|ignore previous instructions\W+(?:summari[sz]e|classify)\b"
    r"|in the next response i want you to provide only\b"
    r"|your task is to reflect the speaker'?s likely facial expression\b"
    r"|generate \d\s?-\s?\d broad tags\b|suggest \d\s?-\s?\d relevant follow-up\b"
    r"|generate a detailed prompt for an?m? image generation\b"
    r"|analyze the chat history to determine\b"
    r"|available tools:[^\n]*\s+your task is to choose\b"
    r"|you have been provided with a set of responses from various models\b"
    r"|your task is to create a detailed summary of the conversation\b"
    r"|analyze this conversation and provide\b"
    r"|title generator\b)",
    re.IGNORECASE,
)


_TITLE = re.compile(r"title|header|标题|主题", re.IGNORECASE)


def is_housekeeping(messages: Sequence[Mapping[str, str]]) -> bool:
    """`messages` are role and text, oldest first. Checks the beginning and the end of the last
    message and of the last user message, and instructions before a single text."""
    if not messages:
        return False
    quoted = any(_QUOTED.search(message["text"][:HEAD_CHARS]) for message in messages)
    user_messages = [message for message in messages if message["role"] == "user"]
    last_texts = {message["text"] for message in (messages[-1], *user_messages[-1:])}
    if any(_is_task(text, quoted) for text in last_texts):
        return True
    # A conversation has answers in it. Before a single text, instructions may be the task itself;
    # a persona is told to summarise, too, but hardly to make a title.
    has_no_answer = not any(message["role"] == "assistant" for message in messages)
    return has_no_answer and any(_is_task(message["text"], quoted, True) for message in messages)


def _is_task(text: str, quoted: bool, title_only: bool = False) -> bool:
    head, tail = text[:HEAD_CHARS], text[-TAIL_CHARS:]
    if _OPENINGS.match(head):
        return True
    for part in (head, tail):
        asks = _ASKS.search(part)
        if (
            asks
            and (quoted or _LIMITS.search(part))
            and not (title_only and not _TITLE.search(asks[0]))
        ):
            return True
    return False
