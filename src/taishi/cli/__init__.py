"""The `taishi` command: one module per group of commands; heavy imports happen only when a command
runs."""

from __future__ import annotations

import errno
import logging
import os
import sys
from itertools import pairwise
from typing import Any

import click

from .. import __version__
from ..errors import InputError, SettingsError, TaishiError
from .config import config
from .context import CHOICES, SCOPE, CliContext, Group
from .copy import copy
from .demo import demo
from .evaluate import evaluation
from .evidence import evidence, rebuild
from .facts import facts
from .help import READER
from .hook import hook
from .index import index
from .jobs import jobs, ledger
from .keys import keys
from .knowledge import knowledge
from .mcp import mcp, tools
from .memories import deletions, forget, refusals, remember
from .messages import language_of
from .migrate import migrate
from .models import models
from .notes import notes
from .oauth import oauth
from .procedures import procedures
from .profiles import profile
from .recall import context, recall
from .records import records
from .rescan import rescan
from .serve import serve
from .session import session
from .shared import shared
from .status import doctor, status, version
from .transfer import backup, export, import_, reembed
from .turns import add_messages, end_turn
from .ui import ui
from .usage_errors import Failure, failure, system_error, told, translated
from .work import work

INTERRUPTED = 130
LANG_VARIABLE = "TAISHI_LANG"
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Root(Group):
    """The root group: turns errors of any command into exit codes."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:  # before the options could be read
            reader = error.ctx.meta.get(READER) if error.ctx else None
            language = reader.language if reader else language_of(os.environ)
            raise translated(error, language) from error

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Help is written while options are still being read: its language is found out first."""
        ctx.meta[READER] = CliContext(warns=False, **_given(args))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TaishiError as error:
            is_usage_error = isinstance(error, (InputError, SettingsError))
            text = told(error, _app(ctx), ctx.meta.get(SCOPE))
            raise failure(text, _language(ctx), is_usage_error) from error
        except click.UsageError as error:
            raise translated(error, _language(ctx)) from error
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # the reader closed the pipe; click exits quietly
            language = _language(ctx)
            raise Failure(system_error(error, language), language) from error


def _given(args: list[str]) -> dict[str, str]:
    """The options that decide the language, wherever they stand."""
    words = [part for word in args for part in (word.split("=", 1) if "=" in word else [word])]
    found = {
        name.removeprefix("--"): value
        for name, value in pairwise(words)
        if name in ("--config", "--lang")
    }
    found.setdefault("lang", os.environ.get(LANG_VARIABLE) or "auto")
    return found if found["lang"] in CHOICES else {}


def _app(ctx: click.Context) -> CliContext:
    return ctx.obj or CliContext(**ctx.params)  # none yet where the command is not known


def _language(ctx: click.Context) -> str:
    return _app(ctx).language


@click.group(cls=Root, context_settings=HELP)
@click.option(
    "--data",
    metavar="PATH",
    help="Data folder, or the address of a database or server. Also TAISHI_DATA.",
)
@click.option("--config", metavar="FILE", help="Settings file. Also TAISHI_CONFIG.")
@click.option(
    "--lang",
    type=click.Choice(CHOICES),
    is_eager=True,
    default="auto",
    show_default=True,
    envvar=LANG_VARIABLE,
    help="Language of the messages; auto: that of the terminal. Also TAISHI_LANG.",
)
@click.version_option(__version__, message="taishi %(version)s", help="Show the version and exit.")
@click.pass_context
def taishi(ctx: click.Context, data: str | None, config: str | None, lang: str) -> None:
    """Taishi (太史), a memory engine for chatbots and agents."""
    ctx.obj = CliContext(data, config, lang)


for _command in (
    demo,
    remember,
    recall,
    context,
    end_turn,
    add_messages,
    session,
    records,
    work,
    status,
    models,
    doctor,
    evaluation,
    forget,
    deletions,
    refusals,
    profile,
    facts,
    knowledge,
    notes,
    shared,
    procedures,
    evidence,
    jobs,
    ledger,
    config,
    migrate,
    version,
    mcp,
    tools,
    hook,
    serve,
    ui,
    keys,
    oauth,
    export,
    import_,
    backup,
    copy,
    reembed,
    rescan,
    rebuild,
    index,
):
    taishi.add_command(_command)


class _OneLineFormatter(logging.Formatter):
    """Log records on one line, without a traceback."""

    def formatException(self, ei: Any) -> str:
        return f"{ei[0].__name__}: {ei[1]}"


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLineFormatter("taishi: %(message)s"))
    logging.getLogger("taishi").addHandler(handler)
    taishi(prog_name="taishi")
