"""Asks a model for a question in other words, in both languages, and a guessed answer (HyDE)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..historian.prompt_loader import Prompts
from ..language.analyzer import has_cjk
from ..language.text import clean, one_line
from ..ports import ChatModel, Tool
from ..recall.deadline import BoundedExecutor, Deadline, Pending, guarded

TASK = PATH = "query"
THREADS = 4
MAX_CHARS = 1000  # of the question
MAX_QUERY_CHARS = 300
MAX_PASSAGE_CHARS = 800
MAX_QUERIES = 3
TOOL = Tool(
    "rewrite_query",
    "Other ways to ask for the same, and a passage that could answer it.",
    {
        "type": "object",
        "properties": {
            "queries": {"type": "array", "items": {"type": "string"}},
            "passage": {"type": "string"},
        },
        "required": ["queries", "passage"],
    },
)


class QueryRewriter:
    """Works beside the search; what is late or fails is left out, and `paths` says so."""

    def __init__(
        self, chat: ChatModel, prompts: Prompts, entered: Callable[[Callable[[], Any]], Any]
    ) -> None:
        """`entered` runs a call of a model and sees to its entry in the ledger."""
        self._chat = chat
        self._prompts = prompts
        self._entered = entered
        self._executor = BoundedExecutor("query", THREADS)

    def start(self, text: str, paths: dict[str, str]) -> Pending[list[str]] | None:
        work = partial(self._entered, partial(self._ask, text))
        return guarded(PATH, paths, lambda: self._executor.start(work))

    def finish(
        self, pending: Pending[list[str]] | None, paths: dict[str, str], deadline: Deadline
    ) -> list[str]:
        if pending is None:
            return []
        found = guarded(PATH, paths, lambda: pending.result(deadline))
        if found is None:
            return []
        paths[PATH] = "ok"
        return found

    def close(self) -> None:
        self._executor.close()

    def _ask(self, text: str) -> list[str]:
        asked = text[:MAX_CHARS]
        language = "zh" if has_cjk(asked) else "en"
        messages = self._prompts.messages(TASK, language, data={"question": asked})
        answer = self._chat.structured(TASK, messages, TOOL)
        queries = answer.get("queries")
        found = (
            [_clean(one, MAX_QUERY_CHARS) for one in queries] if isinstance(queries, list) else []
        )
        found = [*found[:MAX_QUERIES], _clean(answer.get("passage"), MAX_PASSAGE_CHARS)]
        return [one for one in dict.fromkeys(found) if one and one != text.strip()]


def _clean(value: object, most: int) -> str:
    return one_line(clean(value, most)) if isinstance(value, str) else ""
