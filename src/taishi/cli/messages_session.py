"""Texts of `taishi session` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "session_appended": ("{count:message|messages} appended", "已追加 {count} 条消息"),
    "session_empty": ("no messages in this session", "该会话没有消息"),
    "session_none": ("no sessions with messages", "没有含消息的会话"),
    "session_ended": ("ended and summarised", "已结束，并生成摘要"),
    "session_ended_quietly": ("ended; nothing new to summarise", "已结束；没有新的内容可摘要"),
    "session_cleared": ("{count:message|messages} deleted", "已删除 {count} 条消息"),
    "session_window": (
        "level {level}: {tokens} tokens of {budget}, {summarised} messages summarised, {left_out} "
        "left out, {shortened} shortened",
        "级别 {level}：{tokens} / {budget} token，{summarised} 条已摘要，{left_out} 条未包含，"
        "{shortened} 条已缩短",
    ),
    "session_name": ("session", "会话"),
    "session_count": ("messages", "消息数"),
    "session_time": ("last message", "最后消息"),
    "session_role": ("role", "角色"),
    "session_id": ("id", "编号"),
    "session_text": ("content", "内容"),
    "scratchpad_empty": ("the scratchpad is empty", "草稿板为空"),
}
