"""Texts of `taishi mcp` and `taishi tools` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "mcp_ready": (
        "serving {place} over stdio; the client ends it by closing stdin",
        "正通过 stdio 提供 {place} 的记忆；客户端关闭标准输入即结束",
    ),
}
