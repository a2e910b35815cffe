"""Requests to remember something, or to remind: what stands in the chat, not in the record."""

from __future__ import annotations

import re

_REMEMBER = (
    r"(?i)^(?:please[ ,]+)?remember (?:this[:,]?\s*|that[:,]?\s+(?=(?:i|my|we|our)\b))"
    r"|[,;.:—-]?\s*(?:please )?remember this\W*$"
    r"|^(?:请|麻烦)?(?:你|您|帮我)?(?:一定)?要?记住(?:这个|这点|这件事|这一点|了)?[:：，,\s]*"
    r"|[，。；,;]?\s*(?:请|要)?记住这(?:个|点|件事|一点)[!！。.]*$"
)
_REMINDER = "(?i)remember to |do(?:n['’]t| not) forget |记得|别忘了|不要忘了"
_ERRAND = (  # "remember to breathe" is not an errand
    r"\d|(?i:\b(?:call|send|bring|check|write|reply|ask|pay|pick|return|visit|meet|buy|book"
    r"|finish|submit)\b)"
    "|打电话|联系|回复|提交|交|寄|还|买|取|预约|付|开会|见|参加|检查|带"
)
_STATEMENT = r"(?i)^(?:i\b|i['’]|my\b|we\b|our\b|我|咱|俺)"


def asks_to_remember(text: str) -> bool:
    return re.search(_REMEMBER, text) is not None


def without_request(text: str) -> str:
    """记住我对花生过敏 → 我对花生过敏."""
    return re.sub(_REMEMBER, "", text).strip()


def statement_of_request(text: str) -> str:
    """The text without a request to remember, where what is left is plainly the speaker's own
    statement; else all of it: 记住了 is no request, and "remember this" alone has nothing else."""
    if not asks_to_remember(text):
        return text
    left = without_request(text)
    return left if len(left) >= 4 and re.match(_STATEMENT, left) else text


def is_reminder(sentence: str) -> bool:
    return re.match(_REMINDER, sentence) is not None


def is_errand(text: str) -> bool:
    return re.search(_ERRAND, text) is not None
