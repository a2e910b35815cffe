"""Short pieces of text that, repeated, may cost a reader of text more than their length.

Every word that a rule for times can begin with, every word the gate knows, marks, digits, scripts;
and pairs of them. Taken from the rules themselves, so that a new rule brings its own seeds.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

_TABLES = Path(__file__).parent.parent / "tests"
_MARKS = (
    *"()[]{}<>\"'`“”‘’「」『』《》（）【】,.;:!?，。；：！？、…—-–~@#$%^&*_+=|\\/ \t\n",
    *("```", "**", "--", "</a>", "<a>", "<chat>", "> ", "'s ", "@a.", "a.b.", "a: ", "a:\n", "?["),
)
_NUMBERS = (
    *("1", "12", "2026", "2026-", "2026-05-", "12:", "12:30 ", "1/", "1.", "1,", "3pm ", "5th "),
    *(
        "一",
        "三",
        "十",
        "百",
        "万",
        "三点半",
        "三点",
        "半",
        "二〇二六年",
        "5月",
        "5日",
        "号",
        "1st of ",
    ),
)
_SCRIPTS = (
    *("a", "A", "Aa ", "aa ", "é", "ß", "ı", "你"),
    *("安", "さ", "한", "я", "ا", "ก", "😀", "👩‍👩‍👧"),
    *(
        "\u0301",
        "\u200b",
        "\u200d",
        "\ufeff",
        "\u202e",
        "\u2066",
        "\x00",
        "\x08",
        "\ufffc",
        "\ufe0f",
    ),
    *("\U0001f1e8", "\ud83d", "\u00ad", "\u3000", "\xa0", "Ａ", "１", "，。"),
)
_PHRASES = (
    *("I ", "I am ", "you ", "we ", "he said "),
    *("she ", "it ", "my ", "her ", "him and ", "myself "),
    *("I live in ", "always ", "very ", "remember this "),
    *("if I ", "that day ", "this is ", "there "),
    *("next Monday ", "last week ", "two days ago ", "the end of "),
    *("from May ", "to ", "and ", "of "),
    *("May ", "Mon ", "Q1 ", "the 5th ", "until "),
    *("by ", "every ", "tomorrow at ", "in 2 ", "ed "),
    *("我", "你", "他", "她说", "我们", "这里"),
    *("那天", "今天", "昨天", "下周一", "上个月", "去年", "年底"),
    *("春节", "农历", "正月", "初一", "闰", "的", "了"),
    *("过", "要", "说", "以后", "每次", "不", "没有"),
    *("到", "至", "从", "和", "前"),
    *("后", "个", "密码是", "password is ", "key=", "translate this: "),
    *("Bob, ", "@Bob ", "Ann ", "Ann's ", "the other day "),
    *("Mr. ", "http://", "a@b.", "sk-", "ids "),
)  # fmt: skip


def seeds(pairs: int = 0, seed: int = 1) -> list[str]:
    """Each once: what the rules begin with, marks, numbers, scripts, phrases; then some pairs."""
    found = [*_PHRASES, *_NUMBERS, *_MARKS, *_SCRIPTS, *_of_time_rules(), *_of_gate()]
    found = list(dict.fromkeys(found))
    chosen = random.Random(seed)
    joined = (chosen.choice(found) + chosen.choice(found) for _ in range(pairs))
    return list(dict.fromkeys([*found, *joined]))


def repeated(seed: str, size: int) -> str:
    """The seed again and again, `size` bytes of UTF-8."""
    width = len(seed.encode("utf-8", "surrogatepass"))
    return seed * (size // width)


def _of_time_rules() -> list[str]:
    from taishi.language.when.finder import _rule_index

    words = sorted(_rule_index().rules)
    return [word + " " if word.isascii() else word for word in words]


def _of_gate() -> list[str]:
    lines = (_TABLES / "unit" / "tables" / "gate-words.tsv").read_text(encoding="utf-8")
    words = re.findall(r"[A-Za-z'’]+|[\u3400-\u9fff]+", lines)
    return [word + " " if word.isascii() else word for word in dict.fromkeys(words)]
