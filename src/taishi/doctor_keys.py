"""The check of the file that says who may come in by a server's door."""

from __future__ import annotations

import time
from pathlib import Path

from .errors import TaishiError
from .findings import Finding, Said
from .keys import Keys


def access_keys(folder: Path) -> Finding:
    """Can a server tell whom to let in? While it cannot, it answers 503 to everybody."""
    keys = Keys(folder)
    try:
        count = sum(key.is_live(time.time()) for key in keys.list())
        is_open = not keys.set_up
    except TaishiError as error:
        return Finding(
            "keys",
            "problem",
            Said(str(error), str(error)),
            Said("until then a server answers 503 to all", "在此之前服务对所有人答复 503"),
        )
    if is_open:
        message = Said("none: only this machine is served", "无密钥：仅本机可访问服务")
        return Finding("keys", "ok", message)
    noun = "key" if count == 1 else "keys"
    return Finding("keys", "ok", Said(f"{count} {noun} in force", f"{count} 个有效密钥"))
