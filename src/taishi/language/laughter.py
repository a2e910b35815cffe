"""Takes laughter and faces off the end of statements: 我不喝咖啡哈哈, "I'm vegan lol".

In a chat they are punctuation. Laughter before a statement is left: it may be about what somebody
else said, or announce a joke. So is irony (🙃, 呵呵), and a name: 狗叫哈哈, 娃哈哈.
"""

from __future__ import annotations

import re

from .lazy_regex import lazy_compile

_WORDS = (
    "哈{2,}|嘿{2,}|嘻{2,}|(?<![A-Za-z])h{2,}(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:lo+l|lol(?:ol)+|lmao+|rofl|a?(?:ha){2,}h?|(?:he){2,}h?)(?![A-Za-z])"
    r"|\[(?:笑哭|破涕为笑|大笑|呲牙|捂脸|憨笑)\]"
)
_LAUGHING = "😀😁😂🤣😃😄😅😆😸😹"
_FACES = "😇😉😊😋😌😍😔😞😢😣😥😩😫😭😳🙁🙂🙏🤗🤔🤤🤧🤭🥰🥲🥹🥺👌👍💪"
_JOINED = "\ufe0f\U0001f3fb-\U0001f3ff"
_MARK = rf"(?:{_WORDS}|[{_LAUGHING}{_FACES}][{_JOINED}]?)"
_END = lazy_compile(
    rf"(?P<marks>[\s，,~～!！.。…]{{0,4}}{_MARK}(?:[\s，,~～!！.。…]{{0,4}}{_MARK}){{0,20}})"
    r"(?=\s{0,4}(?:[，,。；;！!~～….\n]|$))",
    re.IGNORECASE,
)
_LAUGHS = lazy_compile(f"{_WORDS}|[{_LAUGHING}]", re.IGNORECASE)
# Words that make a laugh the name or the sound of something.
_NAMES = r"(?:[叫是喊名笑娃乐打二]|叫[做作]|\b(?:called|named|names?|is|are|say|says|said))\s?"
_NAMED = lazy_compile(rf"{_NAMES}(?:{_WORDS})", re.IGNORECASE)
_BEFORE_NAME = lazy_compile(rf"{_NAMES}$", re.IGNORECASE)
_LEAST = 3  # characters before it that may say something


def without_laughter(text: str) -> str:
    """The text without the laughter and the faces after its statements."""
    return _END.sub(_plain, text)


def laughs(text: str) -> bool:
    """Whether a statement of the text ends with a laugh."""
    return any(
        _plain(found) == "" and _LAUGHS.search(found["marks"]) for found in _END.finditer(text)
    )


def without_names_of_laughter(text: str) -> str:
    """The text without names that sound like a laugh."""
    return _NAMED.sub(" ", text)


def _plain(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 20) : found.start()]
    said = re.sub(r"\W", "", before)
    named = _BEFORE_NAME.search(before) and _LAUGHS.match(found["marks"].strip())
    return found[0] if len(said) < _LEAST or named else ""
