"""`taishi copy`: a memory from one address to another."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import __version__
from ..api_keys import Keys
from ..errors import InputError
from ..settings.addresses import without_password
from .context import CliContext, common_options, pass_app
from .output import note, one_line, progress, say, say_json

if TYPE_CHECKING:
    from ..memory import Memory

OWN_FILES = ("prompts", "end_summaries.json")  # that a person put into the folder


@click.command()
@click.argument("source")
@click.argument("target")
@click.option(
    "--give-up", is_flag=True, help="Do not continue an interrupted copy: use TARGET as it is."
)
@common_options
@pass_app
def copy(app: CliContext, source: str, target: str, give_up: bool, as_json: bool) -> None:
    """Copy a memory to another address and verify it; repeat to continue."""
    if give_up:
        _give_up(app, source, target, as_json)
        return
    _check(app, source, target)
    with (
        _opened(app, source) as from_memory,
        _opened(app, target, copied_from=source) as to_memory,
        progress(not as_json) as advance,
    ):
        copied = from_memory.transfer.copy_to(
            to_memory.transfer,
            progress=lambda stage, done, total: advance(app.message(f"copy_{stage}"), done, total),
        )
        here, there = (_folder(memory) for memory in (from_memory, to_memory))
        keys = Keys(target).take_over(Keys(source))
        if here.resolve() != there.resolve():  # two databases may have one local folder
            _copy_own_files(here, there)
        if others := _others(from_memory):
            note(app.message("copy_open", count=others))
    if as_json:
        say_json({**asdict(copied), "keys": keys})
        return
    if copied.passes > 1:
        note(app.message("copy_passes", passes=copied.passes))
    for what in copied.left_out:
        note(app.message("export_left_out", what=one_line(what)))
    say(
        app.message(
            "copy_done",
            lines=sum(copied.counts.values()),
            keys=keys,
            archives=copied.archives,
            checksum=copied.checksum[:16],
        )
    )


def _give_up(app: CliContext, source: str, target: str, as_json: bool) -> None:
    """The source may be gone, so it is not asked."""
    from ..assembly import give_up_copy, has_memory

    app.need_engine(target)
    shown = one_line(without_password(target))
    if not has_memory(target):
        raise InputError(app.message("copy_no_memory", address=shown))
    settings = app.load(**{"memory.data": target})
    if not give_up_copy(source, settings.memory.data, settings):
        raise InputError(app.message("copy_is_whole", address=shown))
    if as_json:
        say_json({"given_up": True})
    else:
        say(app.message("copy_given_up", address=shown))


def _check(app: CliContext, source: str, target: str) -> None:
    """Before anything is made: opening a folder that is none would create it."""
    from ..assembly import has_memory

    if "\x00" in source + target:
        raise InputError("an address holds a NUL; correct it")
    for address in (source, target):
        app.need_engine(address)
    if source == target or _is_same_path(source, target):
        raise InputError("source and target are the same memory; name another target")
    if not has_memory(source):
        raise InputError(app.message("copy_no_memory", address=one_line(without_password(source))))


def _is_same_path(source: str, target: str) -> bool:
    if "://" in source or "://" in target:
        return False
    return Path(source).expanduser().resolve() == Path(target).expanduser().resolve()


@contextmanager
def _opened(app: CliContext, address: str, copied_from: str = "") -> Iterator[Memory]:
    from ..assembly import begin_copy
    from ..memory import Memory

    settings = app.load(**{"memory.data": address})
    machine = replace(settings.machine, role="cli", version=__version__)
    settings = replace(settings, machine=machine)
    if copied_from:
        begin_copy(copied_from, settings.memory.data, time.time())
    with Memory.open(settings=settings, resume_copy=bool(copied_from)) as memory:
        yield memory


def _others(memory: Memory) -> int:
    """How many other processes have it open."""
    return sum(not row["own"] for row in memory.status(records=False)["processes"])


def _folder(memory: Memory) -> Path:
    return Path(memory.status(records=False)["folder"])


def _copy_own_files(source: Path, target: Path) -> None:
    for name in OWN_FILES:
        path = source / name
        if path.is_dir():
            shutil.copytree(path, target / name, dirs_exist_ok=True)
        elif path.is_file():
            shutil.copy2(path, target / name)
