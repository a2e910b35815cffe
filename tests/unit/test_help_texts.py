"""Every command and option has its help in both languages, each without the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from taishi.cli import taishi
from taishi.cli.help import columns, help_texts, wrapped

HELP_OPTION = "Show this message and exit."
CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff]")
OUR_NAME = "太史"


def texts(command: click.Command) -> Iterator[str]:
    yield command.help or ""
    for one in command.params:
        if isinstance(one, click.Option) and not one.hidden:
            yield one.help or ""
    for child in command.commands.values() if isinstance(command, click.Group) else ():
        yield from texts(child)


def shown(*words: str, language: str = "") -> str:
    return CliRunner().invoke(taishi, words, env={"LC_ALL": language, "LANG": ""}).output


def test_every_command_and_option_has_its_help_in_chinese() -> None:
    asked = {*texts(taishi), HELP_OPTION}
    assert not asked - help_texts().keys(), "add these to cli/help_texts.tsv"
    assert not help_texts().keys() - asked, "nothing shows these lines of cli/help_texts.tsv"
    for english, chinese in help_texts().items():
        assert not CHINESE.search(english.replace(OUR_NAME, "")), english
        assert CHINESE.search(chinese), english


@pytest.mark.parametrize(
    "words",
    [
        ("--lang", "zh", "recall", "--help"),
        ("recall", "--lang=zh", "--help"),
        ("recall", "--help", "--lang", "zh"),
    ],
)
def test_the_option_chooses_the_language_of_help(words: tuple[str, ...]) -> None:
    output = shown(*words)
    assert output.startswith("用法：taishi recall [选项] QUERY\n")
    assert "\n选项：\n" in output
    assert "[默认：5.0；0.001<=x<=600]" in output
    assert not re.search("Usage|Options|default:|Only|RANGE", output)


def test_the_terminal_chooses_the_language_of_help() -> None:
    assert "\n命令：\n" in shown("--help", language="zh_CN.UTF-8")
    assert "\nCommands:\n" in shown("--help", language="en_US.UTF-8")
    assert "\nCommands:\n" in shown("--help", "--lang", "en", language="zh_CN.UTF-8")


def test_the_settings_choose_the_language_of_help(tmp_path: Path) -> None:
    settings = tmp_path / "taishi.toml"
    settings.write_text('[memory]\nlanguage = "zh"\n', encoding="utf-8")
    assert "\n命令：\n" in shown("--config", str(settings), "--help", language="en_US.UTF-8")


def test_chinese_lines_fit_the_terminal_and_begin_with_no_punctuation() -> None:
    text = "检查磁盘、数据库（含“队列”）、index、设置和时钟；有问题时退出码为 1。" * 3
    lines = list(wrapped(text, 24))
    assert len(lines) > 5
    for line in lines:
        assert columns(line) <= 24
        assert line[0] not in "，。；：、）”"
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
