"""Mistakes on the command line are told in the language of the messages, and what to do last."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from taishi.cli import taishi
from taishi.cli.messages_status import WORDS
from taishi.errors import MissingExtraError

RECALL = ["recall", "x", "--user", "a"]
WRONG = [
    (["recall"], "Missing argument", "缺少参数"),
    (["recal"], "command 'recal'. Did you mean 'recall'?", "没有命令 'recal'。是不是 recall？"),
    (["config", "get"], "'get'. Did you mean 'show'?", "没有命令 'get'。是不是 show？"),
    (["search"], "'search'. Did you mean 'recall'?", "没有命令 'search'。是不是 recall？"),
    (["facts", "lst"], "'lst'. Did you mean 'list'?", "没有命令 'lst'。是不是 list？"),
    (["nothing-like-it"], "No such command", "没有命令 'nothing-like-it'。"),
    (["status", "--jsonn"], "No such option", "没有选项 --jsonn"),
    (["status", "--dta", "x"], "--data", "没有选项 --dta。是不是 --data？"),
    (["status", "more"], "unexpected extra argument", "多出的参数：more"),
    ([*RECALL, "--from"], "requires an argument", "选项 '--from' 后面要有一个值"),
    ([*RECALL, "--top-k", "many"], "Invalid value for", "的值无效：'many' 不是整数"),
    ([*RECALL, "--top-k", "0"], "not in the range", "的值无效：0 超出范围"),
    ([*RECALL, "--kind", "事实"], "is not one of 'turn'", "没有 '事实'，请选其一：'turn'"),
]  # fmt: skip
REFUSED = [
    (
        ["config", "set", "memory.timezon", "UTC"],
        "did you mean 'memory.timezone'",
        "要写入的设置：没有设置项 memory.timezon",
    ),
    (
        ["config", "set", "memory.timezone", "Beijing"],
        'expected "auto" or an IANA name',
        '要写入的设置：memory.timezone：应为 "auto" 或 IANA 时区名',
    ),
    ([*RECALL, "--filter", "[]"], "must be a JSON object", "--filter 应为 JSON 对象"),
    ([*RECALL, "--shared"], "leave user, group and agent out", "shared 指整个工作区；请去掉"),
    (["import", "no-such.jsonl"], "correct the path", "没有这个文件或目录）；请改正路径"),
]


def in_both(words: list[str]) -> tuple[Result, Result]:
    """In English and in Chinese; the terminal and both places of --lang say the same."""
    english, chinese = (
        CliRunner().invoke(taishi, ["--lang", lang, *words]) for lang in ("en", "zh")
    )
    auto = CliRunner().invoke(taishi, words, env={"LC_ALL": "zh_CN.UTF-8"})
    assert auto.stderr == chinese.stderr
    return english, chinese


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")


@pytest.mark.parametrize(("words", "english", "chinese"), WRONG)
def test_a_wrong_command_line_is_told_in_both_languages(
    words: list[str], english: str, chinese: str
) -> None:
    for done, expected in zip(in_both(words), (english, chinese), strict=True):
        assert done.exit_code == 2 and expected in done.stderr, done.stderr
        assert "--help" in done.stderr.splitlines()[-1]
    assert not re.search("Usage|Error|Try ", done.stderr), done.stderr


@pytest.mark.parametrize(("words", "english", "chinese"), REFUSED)
def test_a_refusal_is_told_in_both_languages(words: list[str], english: str, chinese: str) -> None:
    for done, expected in zip(in_both(words), (english, chinese), strict=True):
        assert done.exit_code == 2 and expected in done.stderr, done.stderr
    assert done.stderr.startswith("错误：")
    assert len(done.stderr.splitlines()) == 1


def test_what_the_root_cannot_read_is_told_in_the_language_of_the_terminal() -> None:
    for words, told in ((["--lang", "fr", "status"], "没有 'fr'"), (["--data"], "后面要有一个值")):
        done = CliRunner().invoke(taishi, words, env={"LC_ALL": "zh_CN.UTF-8"})
        assert done.exit_code == 2 and told in done.stderr, done.stderr
        assert done.stderr.endswith("用法说明见 `taishi --help`。\n")


def test_the_language_may_follow_the_command() -> None:
    for words in ([*RECALL, "--top-k", "many", "--lang", "zh"], [*RECALL, "--lang", "zh"]):
        assert "错误：" in CliRunner().invoke(taishi, words).stderr


def test_a_time_that_is_none_and_a_wrong_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    CliRunner().invoke(taishi, ["remember", "x", "--user", "a"])
    english, chinese = in_both([*RECALL, "--from", "昨天"])
    assert "use ISO 8601 such as" in english.stderr
    assert chinese.stderr.startswith("错误：'昨天' 不是可读的时间；请用 ISO 8601 时间，例如")
    monkeypatch.setenv("TAISHI__MEMORY__TIMEZONE", "Beijing")
    english, chinese = in_both(["status"])
    assert "environment variable TAISHI__MEMORY__TIMEZONE" in english.stderr
    assert chinese.stderr.startswith("错误：环境变量 TAISHI__MEMORY__TIMEZONE：memory.timezone = ")


def test_a_missing_package_is_told_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def not_installed() -> None:
        raise MissingExtraError("the server", "server")

    monkeypatch.setattr(sys.modules["taishi.cli.serve"], "check_extra", not_installed)
    english, chinese = in_both(["ui", "--no-open"])
    assert "the server needs an optional package: " in english.stderr
    assert chinese.stderr.startswith("错误：服务：缺少可选的软件包，请运行：")


def test_a_group_alone_shows_its_help() -> None:
    assert "\n命令：\n" in CliRunner().invoke(taishi, ["--lang", "zh", "facts"]).output


def test_status_has_a_chinese_name_for_everything() -> None:
    CliRunner().invoke(taishi, ["remember", "x", "--user", "a"])
    shown = CliRunner().invoke(taishi, ["--lang", "zh", "status"]).stdout
    for english in ("postponed", "first_pass", "idle_seconds", "kept_records_bytes", "calls"):
        assert english not in shown
        assert english not in WORDS or WORDS[english][1] in shown


def test_tables_show_values_by_their_chinese_names() -> None:
    CliRunner().invoke(taishi, ["remember", "x", "--user", "a", "--no-wait"])
    shown = CliRunner().invoke(taishi, ["--lang", "zh", "status"]).stdout
    assert not re.search("True|False|upper bound", shown)
    assert "按上限估算（未设置 query.tokenizer）" in shown
    assert "任务（运行中的进程启动以来）" in shown
    CliRunner().invoke(taishi, ["forget", "--user", "a", "--yes"])
    row = CliRunner().invoke(taishi, ["--lang", "zh", "deletions"]).stdout.splitlines()[2]
    assert [word for word in row.split() if not re.match("[0-9a-f]", word)] == (
        ["人", "命令行", "作用域", "私聊"]
    )
    nothing = CliRunner().invoke(taishi, ["--lang", "zh", "recall", "x", "--user", "nobody"]).stdout
    assert "存储 没有记录" in nothing
    assert "hybrid" not in nothing
