"""`--log` of commands that stay: every line on stderr in one form, errors at the start included."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from ..errors import InputError, SettingsError, TaishiError
from ..observe.log_lines import logging_as
from .output import note

F = TypeVar("F", bound=Callable[..., object])
LOG_FORMS = ("text", "json")
Tell = Callable[[str], None]
log = logging.getLogger("taishi.cli")


def log_option(command: F) -> F:
    return click.option(
        "--log",
        "log_form",
        type=click.Choice(LOG_FORMS),
        default="text",
        show_default=True,
        help="Form of the log lines.",
    )(command)


def exit_code(error: TaishiError) -> int:
    return 2 if isinstance(error, (InputError, SettingsError)) else 1


@contextmanager
def told_as(form: str) -> Iterator[Tell]:
    """What to tell the operator with: plain lines at a terminal, elsewhere lines of the log with
    their time; with `json` the log has the error that ends the command as well."""
    with logging_as(form):
        if form != "json":
            yield note if sys.stderr.isatty() else log.info
            return
        try:
            yield log.info
        except TaishiError as error:
            log.error("%s", error)
            sys.exit(exit_code(error))
        except OSError as error:
            log.error("%s; correct that and try again", error)
            sys.exit(1)
