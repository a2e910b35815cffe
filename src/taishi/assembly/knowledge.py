"""The knowledge base: its store of originals, its reader of documents, its services."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..backends.document_readers import Readers
from ..backends.folder_files import FolderFiles
from ..erase.service import ForgetService
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..knowledge.importer import Importer
from ..knowledge.notes import NotesService
from ..knowledge.originals import Originals
from ..knowledge.search import KnowledgeSearch
from ..knowledge.service import KnowledgeService
from ..ports import DocumentReader, FileStore
from ..recall.service import RecallService
from ..runtime import Runtime

ORIGINALS = "originals"


def original_files(folder: Path) -> FileStore:
    return FolderFiles(folder / ORIGINALS)


def document_reader() -> DocumentReader:
    return Readers()


def knowledge_service(
    runtime: Runtime,
    builder: JobBuilder,
    background: BackgroundTasks,
    recall: RecallService,
    forgetting: ForgetService,
) -> KnowledgeService:
    parts = runtime.parts
    originals = Originals(parts.originals)
    importer = Importer(runtime, parts.reader, originals, background.wake_embedding)
    searching = KnowledgeSearch(runtime, recall)
    return KnowledgeService(runtime, builder, importer, originals, searching, forgetting)


def notes_service(runtime: Runtime, wake: Callable[[], None]) -> NotesService:
    originals = Originals(runtime.parts.originals)
    return NotesService(
        runtime, Importer(runtime, runtime.parts.reader, originals, wake), originals
    )
