"""The AstrBot plugin in the real AstrBot: loaded by its plugin manager, called by its hooks.

AstrBot pins pydantic, so it is not in the shared environment of the adapters;
`make test-frameworks` gives it its own.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from support import scripted_week as week
from support.hash_embedder import HashEmbedder

PLUGIN = Path(__file__).parents[2] / "integrations" / "astrbot_plugin_taishi"
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder as AstrBot expects it, with the plugin where users put it."""
    folder = tmp_path_factory.mktemp("astrbot")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASTRBOT_ROOT", str(folder))
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        pytest.importorskip("astrbot.api", reason="astrbot is not installed (it pins pydantic)")
        shutil.copytree(PLUGIN, folder / "data" / "plugins" / PLUGIN.name)
        (folder / "data" / "config").mkdir()
        yield folder
        for name in [one for one in sys.modules if one.startswith("data.")]:
            del sys.modules[name]


async def loaded_star() -> Any:
    """The plugin as AstrBot's manager loads it, once in a process."""
    from astrbot.core.star.context import Context
    from astrbot.core.star.star import star_map
    from astrbot.core.star.star_manager import PluginManager

    name = f"data.plugins.{PLUGIN.name}.main"
    if name not in star_map:
        manager = PluginManager(Context(*(MagicMock() for _ in range(11))), MagicMock())
        ok, error = await manager.load(specified_dir_name=PLUGIN.name)
        assert ok, error
        assert star_map[name].star_cls._memory is not None, "it opens where AstrBot tells it to"
        await star_map[name].star_cls.terminate()
    return star_map[name].star_cls


class Host:
    """AstrBot around the plugin: its hooks, its request, its commands."""

    def __init__(self, star: Any) -> None:
        self.star = star

    @classmethod
    async def open(cls, clock: week.Clock, folder: Path) -> Host:
        star = await loaded_star()
        star.config |= {"data": str(folder), "bot_name": week.BOT_NAME, "record": True}
        settings = {"query.recall_timeout": 10.0, "memory.timezone": week.TIMEZONE}
        await star.open_memory(clock, HashEmbedder(), **settings)
        return cls(star)

    async def prompt(self, said: week.Said, contexts: list[Any] | None = None) -> str:
        """What AstrBot would send to the model for this message."""
        from astrbot.api.provider import ProviderRequest
        from astrbot.core.pipeline.context_utils import call_event_hook
        from astrbot.core.star.star_handler import EventType

        request = ProviderRequest(prompt=said.text, contexts=contexts or [])
        await call_event_hook(event_of(said), EventType.OnLLMRequestEvent, request)
        message = await request.assemble_context()
        content = message["content"]
        parts = content if isinstance(content, list) else [{"text": content}]
        return "\n".join(part["text"] for part in parts)

    async def answer(self, said: week.Said) -> None:
        from astrbot.api.provider import LLMResponse
        from astrbot.core.pipeline.context_utils import call_event_hook
        from astrbot.core.star.star_handler import EventType

        response = LLMResponse("assistant", completion_text=said.reply)
        await call_event_hook(event_of(said), EventType.OnLLMResponseEvent, response)

    async def command(self, name: str, said: week.Said, *arguments: str) -> str:
        from astrbot.core.pipeline.context_utils import call_handler
        from astrbot.core.star.star_handler import star_handlers_registry

        event = event_of(said)
        found = next(one for one in star_handlers_registry if one.handler_name == name)
        command = found.event_filters[0]
        given = command.validate_and_convert_params(list(arguments), command.handler_params)
        async for _ in call_handler(event, found.handler, **given):
            pass
        return event.get_result().get_plain_text()

    async def live_through_the_week(self, clock: week.Clock) -> None:
        for said in week.TURNS:
            clock.now = said.epoch
            await self.prompt(said)
            await self.answer(said)
        await self.drain()

    async def drain(self) -> None:
        assert await asyncio.to_thread(self.star._memory.memory.drain, 60)


