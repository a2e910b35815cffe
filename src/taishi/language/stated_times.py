"""The times of a statement, as they are written: "on Tuesdays at 18:00", 周二晚上六点.

For comparing what two statements are about, whatever time each gives; what day that is,
`language.when` finds out.
"""

from __future__ import annotations

from .lazy_regex import lazy_compile

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2}(?:[.:]\d\d)?)"
_DIGIT_ZH = "[一二三四五六七八九]"
_NUMBER_ZH = (
    rf"(?:\d{{1,2}}|[二两三四五六七八九]|二?十{_DIGIT_ZH}?|一(?=点[半钟整一三]))"  # 一点: "a bit"
)
_EN = (
    rf"\b{_DAY}(?: of)? {_MONTH}(?:,? \d{{4}}\b)?",
    rf"\b{_MONTH} {_DAY}\b(?:,? \d{{4}}\b)?",
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b",
    r"\b\d{1,2}:\d\d(?: ?[ap]\.?m\b\.?)?",
    r"\b\d{1,2} ?(?:[ap]\.?m\b\.?|o['’]clock)",
    rf"\b(?:at|to|until|till) {_HOUR}"
    r"(?: ?[ap]\.?m\b\.?|(?=$|[.,;!?]| (?:on|in|at|every|instead)\b))",
    rf"\b(?:half past|quarter (?:past|to)) {_HOUR}\b",
    r"\b(?:every |next |this |last )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    r"\b(?:in the |at )?(?:mornings?|afternoons?|evenings?|noon|midnight|nights?)\b",
    r"\b(?:today|tomorrow|tonight)\b",
)
_ZH = (
    r"(?:\d{4}|[一二][零〇一二三四五六七八九]{3})年(?:\d{1,2}月(?:\d{1,2}[日号])?)?",
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?",
    r"(?<!\d)\d{1,2}[日号]",
    r"(?:每个?|下下?个?|上个?|这个?|本)?(?:周|星期|礼拜)[一二三四五六日天末]",
    r"凌晨|早上|清晨|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜|今晚|明晚|今天|明天|后天|大后天",
    rf"(?<![零一二三四五六七八九十百千万\d.]){_NUMBER_ZH}点(?:半|钟|整|[一三]刻|[零〇一二三四五六七八九十\d]{{1,3}}分?)?",
    r"(?<!\d)\d{1,2}[:：]\d\d",
)
_RECURRING = lazy_compile(
    r"(?i)\b(?:every|each)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
    r"|\b(?:daily|weekly|monthly)\b|每"
)
_EVERY = lazy_compile(r"^(?:every |next |this |on )|s$|^(?:每个?|[下这本]个?)")
_ONE_MORE = lazy_compile(
    r"(?i)\b(?:also|too|as well|additional(?:ly)?|another|both)\b|[也还又]|另外|加一"
)
_AS_OF = lazy_compile(r"\s?\(as of [^()]{1,20}\)|（截至[^（）]{1,20}）")
_TIMES = lazy_compile("(?i)" + "|".join((*_EN, *_ZH)))


def states_time(text: str) -> bool:
    return _TIMES.search(text) is not None


def begins_with_time(text: str) -> bool:
    return _TIMES.match(text) is not None


def without_times(text: str) -> str:
    return _TIMES.sub(" ", text)


def without_as_of(text: str) -> str:
    """The text without the day on which its "now" was said."""
    return _AS_OF.sub("", text)


def recurs(text: str) -> bool:
    """Whether a time is given for again and again: "every Tuesday", "on Tuesdays", 每周二."""
    return _RECURRING.search(text) is not None


def is_one_more(text: str) -> bool:
    """Whether it says that this time comes to the others: "yoga is on Thursdays, too"."""
    return _ONE_MORE.search(text) is not None


def times_in(text: str) -> frozenset[str]:
    """The times, however "every Tuesday" or "on Tuesdays" puts it."""
    found = _TIMES.finditer(without_as_of(text))
    return frozenset(_EVERY.sub("", one[0].casefold()) for one in found)
