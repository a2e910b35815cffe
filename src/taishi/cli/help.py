"""The help of every command in the reader's language.

Commands and options declare theirs in English, where they are defined; help_texts.tsv has a line
for each: the English text, a tab, and the Chinese one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources

import click

FILE = "help_texts.tsv"
READER = "taishi.reader"  # in the meta of every context: whose `language` it is
HEADINGS = {"Options": "选项", "Commands": "命令"}
USAGE = {"[OPTIONS]": "[选项]", "COMMAND [ARGS]...": "命令 [参数]…"}
VALUES = {
    "INTEGER RANGE": "整数",
    "FLOAT RANGE": "数字",
    "INTEGER": "整数",
    "FILENAME": "文件",
}
REMARKS = {"default: ": "默认：", "required": "必填", "env var: ": "环境变量："}
MOST_OF_FIRST_COLUMN = 30
GAP = 2
MIN_WIDTH = 20
_REMARKS = re.compile(r"(?P<text>.*?)(?:  \[(?P<remarks>.+)\])?", re.DOTALL)
_WIDE = "\u2e80-\u9fff\uff00-\uffef"
_CLOSING = "，。；：、）”！？"
# What stays on one line: a Chinese character or a word, with the punctuation that belongs to it.
_UNIT = re.compile(
    rf"[（“]*(?:[{_WIDE}]|[^\s{_WIDE}“”]+)?[{_CLOSING}]*\s*",
)


@cache
def help_texts() -> dict[str, str]:
    """By the English text."""
    text = (resources.files(__package__) / FILE).read_text(encoding="utf-8")
    return dict(line.split("\t") for line in text.splitlines())


class HelpContext(click.Context):
    """A click context whose help is in the language of its reader."""

    def make_formatter(self) -> click.HelpFormatter:
        reader = self.meta.get(READER)
        formatter = ChineseHelp if reader and reader.language == "zh" else click.HelpFormatter
        return formatter(width=self.terminal_width, max_width=self.max_content_width)


class ChineseHelp(click.HelpFormatter):
    """Writes what it is given in Chinese, and wraps by the columns of a terminal."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        for english, chinese in USAGE.items():
            args = args.replace(english, chinese)
        super().write_usage(prog, args, "用法：")

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{HEADINGS.get(heading, heading)}：\n")

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        for line in wrapped(_in_chinese(text), self.width - self.current_indent):
            self.write(f"{indent}{line}\n")

    def write_dl(
        self,
        rows: Iterable[tuple[str, str]],
        col_max: int = MOST_OF_FIRST_COLUMN,
        col_spacing: int = GAP,
    ) -> None:
        told = [(_with_value(first), _in_chinese(second)) for first, second in rows]
        column = min(max(columns(first) for first, _ in told), col_max) + col_spacing
        indent = " " * self.current_indent
        width = max(self.width - column - self.current_indent, MIN_WIDTH)
        for first, second in told:
            lines = list(wrapped(second, width))
            room = column - columns(first)
            if room < col_spacing:  # the text begins on the next line
                lines.insert(0, "")
            head, *rest = lines
            self.write(f"{indent}{first}{' ' * max(room, 0)}{head}".rstrip() + "\n")
            for line in rest:
                self.write(f"{indent}{' ' * column}{line}\n")


def _with_value(option: str) -> str:
    for english, chinese in VALUES.items():
        if option.endswith(f" {english}"):
            return f"{option.removesuffix(english)}{chinese}"
    return option


def _in_chinese(text: str) -> str:
    found = _REMARKS.fullmatch(text)
    if found is None or not found["remarks"]:
        return help_texts().get(text, text)
    remarks = found["remarks"].split("; ")
    for english, chinese in REMARKS.items():
        remarks = [remark.replace(english, chinese, 1) for remark in remarks]
    return f"{help_texts().get(found['text'], found['text'])}[{'；'.join(remarks)}]"


def wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for unit in _UNIT.findall(text):
        if line and columns(line + unit.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += unit
    yield line.rstrip()


def columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