def event_of(said: week.Said) -> Any:
    from astrbot.api.platform import AstrBotMessage, MessageMember, MessageType, PlatformMetadata
    from astrbot.core.message.components import Plain
    from astrbot.core.platform.astr_message_event import AstrMessageEvent
    from astrbot.core.platform.astrbot_message import Group

    message = AstrBotMessage()
    message.type = MessageType.GROUP_MESSAGE if said.chat.group else MessageType.FRIEND_MESSAGE
    message.self_id = week.BOT_ID
    message.session_id = said.chat.group or said.user
    message.message_id = str(said.message_id)
    message.sender = MessageMember(said.user, said.user_name)
    message.message = [Plain(said.text)]
    message.message_str = said.text
    message.raw_message = None
    message.timestamp = int(said.epoch)
    if said.chat.group:
        message.group = Group(said.chat.group, said.chat.name)
    meta = PlatformMetadata("aiocqhttp", "OneBot v11", "aiocqhttp")
    return AstrMessageEvent(said.text, message, meta, message.session_id)


@pytest.fixture
def clock() -> week.Clock:
    return week.Clock()


@pytest.fixture
def play(root: Path, clock: week.Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a script with a freshly loaded plugin, in one event loop."""
    monkeypatch.chdir(root)
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    def run(script: Any) -> Any:
        async def whole() -> Any:
            host = await Host.open(clock, tmp_path / "memory")
            try:
                return await script(host)
            finally:
                await host.star.terminate()

        return asyncio.run(whole())

    return run


def test_T3_told_on_monday_is_in_the_prompt_on_friday_and_nothing_crosses(
    play: Any, clock: week.Clock
) -> None:
    async def script(host: Host) -> None:
        for question in week.QUESTIONS:
            assert await host.prompt(question) == question.text, "the control: nothing is known"
        await host.live_through_the_week(clock)
        for question in week.QUESTIONS:
            clock.now = question.epoch
            for asked in (question, *week.asked_everywhere(question)):
                week.check_block(asked.chat, await host.prompt(asked), asked.expects)

    play(script)


def test_a_person_can_see_and_delete_what_is_known(play: Any) -> None:
    async def script(host: Host) -> None:
        said = week.TURNS[3]
        assert "还没有" in await host.command("about_me", said)
        await host.answer(said)
        await host.drain()
        assert "安宁养了一只猫" in await host.command("about_me", said)
        assert "无法恢复" in await host.command("forget_me", said)
        assert "已删除" in await host.command("forget_me", said, "确认")
        assert "还没有" in await host.command("about_me", said)

    play(script)


def test_a_block_of_an_earlier_turn_leaves_the_history(play: Any, clock: week.Clock) -> None:
    async def script(host: Host) -> None:
        await host.answer(week.TURNS[3])
        await host.drain()
        question = week.QUESTIONS[4]
        clock.now = question.epoch
        block = (await host.prompt(question)).partition("\n")[2]
        assert block.startswith("=== 记忆：")
        parts = [{"type": "text", "text": "早"}, {"type": "text", "text": block}]
        history: list[Any] = [{"role": "user", "content": parts}]
        await host.prompt(question, history)
        assert history == [{"role": "user", "content": parts[:1]}]

    play(script)


def test_recording_can_be_switched_off(play: Any) -> None:
    async def script(host: Host) -> int:
        host.star.config["record"] = False
        await host.answer(week.TURNS[3])
        await host.drain()
        return len(host.star._memory.memory.partitions())

    assert play(script) == 0


def test_the_configuration_page_of_astrbot_has_every_key_the_plugin_reads() -> None:
    import json
    import re

    schema = json.loads((PLUGIN / "_conf_schema.json").read_text("utf-8"))
    source = (PLUGIN / "main.py").read_text("utf-8")
    read = set(re.findall(r'config\.get\("(\w+)"', source))
    models = {f"chat_{key}" for key in ("api_url", "api_key", "model_name")}
    assert read | models == set(schema)
    assert all(one["description"] and "default" in one for one in schema.values())
