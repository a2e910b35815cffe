"""An address and settings → the parts of a memory. With memory.py, the only place that knows
which backend and which model are behind a port."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

from ..backends.archive_files import ArchiveFiles
from ..backends.backup import back_up
from ..backends.file_queue.queue import FileQueue
from ..backends.leftovers import FolderLeftovers
from ..backends.process_files import ProcessFiles
from ..backends.profile_files.files import ProfileFiles
from ..backends.profile_files.transfer import ProfileFilesTransfer
from ..backends.sqlite import SqliteStore
from ..backends.sqlite.read_only import is_read_only
from ..disk.durable_io import make_folder
from ..disk.file_locks import FileLocks
from ..disk.file_permissions import close_to_others, open_to_others
from ..errors import InputError, StorageError
from ..historian.prompt_loader import Prompts
from ..ports import Embedder
from ..runtime import Parts
from ..settings import Settings
from .knowledge import ORIGINALS, document_reader, original_files
from .ledger_buffer import LedgerBuffer
from .models import (
    check_embedder,
    choose_embedder,
    historian_chat,
    intent_chat,
    query_chat,
    reranker,
)

log = logging.getLogger("taishi")
DATABASE = "taishi.db"
PROMPTS = "prompts"
ARCHIVE = "archive"
LOCKS = "locks"
PROCESSES = "processes"
OFF = "off (memory.enabled = false)"


def build(
    address: str | Path,
    settings: Settings,
    embedder: Embedder | None,
    clock: Callable[[], float],
) -> Parts:
    if embedder is not None:
        check_embedder(embedder)
    folder = _folder(address)
    try:
        make_folder(folder)
        read_only = is_read_only(folder / DATABASE)
        close_to_others(folder, own_entries(settings))
    except OSError as error:
        raise StorageError(f"{folder} cannot be used as a data folder: {error}") from error
    if read_only:
        log.warning("%s can only be read: recall works, nothing new is kept", folder)
    is_on = settings.memory.enabled
    prompts = Prompts.load(folder / PROMPTS)
    store = SqliteStore(folder / DATABASE, clock, read_only)
    ledger = LedgerBuffer(store.ledger)
    note = embedder.name if embedder else ""
    if embedder is None:
        embedder, note = choose_embedder(settings, ledger) if is_on else (None, OFF)
    pages = _inside(folder, settings.profile.path, "profile.path")
    keep = settings.profile.revision_keep
    profiles = ProfileFiles(pages, keep=keep, read_only=read_only)
    queue = _queue(folder, settings, read_only)
    locks = FileLocks(folder / LOCKS, read_only)
    processes = ProcessFiles(folder / PROCESSES, read_only)
    return Parts(
        folder=folder,
        store=store,
        locks=locks,
        archive=ArchiveFiles(folder / ARCHIVE),
        originals=original_files(folder),
        reader=document_reader(),
        processes=processes,
        leftovers=FolderLeftovers(folder, queue, profiles, locks, processes),
        chat=historian_chat(settings, store.ledger) if is_on else None,
        intent=intent_chat(settings, ledger) if is_on else None,
        query=query_chat(settings, ledger) if is_on else None,
        ledger=ledger,
        reranker=reranker(settings, ledger) if is_on else None,
        prompts=prompts,
        queue=queue,
        profiles=profiles,
        pages=ProfileFilesTransfer(profiles),
        embedder=embedder,
        embedder_note=note,
        read_only=read_only,
        copy_to=lambda target: back_up(folder, store, queue.transfer, target),
    )


def _queue(folder: Path, settings: Settings, read_only: bool) -> FileQueue:
    queue, historian = settings.queue, settings.historian
    return FileQueue(
        _inside(folder, queue.path, "queue.path"),
        lease_seconds=historian.stale_job_timeout_seconds,
        max_retries=historian.job_max_retries,
        failed_max_age_days=queue.failed_max_age_days,
        failed_max_files=queue.failed_max_files,
        cleanup_interval=queue.failed_cleanup_interval,
        read_only=read_only,
    )


def own_entries(settings: Settings) -> frozenset[str]:
    """What a memory itself puts into its data folder, by name."""
    inside = (settings.queue.path, settings.profile.path)
    database = (f"{DATABASE}{suffix}" for suffix in ("", "-wal", "-shm", "-journal", "-pulse"))
    return frozenset(
        (
            *database,
            ARCHIVE,
            LOCKS,
            ORIGINALS,
            PROMPTS,
            PROCESSES,
            "keys.json",
            "end_summaries.json",
            *(Path(path).parts[0] for path in inside if path),
        )
    )


def can_only_be_read(settings: Settings) -> bool:
    """Whether a memory is there, on media that cannot be written."""
    return is_read_only(_folder(settings.memory.data) / DATABASE)


def readable_by_others(settings: Settings) -> list[Path]:
    """Which of a memory's files other users of the machine could read."""
    return open_to_others(_folder(settings.memory.data), own_entries(settings))


def _folder(address: str | Path) -> Path:
    text = str(address)
    if not text.strip() or "\x00" in text:
        raise InputError("the data folder's path is empty or broken; give a path such as ./data")
    scheme = re.match(r"([a-z][a-z0-9+.-]+)://", text, re.IGNORECASE)
    if scheme:
        raise InputError(
            f"{scheme[1]}:// addresses are not served by this version; give a folder such as ./data"
        )
    return Path(text).expanduser()


def _inside(folder: Path, name: str, key: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise InputError(f"{key} = {name!r} leaves the data folder; use a name inside it")
    return path
