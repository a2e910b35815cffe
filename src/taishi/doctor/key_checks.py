"""Health check of the server's API key file."""

from __future__ import annotations

import time
from pathlib import Path

from ..api_keys import Keys
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
    noun = "key" if count == 1 else "keys"
    return Finding("keys", "ok", Bilingual(f"{count} {noun} in force", f"{count} 个有效密钥"))
