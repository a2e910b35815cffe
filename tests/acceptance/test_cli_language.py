"""TAISHI_LANG, and errors of the command line in Chinese with the command that helps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from taishi import Memory, Scope, load
from taishi.cli import taishi

Run = Callable[..., Result]
ANN = ("--user", "ann")
ENGLISH = {"LANG": "en_US.UTF-8", "TAISHI__MODELS__EMBEDDING__KIND": "none"}
CHINESE = ENGLISH | {"TAISHI_LANG": "zh"}


def run(*arguments: str, **environ: str) -> Result:
    return CliRunner().invoke(taishi, list(arguments), env=environ)


@pytest.fixture
def chats(tmp_path: Path) -> None:
    """The memory `data` of the current folder."""
    settings = load(overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        memory.remember(Scope(group="880"), "每周六聚餐")
        memory.profiles.set(Scope(group="880"), "- 每周六聚餐")


def test_TAISHI_LANG_is_the_language_of_everything() -> None:
    for arguments, words in (
        (["--help"], "用法："),
        (["facts"], "列出"),
        (["fact"], "没有命令"),
        (["recall", "x", *ANN], "处没有记忆"),
        (["remember", "--nonsense"], "用法："),
    ):
        assert words in run(*arguments, **CHINESE).output, arguments
        assert words not in run(*arguments, **ENGLISH).output, arguments


def test_an_option_comes_before_TAISHI_LANG_and_that_before_the_settings() -> None:
    settings = ENGLISH | {"TAISHI__MEMORY__LANGUAGE": "en"}
    assert "没有命令" in run("fact", TAISHI_LANG="zh", **settings).output
    assert "No such command" in run("--lang", "en", "fact", **CHINESE).output
    assert "Usage" in run("facts", "--help", "--lang", "en", **CHINESE).output
    assert "No such command" in run("fact", TAISHI_LANG="auto", **settings).output
    assert "No such command" in run("fact", TAISHI_LANG="", **settings).output
    wrong = run("status", TAISHI_LANG="zh_CN", **ENGLISH)
    assert wrong.exit_code == 2 and "'en', 'zh', 'auto'" in wrong.output


def test_warnings_are_in_the_language_of_the_output(caplog: pytest.LogCaptureFixture) -> None:
    run("config", "show", TAISHI_LANGUAGE="zh", **CHINESE)
    assert [one.getMessage() for one in caplog.records] == [
        "环境变量 TAISHI_LANGUAGE 不起作用；是否想写 TAISHI_LANG？"
    ]
    caplog.clear()
    run("config", "show", TAISHI_DTA="x", TAISHI__MEMORY__LANGUAGE="zh", **ENGLISH)
    assert caplog.records[0].getMessage().startswith("环境变量 TAISHI_DTA 不起作用")
    caplog.clear()
    run("config", "show", TAISHI_DTA="x", **ENGLISH)
    assert caplog.records[0].getMessage().startswith("nothing reads")


@pytest.mark.usefixtures("chats")
@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["facts", "approve", "nosuch"], "facts list --group 880"),
        (["facts", "correct", "nosuch", "x"], "facts list --group 880"),
        (["procedures", "show", "nosuch"], "procedures list --group 880"),
        (["records", "show", "nosuch"], "records list --group 880"),
        (["profile", "diff", "2020"], "profile history --group 880"),
        (["profile", "rollback", "20200101T000000.000000Z"], "profile history --group 880"),
    ],
)
def test_an_error_names_the_command_that_lists_what_there_is(
    arguments: list[str], command: str
) -> None:
    shown = run(*arguments, "--group", "880", "--data", "data", **CHINESE)
    assert shown.exit_code == 2
    assert "；" in shown.output and f"`taishi --data data {command}`" in shown.output
    shown = run(*arguments, "--group", "880", "--data", "data", **ENGLISH)
    assert f"`taishi --data data {command}`" in shown.output


def test_an_option_of_a_command_that_stands_before_it() -> None:
    assert "--json 要写在命令之后" in run("--json", "records", "list", **CHINESE).output
    assert "--json comes after the command" in run("--json", "facts", **ENGLISH).output
    assert "comes after the command" in run("records", "--user", "ann", "list", **ENGLISH).output
    assert "--jsn" in run("--jsn", "facts", **ENGLISH).output


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        (
            "[memory]\nlanguage = “zh”\n",
            "第 2 行第 12 列：值写得不对；引号请用英文的 \" 或 '，不要用 “",
        ),
        ("[memory]\nlanguage = zh\n", "第 2 行第 12 列：值写得不对；请改正"),
        ("“a” = 1\n", "第 1 行第 1 列：这里不是设置项，也不是小节；引号请用英文的"),
        ("[memory\nlanguage = 1\n", "第 1 行第 8 列：小节名后面缺少 ]"),
        ('a = "x', "引号或括号没有配对"),
        ("a = 1\na = 2\n", "同一个设置项写了两次"),
        ("[a]\n[a]\n", "小节 ('a',) 写了两次"),
        ("a = 1 2\n", "第 1 行第 7 列：值后面有多余的内容"),
        ("a\n", "键后面缺少 ="),
    ],
)
def test_a_settings_file_that_is_no_toml(text: str, chinese: str, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(text, "utf-8")
    shown = run("--config", "my.toml", "config", "check", **CHINESE)
    assert shown.exit_code == 2 and chinese in shown.output, shown.output
    english = run("--config", "my.toml", "config", "check", **ENGLISH).output
    assert ("write straight quotes" in english) == ("“" in text)


@pytest.mark.usefixtures("chats")
def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    shown = run("export", "no/such/x.jsonl", "--data", "data", **CHINESE)
    assert "no/such/x.jsonl 无法写入（没有这个文件或目录）；请换一个文件" in shown.output
    shown = run("export", "no/such/x.jsonl", "--data", "data", **ENGLISH)
    assert "no/such/x.jsonl cannot be written (No such file or directory)" in shown.output


def test_where_a_chat_may_go_and_what_a_time_is(tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "hi"}\n')
    chosen = ["--from", "openai-jsonl", "--chat", "*=qun:1", "--user", "ann"]
    shown = run("import", "chat.jsonl", *chosen, "--data", "data", **CHINESE).output
    assert "可用：user:编号、group:编号、agent:编号、peer（对方）、skip（不导入）" in shown
    shown = run("remember", "x", "--time", "soon", *ANN, "--data", "data", **CHINESE).output
    assert "或 1970 年以来的秒数" in shown
