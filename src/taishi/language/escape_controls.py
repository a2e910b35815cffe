"""Escapes control and other hidden characters for display: a bidi override shows as `\\u202e`.

A backspace, an escape sequence, an override of the reading direction or a hidden tag make a text
look like another one, or carry words that only a model reads. Whoever shows stored text shows them
as what they are. What belongs to a script stays: joiners in emoji and in Persian or Hindi words, a
mark of direction beside Arabic or Hebrew letters, the tags of a flag.
"""

from __future__ import annotations

import re

# Scripts whose letters join: Arabic to Tibetan, Myanmar, Khmer, Mongolian, Arabic's own forms.
_JOINING = "\u0600-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_BETWEEN = r"[ 0-9!-/:-@]"  # a mark may stand beside the punctuation of such a word
_EMOJI = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_MODIFIERS = "\ufe0f\U0001f3fb-\U0001f3ff"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ALWAYS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but for tab and line breaks
    "\u2028\u2029"  # line breaks that no terminal and no model takes for one
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides, isolates
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e001f"
    "\ud800-\udfff"  # half a character
)
_SUSPECT = re.compile(f"[{_ALWAYS}\u061c\u200b-\u200f{_SELECTORS}\U000e0020-\U000e007f]")
_KEPT = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{3,6}\U000e007f"
    f"|(?<=[{_EMOJI}{_MODIFIERS}])\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_JOINING}])[\u200b-\u200d](?=[{_JOINING}])"
    f"|(?:(?<=[{_RIGHT_TO_LEFT}])|(?<=[{_RIGHT_TO_LEFT}]{_BETWEEN}))"
    "[\u061c\u200e\u200f](?![\u061c\u200b-\u200f])"
    f"|(?<![\u061c\u200b-\u200f])[\u061c\u200e\u200f](?={_BETWEEN}?[{_RIGHT_TO_LEFT}])"
    f"|(?<=[^\\s{_SELECTORS}\u0021-\u0022\u0024-\u0029\u002b-\u002f\u003a-\u007e])"
    f"[{_SELECTORS}](?![{_SELECTORS}])"
)
_EITHER = re.compile(f"(?P<kept>{_KEPT.pattern})|{_SUSPECT.pattern}")


def visible(text: str) -> str:
    """The text with control and hidden characters escaped. Tabs and line breaks stay."""
    if _SUSPECT.search(text) is None:
        return text
    return _EITHER.sub(lambda match: match[0] if match["kept"] else _written_out(match[0]), text)


def json_visible(document: str) -> str:
    """The same for a JSON document: escapes do not change the strings in it."""
    return _EITHER.sub(lambda match: match[0] if match["kept"] else _as_json(match[0]), document)


def _written_out(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _as_json(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
