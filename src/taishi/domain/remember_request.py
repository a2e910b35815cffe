"""Recognises requests to remember something, in English and Chinese (F4)."""

from __future__ import annotations

from collections.abc import Iterator

from ..language.lazy_regex import lazy_compile
from ..language.text import one_line, sentences

_TRADITIONAL = str.maketrans(
    "記這個點別嗎幫沒還無須誰過麼們錄讓給",
    "记这个点别吗帮没还无须谁过么们录让给",
)
_LONGEST = 400  # characters read at once: keeps the patterns cheap on hostile input

_THIS = r"(?:this|that|it|these|those|the following|what i (?:just )?(?:said|told you))\b"
_ASKED = lazy_compile(
    r"\b(?:remember|memori[sz]e|note down|make a note of|take note of|write down|jot down) "
    rf"{_THIS}|\b(?:keep|bear) in mind\b|\b(?:note|write|jot|keep|bear) {_THIS} (?:down|in mind)\b"
    rf"|\bcommit {_THIS} to memory\b|\b(?:save|keep|store) {_THIS} (?:in|to) (?:your |the )?memory"
    r"|\b(?:don'?t|do not|never) (?:ever )?forget\b"
)
_NEGATED = lazy_compile(
    r"\b(?:(?:do|does|did|ca|could|wo|would|should|need|had)n'?t|not|never|cannot|"
    r"no need|no reason|without|stop|nobody|hardly|who|do you|did you|anyone)"
    r"(?: (?:even|really|have|need|want|you|to|still|ever|also))*$"
)
_TOLD = lazy_compile(
    r"\b(?:i|he|she|we|they)(?:'ll|'d|'ve)?"
    r"(?: (?:even|really|still|just|always|also|ever|will|can|do|would|should|have|must))*$"
)
_TOLD_OF_FORGETTING = lazy_compile(r"\b(?:i|we|he|she|they|you)(?:'ll|'d|'ve)?(?: \w+)?$")
_POLITE = lazy_compile(r"\b(?:can|could|would|will|please)\b")

_ASKED_ZH = lazy_compile(
    r"记住|牢记|记下来?|记好|记着|记牢|记一下|记录下来|记录一下|(?:千万)?(?:别|不要|勿)忘[了记]?"
)
_NEGATED_ZH = lazy_compile(
    r"(?:不用|不必|不要|不需要|无需|无须|别|没|没有|不|未|谁|怎么|怎样|如何|难)"
    r"(?:再|去|能|会|把它|把这个|把这些|你|要|才能|有)*$"
)
_TOLD_ZH = lazy_compile(
    r"(?<![帮给替让])(?:我|我们|他|她|他们|她们|已经|都)(?:再|能|会|已经|都|就|还)*$"
)
_ENDED_ZH = lazy_compile(r"(?:了(?:吗|没|么|嘛)?[。！？!?. ]*$|过|没有|吗|不了|的(?:是|人|事))")


def says_remember(text: str) -> bool:
    """ "Remember this", "keep in mind that …", 记住这个, 别忘了; not "do you remember this?"."""
    plain = text.replace("’", "'").lower().translate(_TRADITIONAL)
    return any(
        _asks_in_english(part) or _asks_in_chinese(part)
        for sentence in sentences(plain)
        for part in _parts(sentence)
    )


def _parts(sentence: str) -> Iterator[str]:
    return (sentence[at : at + _LONGEST] for at in range(0, len(sentence), _LONGEST))


def _asks_in_english(sentence: str) -> bool:
    flat = one_line(sentence)
    for found in _ASKED.finditer(flat):
        before = flat[: found.start()].rstrip(" ,")
        if found[0].endswith("forget"):
            if not _TOLD_OF_FORGETTING.search(before):
                return True
        elif not (_NEGATED.search(before) or _TOLD.search(before) or _reminisces(flat, before)):
            return True
    return False


def _reminisces(sentence: str, before: str) -> bool:
    """ "Remember that time in Oslo?" asks for a memory, "can you remember this?" gives one."""
    return sentence.endswith("?") and not _POLITE.search(before)


def _asks_in_chinese(sentence: str) -> bool:
    for found in _ASKED_ZH.finditer(sentence):
        before, after = sentence[: found.start()][-12:], sentence[found.end() :]
        if "忘" in found[0]:
            if not before.endswith(("我", "他", "她")):
                return True
            continue
        told = _NEGATED_ZH.search(before) or _TOLD_ZH.search(before) or _ENDED_ZH.match(after)
        if not told and not after.rstrip("？?").endswith(("吗", "没")):
            return True
    return False
