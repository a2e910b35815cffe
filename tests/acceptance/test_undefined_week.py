"""A week through an Undefined-style bot's memory: told on Monday, in the prompt on Friday."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import scripted_week as week
from support.hash_embedder import HashEmbedder
from taishi.adapters.undefined import IncomingMessage, UndefinedMemory

CONFIG = """
[core]
bot_qq = 10000

[cognitive]
enabled = true
bot_name = "小史"

[cognitive.historian]
poll_interval_seconds = 0.05
"""


@pytest.fixture
def clock() -> week.Clock:
    return week.Clock()


@pytest.fixture
def bot(tmp_path: Path, clock: week.Clock) -> Iterator[UndefinedMemory]:
    config = tmp_path / "config.toml"
    config.write_text(CONFIG, encoding="utf-8")
    options = {"memory.timezone": week.TIMEZONE, "query.recall_timeout": 10.0}
    with UndefinedMemory.open(
        config, overrides=options, embedder=HashEmbedder(), clock=clock
    ) as opened:
        yield opened


def incoming(said: week.Said) -> IncomingMessage:
    chat = said.chat
    return IncomingMessage(
        said.user, said.user_name, said.text, chat.group, chat.name, said.message_id, said.epoch
    )


def live_through_the_week(bot: UndefinedMemory, clock: week.Clock) -> None:
    for said in week.TURNS:
        clock.now = said.epoch
        turn = bot.turn(incoming(said))
        turn.sent(said.reply)
        arguments = {"action_summary": said.action_summary, "new_info": said.new_info}
        asyncio.run(turn.call_tool("end", json.dumps(arguments, ensure_ascii=False)))
        assert turn.ended
        bot.said(incoming(said), said.reply)
    assert bot.memory.drain(60)


def prompt(bot: UndefinedMemory, said: week.Said) -> str:
    return asyncio.run(bot.turn(incoming(said)).user_message())["content"]


def test_T3_told_on_monday_is_in_the_prompt_on_friday(
    bot: UndefinedMemory, clock: week.Clock
) -> None:
    live_through_the_week(bot, clock)
    for question in week.QUESTIONS:
        clock.now = question.epoch
        content = prompt(bot, question)
        assert content.endswith(question.text)
        week.check_block(question.chat, content, question.expects)


def test_before_the_week_nothing_of_it_is_known(bot: UndefinedMemory, clock: week.Clock) -> None:
    """The control: the questions do not give their own answers away."""
    for question in week.QUESTIONS:
        assert not any(word in prompt(bot, question) for word in question.expects)


def test_T3_nothing_crosses_the_chats(bot: UndefinedMemory, clock: week.Clock) -> None:
    live_through_the_week(bot, clock)
    for question in week.QUESTIONS:
        clock.now = question.epoch
        for elsewhere in week.asked_everywhere(question):
            week.check_block(elsewhere.chat, prompt(bot, elsewhere), ())


def test_T3_the_query_tools_find_it_and_stay_in_their_chat(
    bot: UndefinedMemory, clock: week.Clock
) -> None:
    live_through_the_week(bot, clock)
    for question in week.QUESTIONS:
        for said in (question, *week.asked_everywhere(question)):
            clock.now = said.epoch
            turn = bot.turn(incoming(said))
            found = asyncio.run(turn.call_tool("cognitive.search_events", {"query": question.text}))
            week.check_block(said.chat, found, said.expects)


def test_C3_every_turn_is_also_on_the_old_list(
    bot: UndefinedMemory, clock: week.Clock, tmp_path: Path
) -> None:
    live_through_the_week(bot, clock)
    bot.close()
    listed = json.loads((tmp_path / "data/taishi/end_summaries.json").read_text("utf-8"))
    assert [one["summary"] for one in listed] == [said.action_summary for said in week.TURNS]
    assert listed[0]["new_info"] == ["安宁对花生过敏"]
    assert listed[0]["time"] == "2026-03-02T09:10:00+08:00"
