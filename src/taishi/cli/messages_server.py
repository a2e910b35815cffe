"""Texts of `taishi serve`, `taishi keys` and `taishi oauth` in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "serve_ready": (
        "serving on {address} (REST /v1, MCP /mcp, OpenAI /openai/v1, /metrics); "
        "press Ctrl-C to stop",
        "服务地址 {address}（REST /v1、MCP /mcp、OpenAI /openai/v1、/metrics）；Ctrl-C 结束",
    ),
    "serve_workers_ready": (
        "serving on {address} with {workers} processes (REST /v1, MCP /mcp, OpenAI /openai/v1, "
        "/metrics); press Ctrl-C to stop",
        "服务地址 {address}，{workers} 个进程（REST /v1、MCP /mcp、OpenAI /openai/v1、/metrics）；"
        "Ctrl-C 结束",
    ),
    "process_role": ("process", "进程"),
    "process_id": ("pid", "进程号"),
    "process_host": ("host", "主机"),
    "process_since": ("since", "启动于"),
    "process_historians": ("historians", "史官"),
    "process_jobs": ("jobs done", "已完成任务"),
    "process_version": ("version", "版本"),
    "serve_posix": (
        "--workers needs a system that can share a socket between processes (Linux, macOS); "
        "leave it out here",
        "--workers 需要能在进程间共享套接字的系统（Linux、macOS）；请在此省略该选项",
    ),
    "serve_open": (
        "no API keys exist: anyone on this machine can do anything. Create one with `{command}`",
        "尚未设置密钥：本机上的任何人都可以做任何操作。用 `{command}` 创建",
    ),
    "serve_no_keys": (
        "every request is answered with 503: {why}",
        "所有请求都会得到 503：{why}",
    ),
    "ui_ready": (
        "open {address} in your browser",
        "请在浏览器打开 {address} 查看记忆",
    ),
    "serve_closing": (
        "stopped; queued work stays on disk",
        "已关闭；队列里的任务都在磁盘上",
    ),
    "key_created": (
        "key {id} ({name}) for {place}: copy the secret now; it is not stored and cannot be shown "
        "again",
        "{place} 的密钥 {id}（{name}）：请立即保存，此后无法再次显示",
    ),
    "key_new_folder": (
        "{folder} was not there and is new: if the server's memory is elsewhere, name it with "
        "--data",
        "{folder} 原来不存在，已新建：若服务的记忆在别处，请用 --data 指定",
    ),
    "key_by_name": (
        "{name} is a name; revoke by id. Keys of that name: {ids}",
        "{name} 是名称，请用编号吊销。该名称的密钥：{ids}",
    ),
    "key_revoked": ("revoked key {id} ({name})", "密钥 {id}（{name}）已吊销"),
    "key_in_backups": (
        "in a backup made before now it is still valid: after a restore, revoke it again",
        "此前的备份里它仍然有效：从备份恢复之后，需要再次吊销",
    ),
    "key_or_list": (
        "give the id of one key, or a list with --as-in FILE",
        "请给出一个密钥的编号，或用 --as-in FILE 给出列表",
    ),
    "keys_as_in_list": (
        "nothing to revoke: no key that is valid here is revoked in {file}",
        "无需吊销：这里有效的密钥在 {file} 中都没有被吊销",
    ),
    "key_not_listed": (
        "valid, and not in that list: {id} ({name}). If it was removed with a person who was "
        "forgotten, or nobody needs it: `{command}`",
        "有效，但不在该列表中：{id}（{name}）。如果它已随被遗忘的人删除，或不再需要：`{command}`",
    ),
    "key_list_unreadable": (
        "{file} cannot be read ({why}); name a file with the output of `taishi keys list --json`",
        "无法读取 {file}（{why}）；请给出保存了 `taishi keys list --json` 输出的文件",
    ),
    "key_list_no_list": (
        "{file} is no list of keys; name a file with the output of `taishi keys list --json`, or "
        "the keys.json of a data folder",
        "{file} 不是密钥列表；请给出保存了 `taishi keys list --json` 输出的文件，"
        "或数据目录里的 keys.json",
    ),
    "rights_as_person": ("{rights}, as a person", "{rights}，以人的名义"),
    "no_keys": (
        "no API keys: a server on this machine is open to everyone on it. "
        "Create one with `{command}`",
        "没有密钥：本机服务对本机所有人开放。用 `{command}` 创建",
    ),
    "no_live_key": (
        "no API key is in force: a server answers every request with 401 until there is one. "
        "Create one with `{command}`",
        "没有有效的密钥：在创建新密钥之前，服务对所有请求返回 401。用 `{command}` 创建",
    ),
    "no_connections": (
        "no client is connected by OAuth; see server.oauth_url",
        "没有以 OAuth 连接的客户端；见设置 server.oauth_url",
    ),
    "connection_revoked": (
        "disconnected {name} ({id}); its tokens no longer work",
        "已断开 {name}（{id}），其令牌立即失效",
    ),
    "connection_id": ("connection", "连接"),
    "connection_key": ("key", "密钥"),
    "connection_user": ("user", "用户"),
    "key_id": ("id", "编号"),
    "rights": ("rights", "权限"),
    "opens": ("access to", "可访问"),
    "created": ("created", "创建于"),
    "every_workspace": ("every workspace", "所有工作区"),
    "key_is_good": ("valid", "有效"),
    "key_until": ("valid until {day}", "有效至 {day}"),
    "key_expired": ("expired {day}", "已于 {day} 过期"),
    "key_is_revoked": ("revoked {day}", "已于 {day} 吊销"),
}
