"""Instructions about the form and the length of answers: lists or paragraphs, short or long, with
or without emojis.

"Answer in bullets" is a standing instruction; "write in paragraphs instead", 写长一点 may be about
one text, and hold only against an instruction that is known. A sentence has to say nothing else.
"""

from __future__ import annotations

from typing import Literal

from ...language.lazy_regex import lazy_compile

Style = Literal["asked", "asked instead", "withdrawn"]

_FORMS = {  # by the form: all words for it
    "list": (
        r"bullets?(?: points?)?|bullet(?:ed)? lists?|bullet-?points?|numbered lists?|lists"
        r"|列表|分点|分条|要点|条目"
    ),
    "table": "tables|表格",
    "text": (
        "(?:full |normal |plain )?(?:paragraphs|prose|sentences)|flowing text|running text|plain"
        " text|段落|整段|完整句子|纯文本|大段文字"
    ),
    "markdown": "markdown|headings|headers",
    "emoji": r"emojis?|emoticons?|smileys|表情符号|表情包?|颜文字",
}
_FORM = "|".join(_FORMS.values())
_SIZE_EN = (
    r"(?:much |a bit |a little )?(?:shorter|longer|short|long|brief|briefer|concise|detailed"
    r"|more detailed|less detailed|lengthy)"
)
_HOW_EN = (
    rf"(?:{_SIZE_EN}|briefly|concisely|at length|in (?:more |less |full )?detail|more briefly"
    r"|more concisely)"
)
_ANSWERS_EN = r"(?:answers?|repl(?:y|ies)|responses?|messages|explanations)"
_LEAD_EN = (
    r"(?:(?:please|pls|and|so|ok(?:ay)?|also|hey|but|now|just|actually|always|from now on"
    r"|in (?:the )?future|(?:can|could|would) you(?: please)?|i(?:['’]d| would) (?:like|prefer)"
    r"(?: you to)?|i (?:want|prefer)(?: you to)?|you (?:should|must))[ ,]+)*"
)
_END_EN = (
    r"(?:,? (?:please|pls|only|instead|again|now|from now on|always|for me|to me|any ?more"
    r"|in your answers|in your replies|when you answer))*"
)
_SAY_EN = r"(?:answer|reply|respond)(?: to)?(?: me)?(?: only)?"
_ASKED_EN = lazy_compile(
    rf"(?i){_LEAD_EN}(?:{_SAY_EN} (?:in|with|using|as) (?:{_FORM})|{_SAY_EN} {_HOW_EN}"
    rf"|(?:keep|make) (?:your |the |all |all your )?{_ANSWERS_EN} {_SIZE_EN}"
    rf"|(?:write|give(?: me)?|send(?: me)?|use) {_SIZE_EN} {_ANSWERS_EN}"
    rf"|{_SIZE_EN} {_ANSWERS_EN}(?=.{{0,3}}\b(?:please|pls|from now on|instead)\b)"
    rf"|(?:(?:stop|quit) (?:using|sending|writing)|stop with|no more|enough with|avoid"
    rf"|(?:don['’]t|do not|never) (?:use|send|write))(?: the| any| so many)? (?:{_FORM})"
    rf"|no (?:emojis|emoticons|markdown|bullets|bullet points)){_END_EN}"
)
_INSTEAD_EN = lazy_compile(
    rf"(?i){_LEAD_EN}(?:(?:write|format)(?: it| them| everything| your answers)? (?:in|as)"
    rf"|use|go back to|switch(?: back)? to|change (?:back )?to|prefer)(?: normal)? (?:{_FORM})"
    rf"{_END_EN}|(?i:{_LEAD_EN}write {_HOW_EN}{_END_EN})"
)
_WITHDRAWN_EN = lazy_compile(
    rf"(?i){_LEAD_EN}(?:you (?:can|may)(?: now)? (?:use|send|write|give(?: me)?"
    r"|(?:answer|reply|respond)(?: in| with)?)"
    rf" (?:{_FORM}|{_HOW_EN}(?: {_ANSWERS_EN})?)"
    rf"|(?:{_FORM}|{_SIZE_EN} {_ANSWERS_EN}) (?:are|is) (?:fine|ok|okay|welcome|allowed|good)"
    r"(?= (?:again|now|after all)\b)"
    rf"|i (?:don['’]t|do not) mind (?:{_FORM}|{_SIZE_EN} {_ANSWERS_EN})"
    rf"|(?:feel free to|it['’]s (?:fine|ok|okay) to) (?:use|send|write)"
    rf" (?:{_FORM}|{_SIZE_EN} {_ANSWERS_EN})"
    rf"|(?:forget|never ?mind|drop)(?: about)? (?:the|those|your) (?:{_FORM})"
    r"|(?:use )?(?:any|whatever|whichever) (?:format|length)(?: (?:is (?:fine|ok|okay)"
    r"|you (?:like|want|prefer)))?"
    rf"|no need for (?:{_FORM}|{_SIZE_EN} {_ANSWERS_EN}))(?:,? (?:please|again|now|after all"
    r"|if you (?:like|want)|any ?more|for me|to me))*"
)

