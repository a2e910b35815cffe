"""Texts of `taishi evidence` and `taishi rebuild` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "evidence_claim": ("line", "内容"),
    "evidence_kind": ("source", "来源"),
    "evidence_id": ("id", "编号"),
    "evidence_time": ("time", "时间"),
    "evidence_who": ("who", "谁"),
    "evidence_text": ("text", "原文"),
    "evidence_none": (
        "something here no longer has a source; `taishi rebuild` fixes that",
        "有内容已经没有任何来源；可用 `taishi rebuild` 修正",
    ),
    "source_event": ("event", "事件"),
    "source_turn": ("turn", "一轮对话"),
    "source_message": ("message", "消息"),
    "source_person": ("a person", "人工"),
    "source_host": ("the host program", "宿主程序"),
    "source_tool": ("a tool run", "工具调用"),
    "source_missing": ("no longer there", "已不存在"),
    "source_nothing": ("nothing", "无"),
    "source_page": ("only on the page", "仅在画像里"),
    "rebuilding": ("rebuilding", "重建"),
    "rebuild_added": ("added", "新增"),
    "rebuild_changed": ("changed", "更改"),
    "rebuild_removed": ("removed", "移除"),
    "rebuild_more": ("and {count} more", "另有 {count} 条"),
    "rebuilt": (
        "{events:event|events} read again, {pages:page|pages} written, "
        "{indexed:record|records} indexed again",
        "已重读 {events} 个事件，更新 {pages} 份画像，重建 {indexed} 条记录的索引",
    ),
    "rebuilt_dry": (
        "nothing was written: {events:event|events} read again, {pages:page|pages} would change",
        "未写入任何内容：已重读 {events} 个事件，将更改 {pages} 份画像",
    ),
}
