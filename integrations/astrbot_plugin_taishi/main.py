"""太史记忆：AstrBot 插件。请求模型之前放入记忆，模型回复之后记录这一轮。"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from astrbot.api import AstrBotConfig, logger
from astrbot.api.event import AstrMessageEvent, filter
from astrbot.api.provider import LLMResponse, ProviderRequest
from astrbot.api.star import Context, Star, StarTools
from astrbot.core.agent.message import TextPart

from taishi import Scope
from taishi.adapters.chat_memory import ChatMemory
from taishi.errors import TaishiError

NAME = "astrbot_plugin_taishi"
CONFIRM = "确认"
# 记忆块的首行；用来认出旧版 AstrBot 存进历史里的旧记忆块。
BLOCK_STARTS = ("=== 记忆：", "=== Memory:")
MODEL_KEYS = ("api_url", "api_key", "model_name")


class TaishiMemory(Star):
    def __init__(self, context: Context, config: AstrBotConfig | None = None) -> None:
        super().__init__(context)
        self.config: dict[str, Any] = dict(config or {})
        self._memory: ChatMemory | None = None

    async def initialize(self) -> None:
        await self.open_memory()

    async def terminate(self) -> None:
        if self._memory is not None:
            await self._memory.close()
            self._memory = None

    async def open_memory(
        self, clock: Callable[[], float] = time.time, embedder: Any = None, **more: Any
    ) -> None:
        """设置有误时机器人照常运行，只是没有记忆。"""
        models = {
            f"models.chat.{key}": self.config.get(f"chat_{key}") or None for key in MODEL_KEYS
        }
        try:
            self._memory = await ChatMemory.open(
                self.config.get("data") or StarTools.get_data_dir(NAME),
                self.config.get("bot_name") or "bot",
                overrides={**models, **more},
                clock=clock,
                embedder=embedder,
            )
        except TaishiError as error:
            logger.error(f"太史未能启动，机器人将没有记忆：{error}")

    @filter.on_llm_request()
    async def add_memory(self, event: AstrMessageEvent, req: ProviderRequest) -> None:
        """把与这条消息有关的记忆放进用户消息。"""
        remove_old_blocks(req.contexts)
        if self._memory is None:
            return
        limit = self.config.get("max_tokens") or None
        block = await self._memory.block(scope_of(event), event.message_str, limit)
        if block:
            req.extra_user_content_parts.append(_temporary(TextPart(text=block)))

    @filter.on_llm_response()
    async def record_turn(self, event: AstrMessageEvent, resp: LLMResponse) -> None:
        """模型已回复：记录用户说的话，回复只作上下文。"""
        if self._memory is None or not self.config.get("record", True):
            return
        group = event.message_obj.group
        await self._memory.record(
            scope_of(event),
            event.message_str,
            resp.completion_text if resp.role == "assistant" else "",
            sender_name=event.get_sender_name(),
            group_name=(group.group_name or "") if group else "",
            time=event.message_obj.timestamp,
        )

    @filter.command("记忆")
    async def about_me(self, event: AstrMessageEvent) -> AsyncIterator[Any]:
        """查看机器人对你的了解"""
        page = "" if self._memory is None else await self._memory.page_of(scope_of(event))
        yield event.plain_result(page or "我还没有记住与你有关的事。")

    @filter.command("忘记我")
    async def forget_me(self, event: AstrMessageEvent, confirm: str = "") -> AsyncIterator[Any]:
        """删除与你有关的全部记忆"""
        if confirm != CONFIRM:
            warning = f"将删除与你有关的全部记忆，无法恢复。确定请发送：/忘记我 {CONFIRM}"
            yield event.plain_result(warning)
            return
        gone = 0 if self._memory is None else await self._memory.forget_person(scope_of(event))
        yield event.plain_result(f"已删除 {gone} 项记忆。" if gone else "没有需要删除的记忆。")


def scope_of(event: AstrMessageEvent) -> Scope:
    """私聊属于用户，群与频道各自独立；平台写进编号，以免不同平台的编号相同。"""
    platform = event.get_platform_name()
    user = f"{platform}:{event.get_sender_id()}"
    if event.is_private_chat():
        return Scope(user=user)
    return Scope(user=user, group=f"{platform}:{event.get_group_id() or event.session_id}")


def remove_old_blocks(contexts: list[dict[str, Any]]) -> None:
    """旧版 AstrBot 会把记忆块存进会话历史；每轮只需要最新的一块。"""
    for message in contexts:
        parts = message.get("content")
        if message.get("role") == "user" and isinstance(parts, list):
            message["content"] = [part for part in parts if not _is_block(part)]


def _is_block(part: Any) -> bool:
    text = part.get("text") if isinstance(part, dict) else None
    return isinstance(text, str) and text.startswith(BLOCK_STARTS)


def _temporary(part: TextPart) -> TextPart:
    """新版 AstrBot 可以不把它存进历史。"""
    mark = getattr(part, "mark_as_temp", None)
    return mark() if callable(mark) else part