_LEAD_ZH = (
    r"(?:请|麻烦|拜托|那|好了|行了|好吧|算了|现在|以后|今后|往后|你|您|都|也|就|尽量|一律|，|,)*"
)
_END_ZH = "(?:我|问题|我的问题|我的消息|吧|就行|就好|即可|好了|了|啦|哈|呗)*"
_SIZE_ZH = (
    r"(?:再|更|得|的|要|请|尽量|都)*(?:(?:简短|简洁|精简|简单|详细|具体|啰嗦|短|长)(?:一?[点些]儿?)"
    r"|简短|简洁|精简|详细)"
)
_ASKED_ZH = lazy_compile(
    rf"(?i){_LEAD_ZH}(?:(?:用|以|按|带)(?:{_FORM})(?:的?(?:形式|方式|格式))?来?(?:给我|跟我)?"
    rf"(?:回答|回复|答复|作答)|(?:分点|分条|列表)(?:来)?(?:回答|回复|作答)"
    rf"|(?:你的)?(?:回答|回复|答案|答复){_SIZE_ZH}"
    rf"|(?:别|不要|不许|甭|停止|少)(?:再|给我)*(?:用|发|加|带|使用)(?:表情符号|表情包?|颜文字|emoji)"
    rf"|(?:别再|不要再|不许再|甭再)(?:给我)?(?:用|列|写|发|加|带|使用)?(?:{_FORM})){_END_ZH}"
)
_INSTEAD_ZH = lazy_compile(
    rf"(?i){_LEAD_ZH}(?:(?:改用|改成|改为|换成|换回|换用|还是用|恢复)(?:{_FORM})(?:来)?(?:回答|回复|写)?"
    rf"|(?:别|不要)(?:用|列|使用)(?:{_FORM})|(?:写|说|答|回){_SIZE_ZH}){_END_ZH}"
)
_WITHDRAWN_ZH = lazy_compile(
    rf"(?i){_LEAD_ZH}(?:(?:可以|能)(?:再|又|继续|重新|随便)*(?:用|发|加|带|使用)(?:{_FORM})(?:回答|回复)?"
    rf"|(?:可以|能)(?:再|又|继续|重新)*(?:写|说|答|回答|回复|回){_SIZE_ZH}"
    rf"|(?:{_FORM})(?:现在|又|也|都)*(?:可以|能)(?:再|继续)?(?:用|发|加)了"
    rf"|(?:不用|不必|不需要|无需)(?:再|这么|那么|总是|都)*(?:用|写|列|发)?(?:{_FORM}|简短|简洁|详细)(?:回答|回复)?"
    rf"|(?:回答|回复)?(?:格式|形式|长短|篇幅)(?:随意|随便|不限|都行|都可以|无所谓)"
    rf"|(?:用)?什么(?:格式|形式)都(?:行|可以)){_END_ZH}"
)
_FORBIDS = lazy_compile(
    r"(?i)别|不要|不许|不准|甭|停止|\b(?:don['’]?t|do not|never|stop|quit|no|avoid|enough)\b"
)
_TOPICS = {
    "format": lazy_compile(
        rf"(?i)\b(?:{'|'.join(words for form, words in _FORMS.items() if form != 'emoji')}"
        r"|format)\b"
        "|列表|分点|分条|要点|表格|段落|整段|完整句子|纯文本|大段文字|格式|形式"
    ),
    "length": lazy_compile(
        rf"(?i)\b(?:{_SIZE_EN}|briefly|concisely|length|detail)\b"
        "|简短|简洁|精简|简单|详细|具体|啰嗦|[长短](?:一?[点些]|短)|篇幅"
    ),
    "emoji": lazy_compile(rf"(?i)\b(?:{_FORMS['emoji']})\b|表情|颜文字"),
}
_PATTERNS = {form: lazy_compile(f"(?i){words}") for form, words in _FORMS.items()}


def style_in(words: str) -> Style | None:
    """What a sentence asks of the form of answers; "asked instead" only replaces."""
    if _ASKED_EN.fullmatch(words) or _ASKED_ZH.fullmatch(words):
        return "asked"
    if _WITHDRAWN_EN.fullmatch(words) or _WITHDRAWN_ZH.fullmatch(words):
        return "withdrawn"
    if _INSTEAD_EN.fullmatch(words) or _INSTEAD_ZH.fullmatch(words):
        return "asked instead"
    return None


def style_topics(words: str) -> tuple[str, ...]:
    """What a sentence that `style_in` knows is about."""
    return tuple(topic for topic, pattern in _TOPICS.items() if pattern.search(words))


def may_both_hold(one: str, other: str) -> bool:
    """Whether two instructions about the form agree: no bullets, and no tables; no bullets, but
    paragraphs."""
    first, second = _forms(one), _forms(other)
    if not first or not second or first & second:
        return False
    return _FORBIDS.search(one) is not None or _FORBIDS.search(other) is not None


def _forms(words: str) -> set[str]:
    return {form for form, pattern in _PATTERNS.items() if pattern.search(words)}
