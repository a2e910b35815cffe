"""Numbers as people write them in chat: digits, English words, Chinese numerals."""

from __future__ import annotations

_ONES = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: value * 10
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
        "twentieth".split(),
        start=1,
    )
} | {"thirtieth": 30}

_UNIT_WORD = "one|two|three|four|five|six|seven|eight|nine"
_TEEN_WORD = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS_WORD = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"

NUMBER_WORDS = frozenset(_ONES) | frozenset(_TENS)
ORDINAL_WORDS = frozenset(_ORDINALS) | {"twenty", "thirty"}

WORD_NUMBER = rf"(?:(?:{_TENS_WORD})(?:[ -](?:{_UNIT_WORD}))?|{_TEEN_WORD}|{_UNIT_WORD})"
"""A pattern for one to ninety-nine in words."""

WORD_ORDINAL = (
    r"(?:(?:twenty|thirty)[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    rf"|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
)
"""A pattern for first to thirty-ninth in words."""

WORD_YEAR = (
    rf"(?:two thousand(?: and)? {WORD_NUMBER}|two thousand"
    rf"|(?:sixteen|seventeen|eighteen|nineteen|twenty)(?: hundred)?(?: and)? "
    rf"(?:(?:{_TENS_WORD})(?:[ -](?:{_UNIT_WORD}))?|{_TEEN_WORD}))"
)
"""A pattern for a year in words: "nineteen ninety six", "two thousand and fifteen"."""

CHINESE_NUMBER = "(?:[0-9]+|[零〇一二两三四五六七八九十百廿卅]+)"
_CHINESE_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100}


def english_number(words: str) -> int | None:
    """Return the value of digits, number words or ordinals; None if it is something else."""
    words = words.strip()
    digits = words.rstrip("stndrh")
    if digits.isascii() and digits.isdigit():
        return int(digits[:9])
    if words in {"a", "an"}:
        return 1
    total = 0
    for word in words.replace("-", " ").split():
        value = _ONES.get(word, _TENS.get(word, _ORDINALS.get(word)))
        if value is None:
            return None
        total += value
    return total or None


def english_year(words: str) -> int | None:
    """Read a year in digits or in words; two digits mean 1940 to 2039."""
    words = words.strip().lstrip("'’")
    if words.isascii() and words.isdigit():
        return full_year(int(words)) if len(words) == 2 else int(words)
    parts = words.replace("-", " ").replace(" and ", " ").split()
    if parts[:2] == ["two", "thousand"]:
        return 2000 + (english_number(" ".join(parts[2:])) or 0)
    rest = [part for part in parts[1:] if part != "hundred"]
    century, tail = english_number(parts[0]), english_number(" ".join(rest))
    return None if century is None or tail is None else century * 100 + tail


def full_year(two_digits: int) -> int:
    return two_digits + (2000 if two_digits < 40 else 1900)


def chinese_number(text: str) -> int | None:
    """Read 三, 十五, 二十三, 一百二十, 二零二三 or digits."""
    if text.isascii() and text.isdigit():
        return int(text[:9])
    text = text.replace("廿", "二十").replace("卅", "三十")
    if not any(unit in text for unit in _CHINESE_UNITS):
        digits = [_CHINESE_DIGITS.get(c) for c in text[:9]]
        known = [d for d in digits if d is not None]
        return int("".join(map(str, known))) if known and len(known) == len(digits) else None
    total, pending = 0, 0
    for char in text:
        if char in _CHINESE_UNITS:
            total += (pending or 1) * _CHINESE_UNITS[char]
            pending = 0
        elif char in _CHINESE_DIGITS:
            pending = _CHINESE_DIGITS[char]
        else:
            return None
    return total + pending
