"""An address and settings → the parts of a memory. With memory.py, the only place that knows
which backend and which model are behind a port."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ..errors import InputError
from ..historian.prompt_loader import Prompts
from ..ports import Embedder, KeyDocument
from ..runtime import Parts
from ..settings import Settings
from ..settings.addresses import is_postgres, scheme_of, without_password
from ..transfer.copy_marker import CopyMarker, check_given_up
from .folder_parts import PROMPTS, folder_has_memory, mark_folder, open_folder
from .folder_parts import can_only_be_read as can_only_be_read
from .folder_parts import own_entries as own_entries
from .folder_parts import readable_by_others as readable_by_others
from .knowledge import document_reader
from .ledger_buffer import LedgerBuffer
from .models import (
    check_embedder,
    choose_embedder,
    historian_chat,
    intent_chat,
    query_chat,
    reranker,
)
from .shared_storage import open_cache, open_files
from .storage import DatabaseProbe, OutsideFiles, Storage

OFF = "off (memory.enabled = false)"


def build(
    address: str | Path,
    settings: Settings,
    embedder: Embedder | None,
    clock: Callable[[], float],
) -> Parts:
    if embedder is not None:
        check_embedder(embedder)
    storage = open_storage(address, settings, clock)
    try:
        return _parts(storage, settings, embedder)
    except BaseException:
        storage.close()
        raise


def _parts(storage: Storage, settings: Settings, embedder: Embedder | None) -> Parts:
    is_on = settings.memory.enabled
    store = storage.store
    ledger = LedgerBuffer(store.ledger)
    note = embedder.name if embedder else ""
    if embedder is None:
        embedder, note = choose_embedder(settings, ledger) if is_on else (None, OFF)
    files = open_files(settings, storage.originals, storage.archive)
    outside = OutsideFiles(files.originals, files.archive) if files.engines else None
    shared = open_cache(settings, store, storage.read_only)
    return Parts(
        address=storage.address,
        folder=storage.folder,
        store=store,
        locks=storage.locks,
        archive=files.archive,
        originals=files.originals,
        reader=document_reader(),
        processes=storage.processes,
        leftovers=storage.leftovers,
        stored_bytes=storage.stored_bytes,
        copy_mark=storage.copy_mark,
        chat=historian_chat(settings, store.ledger) if is_on else None,
        intent=intent_chat(settings, ledger) if is_on else None,
        query=query_chat(settings, ledger) if is_on else None,
        ledger=ledger,
        reranker=reranker(settings, ledger) if is_on else None,
        prompts=Prompts.load(storage.folder / PROMPTS),
        queue=storage.queue,
        profiles=storage.profiles,
        pages=storage.pages,
        embedder=embedder,
        embedder_note=note,
        read_only=storage.read_only,
        copy_to=lambda target, with_outside: storage.copy_to(
            target, outside if with_outside else None
        ),
        close=storage.close,
        partition_search=storage.partition_search,
        outside=(*storage.engines, *files.engines, *shared.engines),
        shared_state=shared.state,
        is_read_only=storage.is_read_only,
    )


def open_storage(address: str | Path, settings: Settings, clock: Callable[[], float]) -> Storage:
    """The scheme of the address chooses; a path is a folder."""
    if not is_postgres(address):
        return open_folder(address, settings, clock)
    from .postgres_parts import open_postgres

    return open_postgres(str(address), settings, clock)


def probe_database(address: str) -> DatabaseProbe:
    """For a health check of a memory that is in a database."""
    from .postgres_parts import probe

    return probe(address)


def has_memory(address: str) -> bool:
    """Whether a memory was made at that address before; looking changes nothing. True where only
    opening it can tell, as with a server."""
    if is_postgres(address):
        return probe_database(address).has_memory
    return bool(scheme_of(address)) or folder_has_memory(address)


def begin_copy(source: str, address: str, now: float) -> None:
    """Mark the place that is to be copied into before anything there looks like a memory, so that
    whoever opens it after a kill finds the mark. A memory that is there is left as it is."""
    shown = without_password(source)
    content = CopyMarker.of("", shown, Path(shown).expanduser()).content(now)
    if not is_postgres(address):
        mark_folder(address, content)
        return
    from .postgres_parts import mark_database

    mark_database(address, content)


def give_up_copy(source: str, address: str | Path, settings: Settings) -> bool:
    """Let what an interrupted copy left be opened as it is. False: there is no such copy."""
    storage = open_storage(address, settings, time.time)
    try:
        found = check_given_up(storage.copy_mark, source, without_password(str(address)))
        storage.copy_mark.clear()
        return found
    finally:
        storage.close()


def key_document(address: str) -> KeyDocument:
    """Where the API keys of a memory are that is not in a folder."""
    if not is_postgres(address):
        raise InputError(
            f"{scheme_of(address)}:// addresses are not supported by this version; give a folder "
            "such as ./data, or postgresql://USER@HOST/DATABASE"
        )
    from .postgres_parts import key_document

    return key_document(address)
