"""太史：NoneBot2 机器人的长期记忆。Long-term memory for NoneBot2 bots.

require("nonebot_plugin_taishi")
from nonebot_plugin_taishi import MemoryBlock, record_reply
"""

from typing import Annotated

from nonebot import get_driver, get_plugin_config, on_command, require
from nonebot.adapters import Bot, Event, Message
from nonebot.message import event_postprocessor
from nonebot.params import CommandArg, Depends, RawCommand
from nonebot.plugin import PluginMetadata, inherit_supported_adapters

require("nonebot_plugin_localstore")
require("nonebot_plugin_uninfo")

import nonebot_plugin_localstore as localstore  # noqa: E402

from .config import Config  # noqa: E402
from .service import CONFIRM, FORGET, MemoryService  # noqa: E402

__plugin_meta__ = PluginMetadata(
    name="太史记忆",
    description="长期记忆：离线可用，按会话隔离，中英文皆可",
    usage=(
        "记忆：查看机器人对你的了解\n"
        "忘记我：删除与你有关的全部记忆\n"
        "其他插件：block: str = MemoryBlock()，回复后调用 record_reply"
    ),
    type="application",
    config=Config,
    supported_adapters=inherit_supported_adapters("nonebot_plugin_uninfo"),
)

__all__ = ["Config", "MemoryBlock", "memory_block", "record_reply", "service"]

service = MemoryService(get_plugin_config(Config))
driver = get_driver()


@driver.on_startup
async def _open() -> None:
    await service.open(localstore.get_plugin_data_dir())


@driver.on_shutdown
async def _close() -> None:
    await service.close()


async def memory_block(bot: Bot, event: Event) -> str:
    """与这条消息有关的记忆，可直接放进提示词；没有则为空串。"""
    return await service.block(bot, event)


def MemoryBlock() -> str:
    """依赖注入：`block: str = MemoryBlock()`。"""
    return Depends(memory_block)


async def record_reply(bot: Bot, event: Event, reply: str) -> None:
    """机器人已回复：把这一轮（消息与回复）交给记忆。"""
    await service.record(bot, event, reply)


@event_postprocessor
async def _record(bot: Bot, event: Event) -> None:
    """所有处理完成之后再记录，这样提示词里不会出现刚刚说的这句话。"""
    if service.wants(event):
        await service.record(bot, event)


about = on_command("记忆", aliases={"memory"}, priority=5, block=True)
forget = on_command(FORGET[0], aliases=set(FORGET[1:]), priority=5, block=True)


@about.handle()
async def _about(bot: Bot, event: Event) -> None:
    service.skip(event)
    page = await service.page(bot, event)
    await about.finish(page or "我还没有记住与你有关的事。")


@forget.handle()
async def _forget(
    bot: Bot,
    event: Event,
    given: Annotated[Message, CommandArg()],
    command: Annotated[str, RawCommand()],
) -> None:
    service.skip(event)
    if given.extract_plain_text().strip() != CONFIRM:
        await forget.finish(f"将删除与你有关的全部记忆，无法恢复。确定请发送：{command} {CONFIRM}")
    count = await service.forget(bot, event)
    await forget.finish(f"已删除 {count} 项记忆。" if count else "没有需要删除的记忆。")
