"""Errors in Chinese: whatever the command line or the REST API can show has a Chinese text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from support.raised_texts import HOLE, Raised, raised_texts
from taishi import Memory, Scope, load
from taishi.errors import MissingExtraError, TaishiError
from taishi.language.error_texts import MAX_CHARS, RULES, Template, error_in, in_chinese, templates
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
    (lambda: load(environ={"TAISHI__SERVER__TRUSTED_PROXIES": "nginx"}), "'nginx' 不是地址"),
    (lambda: load(environ={"TAISHI__SERVER__TRUSTED_PROXIES": "10.0.0.0/8, x"}), "环境变量 TAISHI"),
    (lambda: load(environ={"TAISHI__MEMORY__TIMEZON": "x"}), "没有设置项 memory.timezon；是不是"),
    (lambda: load(Path("/no/such.toml"), environ={}), "请改正路径或 TAISHI_CONFIG"),
    (lambda: checked({"memory.timezone": "Beijing"}), "要写入的设置：memory.timezone：应为"),
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


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "given up after 4 tries; the last: ModelError: The model fake did not give what "
            "`event` asks for: facts is missing; tags[0] must be string, not 3; its words: hi. "
            "Try again, or choose a more able model in [models.chat]",
            "试了 4 次后放弃；最后一次：模型 fake 没有给出 `event` 要求的内容：缺少 facts；"
            "tags[0] 应为 string，不是 3；模型的原话：hi。"
            "请重试，或在 [models.chat] 里选更强的模型",
        ),
        (
            "the JSON is damaged at character 2: the file ends here",
            "JSON 在第 2 个字符处损坏：文件到此中断，内容不完整",
        ),
        (
            "the JSON is damaged at character 9: a comma or } is expected",
            "JSON 在第 9 个字符处损坏：此处应为逗号或 }",
        ),
        (
            "filters: unknown operation 'eqq' of 'kind' (did you mean 'eq'?); use eq, in",
            "filters：操作 'eqq' 不能用于 'kind'（是不是 'eq'？）；可用：eq, in",
        ),
        (
            "The model failed 3 times in a row and is being left alone; it will be tried again in "
            "30 s. Check its address, API key and load",
            "模型连续失败 3 次，暂不使用；30 秒后再试。请检查其地址、API 密钥和负载",
        ),
        (
            "the head of the request did not come in time; send it again (server.header_seconds)",
            "请求头没有及时到达；请重发（server.header_seconds）",
        ),
        ("workspace is empty; leave it out for all of them", "工作区为空；不写即为所有工作区"),
    ],
)
def test_errors_within_errors_are_in_chinese_to_the_end(english: str, chinese: str) -> None:
    assert in_chinese(english) == chinese


def test_an_error_that_is_not_known_or_very_long_stays_as_it_is() -> None:
    assert error_in("something new; do this", "zh") == "something new; do this"
    long = "x" * MAX_CHARS + " is not a time; use ISO 8601 such as 2026"
    assert error_in(long, "zh") == long


# Texts that only a programmer meets, who reads Python's errors in English.
PROGRAMMERS = {
    "a remove edit needs a place and an id",
    "a tool needs the caller's Scope, not {}",
    "a {} edit needs a record",
    "count_tokens failed: {}: {}",
    "count_tokens returned {}; return a whole number from 0",
    "entity_type is {}; it must be 'user' or 'group'",
    "settings must come from load(), not {}: load(overrides={'memory.timezone': 'Asia/Shanghai'})",
    "that lease is not from this queue; pass what claim() returned",
    "the address of a memory must be a text or a path, not {}: give a folder such as './data', "
    "postgresql://… or http(s)://…; settings go into settings=…",
    "the embedder {} does not say its dimensions ({}): give it an attribute `dimensions`, how many "
    "numbers each of its vectors has, such as 384. It replaces `blocks`, whose sum it is",
    "these settings were not read from a file; pass the path to watch, or read them with "
    "taishi.load()",
    "this request did not come through the door",
    "{}: no model was named yet; adopt one first",
}
# Modules that are used from Python alone, whose errors recall turns into `paths`, or whose words
# RFC 6749 wants in ASCII.
NOT_SHOWN = (
    "adapters/agent_framework.py", "adapters/anthropic.py", "adapters/autogen.py",
    "adapters/crewai.py", "adapters/google_adk.py", "adapters/lang", "adapters/llama_index.py",
    "adapters/mem0/memory.py", "adapters/nanobot/", "adapters/openai_agents.py",
    "adapters/pydantic_ai.py", "adapters/quiet_calls.py", "adapters/speakers.py",
    "adapters/store_items.py",
    "adapters/strands.py", "adapters/undefined/", "recall/deadline.py", "recall/engine_search.py",
    "recall/index_cache.py", "recall/int8_matrix.py", "recall/large_search.py",
    "recall/partition_source.py", "server/oauth/endpoints.py", "server/oauth/errors.py",
    "server/oauth/form_body.py", "server/oauth/redirects.py", "server/oauth/requests.py",
)  # fmt: skip
# Texts that are put together of others which the table has, or handed on: the test below that
# raises them looks at the result, as far as it is not another error's text.
COMPOSED = {
    ("adapters/mem0/entities.py", ""), ("adapters/mem0/operations.py", ""),  # an id
    ("assembly/folder_parts.py", "{}; {}"), ("assembly/folder_parts.py", ""),
    ("backends/document_readers/reader.py", "{} is {}. {}"),
    ("backends/postgres/driver_errors.py", ""), ("cli/context.py", "{}{}{}"),
    ("cli/jsonl.py", "{}: {}"), ("errors.py", ""), ("errors.py", "{} needs {}: {}"),
    ("models/chat/plain.py", ""), ("remote/server.py", ""), ("server/json_body.py", ""),
    ("server/mem0_api/routes.py", ""), ("server/oauth/store.py", "invalid_grant"),
    ("server/problems.py", ""), ("server/routes/memories.py", ""), ("settings/loader.py", ""),
    ("settings/writer.py", "{}: {}: {}"), ("transfer/chat_import.py", ""),
}  # fmt: skip
SAMPLES = ("X1", "7", "a_b.c", "'X'")
# What stays as it is in a Chinese text: commands, settings, examples.
CODE = re.compile(r"`[^`]*`|'[^']*'|\{[^}]*\}|python -c .*?\)'|CREATE \w+[^。]*|请运行：.*")


def has_chinese(text: str) -> bool:
    """A line of its own, or a rule: a line that fits many texts will not do."""
    if text in {HOLE.join(one.parts) for one in templates()}:
        return True
    samples = [text.replace(HOLE, one) for one in SAMPLES]
    return any(re.fullmatch(pattern, one, re.DOTALL) for pattern, _ in RULES for one in samples)


def is_left_out(one: Raised) -> bool:
    module = one.where.partition(":")[0]
    return module.startswith(NOT_SHOWN) or one.text in PROGRAMMERS or (module, one.text) in COMPOSED


def test_T2_every_text_that_is_raised_has_a_chinese_form() -> None:
    raised = list(raised_texts())
    assert len(raised) > 700, "the texts are no longer found in the source"
    lacking = [one for one in raised if not is_left_out(one) and not has_chinese(one.text)]
    assert not lacking, (
        "no Chinese form: add a line to language/error_texts.tsv, the English text with {} for its "
        f"values, a tab, and the Chinese one with {{1}} for the first: {lacking}"
    )


def test_what_is_left_out_is_still_there() -> None:
    raised = list(raised_texts())
    modules = {one.where.partition(":")[0] for one in raised}
    assert {one.text for one in raised} >= PROGRAMMERS
    assert {(one.where.partition(":")[0], one.text) for one in raised} >= COMPOSED
    assert all(any(one.startswith(left_out) for one in modules) for left_out in NOT_SHOWN)


def test_T2_every_line_of_the_table_is_chinese_and_names_only_its_values() -> None:
    english = [HOLE.join(one.parts) for one in templates()]
    assert len(set(english)) == len(english)
    for one in templates():
        numbers = {int(number) for number in re.findall(r"\{(\d)\}", one.chinese)}
        assert numbers <= set(range(1, len(one.parts))), one
        assert not ENGLISH_SENTENCE.search(CODE.sub("", one.chinese)), one


def test_a_text_within_a_text_is_told_in_chinese_too() -> None:
    told = "line 3: source must be a string or an integer, not list"
    assert in_chinese(told) == "第 3 行：source 应为文本或整数，不是 list"
    asked = "filters: unknown field 'knd' (did you mean 'kind'?); fields are kind and metadata.NAME"
    told = in_chinese(asked)
    assert told == "filters：没有字段 'knd'（是不是 'kind'？）；字段有 kind 和 metadata.NAME"


def test_the_values_are_found_in_linear_time() -> None:
    many = Template(tuple(" of " for _ in range(12)), "")
    text = " of" * (MAX_CHARS // 3)
    start = time.process_time()
    for _ in range(100):
        assert many.values_in(text) is None
    assert time.process_time() - start < 1


@pytest.mark.parametrize(("pattern", "chinese"), RULES)
def test_every_rule_names_only_what_it_found(pattern: str, chinese: str) -> None:
    assert set(re.findall(r"{(\w+)}", chinese)) <= re.compile(pattern).groupindex.keys()


def test_a_misspelled_scheme_is_answered_with_those_there_are() -> None:
    with pytest.raises(TaishiError, match=r"\./data, postgresql://.+, or http:// or https://"):
        Memory.open("htp://127.0.0.1:8321", load(environ={}))
