"""The settings of working memory."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import setting

# One line says all about a setting; the formatter would make four of it.
# A default made by a call (RUF009) is the point: the call carries the documentation.
# fmt: off

@dataclass(frozen=True)
class WorkingSettings:
    window_messages: int = setting(50, "Latest messages of a session that are sent as they are.",
        "发送会话最近多少条原始消息。", low=1, high=1000)
    budget_ratio: float = setting(0.7, "Share of a model's max tokens that a session may take.",
        "会话可占用模型上限 token 的比例。", low=0.05, high=1)
    trim_at: float = setting(0.60, "Share of that budget above which tool outputs are trimmed.",
        "用量超过此比例时精简工具输出。", high=1)
    summarise_at: float = setting(0.75, "Share above which older messages are summarised.",
        "超过此比例时分段摘要较早的消息。", high=1)
    extract_at: float = setting(0.90, "Share above which one overview replaces them all.",
        "超过此比例时只保留一份总览。", high=1)
    segment_messages: int = setting(10, "Messages in a segment that is summarised.",
        "每段摘要的消息数。", low=2, high=200)
    keep_recent: int = setting(10, "Latest messages that are never summarised.",
        "分段摘要时保留的最近消息数。", low=1, high=1000)
    keep_recent_tight: int = setting(5, "The same above extract_at.",
        "超过 extract_at 时保留的最近消息数。", low=1, high=1000)
    scratchpad_idle_minutes: float = setting(30.0, "Idle minutes after which a scratchpad is "
                                                   "cleared.",
        "草稿板闲置多少分钟后清除。", low=0.1)
    learn_every_rounds: int = setting(0,
        "Learn from appended messages every this many rounds, and at the end of the "
        "session; 0: only from turns that end.",
        "每隔多少轮从会话消息中学习一次，会话结束时也学习；0 则只从结束的轮次学习。")
