"""`taishi knowledge`: documents added, synced from a folder, listed, searched and removed."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..context_block.skipped_paths import skipped_note
from ..errors import InputError
from ..types import Recall, Scope
from .context import CliContext, Group, common_options, pass_app, scope_options
from .memories import wait_embedded
from .output import note, pairs, progress, say, say_json, table
from .recall import deadline_option

if TYPE_CHECKING:
    from ..ports.knowledge import DocumentInfo


@click.group(cls=Group)
def knowledge() -> None:
    """Documents you can search and cite."""


@knowledge.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Its name; needed for stdin.")
@common_options
@pass_app
@scope_options
def add(app: CliContext, file: Path, name: str | None, as_json: bool, scope: Scope) -> None:
    """Add FILE; - is stdin. A document of the same name is replaced."""
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        if str(file) == "-":
            info = memory.knowledge.add(scope, sys.stdin.buffer.read(), name)
        else:
            info = memory.knowledge.add(scope, file, name)
        wait_embedded(app, memory, not as_json)
    if as_json:
        say_json(_to_dict(info))
    elif info is not None:
        for warning in info.warnings:
            note(app.message("document_warning", name=info.name, reason=warning))
        say(app.message("document_added", name=info.name, count=info.chunks))


@knowledge.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="What the documents' names begin with.")
@common_options
@pass_app
@scope_options
def sync(app: CliContext, folder: Path, name: str | None, as_json: bool, scope: Scope) -> None:
    """Sync the documents with the files in FOLDER. Safe to repeat."""
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        with progress(not as_json) as advance:
            report = memory.knowledge.sync(
                scope,
                folder,
                name,
                progress=lambda done, total: advance(app.message("syncing"), done, total),
            )
        wait_embedded(app, memory, not as_json)
    if as_json:
        say_json(asdict(report))
        return
    for problem in report.problems:
        note(app.message("sync_problem", name=problem.name, reason=problem.reason))
    for warning in report.warnings:
        note(app.message("document_warning", name=warning.name, reason=warning.reason))
    counts = {key: len(getattr(report, key)) for key in ("added", "changed", "removed")}
    say(app.message("synced", **counts, unchanged=report.unchanged, count=report.chunks))


@knowledge.command(name="list")
@common_options
@pass_app
@scope_options
def show_all(app: CliContext, as_json: bool, scope: Scope) -> None:
    """List the documents of the scope."""
    with app.memory() as memory:
        documents = memory.knowledge.list(scope)
    if as_json:
        say_json({"documents": [_to_dict(info) for info in documents]})
    elif documents:
        names = ("name", "title", "type", "size", "chunks", "state")
        headings = [app.message(f"document_{name}") for name in names]
        rows = [
            [one.name, one.title, one.media_type, str(one.size), str(one.chunks), one.state]
            for one in documents
        ]
        table(headings, rows, right=(3, 4), whole=(0,))
    else:
        say(app.message("no_documents"))


@knowledge.command()
@click.argument("query")
@click.option(
    "--top-k", type=click.IntRange(1, 100), default=5, show_default=True, help="How many."
)
@click.option("--neighbours", type=click.IntRange(0, 10), help="Chunks around each match.")
@click.option("--document", "documents", multiple=True, help="Only in this document; repeatable.")
@deadline_option
@common_options
@pass_app
@scope_options
def search(
    app: CliContext,
    query: str,
    top_k: int,
    neighbours: int | None,
    documents: tuple[str, ...],
    deadline: float,
    as_json: bool,
    scope: Scope,
) -> None:
    """Find passages of documents that answer QUERY."""
    with app.memory() as memory:
        result = memory.knowledge.search(
            scope, query, top_k, neighbours, documents=documents or None, deadline=deadline
        )
    if as_json:
        say_json(_result(result))
        return
    for hit in result.hits:
        say(f"\n[{hit.metadata['citation']}]  {hit.score:.3f}\n{hit.text}")
    if not result.hits:
        say(app.message("found_no_passage"))
    if result.skipped:
        say(skipped_note(result, app.language))


@knowledge.command()
@click.argument("id")
@click.option("--original", is_flag=True, help="Write the original file to stdout.")
@common_options
@pass_app
@scope_options
def show(app: CliContext, id: str, original: bool, as_json: bool, scope: Scope) -> None:
    """Show the document ID, by its id or name."""
    with app.memory() as memory:
        info = memory.knowledge.get(scope, id)
        data = memory.knowledge.original(scope, id) if original else None
    if info is None:
        raise InputError(app.message("no_document", id=id))
    if original:
        if data is None:
            raise InputError(app.message("no_original", id=id))
        sys.stdout.buffer.write(data)
    elif as_json:
        say_json(_to_dict(info))
    else:
        values: dict[str, object] = {
            "name": info.name,
            "title": info.title,
            "type": info.media_type,
            "size": info.size,
            "chunks": info.chunks,
            "state": info.state,
            "file": info.original,
            "summary": _summary(app, info),
        }
        pairs(info.id, {app.message(f"document_{key}"): text for key, text in values.items()})


@knowledge.command()
@click.argument("id")
@common_options
@pass_app
@scope_options
def remove(app: CliContext, id: str, as_json: bool, scope: Scope) -> None:
    """Remove the document ID, its chunks and its file."""
    with app.memory() as memory:
        removed = memory.knowledge.remove(scope, id, actor="person", door="cli")
    if not removed:
        raise InputError(app.message("no_document", id=id))
    if as_json:
        say_json({"ok": True, "id": id})
    else:
        say(app.message("document_removed", name=id))


def _summary(app: CliContext, info: DocumentInfo) -> str:
    made = info.summary_by if info.summary_by in ("extract", "model") else ""
    how = app.message(f"document_summary_{made}") if info.summary and made else ""
    return f"{info.summary} {how}".strip()


def _to_dict(info: DocumentInfo | None) -> dict[str, Any]:
    return {} if info is None else {**asdict_of(info), "metadata": dict(info.metadata)}


def asdict_of(info: DocumentInfo) -> dict[str, Any]:
    return {name: getattr(info, name) for name in info.__dataclass_fields__}


def _result(result: Recall) -> dict[str, Any]:
    hits = [
        {
            "id": hit.id,
            "text": hit.text,
            "score": round(hit.score, 4),
            "citation": hit.metadata.get("citation"),
            "metadata": dict(hit.metadata),
        }
        for hit in result.hits
    ]
    return {
        "hits": hits,
        "level": result.level,
        "paths": dict(result.paths),
        "skipped": result.skipped,
        "took_ms": round(result.took_ms, 3),
    }
