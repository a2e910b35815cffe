"""Texts of `taishi serve` and `taishi keys` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "serve_ready": (
        "serving on {address} (REST /v1, MCP /mcp, OpenAI /openai/v1, /metrics); Ctrl-C ends it",
        "服务地址 {address}（REST /v1、MCP /mcp、OpenAI /openai/v1、/metrics）；Ctrl-C 结束",
    ),
    "serve_open": (
        "no keys are set up: whoever is on this machine may do everything. "
        "`taishi keys create NAME` makes one",
        "尚未设置密钥：本机上的任何人都可进行任何操作。用 `taishi keys create NAME` 创建",
    ),
    "serve_no_keys": (
        "every request is answered with 503: {why}",
        "所有请求都会得到 503：{why}",
    ),
    "ui_ready": (
        "the memory is at {address} in your browser",
        "请在浏览器打开 {address} 查看记忆",
    ),
    "serve_closing": (
        "closed; what waits in the queue waits durably",
        "已关闭；队列中的任务均已持久保存",
    ),
    "key_created": (
        "key {id} ({name}): copy the secret now, it is not kept and cannot be shown again",
        "密钥 {id}（{name}）：请立即保存，此后无法再次显示",
    ),
    "key_revoked": ("key {id} ({name}) opens nothing any more", "密钥 {id}（{name}）已吊销"),
    "rights_as_person": ("{rights}, as a person", "{rights}，以人的名义"),
    "no_keys": (
        "no keys: a server on this machine lets everybody on it in. "
        "`taishi keys create NAME` makes one",
        "没有密钥：本机服务对本机所有人开放。用 `taishi keys create NAME` 创建",
    ),
    "key_id": ("id", "编号"),
    "rights": ("rights", "权限"),
    "opens": ("opens", "范围"),
    "created": ("created", "创建于"),
    "every_workspace": ("every workspace", "所有工作区"),
    "key_is_good": ("good", "有效"),
    "key_until": ("good until {day}", "有效至 {day}"),
    "key_expired": ("expired {day}", "已于 {day} 过期"),
    "key_is_revoked": ("revoked {day}", "已于 {day} 吊销"),
}
