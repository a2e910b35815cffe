"""Summarises a document with a model; what it invents is left out (H7)."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ModelError
from ..language.analyzer import has_cjk
from ..language.text import one_line
from ..ports import ChatModel, Tool
from ..types import Message
from .coerce import text_of
from .evidence import Evidence
from .prompt_loader import Prompts
from .summarise import supported_sentences

TASK = "document"
MOST_CHARS = 600
SUMMARISE = Tool(
    "summarise_document",
    "Keep the summary of the document.",
    {
        "type": "object",
        "properties": {"summary": {"type": "string"}},
        "required": ["summary"],
    },
)


def summarise_document(
    model: ChatModel, prompts: Prompts, title: str, sections: Sequence[str], text: str
) -> str:
    """In the document's language. ModelError if nothing of the answer can be used."""
    data = {"title": title, "sections": list(sections), "text": text}
    chat = prompts.messages(TASK, "zh" if has_cjk(text) else "en", data=data)
    answer = model.structured(TASK, chat, SUMMARISE)
    summary = one_line(text_of(answer.get("summary"), MOST_CHARS * 2))
    told = [Message(piece) for piece in (title, *sections, text) if piece]
    kept = supported_sentences(summary, Evidence.of_messages(told, "", None))
    if not kept:
        raise ModelError("the model's summary of a document could not be used")
    return kept[:MOST_CHARS]
