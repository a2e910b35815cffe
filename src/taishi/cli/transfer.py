"""`taishi export`, `import`, `backup` and `reembed`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..errors import InputError, StorageError
from ..importers.guess import HEAD_BYTES, guessed_formats
from ..types import Scope
from .chats import ChatArguments, chat_options, import_chats
from .context import SCOPE_OPTIONS, CliContext, common_options, pass_app
from .memories import wait_embedded
from .output import note, one_line, progress, say, say_json, table

if TYPE_CHECKING:
    from ..assembly.shared_storage import RemoteFile
    from ..exported import Imported

OUTCOMES = ("added", "same", "kept", "replaced", "forgotten")
MB = 1 << 20
REPORT_EVERY = 500


def optional_scope_options(command: Callable[..., None]) -> Callable[..., None]:
    """Optional scope options; without them, the command applies to everything."""

    @wraps(command)
    def bounded(
        app: CliContext,
        /,
        user: str | None,
        group: str | None,
        agent: str | None,
        workspace: str | None,
        shared: bool,
        **rest: Any,
    ) -> None:
        scope = None
        if user or group or agent or shared:
            scope = Scope(user, group, agent, None, workspace or "default", shared)
            workspace = None
        command(app, scope=scope, workspace=workspace, **rest)

    bounded = click.option("--workspace", metavar="ID", help="Only this workspace.")(bounded)
    for option in SCOPE_OPTIONS:
        named = option(lambda: None).__click_params__[0].name  # type: ignore[attr-defined]
        if named not in ("workspace", "session"):
            bounded = option(bounded)
    return bounded


@click.command()
@click.argument("file", type=str, default="-")
@click.option("--vectors", is_flag=True, help="Include the vectors.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@common_options
@pass_app
@optional_scope_options
def export(
    app: CliContext,
    file: str,
    vectors: bool,
    force: bool,
    as_json: bool,
    scope: Scope | None,
    workspace: str | None,
) -> None:
    """Write everything to FILE, one JSON object per line; - is stdout, s3://… a bucket."""
    to_stdout = file == "-"
    if to_stdout and as_json:
        raise InputError("--json and the lines cannot both go to stdout; name a FILE")
    target = _target(app, file)
    if not to_stdout and target.exists() and not force:
        raise InputError(app.message("export_exists", file=file))
    with app.memory() as memory:
        lines = memory.transfer.export(scope, workspace=workspace, vectors=vectors)
        if to_stdout:
            count, left_out = _write(lines, _Stdout(), lambda n, of: None)
            _say_left_out(app, left_out)
            return
        with _writing(target) as out, progress(not as_json) as advance:
            count, left_out = _write(
                lines, out, lambda n, of: advance(app.message("exporting"), n, of)
            )
    if as_json:
        say_json({"file": file, "lines": count, "left_out": left_out})
    else:
        say(app.message("exported", count=count, file=file))
    _say_left_out(app, left_out)


def _say_left_out(app: CliContext, left_out: list[str]) -> None:
    for what in left_out:
        note(app.message("export_left_out", what=one_line(what)))
    if left_out:
        raise StorageError(app.message("export_incomplete", count=len(left_out)))


class _Stdout:
    def write(self, text: str) -> None:
        click.echo(text, nl=False)


def _write(
    lines: Iterator[str], out: IO[str] | _Stdout, report: Callable[[int, int], None]
) -> tuple[int, list[str]]:
    import json

    first = last = next(lines)
    out.write(first)
    total = sum(json.loads(first)["counts"].values()) + 2
    count = 1
    for count, last in enumerate(lines, 2):
        out.write(last)
        if count % REPORT_EVERY == 0:
            report(count, max(total, count))
    return count, json.loads(last)["left_out"]


def _target(app: CliContext, file: str) -> Path | RemoteFile:
    if not file.lower().startswith("s3://"):
        return Path(file)
    from ..assembly.shared_storage import RemoteFile

    return RemoteFile(file, app.settings)


def _writing(target: Path | RemoteFile) -> AbstractContextManager[IO[str]]:
    return _atomic_file(target) if isinstance(target, Path) else target.writing()


@contextmanager
def _atomic_file(file: Path) -> Iterator[IO[str]]:
    """Write to a temporary file and rename it when complete; readable by its owner only."""
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        try:
            with part.open("w", encoding="utf-8", newline="\n") as out:
                yield out
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"{file} cannot be written ({error.strerror or error}); name another file"
        ) from error


