"""The settings of `taishi serve`."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import proxy_addresses, public_origin, setting

# One line says all about a setting; the formatter would make four of it.
# A default made by a call (RUF009) is the point: the call carries the documentation.
# fmt: off

@dataclass(frozen=True)
class ServerSettings:
    host: str = setting("127.0.0.1", "Address to listen on; a public one needs API keys.",
        "监听地址；除本机地址外都需要密钥。", low=1)
    port: int = setting(8321, "Port; 0: any free port.", "端口；0 为任一空闲端口。", high=65535)
    max_body_mb: int = setting(8, "Largest request, in MB.", "请求体上限（MB）。", low=1, high=1024)
    max_import_mb: int = setting(1024, "Largest import, in MB.", "导入文件上限（MB）。", low=1)
    max_document_mb: int = setting(64, "Largest document, in MB.", "文档上限（MB）。",
        low=1, high=190)
    rate_per_minute: int = setting(6000, "Requests per minute for each key; 0: no limit.",
        "每个密钥每分钟的请求数；0 为不限。")
    cors_origins: str = setting("",
        "Web origins that may send requests, separated by commas; empty: none.",
        "允许跨域访问的来源，以逗号分隔；留空则不允许。")
    hosts: str = setting("",
        "Additional host names that a server without keys accepts, separated by commas.",
        "无密钥时额外允许的主机名，以逗号分隔。")
    backups: str = setting("",
        "Folder for POST /v1/backup; empty: next to the data folder, named after it.",
        "POST /v1/backup 的目录；留空则在数据目录旁。")
    shutdown_seconds: float = setting(20.0, "Seconds for requests to finish when stopping.",
        "停机时等待请求完成的秒数。")
    header_seconds: float = setting(10.0,
        "Seconds for a request's headers to arrive, from the connection or its first byte.",
        "收齐请求头的秒数，自建立连接或首字节起算。", low=0.1)
    body_seconds: float = setting(20.0,
        "Seconds for a request's body to arrive, and one more for each body_bytes_per_second.",
        "收齐请求体的秒数；每收到 body_bytes_per_second 字节另加一秒。", low=0.1)
    body_bytes_per_second: int = setting(1000,
        "Minimum speed of a request's body, in bytes per second.",
        "请求体的最低速度（字节/秒）。", low=1)
    send_seconds: float = setting(60.0, "Seconds until a client that stops reading is cut off.",
        "客户端停止读取应答的最长秒数。", low=0.1)
    max_connections: int = setting(500, "Maximum number of simultaneous connections; more get 503.",
        "同时连接数上限；超出则返回 503。", low=1)
    failed_keys_per_minute: int = setting(20,
        "Wrong keys per minute from one address before it gets 429; 0: no limit.",
        "同一地址每分钟可出错的密钥次数，超出则返回 429；0 为不限。")
    mem0_api: bool = setting(True,
        "Speak mem0's REST API: under /mem0, and to its clients (Authorization: Token) as it is.",
        "提供 mem0 的 REST 接口：位于 /mem0 下；其客户端（Authorization: Token）可直接使用。")
    oauth_url: str = setting("",
        "Public address of this server, such as https://memory.example: MCP clients can then "
        "connect to /mcp with OAuth. Empty: only with API keys.",
        "本服务的公开地址，如 https://memory.example；设置后 MCP 客户端可用 OAuth 连接 /mcp。"
        "留空则只用 API 密钥。", check=public_origin)
    trusted_proxies: str = setting("",
        "Addresses of reverse proxies whose X-Forwarded-For is trusted, separated by commas; also "
        "networks such as 10.244.0.0/16.",
        "可信反向代理的地址或网段，如 10.244.0.0/16（采信其 X-Forwarded-For），以逗号分隔。",
        check=proxy_addresses)
