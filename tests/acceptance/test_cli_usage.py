"""Mistakes on the command line are told in the language of the messages."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from taishi.cli import taishi

WRONG = [
    (["recall"], "Missing argument", "缺少参数"),
    (["recal"], "No such command 'recal'", "没有命令 'recal'"),
    (["status", "--jsonn"], "No such option", "没有选项 --jsonn"),
    (["recall", "x", "--user", "a", "--top-k", "many"], "Invalid value for", "的值无效"),
    (
        ["config", "set", "memory.timezon", "UTC"],
        "did you mean 'memory.timezone'",
        "此次修改：没有设置项 memory.timezon",
    ),
]


@pytest.mark.parametrize(("words", "english", "chinese"), WRONG)
def test_a_wrong_command_line_is_told_in_both_languages(
    words: list[str], english: str, chinese: str
) -> None:
    for lang, expected in (("en", english), ("zh", chinese)):
        done = CliRunner().invoke(taishi, ["--lang", lang, *words])
        assert done.exit_code == 2 and expected in done.stderr, done.stderr
    auto = CliRunner().invoke(taishi, words, env={"LC_ALL": "zh_CN.UTF-8"})
    assert auto.exit_code == 2 and chinese in auto.stderr
