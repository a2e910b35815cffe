"""Health checks of a data folder: can it be written, how fast, whose are its files."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..disk.file_owner import name_of_owner
from .findings import Bilingual, Finding, Level

LOW_SPACE = 1 << 30
NO_SPACE = 50 << 20
SLOW_SYNC_MS = 100.0
MB = 1 << 20
EFFECTIVE = os.access in os.supports_effective_ids
_WRITABLE = Bilingual("make the folder writable, or free some space", "请给予写权限，或腾出空间")


def disk(folder: Path, is_named: bool = False) -> Finding:
    """Check write access, the speed of a durable write, and free space. `is_named`: somebody set
    this folder, so that it should be there."""
    if not is_folder(folder):
        return _missing(folder, "problem" if is_named else "warning")
    if not os.access(folder, os.R_OK | os.X_OK, effective_ids=EFFECTIVE):
        return _closed(folder)
    try:
        sync_ms = _durable_write_ms(folder)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding(
            "disk",
            "problem",
            Bilingual.same(f"{folder}: {error.strerror or error}"),
            _as_owner(folder) if isinstance(error, PermissionError) else _WRITABLE,
        )
    message = Bilingual(
        f"{folder}: {free // MB:,} MB free, a durable write takes {sync_ms:.1f} ms",
        f"{folder}：剩余 {free // MB:,} MB，一次落盘写入 {sync_ms:.1f} 毫秒",
    )
    return space(message, free, sync_ms)


def read_only(folder: Path) -> Finding:
    return Finding(
        "disk",
        "warning",
        Bilingual(
            f"{folder} can only be read: recall works, nothing new is kept",
            f"{folder} 只能读取：召回可用，不再记下新的内容",
        ),
        Bilingual(
            "to keep new things, make the folder and its files writable, or copy it to a disk "
            "that is",
            "若要记下新的内容，请给予目录及文件写权限，或将其复制到可写的磁盘",
        ),
    )


def space(message: Bilingual, free: int, sync_ms: float) -> Finding:
    """Judge the free bytes and the time of one durable write."""
    if free < LOW_SPACE:
        level: Level = "problem" if free < NO_SPACE else "warning"
        return Finding("disk", level, message, Bilingual("free some space", "请腾出空间"))
    if sync_ms > SLOW_SYNC_MS:
        advice = Bilingual(
            "every turn waits for it: use a faster disk", "每轮对话都要等它：请换用更快的磁盘"
        )
        return Finding("disk", "warning", message, advice)
    return Finding("disk", "ok", message)


def _closed(folder: Path) -> Finding:
    return Finding(
        "disk",
        "problem",
        Bilingual(
            f"{folder} belongs to another user and may not be entered",
            f"{folder} 属于其他用户，无权进入",
        ),
        _as_owner(folder),
    )


def _as_owner(path: Path) -> Bilingual:
    """What to do about a file or folder of somebody else."""
    owner = name_of_owner(path)
    named = f" ({owner})" if owner else ""
    return Bilingual(
        f"run this as the user that owns it{named}, or change the owner: chown -R",
        f"请以其所有者{named}的身份运行，或修改所有者：chown -R",
    )


def _missing(folder: Path, level: Level) -> Finding:
    """The finding for a data folder that does not exist: can it be created?"""
    other = Bilingual("name another with --data", "请用 --data 指定其他目录")
    try:
        parent = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    except OSError as error:
        advice = _as_owner(folder) if isinstance(error, PermissionError) else other
        return Finding("disk", "problem", Bilingual.same(f"{folder}: {error.strerror}"), advice)
    if not parent.is_dir():
        return Finding(
            "disk", "problem", Bilingual(f"{parent} is a file", f"{parent} 是文件"), other
        )
    if not os.access(parent, os.W_OK, effective_ids=EFFECTIVE):
        message = Bilingual(f"{parent} cannot be written to", f"{parent} 不可写")
        owner = _as_owner(parent)
        advice = Bilingual(f"{owner.en}; or {other.en}", f"{owner.zh}；也可以：{other.zh}")
        return Finding("disk", "problem", message, advice)
    message = Bilingual(f"{folder} is not there yet", f"{folder} 尚不存在")
    advice = Bilingual(
        "it is made by the first `taishi remember`; or name another with --data",
        "首次 `taishi remember` 时建立；也可用 --data 指定其他目录",
    )
    return Finding("disk", level, message, advice)


def permissions(readable: Sequence[Path]) -> Finding:
    """Files that other users can read; opening the memory restricts them."""
    if not readable:
        return Finding("permissions", "ok", Bilingual("for its owner only", "仅所有者可读"))
    count, first = len(readable), readable[0]
    return Finding(
        "permissions",
        "warning",
        Bilingual(
            f"other users of this machine could read {count} of its files, such as {first}",
            f"本机其他用户可读取其中 {count} 个文件，例如 {first}",
        ),
        Bilingual(
            "closed to others whenever the memory is opened, as by this check; if this line "
            "comes back, change the owner: chown -R",
            "打开记忆时（包括本次检查）即关闭其他用户的权限；若再次出现，请修改所有者：chown -R",
        ),
    )


def owners(folder: Path, others: Sequence[Path]) -> Iterator[Finding]:
    """`others`: what belongs to another user than the memory, who may not read it. As root too,
    which reads everything."""
    if not others:
        return
    from ..assembly import memory_owner

    count, first, owner = len(others), others[0], memory_owner(folder)
    yield Finding(
        "permissions",
        "problem",
        Bilingual(
            f"{count} of its files belong to another user than the memory ({owner}), such as "
            f"{first} ({name_of_owner(first)}): a service that runs as {owner} cannot use them",
            f"其中 {count} 个文件不属于记忆的所有者（{owner}），例如 {first}"
            f"（{name_of_owner(first)}）：以 {owner} 身份运行的服务无法使用它们",
        ),
        Bilingual(
            f"as root: chown -R {owner} {folder}", f"请以 root 运行：chown -R {owner} {folder}"
        ),
    )


def written(folder: Path, fault: tuple[Path, OSError] | None) -> Iterator[Finding]:
    """A folder inside the data folder that cannot be written: turns or their results are lost."""
    if fault is None or fault[0] == folder:
        return  # of the data folder itself, `disk` has said so
    path, error = fault
    yield Finding(
        "disk",
        "problem",
        Bilingual(
            f"{path} cannot be written ({error.strerror or error}): turns are refused, or what is "
            "learned from them is not stored",
            f"{path} 无法写入（{error.strerror or error}）：会话轮次被拒绝，或学到的内容无法保存",
        ),
        _as_owner(path) if isinstance(error, PermissionError) else _WRITABLE,
    )


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # name too long, or no permission
        return False


def _durable_write_ms(folder: Path) -> float:
    """Milliseconds of one small durable write, unnamed: a killed process leaves nothing."""
    with tempfile.TemporaryFile(dir=folder) as file:
        start = time.perf_counter()
        file.write(b"taishi")
        file.flush()
        os.fsync(file.fileno())
        return (time.perf_counter() - start) * 1000
