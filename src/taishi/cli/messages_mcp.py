"""Texts of `taishi mcp`, `taishi tools` and `taishi hook` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "mcp_ready": (
        "serving {place} over stdio; closing stdin ends it",
        "正通过 stdio 提供 {place} 的记忆；客户端关闭标准输入即结束",
    ),
    "mcp_no_extra": (
        "this entry cannot start yet: the MCP server needs an optional package: {line}",
        "这一段配置目前无法启动：MCP 服务需要一个可选组件：{line}",
    ),
    "no_project": (
        "there is no folder {folder}; give the project's own",
        "没有目录 {folder}；请给出项目所在的目录",
    ),
    "hook_failed": (
        "taishi hook: {error}The session continues without memory.",
        "taishi hook：{error}会话不受影响，继续进行。",
    ),
    "hook_late": (
        "taishi hook: not done within {seconds} s; the session continues without memory. A running "
        "`taishi serve` is faster: see --server",
        "taishi hook：{seconds} 秒内未能完成，会话继续进行。"
        "运行中的 `taishi serve` 响应更快，见 --server",
    ),
    "hook_no_event": (
        "taishi hook: nothing to do, the input names no event (hook_event_name); supported "
        "events: {events}",
        "taishi hook：无需处理，输入中没有事件名（hook_event_name）；可处理的事件：{events}",
    ),
    "hook_other_event": (
        "taishi hook: nothing to do for {event}; supported events: {events}",
        "taishi hook：{event} 无需处理；可处理的事件：{events}",
    ),
}
