"""`taishi remember`, `forget`, `deletions` and `refusals`: store and delete memories."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, StorageError
from ..language.redaction.redactor import redacted_kinds
from ..settings.addresses import is_server
from ..times import to_datetime
from ..types import Record, Scope
from .context import KIND, TIME, CliContext, common_options, pass_app, scope_options, to_time
from .erasure_output import show_proof
from .json_options import metadata_option
from .known_names import ids_called, show_called
from .output import note, one_line, progress, say, say_json, table

if TYPE_CHECKING:
    from ..memory import Memory
    from ..tools.still_told import Forgotten

POLL_SECONDS = 0.05
NOT_ALONE = ("profile", "chunk")  # a page goes with its facts, a note's part with the note
MOST_LOOKED_AT = 1000
STALLED_SECONDS = 40.0  # longer than a remote embedder may take for one batch


@click.command()
@click.argument("text", required=False)
@click.option("--kind", type=KIND, default="fact", show_default=True, help="What it is.")
@click.option("--time", metavar=TIME, help="When it happened; now if not given.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--source", metavar="ID", help="Your own id, returned unchanged.")
@metadata_option
@click.option("--expires", metavar=TIME, help="When to delete it; never if not given.")
@click.option(
    "--file",
    "file",
    metavar="JSONL",
    type=click.Path(path_type=Path),
    help="Many at once: one JSON object per line, with text and optionally kind, time, "
    "speaker, session, source, id, user, confidence, metadata, expires.",
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the embedding.")
@common_options
@pass_app
@scope_options
def remember(
    app: CliContext,
    text: str | None,
    kind: str,
    time: str | None,
    speaker: str | None,
    source: str | None,
    metadata: dict[str, Any] | None,
    expires: str | None,
    file: Path | None,
    no_wait: bool,
    as_json: bool,
    scope: Scope,
) -> None:
    """Store TEXT word for word (secrets removed); - reads stdin."""
    if file is not None and text is not None:
        raise InputError(app.message("both_given"))
    if file is None and text is None:
        raise InputError(app.message("nothing_given"))
    with app.memory(create=True) as memory:
        app.check_on(memory, scope)
        if file is not None:
            ids = _remember_file(app, memory, scope, file, not as_json)
        else:
            content = _stdin() if text == "-" else text or ""
            id = memory.remember(
                scope,
                content,
                kind,
                to_time(time),
                source,
                speaker=speaker,
                metadata=metadata,
                expires=to_time(expires),
                actor="person",
                door="cli",
            )
            ids = [id] if id else []
        redacted = _redacted(memory, scope, ids)
        embedded = not no_wait and wait_embedded(app, memory, not as_json)
    if as_json:
        say_json({"ids": ids, "count": len(ids), "embedded": embedded, "redacted": redacted})
        return
    if file is not None:
        say(app.message("remembered_many", count=len(ids)))
    else:
        say(app.message("remembered", id=ids[0]))
    if redacted:
        say(app.message("redacted", kinds=", ".join(redacted)))


def _redacted(memory: Memory, scope: Scope, ids: Sequence[str]) -> list[str]:
    """Kinds of secrets that were taken out of what was kept; of many, of the last thousand."""
    if not ids:
        return []
    last = list(dict.fromkeys(ids))[-MOST_LOOKED_AT:]
    kept = memory.records.newest(scope, filters={"id": {"in": last}}, limit=len(last))
    found = (redacted_kinds(one.text, one.speaker, one.data) for one in kept.records)
    return sorted({kind for kinds in found for kind in kinds})


def _remember_file(
    app: CliContext, memory: Memory, scope: Scope, file: Path, show: bool
) -> list[str]:
    from .jsonl import JsonlReader

    with progress(show) as advance:
        items = JsonlReader(
            file, lambda done, total: advance(app.message("reading_items"), done, total)
        )
        try:
            return memory.remember_many(scope, items, actor="person", door="cli")
        except InputError as error:
            raise items.located(error) from None


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"stdin is not UTF-8 text ({error.reason}); convert it first") from error


def wait_embedded(app: CliContext, memory: Memory, show: bool) -> bool:
    """Wait until stored texts are embedded; False if the embedder does not answer.

    Does not wait for the historian's jobs: they may take long, and belong to other processes.
    """
    if is_server(app.settings.memory.data):
        return False  # it goes on by itself after this command, and does not say when
    if not memory.status()["embedder"]["on"]:
        return False
    total = remaining = memory.status()["records"]["unembedded"]
    last_progress = clock.monotonic()
    with progress(show) as advance:
        while remaining:
            clock.sleep(POLL_SECONDS)
            unembedded = memory.status()["records"]["unembedded"]
            if unembedded < remaining:
                remaining, last_progress = unembedded, clock.monotonic()
                advance(app.message("embedding"), total - unembedded, total)
            elif clock.monotonic() - last_progress > STALLED_SECONDS:
                note(app.message("not_embedded", count=unembedded))
                return False
    return True


@click.command()
@click.argument("id", required=False)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option(
    "--prove",
    is_flag=True,
    help="Then search for it everywhere; exit 1 if anything is found.",
)
@common_options
@pass_app
@scope_options
def forget(
    app: CliContext, id: str | None, yes: bool, prove: bool, as_json: bool, scope: Scope
) -> None:
    """Delete the record ID, or (without ID) everything about the scope."""
    place = one_line(str(scope.home))
    if id is None and not yes:
        if as_json or not sys.stdin.isatty():
            raise InputError(app.message("forget_needs_yes", place=place))
        click.confirm(app.message("forget_all", place=place), abort=True, err=True)
    if prove and id is not None:
        raise InputError(app.message("prove_whole"))
    from ..tools.still_told import similar_users

    done: Forgotten | None = None
    gone = 0
    with app.memory() as memory:
        words = memory.deletions.traces(scope) if prove else ()
        if id is None:
            count = memory.forget(scope, actor="person", door="cli")
        else:
            done = _forget_one(app, memory, scope, id)
            count = done.count
        if id is None and not is_server(app.settings.memory.data):  # a server sees to its own keys
            from ..api_keys import Keys
            from ..server.forgotten_access import forget_access

            access = forget_access(Keys(app.settings.memory.data), scope.home)
            gone = access.keys
            count += access.total
        proof = memory.deletions.prove(scope, words) if prove else None
        similar = similar_users(memory, scope) if id is None else {}
        called = ids_called(memory, scope.home) if id is None and not count else []
    if id is not None and not count:
        raise InputError(app.message("forgot_none", id=one_line(id), place=place))
    if as_json:
        more = {
            "keys": gone,
            **_told_as_json(done),
            "similar_users": similar,
            "called_so": called,
            "proof": asdict(proof) if proof is not None else None,
        }
        say_json({"removed": count, **{name: value for name, value in more.items() if value}})
    else:
        say(app.message("forgot", count=count))
        if gone:
            say(app.message("keys_went", count=gone))
        for key, one in _told_by(done):
            text = one_line(one.text)
            say(app.message(key, id=one_line(one.id), kind=one.kind, text=text))
        if not count:
            say(app.message("forgot_nothing", place=place))
        for other, kept in similar.items():
            note(app.message("similar_user", id=one_line(other), count=kept, place=place))
        show_called(app, scope, called)
        if proof is not None and (count or proof.phrases or proof.found):
            show_proof(app, proof)
    if proof and not proof.phrases and not count:
        raise InputError(app.message("proof_of_nothing", place=place))
    if proof is not None and not proof:
        raise StorageError(app.message("proof_failed"))


def _told_by(done: Forgotten | None) -> list[tuple[str, Record]]:
    """The message for each record that told a forgotten one: it went, lost it, or still has it."""
    if done is None:
        return []
    was_event = done.record is not None and done.record.kind in ("event", "turn")
    fact_went = "learned_went" if was_event else "version_went"
    spoken = ("event", "turn")
    went = [("went_with_it" if one.kind in spoken else fact_went, one) for one in done.went]
    return [
        *went,
        *(("taken_out", one) for one in done.changed),
        *(("still_told", one) for one in done.left),
        *(("told_in_other_words", one) for one in done.close),
    ]


def _told_as_json(done: Forgotten | None) -> dict[str, list[str]]:
    if done is None:
        return {}
    found = {"changed": done.changed, "still_told_by": (*done.left, *done.close)}
    return {name: [one.id for one in some] for name, some in found.items() if some}


def _forget_one(app: CliContext, memory: Memory, scope: Scope, id: str) -> Forgotten:
    """What went, and what became of the records that told it."""
    from ..tools.still_told import forget_one

    record = memory.records.get(scope, id) if id.strip() else None
    try:
        return forget_one(memory, scope, id, actor="person", door="cli")
    except InputError:
        if record is None or record.kind not in NOT_ALONE:
            raise
        path = one_line(str(record.data.get("name") or ""))
        key = f"not_alone_{record.kind}"
        raise InputError(app.message(key, id=one_line(id), path=path)) from None


@click.command()
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many, the newest first.",
)
@common_options
@pass_app
def deletions(app: CliContext, limit: int, as_json: bool) -> None:
    """The log of deletions: who, when, from where, how many; never the content."""
    with app.memory() as memory:
        entries = memory.deletions.list(limit)
        zone = memory.settings.zone()
    if as_json:
        say_json({"deletions": [asdict(deletion) for deletion in entries]})
        return
    if not entries:
        say(app.message("no_deletions"))
        return
    columns = ("time", "actor", "door", "what", "kind", "scope", "removed")
    rows = [
        (
            f"{to_datetime(deletion.time, zone):%Y-%m-%d %H:%M:%S}",
            one_line(app.value("actor", deletion.actor)),
            app.value("door", deletion.door),
            app.value("deleted", deletion.what),
            app.value("partition", deletion.kind),
            deletion.scope[:12],
            str(deletion.removed),
        )
        for deletion in entries
    ]
    table([app.message(f"deletion_{name}") for name in columns], rows, right=[len(columns) - 1])


@click.command()
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many, the newest first.",
)
@common_options
@pass_app
def refusals(app: CliContext, limit: int, as_json: bool) -> None:
    """The log of refused writes: who, when, from where, why; never the content."""
    with app.memory() as memory:
        entries = memory.deletions.refusals(limit)
        zone = memory.settings.zone()
    if as_json:
        say_json({"refusals": [asdict(refusal) for refusal in entries]})
    elif not entries:
        say(app.message("no_refusals"))
    else:
        columns = ("time", "actor", "door", "reason", "kind", "scope")
        rows = [
            (
                f"{to_datetime(refusal.time, zone):%Y-%m-%d %H:%M:%S}",
                one_line(app.value("actor", refusal.actor)),
                app.value("door", refusal.door),
                app.message(f"refused_{refusal.reason}"),
                app.value("partition", refusal.kind),
                refusal.scope[:12],
            )
            for refusal in entries
        ]
        table([app.message(f"deletion_{name}") for name in columns], rows)