@click.command("import")
@click.argument("file", type=str)
@chat_options
@click.option("--dry-run", is_flag=True, help="Check and count, but write nothing.")
@click.option("--skip-bad", is_flag=True, help="Skip bad lines and list them.")
@click.option(
    "--replace",
    is_flag=True,
    help="If a record differs, take the one from the file.",
)
@click.option(
    "--remap",
    metavar="OLD=NEW",
    multiple=True,
    help="Import one workspace's lines into another; repeatable.",
)
@click.option(
    "--even-forgotten",
    is_flag=True,
    help="Also import what was forgotten here since; this is logged.",
)
@common_options
@pass_app
@optional_scope_options
def import_(
    app: CliContext,
    file: str,
    dry_run: bool,
    skip_bad: bool,
    replace: bool,
    remap: tuple[str, ...],
    even_forgotten: bool,
    as_json: bool,
    scope: Scope | None,
    workspace: str | None,
    chats: ChatArguments,
) -> None:
    """Import FILE, an export of Taishi or (--from) of another program; - is stdin."""
    if chats.is_foreign:
        if skip_bad or remap:
            raise InputError(app.message("import_own_only"))
        import_chats(app, file, scope, workspace, chats, replace, even_forgotten, dry_run, as_json)
        return
    if chats.is_given:
        _hint_at_format(app, file, _head(file))
        raise InputError(app.message("import_chats_only"))
    names = dict(_pair(app, pair) for pair in remap)
    head = _head(file)
    with (
        _hinting_at_format(app, file, head),
        _lines(app, file) as lines,
        app.memory_for_dry_run() if dry_run else app.memory(create=True) as memory,
        progress(not as_json) as advance,
    ):
        report = memory.transfer.import_records(
            lines,
            scope,
            workspace=workspace,
            remap=names,
            replace=replace,
            dry_run=dry_run,
            skip_bad=skip_bad,
            even_forgotten=even_forgotten,
            progress=lambda count, total: advance(app.message("importing"), count, total),
        )
    if as_json:
        say_json(asdict(report))
    else:
        _show_report(app, report)


def _show_report(app: CliContext, report: Imported) -> None:
    outcomes = {name: getattr(report, name) for name in OUTCOMES}
    kinds = sorted({kind for counted in outcomes.values() for kind in counted})
    rows = [(kind, *(str(outcomes[name].get(kind, 0)) for name in OUTCOMES)) for kind in kinds]
    headings = [app.message("line_type"), *(app.message(name) for name in OUTCOMES)]
    table(headings, rows, right=range(1, len(headings)))
    for bad in report.bad:
        note(app.message("bad_line", line=bad.line, reason=one_line(bad.reason)))
    if kept_count := sum(report.kept.values()):
        note(app.message("import_kept", count=kept_count))
    if forgotten_count := sum(report.forgotten.values()):
        note(app.message("import_forgotten", count=forgotten_count))
    if report.dry_run:
        say(app.message("import_dry"))


def _pair(app: CliContext, option: str) -> tuple[str, str]:
    old, equals, new = option.partition("=")
    if not equals:
        raise InputError(app.message("remap_form", given=one_line(option)))
    return old, new


def _head(file: str) -> bytes:
    """The first bytes, without taking them from stdin."""
    try:
        if file == "-":
            peek = getattr(sys.stdin.buffer, "peek", None)
            return bytes(peek(HEAD_BYTES)) if peek else b""
        with Path(file).open("rb") as opened:
            return opened.read(HEAD_BYTES)
    except OSError:
        return b""


@contextmanager
def _hinting_at_format(app: CliContext, file: str, head: bytes) -> Iterator[None]:
    try:
        yield
    except InputError:
        _hint_at_format(app, file, head)
        raise


def _hint_at_format(app: CliContext, file: str, head: bytes) -> None:
    if formats := guessed_formats(head):
        name = one_line("stdin" if file == "-" else file)
        note(app.message("import_looks_like", file=name, format=" / ".join(formats)))


@contextmanager
def _lines(app: CliContext, file: str) -> Iterator[Iterable[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    source = _target(app, file)
    if not isinstance(source, Path):
        yield source.lines()
        return
    try:
        opened = source.open("rb")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}; correct the path") from error
    with opened:
        yield opened


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@common_options
@pass_app
def backup(app: CliContext, target: Path, as_json: bool) -> None:
    """Copy the whole data folder to TARGET, while it is in use."""
    with app.memory() as memory:
        copy = memory.transfer.backup(target)
    if as_json:
        say_json(asdict(copy))
    else:
        say(
            app.message(
                "backed_up", files=copy.files, size=round(copy.bytes / MB, 1), path=copy.path
            )
        )


@click.command()
@click.option("--no-wait", is_flag=True, help="Do not wait for the embedding.")
@common_options
@pass_app
def reembed(app: CliContext, no_wait: bool, as_json: bool) -> None:
    """Compute every vector again; until then, recall is by keyword."""
    with app.memory() as memory:
        waiting = memory.maintenance.reembed()
        if not as_json:
            note(app.message("reembedding", count=waiting))
        embedded = not no_wait and wait_embedded(app, memory, not as_json)
    if as_json:
        say_json({"waiting": waiting, "embedded": embedded})
    else:
        say(app.message("reembedded" if embedded else "reembed_waits"))
