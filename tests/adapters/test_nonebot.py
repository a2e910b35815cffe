"""The NoneBot2 plugin in a real NoneBot with the real OneBot v11 adapter: a scripted week."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from support import scripted_week as week
from support.hash_embedder import HashEmbedder
from taishi import Scope

pytest.importorskip("nonebot.adapters.onebot.v11", reason="nonebot-adapter-onebot is not installed")
# A plugin must not be imported before NoneBot loads it.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(
        not find_spec("nonebot_plugin_uninfo"), reason="nonebot-plugin-uninfo is not installed"
    ),
]
PACKAGE = Path(__file__).parents[2] / "integrations" / "nonebot-plugin-taishi"
PLATFORM = "QQClient"
SETTINGS = {"query.recall_timeout": 10.0, "memory.timezone": week.TIMEZONE}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """NoneBot with the plugin loaded and one plugin of somebody who wrote a chat plugin."""
    import nonebot
    from nonebot.adapters.onebot.v11 import Adapter

    folder = tmp_path_factory.mktemp("nonebot")
    sys.path.insert(0, str(PACKAGE))
    nonebot.init(
        driver="~none",
        log_level="ERROR",
        nickname=set(),
        command_start={"/"},
        localstore_data_dir=folder / "data",
        taishi_bot_name=week.BOT_NAME,
        taishi_settings=SETTINGS,
    )
    nonebot.get_driver().register_adapter(Adapter)
    plugin = nonebot.load_plugin("nonebot_plugin_taishi")
    assert plugin is not None, "the plugin does not load"
    yield Host(plugin, folder / "data")
    sys.path.remove(str(PACKAGE))


class Host:
    """Events in, what the bot sent out. `blocks` is what another plugin got for its prompt."""

    def __init__(self, plugin: Any, data: Path) -> None:
        import nonebot
        from nonebot.adapters.onebot.v11 import Adapter, Bot, MessageEvent

        self.plugin = plugin
        self.data = data
        self.module = plugin.module
        self.service = plugin.module.service
        self.sent: list[str] = []
        self.blocks: list[str] = []
        self.replies: dict[str, str] = {}
        adapter = nonebot.get_adapter(Adapter)
        adapter._call_api = self._call_api  # no QQ behind it
        self.bot = Bot(adapter, week.BOT_ID)
        block_of_event, record_reply = self.module.MemoryBlock, self.module.record_reply
        chat = nonebot.on_message(priority=50, block=True)

        @chat.handle()
        async def answer(event: MessageEvent, bot: Bot, block: str = block_of_event()) -> None:
            self.blocks.append(block)
            if reply := self.replies.get(event.get_plaintext().strip()):
                await bot.send(event, reply)
                await record_reply(bot, event, reply)

    async def _call_api(self, bot: Any, api: str, **data: Any) -> Any:
        if api in ("send_msg", "send_group_msg", "send_private_msg"):
            self.sent.append(str(data["message"]))
        return {}

    async def say(self, said: week.Said, *, to_me: bool = True) -> None:
        from nonebot.message import handle_event

        await handle_event(self.bot, event_of(said, to_me))


def event_of(said: week.Said, to_me: bool) -> Any:
    from nonebot.adapters.onebot.v11 import GroupMessageEvent, Message, PrivateMessageEvent
    from nonebot.adapters.onebot.v11.event import Sender

    base = {
        "time": int(said.epoch),
        "self_id": int(week.BOT_ID),
        "post_type": "message",
        "user_id": int(said.user),
        "message_id": said.message_id,
        "message": Message(said.text),
        "original_message": Message(said.text),
        "raw_message": said.text,
        "font": 0,
        "sender": Sender(user_id=int(said.user), nickname=said.user_name),
        "to_me": to_me,
    }
    if said.chat.group:
        group = {"message_type": "group", "sub_type": "normal", "group_id": int(said.chat.group)}
        return GroupMessageEvent(**base, **group)
    return PrivateMessageEvent(**base, message_type="private", sub_type="friend")


@pytest.fixture
def clock() -> week.Clock:
    return week.Clock()


class Story:
    """An open memory, driven in one event loop."""

    def __init__(self, host: Host, clock: week.Clock, folder: Path) -> None:
        self.host, self.clock, self.folder = host, clock, folder

    def play(self, script: Any) -> Any:
        async def whole() -> Any:
            service = self.host.service
            await service.open(self.folder, self.clock, HashEmbedder())
            try:
                return await script(self.host)
            finally:
                await service.close()

        self.host.sent.clear()
        self.host.blocks.clear()
        return asyncio.run(whole())

    async def live_through_the_week(self, host: Host) -> None:
        host.replies = {said.text: said.reply for said in week.TURNS}
        for said in week.TURNS:
            self.clock.now = said.epoch
            await host.say(said)
        await self.drain(host)

    async def drain(self, host: Host) -> None:
        assert await asyncio.to_thread(host.service._memory.memory.drain, 60)


@pytest.fixture
def story(host: Host, clock: week.Clock, tmp_path: Path) -> Story:
    host.replies = {}
    return Story(host, clock, tmp_path / "memory")


def test_the_plugin_says_what_it_is(host: Host) -> None:
    meta = host.plugin.metadata
    assert meta.name == "太史记忆" and meta.type == "application"
    assert meta.config is host.module.Config
    assert "nonebot.adapters.onebot.v11" in meta.supported_adapters


def test_T3_told_on_monday_is_in_the_prompt_on_friday_and_nothing_crosses(story: Story) -> None:
    async def script(host: Host) -> None:
        await story.live_through_the_week(host)
        assert host.sent == [said.reply for said in week.TURNS]
        for question in week.QUESTIONS:
            story.clock.now = question.epoch
            for asked in (question, *week.asked_everywhere(question)):
                await host.say(asked)
                week.check_block(asked.chat, host.blocks[-1], asked.expects)

    story.play(script)


def test_before_the_week_the_block_is_empty(story: Story) -> None:
    async def script(host: Host) -> None:
        for question in week.QUESTIONS:
            await host.say(question)
            assert host.blocks[-1] == ""

    story.play(script)


def test_a_message_is_stored_once_and_only_if_it_was_to_the_bot(story: Story) -> None:
    async def script(host: Host) -> tuple[int, int]:
        said = week.TURNS[3]
        host.replies = {said.text: said.reply}
        await host.say(said)
        await host.say(week.TURNS[0], to_me=False)
        await story.drain(host)
        memory = host.service._memory.memory
        events = memory.search_events(Scope(user=f"{PLATFORM}:{said.user}"), "猫").hits
        return len(events), len(memory.partitions())

    assert story.play(script) == (1, 1)


def test_a_person_can_see_and_delete_what_is_known(story: Story) -> None:
    async def script(host: Host) -> None:
        ask = replace(week.TURNS[3], text="/记忆")
        await host.say(ask)
        await host.say(week.TURNS[3])
        await story.drain(host)
        await host.say(ask)
        await host.say(replace(ask, text="/忘记我"))
        await host.say(replace(ask, text="/忘记我 确认"))
        await host.say(ask)

    story.play(script)
    nothing, page, warning, done, nothing_again = story.host.sent
    assert nothing == nothing_again == "我还没有记住与你有关的事。"
    assert "安宁养了一只猫" in page
    assert "无法恢复" in warning and "已删除" in done
    assert warning.endswith("/忘记我 确认"), "what is to be sent, with the command's prefix"


@pytest.mark.parametrize(
    "text, stored",
    [
        ("忘记我 确认", 0),
        (" 忘记我  确认 ", 0),
        ("forgetme 确认", 0),
        ("我住在杭州，忘记我 确认", 1),
        ("请忘记我 确认", 0),  # what asks to be forgotten is not kept
    ],
)
def test_a_confirmation_without_its_prefix_is_not_stored(
    story: Story, monkeypatch: pytest.MonkeyPatch, text: str, stored: int
) -> None:
    monkeypatch.setattr(story.host.service.config, "taishi_record", "all")

    async def script(host: Host) -> int:
        await host.say(replace(week.TURNS[3], text=text), to_me=False)
        await story.drain(host)
        return len(host.service._memory.memory.partitions())

    assert story.play(script) == stored


def test_a_wrong_mode_leaves_the_bot_running(host: Host, tmp_path: Path) -> None:
    service = type(host.service)(type(host.service.config)(taishi_record="全部"))
    asyncio.run(service.open(tmp_path))
    assert service._memory is None


def test_recording_can_be_left_to_other_plugins(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story.host.service.config, "taishi_record", "off")

    async def script(host: Host) -> int:
        await host.say(week.TURNS[3])
        await story.drain(host)
        return len(host.service._memory.memory.partitions())

    assert story.play(script) == 0


def test_it_opens_with_the_bot_and_closes_with_it(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver's own start-up and shutdown, the data where localstore says."""
    import nonebot

    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    async def lifespan() -> bool:
        hooks = nonebot.get_driver()._lifespan
        await hooks.startup()
        is_open = host.service._memory is not None
        await hooks.shutdown()
        return is_open and host.service._memory is None

    assert asyncio.run(lifespan())
    assert (host.data / "nonebot_plugin_taishi" / "taishi.db").exists()


def test_bad_settings_leave_the_bot_running_without_memory(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story.host.service.config, "taishi_settings", {"query.nonsense": 1})

    async def script(host: Host) -> None:
        await host.say(week.TURNS[3])
        assert host.blocks == [""]

    story.play(script)
