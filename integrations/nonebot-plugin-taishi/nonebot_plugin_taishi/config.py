"""插件配置，写在 NoneBot 的 .env 里。"""

from typing import Any

from pydantic import BaseModel, Field

RECORD_MODES = ("to_me", "all", "off")


class Config(BaseModel):
    taishi_data: str = ""
    """数据目录；留空则由 localstore 决定。"""
    taishi_record: str = "to_me"
    """记录哪些消息：to_me 只记对机器人说的（默认），all 记全部，off 只由其他插件记录。"""
    taishi_bot_name: str = "bot"
    """机器人的名字，用来区分谁说的话。"""
    taishi_settings: dict[str, Any] = Field(default_factory=dict)
    """太史自己的设置，如 {"query.max_context_tokens": 600}。"""
