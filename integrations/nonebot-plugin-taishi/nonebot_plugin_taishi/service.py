"""从 NoneBot 的事件到太史的作用域：谁、在哪里、说了什么。"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nonebot import logger
from nonebot.adapters import Bot, Event
from nonebot_plugin_uninfo import Session, get_session

from taishi import Scope
from taishi.adapters.chat_memory import ChatMemory
from taishi.errors import TaishiError

from .config import RECORD_MODES, Config

# 已由其他插件记录、或不必记录的事件；只需记住最近的一些。
SKIPPED_KEPT = 256
FORGET, CONFIRM = ("忘记我", "forgetme"), "确认"


class MemoryService:
    """插件里唯一的状态：打开的记忆。"""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._memory: ChatMemory | None = None
        self._skipped: deque[Event] = deque(maxlen=SKIPPED_KEPT)

    async def open(
        self, folder: Path, clock: Callable[[], float] = time.time, embedder: Any = None
    ) -> None:
        """设置有误时不影响机器人启动，只是没有记忆。"""
        mode = self.config.taishi_record
        if mode not in RECORD_MODES:
            allowed = "、".join(RECORD_MODES)
            logger.error(f"太史未能启动，机器人将没有记忆：TAISHI_RECORD={mode}，应为 {allowed}")
            return
        try:
            self._memory = await ChatMemory.open(
                self.config.taishi_data or folder,
                self.config.taishi_bot_name,
                overrides=self.config.taishi_settings,
                clock=clock,
                embedder=embedder,
            )
        except TaishiError as error:
            logger.error(f"太史未能启动，机器人将没有记忆：{error}")

    async def close(self) -> None:
        if self._memory is not None:
            await self._memory.close()
            self._memory = None

    def skip(self, event: Event) -> None:
        self._skipped.append(event)

    def wants(self, event: Event) -> bool:
        """是否由插件自己记录这条消息。"""
        mode = self.config.taishi_record
        if mode == "off" or event.get_type() != "message":
            return False
        if any(one is event for one in self._skipped):
            return False
        return mode == "all" or event.is_tome()

    async def block(self, bot: Bot, event: Event) -> str:
        scope = await self.scope(bot, event)
        if self._memory is None or scope is None:
            return ""
        return await self._memory.block(scope, event.get_plaintext())

    async def record(self, bot: Bot, event: Event, reply: str = "") -> None:
        session = await get_session(bot, event)
        if self._memory is None or session is None or is_confirmation(event.get_plaintext()):
            return
        self.skip(event)
        await self._memory.record(
            scope_of(session),
            event.get_plaintext(),
            reply,
            sender_name=_name_of(session),
            group_name="" if session.scene.is_private else session.scene.name or "",
        )

    async def page(self, bot: Bot, event: Event) -> str:
        scope = await self.scope(bot, event)
        return "" if self._memory is None or scope is None else await self._memory.page_of(scope)

    async def forget(self, bot: Bot, event: Event) -> int:
        scope = await self.scope(bot, event)
        if self._memory is None or scope is None:
            return 0
        return await self._memory.forget_person(scope)

    async def scope(self, bot: Bot, event: Event) -> Scope | None:
        """没有会话信息的事件不属于任何人，因此也没有记忆。"""
        session = await get_session(bot, event)
        return None if session is None else scope_of(session)


def is_confirmation(text: str) -> bool:
    """“忘记我 确认”漏了指令前缀时只是一句普通的话；要求忘记的人不会希望这句话被记住。"""
    return any(text.split() == [name, CONFIRM] for name in FORGET)


def scope_of(session: Session) -> Scope:
    """私聊属于用户；群、频道各自独立。平台写进编号，以免不同平台的编号相同。"""
    platform = str(getattr(session.scope, "value", session.scope))
    user = f"{platform}:{session.user.id}"
    if session.scene.is_private:
        return Scope(user=user)
    return Scope(user=user, group=f"{platform}:{session.scene_path}")


def _name_of(session: Session) -> str:
    nick = session.member.nick if session.member is not None else None
    return nick or session.user.nick or session.user.name or ""
