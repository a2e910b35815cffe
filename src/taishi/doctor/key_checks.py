"""Health check of the server's API key file."""

from __future__ import annotations

import time
from pathlib import Path

from ..api_keys import Keys
from ..disk.file_owner import name_of_owner
from ..errors import CorruptError, TaishiError
from .findings import Bilingual, Finding


def explain_unreadable(error: TaishiError, path: Path) -> Bilingual:
    """An error of `Keys` with advice for the server's operator, in both languages."""
    cause = error.__cause__ or error
    if isinstance(error, CorruptError):
        chinese = (
            f"{path} 已损坏（{cause!r:.80}）；请从备份恢复，或删除后重新创建密钥，"
            "在此之前拒绝所有请求"
        )
    elif isinstance(cause, PermissionError) and (owner := name_of_owner(path)):
        chinese = f"无法读取 {path}：它属于 {owner}；请用 chown 改为运行服务的用户所有"
    else:
        chinese = f"无法读取 {path}（{cause}）；请检查该文件及其权限"
    return Bilingual(str(error), chinese)


def access_keys(address: str | Path) -> Finding:
    """Check the key file: while it cannot be read, a server answers 503 to everybody."""
    keys = Keys(address)
    try:
        count = sum(key.is_live(time.time()) for key in keys.list())
        is_open = not keys.set_up
    except TaishiError as error:
        return Finding(
            "keys",
            "problem",
            explain_unreadable(error, keys.path),
            Bilingual("until then a server answers 503 to all", "在此之前服务对所有人返回 503"),
        )
    if is_open:
        message = Bilingual("none: only this machine is served", "无密钥：仅本机可访问服务")
        return Finding("keys", "ok", message)
    if not count:
        return Finding(
            "keys",
            "warning",
            Bilingual(
                "none in force: a server answers 401 to all", "无有效密钥：服务对所有人返回 401"
            ),
            Bilingual("create one: taishi keys create NAME", "创建一个：taishi keys create NAME"),
        )
    noun = "key" if count == 1 else "keys"
    return Finding("keys", "ok", Bilingual(f"{count} {noun} in force", f"{count} 个有效密钥"))
