"""An Undefined-style bot's memory: its configuration file, its `end` tool, its query tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Scope
from taishi.adapters.undefined import TOOLS, IncomingMessage, UndefinedMemory, read_config
from taishi.errors import SettingsError

FULL = """
[core]
bot_qq = 10000
[models.chat]
api_url = "https://chat.example/v1"
model_name = "the-bots-own"
max_tokens = 8192
[models.agent]
api_url = "https://agent.example/v1"
api_key = "agent-key"
model_name = "agent"
thinking_enabled = false
[models.historian]
model_name = "small"
max_tokens = 4096
[models.embedding]
api_url = "https://embed.example/v1"
api_key = "embed-key"
model_name = "text-embedding-3-small"
dimensions = 512
[models.rerank]
api_url = "https://rerank.example/v1"
model_name = "reranker"
[cognitive]
enabled = true
bot_name = "小史"
[cognitive.vector_store]
path = "data/cognitive/chromadb"
[cognitive.query]
auto_top_k = 4
tool_default_top_k = 9
time_decay_half_life_days_auto = 7.5
time_decay_boost = 0.2
auto_current_group_boost = 1.15
enable_rerank = true
[cognitive.historian]
rewrite_max_retry = 1
recent_messages_inject_k = 6
source_message_max_len = 400
[cognitive.profile]
revision_keep = 9
[cognitive.queue]
job_max_retries = 5
failed_max_files = 50
brand_new_key = 1
"""


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        file = tmp_path / "config.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_the_bots_own_configuration_becomes_settings(config: Callable[[str], Path]) -> None:
    read = read_config(config(FULL), environ={})
    settings = read.settings
    assert read.bot_name == "小史"
    assert (settings.query.auto_top_k, settings.query.tool_default_top_k) == (4, 9)
    assert settings.query.half_life_days_auto == 7.5
    assert settings.historian.rewrite_max_retry == 1
    assert settings.historian.recent_messages == 6
    assert settings.historian.source_message_chars == 400
    assert settings.historian.job_max_retries == 5
    assert (settings.profile.revision_keep, settings.queue.failed_max_files) == (9, 50)
    assert settings.memory.legacy_end_summaries
    assert Path(settings.memory.data).parts[-2:] == ("data", "taishi")


def test_the_models_are_the_historians_and_the_embedders(config: Callable[[str], Path]) -> None:
    """What [models.historian] leaves out is the agents' model; the bot's chat model is its own."""
    models = read_config(config(FULL), environ={}).settings.models
    assert models.chat.model_name == "small"
    assert (models.chat.api_url, models.chat.api_key) == ("https://agent.example/v1", "agent-key")
    assert (models.embedding.kind, models.embedding.dimensions) == ("openai", 512)
    assert models.rerank.model_name == "reranker"


def test_every_key_without_a_meaning_is_a_warning_with_a_reason(
    config: Callable[[str], Path],
) -> None:
    warned = read_config(config(FULL), environ={}).warnings
    keys = {line.split(": ")[1].split(" ")[0] for line in warned}
    assert keys == {
        "models.historian.max_tokens",
        "cognitive.vector_store.path",
        "cognitive.query.time_decay_boost",
        "cognitive.query.auto_current_group_boost",
        "cognitive.queue.brand_new_key",
    }
    assert all(line.partition("has no meaning here: ")[2] for line in warned)


def test_switches_are_translated_by_what_they_do(config: Callable[[str], Path]) -> None:
    text = FULL.replace("enable_rerank = true", "enable_rerank = false\ntime_decay_enabled = false")
    settings = read_config(config(text), environ={}).settings
    assert settings.models.rerank.api_url == ""
    assert settings.query.half_life_days_auto > 10_000
    assert settings.query.half_life_days_tool > 10_000


def test_the_time_zone_may_be_in_the_bots_file(config: Callable[[str], Path]) -> None:
    file = config('[cognitive]\ntimezone = "Asia/Shanghai"\n')
    read = read_config(file, environ={})
    assert read.settings.memory.timezone == "Asia/Shanghai" and not read.warnings
    environ = {"TAISHI__MEMORY__TIMEZONE": "Europe/Oslo"}
    assert read_config(file, environ=environ).settings.memory.timezone == "Europe/Oslo"
    with pytest.raises(SettingsError, match=r"cognitive\.timezone"):
        read_config(config('[cognitive]\ntimezone = "Nowhere"\n'), environ={})


def test_C1_the_environment_wins_over_the_bots_file(config: Callable[[str], Path]) -> None:
    environ = {"TAISHI__QUERY__AUTO_TOP_K": "2"}
    assert read_config(config(FULL), environ=environ).settings.query.auto_top_k == 2
    overrides = {"query.auto_top_k": 1}
    read = read_config(config(FULL), environ=environ, overrides=overrides)
    assert read.settings.query.auto_top_k == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[cognitive.query]\nauto_top_k = "many"', "cognitive.query.auto_top_k"),
        ("[cognitive\n", "is not TOML"),
    ],
)
def test_an_error_has_the_words_of_the_bots_file(
    config: Callable[[str], Path], text: str, words: str
) -> None:
    file = config(text)
    with pytest.raises(SettingsError) as caught:
        read_config(file, environ={})
    assert words in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_missing_file_says_which_one_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"the bot's config\.toml"):
        read_config(tmp_path / "none.toml")


def test_the_warnings_are_in_the_log_and_memory_works(
    config: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    file = config('[cognitive.profile]\npath = "data/cognitive/profiles"\n')
    overrides = {"models.embedding.kind": "none"}
    with caplog.at_level(logging.WARNING), UndefinedMemory.open(file, overrides=overrides) as bot:
        assert bot.memory.is_on(Scope(user=1))
    assert "cognitive.profile.path has no meaning here" in caplog.text


@pytest.fixture
def bot(open_memory: Callable[..., Memory]) -> UndefinedMemory:
    changes = {"query.recall_timeout": 10.0, "memory.legacy_end_summaries": True}
    return UndefinedMemory(open_memory(changes), "小史")


def ann(text: str, **more: Any) -> IncomingMessage:
    return IncomingMessage(7, "安", text, **{"message_id": "m1", **more})


def test_T1_the_model_is_offered_end_and_three_query_tools(bot: UndefinedMemory) -> None:
    names = [one["function"]["name"] for one in bot.tools()]
    assert names == list(TOOLS)
    end = bot.tools()[-1]["function"]
    assert {"action_summary", "new_info", "force"} <= set(end["parameters"]["properties"])
    assert "结束" in end["description"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"action_summary": "小史道了贺", "new_info": "安搬到了奥斯陆"},
        {"summary": "小史道了贺", "new_info": ["安搬到了奥斯陆"]},
        {"memo": "小史道了贺", "observations": ["安搬到了奥斯陆"]},
        {"summary": "旧的", "action_summary": "小史道了贺", "new_info": "安搬到了奥斯陆"},
        '{"memo": "小史道了贺", "new_info": "安搬到了奥斯陆", "perspective": "group"}',
    ],
)
def test_W1_end_is_understood_in_every_versions_words(
    bot: UndefinedMemory, arguments: object
) -> None:
    turn = bot.turn(ann("我搬到奥斯陆了"))
    turn.sent("恭喜！")
    assert "已结束" in asyncio.run(turn.call_tool("end", arguments))
    assert turn.ended
    assert bot.memory.drain(30)
    event = bot.memory.get(Scope(user=7), "m1:1")
    assert event is not None
    assert "奥斯陆" in event.text and "道了贺" in event.text and "旧的" not in event.text


def test_W1_both_fields_empty_ends_the_turn_and_keeps_nothing(bot: UndefinedMemory) -> None:
    turn = bot.turn(ann("嗯"))
    assert "没有需要保存" in asyncio.run(turn.call_tool("end", {}))
    assert turn.ended
    assert bot.memory.status()["queue"]["pending"] == 0


def test_a_summary_without_a_reply_is_sent_back_once_force_says_otherwise(
    bot: UndefinedMemory,
) -> None:
    turn = bot.turn(ann("在吗"))
    said = asyncio.run(turn.call_tool("end", {"action_summary": "回答了"}))
    assert "force=true" in said and not turn.ended
    asyncio.run(turn.call_tool("end", {"action_summary": "回答了", "force": True}))
    assert turn.ended


def test_unusable_arguments_are_told_to_the_model(bot: UndefinedMemory) -> None:
    turn = bot.turn(ann("在吗"))
    answer = asyncio.run(turn.call_tool("end", "{not json"))
    assert "end" in answer and not turn.ended
    assert "shell" in asyncio.run(turn.call_tool("shell", {}))


def test_W9_a_turn_without_end_is_considered(bot: UndefinedMemory) -> None:
    turn = bot.turn(ann("我对花生过敏。"))
    turn.sent("记下了。")
    asyncio.run(turn.finish())
    asyncio.run(turn.finish())
    assert bot.memory.drain(30)
    assert len(bot.memory.search_events(Scope(user=7), "花生").hits) == 1


def test_the_query_tools_read_the_profile_of_this_chat_only(bot: UndefinedMemory) -> None:
    bot.memory.profiles.set(Scope(user=7), "安是素食者")
    own = bot.turn(ann("我吃什么"))
    asked = {"entity_type": "user", "entity_id": "7"}
    assert "素食" in asyncio.run(own.call_tool("cognitive-_-get_profile", asked))
    other = bot.turn(IncomingMessage(8, "白", "安吃什么"))
    assert "素食" not in asyncio.run(other.call_tool("get_profile", asked))


def test_recent_messages_stay_with_their_chat_and_are_bounded(bot: UndefinedMemory) -> None:
    for number in range(30):
        bot.heard(ann(f"群里 {number}", group_id=42, message_id=number))
    bot.heard(ann("私聊"))
    assert [one.text for one in bot.recent(ann(""))] == ["私聊"]
    group = bot.recent(ann("", group_id=42))
    assert len(group) == 12 and group[-1].text == "群里 29"


def test_C3_switched_off_the_old_list_is_still_written(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory({"memory.enabled": False, "memory.legacy_end_summaries": True})
    turn = UndefinedMemory(memory).turn(ann("我搬到奥斯陆了"))
    turn.sent("恭喜")
    answer = asyncio.run(turn.call_tool("end", {"summary": "安搬到奥斯陆"}))
    assert "旧列表" in answer
    memory.close()
    assert "奥斯陆" in (tmp_path / "data" / "end_summaries.json").read_text("utf-8")


def test_C4_a_broken_store_leaves_the_bot_without_memory_but_alive(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("", encoding="utf-8")
    (tmp_path / "data").write_text("a file where the folder should be", encoding="utf-8")
    with UndefinedMemory.open(tmp_path / "config.toml") as bot:
        turn = bot.turn(ann("在吗"))
        assert asyncio.run(turn.user_message()) == {"role": "user", "content": "在吗"}
        assert "关闭" in asyncio.run(turn.call_tool("search_events", {"query": "在吗"}))
        asyncio.run(turn.finish())
