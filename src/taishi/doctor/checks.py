"""Health checks of disk, database, queue, index and embedder. They report; they repair nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from ..errors import SettingsError, TaishiError
from ..ports import Embedder
from ..settings import Settings, ignored_file, unread_variables
from ..settings.addresses import is_postgres
from .database_checks import connection, database, no_memory, not_opened
from .database_checks import read_only as database_read_only
from .engine_checks import engine_findings, lost_files
from .findings import NOTHING as NOTHING
from .findings import Bilingual, Finding
from .folder_checks import EFFECTIVE, disk, is_folder, owners, permissions, read_only, written
from .key_checks import access_keys
from .model_checks import chat_models
from .profile_checks import profile_findings
from .queue_checks import queue

SLOW_EMBEDDING_MS = 50.0
EARLIEST_YEAR = 2025


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
    yield from chat_models(settings)
    if is_there:
        yield from _open_memory_checks(settings if embedder else _without_embedder(load), embedder)
    elif embedder is not None:
        embedder.close()


def _place_checks(settings: Settings) -> Generator[Finding, None, bool]:
    """Where the memory is; True if it can be opened, as far as that can be told."""
    from ..assembly import (
        can_only_be_read,
        has_memory,
        not_of_the_owner,
        readable_by_others,
        unwritable_folder,
    )

    address, is_named = settings.memory.data, "memory.data" in settings.origin.given
    if is_postgres(address):
        found = connection(address)
        yield found.finding
        if found.is_read_only:
            yield database_read_only()
        if not found.has_memory:  # reading its keys would make the tables, too
            if found.finding.level != "problem":
                yield no_memory("problem")
            return False
        yield access_keys(address)
        return True
    folder = Path(address).expanduser()
    if can_only_be_read(settings):
        yield read_only(folder)
    else:
        yield disk(folder, is_named)
        yield from written(folder, unwritable_folder(folder, settings))
    if not is_folder(folder):
        return False
    if not os.access(folder, os.R_OK | os.X_OK, effective_ids=EFFECTIVE):
        return False  # the check of the disk has said so
    yield permissions(readable_by_others(settings))
    yield from owners(folder, not_of_the_owner(settings))
    yield access_keys(folder)
    if not has_memory(address):
        yield no_memory("problem" if is_named else "warning")
        return False
    return True


def _without_embedder(load: Loader) -> Settings:
    """So that opening the memory does not try the failed embedder again."""
    return load(**{"models.embedding.kind": "none", "models.embedding.api_url": ""})


def _open_memory_checks(settings: Settings, embedder: Embedder | None) -> Iterator[Finding]:
    """Checks that need an open memory."""
    from ..memory import Memory

    settings = replace(settings, machine=replace(settings.machine, role="cli"))
    try:
        with Memory.open(settings=settings, embedder=embedder) as memory:
            yield database(memory.maintenance.check(), settings.memory.data)
            status = memory.status()
            yield queue(
                status["queue"], memory.jobs.longest_silence(), status["workers"]["running"]
            )
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
        return Finding("clock", "ok", Bilingual.same(text), advice)
    return Finding("clock", "ok", Bilingual.same(text))


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
            Bilingual.same(note),
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
