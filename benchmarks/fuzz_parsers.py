"""Everything that reads text or bytes from outside, as functions of one text."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from types import MappingProxyType

from benchmarks.hostile import READERS, job_of
from taishi import Scope, http_origins, scope_headers
from taishi.backends.file_queue import codec
from taishi.backends.profile_files import text as page_text
from taishi.backends.profile_files.names import file_name
from taishi.domain import profile_lines, text_terms
from taishi.domain.profile_owners import ProfileOwner
from taishi.erase.phrase_scan import phrases_in
from taishi.historian.coerce import fraction_of, items_of, line_of, number_of, texts_of
from taishi.ingest import job_builder
from taishi.language import analyzer, instruction_wording, passages, quoted_text, token_count
from taishi.language.json_repair import parse_json
from taishi.language.language_id import foreign_sentences
from taishi.legacy import entries
from taishi.models.chat import answer
from taishi.ports import Tool
from taishi.recall import intent, query
from taishi.settings import loader as settings_reader
from taishi.settings.schema import Origin
from taishi.times import to_epoch
from taishi.tools.arguments import ArgumentReader
from taishi.tools.definitions import CATALOGUE
from taishi.transfer.format import read_line

_PAGE = ProfileOwner("default", "user", "1")
_ANSWER = Tool("answer", "answer", MappingProxyType({"type": "object"}))
_TOOLS = tuple(CATALOGUE.values())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _job_file(text: str) -> object:
    """A job file with this text in it, and one that is nothing but this text."""
    whole = json.loads(codec.encode(job_of("-")))
    whole["action_summary"] = text
    codec.decode(json.dumps(whole).encode())
    return codec.decode(_bytes(text))


def _settings(text: str) -> object:
    return settings_reader.build(Origin(file=Path("x.toml"), content=_bytes(text)))


def _page(text: str) -> object:
    data = _bytes(text)
    page_text.parse(b"---\nentity_id: 1\n" + data, _PAGE)
    parsed = page_text.parse(data, _PAGE)
    return page_text.parse(page_text.render(parsed.profile), _PAGE)


def _page_edit(text: str) -> object:
    half = len(text) // 2
    return profile_lines.changes("- Ann likes tea\n" + text[:half], text[half:] + "\n- Ann")


def _values(text: str) -> object:
    try:
        value = parse_json(text)
    except ValueError:  # as it says: there is no JSON in it
        return None
    return (items_of(value, 9), line_of(value, 9), texts_of(value, 9, 9), number_of(value),
            fraction_of(value, 0.5))  # fmt: skip


def _tool(text: str) -> object:
    return ArgumentReader(_TOOLS[len(text) % len(_TOOLS)], "zh" if len(text) % 2 else "en").read(
        text
    )


def _chat(text: str) -> object:
    call = {"function": {"name": "answer", "arguments": text}}
    wrapped = {"choices": [{"message": {"content": text, "tool_calls": [call]}}]}
    answer.read(json.dumps(wrapped), _ANSWER)
    return answer.read(text, _ANSWER)


def _legacy(text: str) -> object:
    entries.read({"did_what": text, "time": text, "new_info": [text]}, UTC)
    return [entries.read(raw, UTC) for raw in entries.parse(_bytes(text), "x")]


def _question(text: str) -> object:
    text = job_builder.clean_query(text)
    return query.read(text), query.pieces(text), intent.intent_of(text)


def _front(text: str) -> object:
    shown = {"x-taishi-user": text, "x-taishi-user-name": text, "x-taishi-memory": text}
    http_origins.parsed_host(text), http_origins.parsed_origin(text)
    return (
        scope_headers.named_in(shown),
        scope_headers.speaker_in(shown),
        scope_headers.may_record(shown),
    )


def _fitted(text: str) -> object:
    kept = token_count.fit(text, 20)
    assert text.startswith(kept.rstrip("…")[:1]) or not kept
    return token_count.estimate_tokens(text)


PARSERS: dict[str, Callable[[str], object]] = {
    **READERS,
    "foreign": lambda text: list(foreign_sentences(text)),
    "quoted": lambda text: quoted_text.map_own_words(text, str.strip),
    "passages": passages.cut,
    "tokens": _fitted,
    "terms": analyzer.terms,
    "asks": analyzer.asks,
    "stance": instruction_wording.marks,
    "echo": text_terms.TextTerms.of,
    "question": _question,
    "page": _page,
    "page edit": _page_edit,
    "import line": lambda text: read_line(_bytes(text)),
    "legacy list": _legacy,
    "job file": _job_file,
    "settings": _settings,
    "model's JSON": _values,
    "model's answer": _chat,
    "tool arguments": _tool,
    "file name": file_name,
    "scope": lambda text: Scope(user=text, workspace=text[:9] or "x"),
    "time": lambda text: to_epoch(text, UTC),
    "headers": _front,
    "absence": lambda text: list(phrases_in(text)),
}
"""By name. A reader may refuse its text with an error of ours, and with no other."""
