"""Health checks of engines outside the data folder: a shared cache, files in S3."""

from __future__ import annotations

from collections.abc import Iterator

from ..memory import Memory
from ..ports.shared_state import SharedStateError
from .findings import Bilingual, Finding

MISSING_BUCKET = "the bucket does not exist"
NO_ORIGINAL = "have no original in"


def engine_findings(memory: Memory) -> Iterator[Finding]:
    """Nothing for a memory that is all in its folder and whose files are as they should be. The
    database has checks of its own."""
    files = memory.maintenance.check_files()
    state = memory.shared_state
    if state is not None:
        try:
            state.get("is anybody there?")
        except SharedStateError:
            pass  # its state says so
    for name, engine in memory.status(records=False)["engines"].items():
        if name == "database":
            continue
        address = engine["address"]
        if engine["state"] == "ok" and (name != "files" or files == "ok"):
            yield Finding(name, "ok", Bilingual(f"{address} answers", f"{address} 有响应"))
        elif engine["state"] != "ok":
            is_missing = name == "files" and MISSING_BUCKET in files
            yield _no_bucket(address) if is_missing else _away(name, address)
    if NO_ORIGINAL in files:
        yield _no_originals(files)
    elif files != "ok" and "cannot be read" not in files and MISSING_BUCKET not in files:
        yield Finding(
            "files",
            "warning",
            Bilingual(files, files),
            Bilingual(
                "a process was killed while it added or removed a document; delete these files",
                "添加或删除文档时进程被终止；请删除这些文件",
            ),
        )


def _no_originals(said: str) -> Finding:
    count, _, rest = said.partition(" ")
    where, _, name = rest.partition(f"{NO_ORIGINAL} ")[2].rpartition(", such as ")
    return Finding(
        "files",
        "problem",
        Bilingual(said, f"{count} 个文档在 {where} 中没有原件，例如 {name}"),
        Bilingual(
            "set storage.files to the place where the originals are, or add these documents again",
            "请将 storage.files 设为原件所在的位置，或重新添加这些文档",
        ),
    )


def _no_bucket(address: str) -> Finding:
    return Finding(
        "files",
        "problem",
        Bilingual(
            f"{address}: the bucket does not exist, so no document can be added",
            f"{address}：桶不存在，不能添加文档",
        ),
        Bilingual("create it, or correct storage.files", "请建立该桶，或改正 storage.files"),
    )


def _away(name: str, address: str) -> Finding:
    if name == "cache":
        return Finding(
            name,
            "warning",
            Bilingual(
                f"{address} does not answer: every server has its own cache and limits",
                f"{address} 无响应：各服务使用各自的缓存与限流",
            ),
            Bilingual("start it, or correct storage.cache", "请启动它，或改正 storage.cache"),
        )
    return Finding(
        name,
        "problem",
        Bilingual(
            f"{address} does not answer: no document can be added, no original read",
            f"{address} 无响应：不能添加文档，也不能读取原件",
        ),
        Bilingual(
            "start it, or correct storage.files and the AWS_* variables",
            "请启动它，或改正 storage.files 与 AWS_* 环境变量",
        ),
    )
