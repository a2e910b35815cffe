"""Health checks of engines outside the data folder: a shared cache, files in S3."""

from __future__ import annotations

from collections.abc import Iterator

from ..assembly import EngineProbe, probe_cache, probe_files
from ..errors import TaishiError
from ..memory import Memory
from ..settings import Settings
from .findings import Bilingual, Finding

NO_ORIGINAL = "have no original in"


def engine_findings(settings: Settings) -> Iterator[Finding]:
    """Nothing for a memory that is all in its folder. The engines are asked whether or not there is
    a memory yet; the database has checks of its own."""
    for name, ask in (("cache", probe_cache), ("files", probe_files)):
        try:
            probe = ask(settings)
        except TaishiError as error:  # a wrong address, a missing package: it says what to do
            yield Finding(name, "problem", Bilingual.of(error))
            continue
        if probe is not None:
            yield _finding(name, probe)


def lost_files(memory: Memory) -> Iterator[Finding]:
    """Files of documents that no document has. That they cannot be read is said elsewhere."""
    files = memory.maintenance.check_files()
    if NO_ORIGINAL in files:
        yield _no_originals(files)
    elif "belong to no document" in files:
        yield Finding(
            "files",
            "warning",
            Bilingual(files, files),
            Bilingual(
                "a process was killed while it added or removed a document, or an older backup was "
                "restored; add the documents again, or delete these files",
                "添加或删除文档时进程被终止，或恢复了较早的备份；请重新添加这些文档，或删除这些文件",
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
            "set storage.files to the place where the originals are, copy `originals/` of a backup "
            "into the data folder, or add these documents again",
            "请将 storage.files 设为原件所在的位置，或把备份中的 `originals/` 复制到数据目录，"
            "或重新添加这些文档",
        ),
    )


def _finding(name: str, probe: EngineProbe) -> Finding:
    address = probe.address
    if probe.answer == "ok":
        return Finding(name, "ok", Bilingual(f"{address} answers", f"{address} 有响应"))
    if probe.answer == "refused":
        return _refused(name, address, probe.detail)
    return _no_bucket(address) if probe.answer == "missing" else _away(name, address)


def _refused(name: str, address: str, detail: str) -> Finding:
    """It runs, and does not take our name, password or keys."""
    if name == "cache":
        return Finding(
            name,
            "warning",
            Bilingual(
                f"{address} refuses the connection ({detail}): every server has its own cache and "
                "limits",
                f"{address} 拒绝连接（{detail}）：各服务使用各自的缓存与限流",
            ),
            Bilingual(
                "correct user and password in storage.cache, or the rights of that user",
                "请改正 storage.cache 中的用户名与密码，或该用户的权限",
            ),
        )
    return Finding(
        name,
        "problem",
        Bilingual(
            f"{address} refuses our keys ({detail}): no document can be added, no original read",
            f"{address} 拒绝了密钥（{detail}）：不能添加文档，也不能读取原件",
        ),
        Bilingual(
            "correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the rights of that key to the "
            "bucket",
            "请改正 AWS_ACCESS_KEY_ID 与 AWS_SECRET_ACCESS_KEY，或该密钥对桶的权限",
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
