"""What somebody states in a message: no questions, greetings or pasted code."""

from __future__ import annotations

import re

from .questions import is_question
from .text import one_line, sentences

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


def statements(text: str) -> list[str]:
    """The user's statements, sentence by sentence: no questions, greetings or pasted code."""
    prose = _FENCED.sub("\n", text[:MAX_READ_CHARS])
    unique: dict[str, None] = {}
    for sentence in map(one_line, sentences(prose)):
        if len(sentence) < SHORTEST_STATEMENT or _SMALL_TALK.fullmatch(sentence):
            continue
        if not _QUESTION.search(sentence) and not is_question(sentence):
            unique[sentence[:MAX_STATEMENT_CHARS]] = None
    return list(unique)[:MAX_STATEMENTS]
