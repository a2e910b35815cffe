"""Chinese → rough English, word by word: what chinese-384 was taught to agree with.

The tables are made by `gloss_tables`. Each line of the first is word, gloss and reading, sorted
by word; only single characters have a reading (pinyin without tones), and it is capitalised when
the character is a surname. The second has two lines of equal length: traditional characters and
their simplified forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_RUN = re.compile(f"[{HAN}]+")
_PUNCTUATION = str.maketrans(
    "，、。！？；：（）「」『』“”《》〈〉‘’", ",,.!?;:()" + 10 * '"' + "''"
)
LONGEST_NAME = 4
LONGEST_PIECE = 8


class Glosses:
    """The table, searched where it lies: splitting it into a dictionary takes half a second."""

    def __init__(self, table: bytes, simplified: dict[int, int], segmenter: Any) -> None:
        self._table = table
        self._simplified = simplified
        self._segmenter = segmenter
        self._find = lru_cache(maxsize=20_000)(self._search)

    def simplify(self, text: str) -> str:
        """The text in simplified characters, which is what the dictionaries know best."""
        return text.translate(self._simplified)

    def translate(self, text: str) -> str:
        """Simplified text with every run of Chinese put into rough English."""
        english = _HAN_RUN.sub(lambda run: f" {self._run(run.group())} ", text)
        return english.translate(_PUNCTUATION)

    def _run(self, run: str) -> str:
        return " ".join(filter(None, map(self._word, self._segmenter.cut(run))))

    def _word(self, word: str) -> str:
        found = self._find(word)
        if found is not None:
            return found[0]
        if self._is_name(word):
            given = "".join(map(self._reading, word[1:]))
            return f"{self._reading(word[0]).capitalize()} {given.capitalize()}"
        return " ".join(filter(None, self._pieces(word)))

    def _is_name(self, word: str) -> bool:
        """A person's name: it must begin with a surname, unless it is a foreign one."""
        if not 1 < len(word) <= LONGEST_NAME:
            return False
        tags = [tag for _, tag in self._segmenter.tag(word)]
        return tags == ["nrt"] or (tags == ["nr"] and self._reading(word[0]).istitle())

    def _pieces(self, word: str) -> Iterator[str]:
        """A word that is not in the table, taken apart from the left into the longest that are."""
        while word:
            for length in range(min(len(word), LONGEST_PIECE), 0, -1):
                found = self._find(word[:length])
                if found is not None:
                    yield found[0]
                    break
            word = word[length:]

    def _reading(self, character: str) -> str:
        found = self._find(character)
        return found[1] if found else ""

    def _search(self, word: str) -> tuple[str, str] | None:
        """Meaning and reading of a word, by halving the sorted lines."""
        wanted = word.encode()
        low, high = 0, len(self._table)
        while low < high:
            start = self._table.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = self._table.find(b"\n", start)
            fields = self._table[start:end].split(b"\t")
            if end < 0 or len(fields) != 3:
                raise ValueError("The table of glosses is damaged: make it anew")
            key, meaning, reading = fields
            if key == wanted:
                return meaning.decode("utf-8", "replace"), reading.decode("utf-8", "replace")
            if key < wanted:
                low = end + 1
            else:
                high = start
        return None


def load_glosses(table: Path, simplified: Path) -> Glosses:
    """Open the tables that `gloss_tables` made."""
    import rjieba

    to_simplified = str.maketrans(*simplified.read_text("utf-8").split("\n"))
    return Glosses(table.read_bytes(), to_simplified, rjieba)
