"""Health checks of disk, database, queue, index and embedder. They report; they repair nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from ..errors import SettingsError, TaishiError
from ..ports import Embedder
from ..settings import Settings, ignored_file, unread_variables
from ..settings.addresses import is_postgres
from .database_checks import connection, database, no_memory, not_opened
from .engine_checks import engine_findings, lost_files
from .findings import NOTHING as NOTHING
from .findings import Bilingual, Finding, Level
from .key_checks import access_keys
from .profile_checks import profile_findings

LOW_SPACE = 1 << 30
NO_SPACE = 50 << 20
SLOW_SYNC_MS = 100.0
SLOW_EMBEDDING_MS = 50.0
OLD_JOB_SECONDS = 3600.0
SILENT_CLAIM_SECONDS = 60.0
EARLIEST_YEAR = 2025
_EFFECTIVE = os.access in os.supports_effective_ids
MB = 1 << 20
_WRITABLE = Bilingual("make the folder writable, or free some space", "请给予写权限，或腾出空间")


class Loader(Protocol):
    def __call__(self, **overrides: str) -> Settings: ...


def run_checks(load: Loader, now: Callable[[], float] = time.time) -> Iterator[Finding]:
    """Run every check; later ones depend on the success of earlier ones."""
    try:
        settings = load()
    except SettingsError as error:
        yield Finding(
            "settings",
            "problem",
            Bilingual.of(error),
            Bilingual("correct it; the other checks need it", "请先改正，其他检查依赖它"),
        )
        return
    yield settings_file(settings)
    yield from environment(settings)
    yield clock(settings, now())
    from ..assembly import choose_embedder

    is_there = yield from _place_checks(settings)
    yield from engine_findings(settings)
    embedder, note = choose_embedder(settings)
    yield embedding(settings, embedder, note)
    if is_there:
        yield from _open_memory_checks(settings if embedder else _without_embedder(load), embedder)
    elif embedder is not None:
        embedder.close()


def _place_checks(settings: Settings) -> Generator[Finding, None, bool]:
    """Where the memory is; True if it can be opened, as far as that can be told."""
    from ..assembly import can_only_be_read, has_memory, readable_by_others

    address = settings.memory.data
    if is_postgres(address):
        found = connection(address)
        yield found.finding
        if not found.has_memory:  # reading its keys would make the tables, too
            if found.finding.level != "problem":
                yield no_memory()
            return False
        yield access_keys(address)
        return True
    folder = Path(address).expanduser()
    yield read_only(folder) if can_only_be_read(settings) else disk(folder)
    if not _is_folder(folder):
        return False
    if not os.access(folder, os.R_OK | os.X_OK, effective_ids=_EFFECTIVE):
        return False  # the check of the disk has said so
    yield permissions(readable_by_others(settings))
    yield access_keys(folder)
    if not has_memory(address):
        yield no_memory()
        return False
    return True


def _without_embedder(load: Loader) -> Settings:
    """So that opening the memory does not try the failed embedder again."""
    return load(**{"models.embedding.kind": "none", "models.embedding.api_url": ""})


def _open_memory_checks(settings: Settings, embedder: Embedder | None) -> Iterator[Finding]:
    """Checks that need an open memory."""
    from ..memory import Memory

    try:
        with Memory.open(settings=settings, embedder=embedder) as memory:
            yield database(memory.maintenance.check(), settings.memory.data)
            status = memory.status()
            yield queue(status["queue"], memory.jobs.longest_silence())
            yield index(status["records"], embedder is not None)
            yield from profile_findings(memory.profiles.faults())
            yield from lost_files(memory)
    except TaishiError as error:
        yield not_opened(error)


def settings_file(settings: Settings) -> Finding:
    """Which file was read, and whether another lies where many look for it."""
    file = settings.origin.file if settings.origin.content is not None else None
    read = Bilingual(f"{file}: readable", f"{file}：可读取")
    if file is None:
        read = Bilingual("defaults; no taishi.toml in this folder", "默认值；本目录无 taishi.toml")
    ignored = ignored_file(settings)
    if ignored is None:
        return Finding("settings", "ok", read)
    return Finding(
        "settings",
        "warning",
        Bilingual(f"{read.en}; {ignored} is not read", f"{read.zh}；{ignored} 没有被读取"),
        Bilingual(f"to use it: --config {ignored}", f"要使用它：--config {ignored}"),
    )


def environment(settings: Settings) -> Iterator[Finding]:
    """Variables that look like settings and that nothing reads."""
    for one in unread_variables(settings.origin.environ):
        near = one.nearest
        yield Finding(
            "environment",
            "warning",
            Bilingual(f"nothing reads the variable {one.name}", f"变量 {one.name} 不起作用"),
            Bilingual(f"did you mean {near}?", f"是否想写 {near}？") if near else NOTHING,
        )


def clock(settings: Settings, now: float) -> Finding:
    zone = settings.zone()
    local_time = datetime.fromtimestamp(now, UTC).astimezone(zone)
    text = f"{local_time:%Y-%m-%d %H:%M:%S} {zone.key}"
    if local_time.year < EARLIEST_YEAR:
        return Finding(
            "clock",
            "problem",
            Bilingual(f"it says {text}", f"显示为 {text}"),
            Bilingual("set the machine's clock", "请校准本机时钟"),
        )
    if settings.memory.timezone == "auto" and zone.key in ("UTC", "Etc/UTC"):
        advice = Bilingual(
            'if people live elsewhere, set memory.timezone, e.g. "Asia/Shanghai"',
            '若用户不在此时区，请设置 memory.timezone，如 "Asia/Shanghai"',
        )
        return Finding("clock", "ok", _same(text), advice)
    return Finding("clock", "ok", _same(text))


def disk(folder: Path) -> Finding:
    """Check write access, the speed of a durable write, and free space."""
    if not _is_folder(folder):
        return _missing(folder)
    if not os.access(folder, os.R_OK | os.X_OK, effective_ids=_EFFECTIVE):
        return _closed(folder)
    try:
        sync_ms = _durable_write_ms(folder)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding(
            "disk",
            "problem",
            _same(f"{folder}: {error.strerror or error}"),
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
    try:
        named = f" ({path.owner()})"
    except (OSError, KeyError, NotImplementedError):  # in a closed folder, without a name, Windows
        named = ""
    return Bilingual(
        f"run this as the user that owns it{named}, or change the owner: chown -R",
        f"请以其所有者{named}的身份运行，或修改所有者：chown -R",
    )


def _missing(folder: Path) -> Finding:
    """The finding for a data folder that does not exist: can it be created?"""
    other = Bilingual("name another with --data", "请用 --data 指定其他目录")
    try:
        parent = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    except OSError as error:
        advice = _as_owner(folder) if isinstance(error, PermissionError) else other
        return Finding("disk", "problem", _same(f"{folder}: {error.strerror}"), advice)
    if not parent.is_dir():
        return Finding(
            "disk", "problem", Bilingual(f"{parent} is a file", f"{parent} 是文件"), other
        )
    if not os.access(parent, os.W_OK, effective_ids=_EFFECTIVE):
        message = Bilingual(f"{parent} cannot be written to", f"{parent} 不可写")
        owner = _as_owner(parent)
        advice = Bilingual(f"{owner.en}; or {other.en}", f"{owner.zh}；也可以：{other.zh}")
        return Finding("disk", "problem", message, advice)
    message = Bilingual(f"{folder} is not there yet", f"{folder} 尚不存在")
    advice = Bilingual(
        "it is made by the first `taishi remember`; or name another with --data",
        "首次 `taishi remember` 时建立；也可用 --data 指定其他目录",
    )
    return Finding("disk", "warning", message, advice)


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


def _is_folder(path: Path) -> bool:
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


def embedding(settings: Settings, embedder: Embedder | None, note: str) -> Finding:
    """Load the embedder and embed a sentence."""
    if embedder is None and settings.models.embedding.kind == "none":
        return Finding(
            "embedder",
            "warning",
            Bilingual("off: recall is by keyword", "已关闭：仅按关键词召回"),
            Bilingual(
                'set models.embedding.kind = "local" for recall by meaning',
                '设置 models.embedding.kind = "local" 可按语义召回',
            ),
        )
    if embedder is None:
        return Finding(
            "embedder",
            "problem",
            _same(note),
            Bilingual("until then recall is by keyword", "在此之前仅按关键词召回"),
        )
    try:
        embedder.embed(["warm up 预热"], "query")
        start = time.perf_counter()
        embedder.embed(["Ann moved to Oslo 安搬到了奥斯陆"], "query")
    except TaishiError as error:
        return Finding(
            "embedder",
            "problem",
            Bilingual.of(error),
            Bilingual(
                "run `taishi models`, or correct [models.embedding]",
                "运行 `taishi models` 查看，或改正 [models.embedding]",
            ),
        )
    milliseconds = (time.perf_counter() - start) * 1000
    message = Bilingual(
        f"{embedder.name}: a sentence takes {milliseconds:.1f} ms",
        f"{embedder.name}：计算一句话的向量 {milliseconds:.1f} 毫秒",
    )
    if milliseconds > SLOW_EMBEDDING_MS:
        advice = Bilingual(
            "recall has 150 ms in all: raise query.recall_timeout or use a nearer model",
            "召回总时限为 150 毫秒：请加大 query.recall_timeout 或换用更近的模型",
        )
        return Finding("embedder", "warning", message, advice)
    return Finding("embedder", "ok", message)


def queue(counts: Mapping[str, Any], silence: float = 0.0) -> Finding:
    """`silence`: seconds since the claim that was renewed longest ago was renewed."""
    waiting = counts["pending"] + counts["processing"]
    oldest, failed = counts["oldest_seconds"], counts["failed"]
    message = Bilingual(
        f"{waiting} waiting (oldest {oldest:.0f} s), {failed} failed",
        f"{waiting} 个等待（最久 {oldest:.0f} 秒），{failed} 个失败",
    )
    if failed:
        advice = Bilingual("see why: `taishi jobs list`", "请用 `taishi jobs list` 查看原因")
        return Finding("queue", "warning", message, advice)
    if waiting and oldest > OLD_JOB_SECONDS:
        advice = Bilingual(
            "nobody works it: run `taishi work`", "没有后台任务在处理：请运行 `taishi work`"
        )
        return Finding("queue", "warning", message, advice)
    if silence > SILENT_CLAIM_SECONDS:
        advice = Bilingual(
            f"a worker claimed a job and has not renewed its claim for {silence:.0f} s: its model "
            "is slow, or it is stuck (`taishi status` lists the workers); another worker takes the "
            "job when the claim ends (historian.stale_job_timeout_seconds)",
            f"有任务已被领取，但 {silence:.0f} 秒未续期：模型太慢，或后台任务卡住"
            "（见 `taishi status`）；领取到期（historian.stale_job_timeout_seconds）后由其他"
            "后台任务接手",
        )
        return Finding("queue", "warning", message, advice)
    return Finding("queue", "ok", message)


def index(records: Mapping[str, int], has_embedder: bool) -> Finding:
    """Check that every record has its vector."""
    unembedded = records.get("unembedded", 0)
    total = sum(count for kind, count in records.items() if kind != "unembedded")
    noun = "record" if total == 1 else "records"
    if not has_embedder:
        message = Bilingual(f"{total:,} {noun}, by keyword only", f"{total:,} 条记录，仅关键词")
        return Finding("index", "ok", message)
    message = Bilingual(
        f"{total:,} {noun}, {unembedded:,} without a vector",
        f"{total:,} 条记录，{unembedded:,} 条尚无向量",
    )
    if unembedded:
        advice = Bilingual("run `taishi work --once`", "请运行 `taishi work --once`")
        return Finding("index", "warning", message, advice)
    return Finding("index", "ok", message)


def _same(text: str) -> Bilingual:
    """A text that exists in one language only."""
    return Bilingual(text, text)
