"""The knowledge base: its store of originals, its reader of documents, its services."""

from __future__ import annotations

from collections.abc import Callable

from ..backends.document_readers import Readers
from ..erase.service import ForgetService
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..knowledge.importer import Importer
from ..knowledge.note_search import NoteSearch
from ..knowledge.notes import NotesService
from ..knowledge.originals import Originals
from ..knowledge.query_rewrite import QueryRewriter
from ..knowledge.search import KnowledgeSearch
from ..knowledge.service import KnowledgeService
from ..knowledge.summaries import DocumentSummaries
from ..ports import DocumentReader
from ..recall.service import RecallService
from ..runtime import Runtime
from .retrieval import Entered

ORIGINALS = "originals"


def document_reader() -> DocumentReader:
    return Readers()


def query_rewriter(runtime: Runtime, entered: Entered) -> QueryRewriter | None:
    chat = runtime.parts.query
    return None if chat is None else QueryRewriter(chat, runtime.parts.prompts, entered)


def knowledge_service(
    runtime: Runtime,
    builder: JobBuilder,
    background: BackgroundTasks,
    recall: RecallService,
    forgetting: ForgetService,
    rewriter: QueryRewriter | None,
) -> KnowledgeService:
    parts = runtime.parts
    originals = Originals(parts.originals)
    summaries = None
    if parts.chat is not None and runtime.settings.models.chat.for_task("document").api_url:
        summaries = DocumentSummaries(runtime, parts.chat, background.submit).want
    wake = background.wake_embedding
    importer = Importer(runtime, parts.reader, originals, wake, summaries)
    searching = KnowledgeSearch(runtime, recall, rewriter)
    return KnowledgeService(runtime, builder, importer, originals, searching, forgetting)


def notes_service(
    runtime: Runtime, recall: RecallService, wake: Callable[[], None]
) -> NotesService:
    return NotesService(runtime, NoteSearch(KnowledgeSearch(runtime, recall)), wake)
