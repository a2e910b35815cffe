"""`taishi profile`: show, edit, compare and roll back profiles."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError, StorageError, TaishiError
from ..types import Profile, Scope
from .context import CliContext, Group, common_options, pass_app, scope_options
from .output import note, one_line, say, say_json, table

if TYPE_CHECKING:
    from ..memory import Memory
    from ..ports import PageRevision

MAX_BODY_CHARS = 100_000
WRITERS = {
    "historian": "writer_historian",
    "correction": "writer_correction",
    "rebuild": "writer_rebuild",
    "file": "writer_file",
    "rollback": "writer_rollback",
    "person": "writer_person",
    "host": "writer_person",
}


@click.group(cls=Group)
def profile() -> None:
    """The page about a user or a group."""


@profile.command()
@common_options
@pass_app
@scope_options
def show(app: CliContext, as_json: bool, scope: Scope) -> None:
    """Show the profile of --user or --group; with both, what the group may see of the user's."""
    _check_has_profile(app, scope)
    home = scope.home
    seen_in_group = scope.user is not None and home.kind == "group"
    with app.memory() as memory:
        if scope.user is not None:
            page = memory.get_profile(scope, "user", scope.user)
        else:
            page = memory.get_profile(scope, "group", home.id)
        hidden = 0 if page is None or seen_in_group else _hidden_lines(memory, scope, page)
    if as_json:
        more = {"only_in_groups": hidden} if hidden else {}
        say_json({"profile": asdict(page) if page else None, **more})
    elif page is None and seen_in_group:
        user, group = one_line(str(scope.user)), one_line(str(home))
        say(app.message("profile_not_in_group", user=user, group=group))
    elif page is None:
        say(app.message("no_profile", place=one_line(str(home))))
    else:
        tags = " ".join(f"#{app.value('tag', tag)}" for tag in page.tags)
        heading = [f"# {page.name or page.entity_id}", tags]
        say("\n\n".join(part for part in (*heading, page.body.strip()) if part))
        if hidden:
            edit = app.command("profile edit", scope)
            note(app.message("profile_only_in_groups", count=hidden, edit=edit))


def _hidden_lines(memory: Memory, scope: Scope, page: Profile) -> int:
    """How many lines of the page this scope is not shown."""
    whole = memory.profiles.source(scope)
    return len(_lines(whole)) - len(_lines(page)) if whole else 0


def _lines(page: Profile) -> list[str]:
    return [line for line in page.body.splitlines() if line.strip()]


@profile.command()
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the new body from this file instead of an editor.",
)
@common_options
@pass_app
@scope_options
def edit(app: CliContext, file: Path | None, as_json: bool, scope: Scope) -> None:
    """Edit the page in $EDITOR. What you delete is not learned again."""
    _check_profile_scope(app, scope)
    if as_json and file is None:
        raise InputError(app.message("edit_needs_file"))
    with app.memory() as memory:
        before = memory.profiles.source(scope)
    old = before.body if before else ""
    new = _read(app, file) if file else click.edit(f"{old}\n", extension=".md", require_save=True)
    if new is None or new.strip() == old.strip():
        written = before
    else:
        if len(new) > MAX_BODY_CHARS:
            raise InputError(app.message("profile_too_long", most=MAX_BODY_CHARS))
        with app.memory() as memory:
            written = _write_or_save(app, memory, scope, new.strip(), before)
    if as_json:
        say_json({"profile": asdict(written) if written else None, "changed": written != before})
    else:
        say(app.message("profile_same" if written == before else "profile_written"))


def _write_or_save(
    app: CliContext, memory: Memory, scope: Scope, body: str, before: Profile | None
) -> Profile:
    """Write the edited profile; on an error, save the text to a temporary file and name it."""
    try:
        return memory.profiles.edit(scope, body, before, door="cli")
    except TaishiError as error:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="replace", suffix=".md", prefix="taishi-", delete=False
        ) as saved:
            saved.write(body)
        raise StorageError(app.message("edit_kept", error=error, file=saved.name)) from error


def _read(app: CliContext, file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(app.message("not_utf8", file=file)) from error


@profile.command()
@common_options
@pass_app
@scope_options
def history(app: CliContext, as_json: bool, scope: Scope) -> None:
    """List the page's snapshots, newest first."""
    _check_profile_scope(app, scope)
    with app.memory() as memory:
        known = memory.profiles.history(scope)
    if as_json:
        names = [one.name for one in known]
        say_json({"revisions": names, "history": [asdict(one) for one in known]})
    elif known:
        table(
            (app.message("revision"), app.message("until"), app.message("changed_by")),
            [(one.name, _format_time(one.name), _writer(app, one)) for one in known],
            whole=(0, 1),
        )
    else:
        say(app.message("no_revisions"))


@profile.command()
@click.argument("revision")
@click.argument("to", required=False)
@common_options
@pass_app
@scope_options
def diff(app: CliContext, revision: str, to: str | None, as_json: bool, scope: Scope) -> None:
    """What changed from REVISION to now, or to the snapshot TO."""
    _check_profile_scope(app, scope)
    with app.memory() as memory:
        changed = memory.profiles.diff(scope, revision, to)
    if as_json:
        say_json({"diff": changed})
    else:
        say(changed.rstrip("\n") or app.message("no_difference"))


@profile.command()
@click.argument("revision")
@common_options
@pass_app
@scope_options
def rollback(app: CliContext, revision: str, as_json: bool, scope: Scope) -> None:
    """Restore the snapshot REVISION."""
    _check_profile_scope(app, scope)
    with app.memory() as memory:
        page = memory.profiles.rollback(scope, revision, door="cli")
    if as_json:
        say_json({"profile": asdict(page)})
    else:
        say(app.message("rolled_back", revision=revision))


def _writer(app: CliContext, revision: PageRevision) -> str:
    """Who or what wrote a version, in words."""
    who, _, door = revision.changed_by.partition(":")
    words = app.message(WRITERS.get(who, "writer_unknown"))
    if who == "rollback" or who in ("person", "host"):
        return f"{words} ({door})" if door else words
    event = revision.source_event_id
    return f"{words} ({one_line(event)})" if event and who in ("historian", "") else words


def _check_has_profile(app: CliContext, scope: Scope) -> None:
    if scope.home.kind not in ("private", "group"):
        raise InputError(app.message("profile_scope"))


def _check_profile_scope(app: CliContext, scope: Scope) -> None:
    """One page, and it is clear whose."""
    _check_has_profile(app, scope)
    if scope.user is not None and scope.group is not None:
        raise InputError(app.message("profile_of_one"))


def _format_time(name: str) -> str:
    """20260220T143000.000000Z as 2026-02-20 14:30:00 UTC."""
    return f"{name[:4]}-{name[4:6]}-{name[6:8]} {name[9:11]}:{name[11:13]}:{name[13:15]} UTC"
