"""The example bot over OneBot v11 events, with a scripted chat model on a real socket."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest
from examples.onebot_bot.__main__ import run
from examples.onebot_bot.bot import OneBotBot
from examples.onebot_bot.chat_model import ChatModel
from examples.onebot_bot.events import read_event

from support import scripted_week as week
from support.hash_embedder import HashEmbedder
from support.scripted_model import Reply, ScriptedModel
from taishi.adapters.undefined import UndefinedMemory

ROOT = Path(__file__).parents[2]
CONFIG = '[cognitive]\nbot_name = "小史"\n[cognitive.historian]\npoll_interval_seconds = 0.05\n'


def event(said: week.Said, **changes: Any) -> dict[str, Any]:
    text = {"type": "text", "data": {"text": f" {said.text}"}}
    at = {"type": "at", "data": {"qq": week.BOT_ID}}
    base = {
        "post_type": "message",
        "message_type": "group" if said.chat.group else "private",
        "sub_type": "normal" if said.chat.group else "friend",
        "self_id": int(week.BOT_ID),
        "user_id": int(said.user),
        "message_id": said.message_id,
        "time": int(said.epoch),
        "message": [at, text] if said.chat.group else [text],
        "sender": {"user_id": int(said.user), "nickname": said.user_name, "card": ""},
    }
    if said.chat.group:
        base |= {"group_id": int(said.chat.group), "group_name": said.chat.name}
    return base | changes


def says(text: str, *calls: tuple[str, dict[str, Any]]) -> Reply:
    tool_calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given, ensure_ascii=False)},
        }
        for number, (name, given) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text or None, "tool_calls": tool_calls or None}
    return Reply(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def answer_to(said: week.Said) -> list[Reply]:
    """A statement is answered and ended at once; for a question the model searches first."""
    if not said.reply:
        return [says("", ("search_events", {"query": said.text})), says("想起来了。", ("end", {}))]
    end = {"action_summary": said.action_summary, "new_info": said.new_info}
    return [says(said.reply, ("end", end))]


async def lines(events: Iterable[object], before: Any = None) -> AsyncIterator[str]:
    for one in events:
        if before is not None:
            before(one)
        yield one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)


class Play:
    """The bot with its model and a clock; `sent` are the actions it took."""

    def __init__(self, folder: Path, server: ScriptedModel) -> None:
        (folder / "config.toml").write_text(CONFIG, encoding="utf-8")
        self.clock = week.Clock()
        self.server = server
        self.sent: list[dict[str, Any]] = []
        options = {"memory.timezone": week.TIMEZONE, "query.recall_timeout": 10.0}
        self.memory = UndefinedMemory.open(
            folder / "config.toml", overrides=options, embedder=HashEmbedder(), clock=self.clock
        )

    def run(self, events: Iterable[object]) -> None:
        async def send(action: dict[str, Any]) -> None:
            self.sent.append(action)

        async def play() -> None:
            model = ChatModel(self.server.url, "k", "scripted")
            await run(OneBotBot(self.memory, model, send), lines(events, self._move_clock))
            await model.close()

        asyncio.run(play())

    def _move_clock(self, raw: object) -> None:
        if isinstance(raw, dict) and "time" in raw:
            self.clock.now = float(raw["time"])


@pytest.fixture
def play(tmp_path: Path) -> Any:
    with ScriptedModel() as server:
        stage = Play(tmp_path, server)
        with stage.memory:
            yield stage


def test_T3_a_week_over_onebot_events(play: Play) -> None:
    for said in week.TURNS:
        play.server.script.extend(answer_to(said))
    play.run(event(said) for said in week.TURNS)
    assert [one["params"]["message"] for one in play.sent] == [said.reply for said in week.TURNS]
    assert play.memory.memory.drain(60)

    for question in week.QUESTIONS:
        play.server.script.extend(answer_to(question))
        play.run([event(question)])
        first, second = (seen.body["messages"] for seen in play.server.requests[-2:])
        asked, found = first[-1], second[-1]
        assert asked["role"] == "user" and asked["content"].endswith(question.text)
        assert found["role"] == "tool"
        week.check_block(question.chat, asked["content"], question.expects)
        week.check_block(question.chat, found["content"], question.expects)
        history = "\n".join(str(one["content"]) for one in first[1:-1])
        week.check_block(question.chat, history, ())


def test_replies_go_where_the_message_came_from(play: Play) -> None:
    group, private = week.TURNS[0], week.TURNS[3]
    play.server.script.extend([*answer_to(group), *answer_to(private)])
    play.run([event(group), event(private)])
    assert [one["action"] for one in play.sent] == ["send_group_msg", "send_private_msg"]
    assert play.sent[0]["params"]["group_id"] == 900100
    assert play.sent[1]["params"]["user_id"] == 1001


def test_a_group_message_that_is_not_to_the_bot_is_only_context(play: Play) -> None:
    said = week.TURNS[0]
    play.run([event(said, message=said.text)])
    assert play.sent == [] and play.server.requests == []
    assert play.memory.memory.status()["queue"]["pending"] == 0
    answered = week.TURNS[1]
    play.server.script.extend(answer_to(answered))
    play.run([event(answered)])
    assert "花生" in play.server.requests[0].body["messages"][1]["content"]


def test_a_model_that_is_down_costs_the_reply_and_not_the_bot(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    said = week.TURNS[3]
    play.server.script.extend(["500", *answer_to(week.TURNS[5])])
    play.run([event(said), event(week.TURNS[5])])
    assert "聊天模型没有应答" in caplog.text and "[models.chat]" in caplog.text
    assert [one["params"]["message"] for one in play.sent] == ["一路顺风。"]
    assert play.memory.memory.drain(30)
    assert "墨水" in play.memory.memory.context(said.scope, "我的猫叫什么")


def test_a_model_that_never_ends_is_stopped(play: Play) -> None:
    said = week.TURNS[3]
    play.server.script.extend(says("", ("search_events", {"query": "猫"})) for _ in range(20))
    play.run([event(said)])
    assert len(play.server.requests) == 6


def test_a_group_message_reaches_the_model_with_the_name_of_its_sender(play: Play) -> None:
    said = week.TURNS[0]
    nameless = event(said, message_id=99, sender={"nickname": ""})
    two_lines = event(said, message_id=100, sender={"card": "老\n白"})
    play.server.script.extend(answer_to(said) * 3)
    play.run([event(said), nameless, two_lines])
    asked = [one.body["messages"][-1]["content"] for one in play.server.requests]
    names = (said.user_name, said.user, "老 白")
    for content, name in zip(asked, names, strict=True):
        assert content.splitlines()[-1] == f"{name}：{said.text}"


@pytest.mark.parametrize("time", [None, "soon", True, -1, 1e300, float("nan"), 1772413800000])
def test_a_time_that_is_none_is_now(time: object) -> None:
    read = read_event(event(week.TURNS[0], time=time))
    assert read is not None and read.message.time is None


def test_a_memory_that_is_off_costs_no_reply(tmp_path: Path) -> None:
    with ScriptedModel() as server:
        server.script.extend([says("好。", ("end", {}))] * 3)
        address = f'[models.chat]\napi_url = "{server.url}"\nmodel_name = "scripted"\n'
        (tmp_path / "config.toml").write_text(address, encoding="utf-8")
        (tmp_path / "data").write_text("no folder", encoding="utf-8")
        assert len(replay(tmp_path / "config.toml", "events.jsonl")) == 3


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        {"post_type": "notice"},
        {"post_type": "message", "message_type": "group", "user_id": 1, "message": "no group"},
        {"post_type": "message", "message_type": "private", "message": "nobody"},
        {"post_type": "message", "message_type": "guild", "user_id": 1, "message": "?"},
        {
            "post_type": "message",
            "message_type": "group",
            "sub_type": "anonymous",
            "group_id": 2,
            "user_id": 80000000,
            "message": "who",
        },
    ],
)
def test_what_is_no_message_is_passed_over(raw: object) -> None:
    assert read_event(raw) is None


def test_lines_that_are_not_json_are_skipped(play: Play) -> None:
    play.run(["{broken", "", '{"post_type": "meta_event"}'])
    assert play.sent == []


def test_messages_are_read_in_both_forms() -> None:
    said = week.TURNS[0]
    text = f"[CQ:at,qq={week.BOT_ID}] a &amp; b &#91;c&#93;[CQ:face,id=1]"
    read = read_event(event(said, message=text))
    assert read is not None and read.is_to_bot
    assert read.message.text == "a & b [c]"
    other = read_event(event(said, message="[CQ:at,qq=999] hello"))
    assert other is not None and not other.is_to_bot


def replay(config: Path, events: str) -> list[str]:
    """A process of its own, a file of the example on its stdin; the actions that it took."""
    done = subprocess.run(
        [sys.executable, "-m", "examples.onebot_bot", "--config", str(config)],
        input=(ROOT / "examples/onebot_bot" / events).read_bytes(),
        capture_output=True,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "TAISHI__MODELS__EMBEDDING__KIND": "none",
            "TAISHI__QUERY__RECALL_TIMEOUT": "10",
        },
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"has no meaning here" not in done.stderr
    return [json.loads(line)["action"] for line in done.stdout.decode().splitlines()]


def test_the_example_runs_as_the_page_says(tmp_path: Path) -> None:
    """The answers to the second file are in no chat history: they come from memory, and are as old
    as they were when the events were sent."""
    with ScriptedModel() as server:
        server.script.extend(
            [
                says("墨水真好听。", ("end", {"new_info": "安宁养了一只猫，叫墨水"})),
                says("好的。", ("end", {"new_info": "这周六早上七点在东湖码头集合"})),
                *(says("好。", ("end", {})) for _ in range(3)),
            ]
        )
        config = (ROOT / "examples/onebot_bot/config.toml").read_text("utf-8")
        config = config.replace("# timezone =", "timezone =")
        file = tmp_path / "config.toml"
        file.write_text(config.replace("http://127.0.0.1:11434/v1", server.url), encoding="utf-8")
        private, group = "send_private_msg", "send_group_msg"
        assert replay(file, "events.jsonl") == [private, group, private]
        assert replay(file, "events_later.jsonl") == [private, group]
    asked = [one.body["messages"] for one in server.requests]
    assert "墨水" in asked[2][-1]["content"] and "东湖码头" not in asked[2][-1]["content"]
    for messages, told, name in (
        (asked[3], "4天前] 安宁养了一只猫，叫墨水", "安宁：我的猫叫什么？"),
        (asked[4], "4天前] 老白：2026年3月7日 07:00在东湖码头集合", "阿杰：明天几点在哪里集合？"),
    ):
        assert [one["role"] for one in messages] == ["system", "user"], "no history"
        assert told in messages[1]["content"] and messages[1]["content"].endswith(f"\n\n{name}")


def test_a_message_that_comes_again_is_stored_once(play: Play) -> None:
    """In the same process, and by another one after a restart."""
    said = week.TURNS[3]
    play.server.script.extend([*answer_to(said)] * 3)
    play.run([event(said), event(said)])
    assert play.memory.memory.drain(30)
    play.run([event(said)])
    assert play.memory.memory.drain(30)
    listed = play.memory.memory.records.newest(said.scope, kinds=("event",)).records
    assert len(listed) == 1 and len(play.sent) == 1


def test_a_file_that_is_not_there_is_said_in_a_line() -> None:
    program = [sys.executable, "-m", "examples.onebot_bot", "--config", "nope.toml"]
    done = subprocess.run(program, capture_output=True, cwd=ROOT, env=os.environ, timeout=60)
    assert done.returncode == 2 and b"nope.toml" in done.stderr
    assert b"Traceback" not in done.stderr
