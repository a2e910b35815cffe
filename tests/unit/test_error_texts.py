"""The commonest errors in Chinese: the patterns fit what is really raised."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Scope, load
from taishi.errors import MissingExtraError, TaishiError
from taishi.language.error_texts import MAX_CHARS, RULES, error_in, in_chinese
from taishi.settings.writer import checked
from taishi.times import to_epoch

ANN = Scope(user="ann")
ENGLISH_SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")


def missing(what: str) -> None:
    raise MissingExtraError(what, "server")


RAISED: list[tuple[Callable[[], Any], str]] = [
    (lambda: to_epoch("昨天", UTC), "'昨天' 不是可读的时间；请用 ISO 8601"),
    (lambda: to_epoch(1e300, UTC), "超出可用的时间"),
    (lambda: load(environ={"TAISHI__MEMORY__TIMEZONE": "Beijing"}), "环境变量 TAISHI__MEMORY"),
    (lambda: load(environ={"TAISHI__MEMORY__TIMEZONE": "Beijing"}), "应为 \"auto\" 或 IANA 时区名"),
    (lambda: load(environ={"TAISHI__MEMORY__LANGUAGE": "fr"}), "应为以下之一：auto, en, zh"),
    (lambda: load(environ={"TAISHI__MEMORY__ENABLED": "si"}), "应为 true 或 false"),
    (lambda: load(environ={"TAISHI__MEMORY__DATA": "localhost:8321"}), "是不是 http://localhost"),
    (lambda: load(environ={"TAISHI__MEMORY__ONLY_SCOPES": "ann"}), "'ann' 不是作用域"),
    (lambda: load(environ={"TAISHI__MEMORY__TIMEZON": "x"}), "没有设置项 memory.timezon；是不是"),
    (lambda: load(Path("/no/such.toml"), environ={}), "请改正路径或 TAISHI_CONFIG"),
    (lambda: checked({"memory.timezone": "Beijing"}), "此次修改：memory.timezone：应为"),
    (lambda: checked({"query.recall_top_k": 0}), "应为不小于 1 的整数"),
    (lambda: missing("the server"), "服务：缺少可选的软件包，请运行："),
    (lambda: Scope(user="a", shared=True), "shared 指整个工作区"),
    (lambda: Scope(user="a\nb"), "user 含有控制字符"),
    (lambda: Scope(user="a" * 999), "user 有 999 个字符"),
    (lambda: Memory.open("ftp://x", load(environ={})), "或以 http://、https:// 开头"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "chinese"), RAISED)
def test_what_is_raised_is_told_in_chinese(act: Callable[[], Any], chinese: str) -> None:
    with pytest.raises(TaishiError) as raised:
        act()
    told = error_in(str(raised.value), "zh")
    assert chinese in told
    assert not ENGLISH_SENTENCE.search(told.partition("请运行：")[0]), told
    assert error_in(str(raised.value), "en") == str(raised.value)


def test_what_is_not_there_says_what_to_do_in_both_languages(tmp_path: Path) -> None:
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        for act in (
            lambda: memory.facts.approve(ANN, "nope", actor="person"),
            lambda: memory.records.update(ANN, "nope", text="x"),
            lambda: memory.records.newest(ANN, after="nope"),
        ):
            with pytest.raises(TaishiError) as raised:
                act()
            assert "; " in str(raised.value)
            assert "；请" in in_chinese(str(raised.value))


def test_an_error_that_is_not_known_or_very_long_stays_as_it_is() -> None:
    assert error_in("something new; do this", "zh") == "something new; do this"
    long = "x" * MAX_CHARS + " is not a time; use ISO 8601 such as 2026"
    assert error_in(long, "zh") == long


@pytest.mark.parametrize(("pattern", "chinese"), RULES)
def test_every_rule_names_only_what_it_found(pattern: str, chinese: str) -> None:
    assert set(re.findall(r"{(\w+)}", chinese)) <= re.compile(pattern).groupindex.keys()


def test_a_misspelled_scheme_is_answered_with_those_there_are() -> None:
    with pytest.raises(TaishiError, match=r"\./data, postgresql://.+, or http:// or https://"):
        Memory.open("htp://127.0.0.1:8321", load(environ={}))
